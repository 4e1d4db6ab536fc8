//! What people said in review: which comments count, and where what they speak of can be seen (SWE-PRBench, sections 3.1
//! and 3.4).

use std::sync::LazyLock;

use regex::Regex;

use super::bots::{is_ai_text, is_bot_name};
use super::export::{Note, PullRequest};
use crate::diff::{ChangeSet, FileChange};

/// Fewest words of a comment that counts.
const WORDS: usize = 10;
/// Unchanged lines that a diff shows around a hunk.
const AROUND: u32 = 3;

static SUBSTANCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)`|\b(?:should|could|would|might|must|why|what if|instead|consider|suggest\w*|rather|prefer|need(?:s|ed)?|",
        r"missing|wrong|incorrect|bug|fail\w*|break\w*|error|exception|crash\w*|leak\w*|race|null|none|nil|undefined|",
        r"edge case|test\w*|performance|slow\w*|memory|secur\w*|unsafe|valid\w*|check\w*|handle\w*|return\w*|rename\w*|",
        r"refactor\w*|duplicat\w*|remove|simplif\w*|document\w*|type[sd]?|api|compat\w*)\b|\w+\(\)|\w+\.\w+\(|[a-z]+_[a-z]+|(?-i:[a-z][A-Z])"
    ))
    .expect("the pattern is a constant that compiles")
});

/// Whether a comment of a person says something: ten words or more, with a word of substance or code in it. The paper gives
/// the rule and not its words, so these are ours.
pub fn is_substantive(note: &Note) -> bool {
    !is_bot_name(&note.author)
        && !is_ai_text(&note.body)
        && note.body.split_whitespace().count() >= WORDS
        && SUBSTANCE.is_match(&note.body)
}

/// The comments that count as truth: substantive, by others than the author, and no answers.
pub(super) fn truth(pull: &PullRequest) -> Vec<&Note> {
    let by_others = |note: &&Note| note.author != pull.author && !note.is_reply && note.file.is_some();
    pull.notes.iter().filter(by_others).filter(|note| is_substantive(note)).collect()
}

/// Where what a comment speaks of can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// In the diff: its line is one that the diff shows.
    Direct,
    /// In a changed file, outside of what the diff shows.
    Contextual,
    /// In another file.
    Latent,
}

impl Evidence {
    /// As records spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "type1",
            Self::Contextual => "type2",
            Self::Latent => "type3",
        }
    }
}

/// Which of the three; `None` for a comment without a file.
pub(super) fn evidence(note: &Note, changes: &ChangeSet) -> Option<Evidence> {
    let file = note.file.as_deref()?;
    let Some(change) = changes.files.iter().find(|change| change.path.bytes() == file.as_bytes()) else {
        return Some(Evidence::Latent);
    };
    let is_shown = note.line.is_some_and(|line| shows(change, line));
    Some(if is_shown { Evidence::Direct } else { Evidence::Contextual })
}

/// Whether a diff with the usual context shows the line of the new side.
fn shows(change: &FileChange, line: u32) -> bool {
    change.hunks().iter().any(|hunk| {
        let end = hunk.new.end().saturating_add(AROUND);
        (hunk.new.first.saturating_sub(AROUND)..end).contains(&line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(author: &str, body: &str) -> Note {
        Note { author: author.to_owned(), body: body.to_owned(), ..Note::default() }
    }

    #[test]
    fn ten_words_of_substance() {
        let good = "I think that this should look at the length before it divides by it";
        assert!(is_substantive(&note("ann", good)));
        assert!(!is_substantive(&note("coderabbitai[bot]", good)));
        assert!(!is_substantive(&note("ann", "this should be checked")));
        assert!(!is_substantive(&note("ann", "thank you so much for all of your work on it, great")));
    }
}
