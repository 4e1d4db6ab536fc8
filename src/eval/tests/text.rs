//! Measures of texts against those of other programs: BLEU-1 of nltk 3.9 (`sentence_bleu` with weights `(1,)`) over the same
//! words, ROUGE-L of rouge-score 0.1.2 (`rougeL`, no stemmer).

use crate::eval::text::{bleu_1, rouge_l};

#[test]
fn as_other_programs_compute_them() {
    for (text, reference, bleu, rouge) in [
        (
            "Check the divisor before the division",
            "Check that the divisor is not zero (the division fails)",
            0.427_847_599_193_826_7,
            0.625,
        ),
        ("the the the the", "the cat is on the mat", 0.303_265_329_856_316_7, 0.4),
        (
            "Add a test. Use a constant.",
            "Use a constant for the timeout; add a test for it",
            0.434_598_208_507_078_25,
            0.352_941_176_470_588_2,
        ),
        ("a b c d e f g h", "a b c d", 0.5, 0.666_666_666_666_666_6),
    ] {
        assert!((bleu_1(text, reference) - bleu).abs() < 1e-12, "{text}: {}", bleu_1(text, reference));
        assert!((rouge_l(text, reference) - rouge).abs() < 1e-12, "{text}: {}", rouge_l(text, reference));
    }
}

#[test]
fn texts_without_words_are_like_nothing() {
    for (text, reference) in [("", ""), ("...", "a"), ("", "a b")] {
        assert_eq!((bleu_1(text, reference), rouge_l(text, reference)), (0.0, 0.0));
    }
    assert_eq!((bleu_1("a", ""), rouge_l("a", "")), (0.0, 0.0));
}
