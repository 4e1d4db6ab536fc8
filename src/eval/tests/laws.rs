//! What holds of every input.

use proptest::prelude::*;
use proptest::{collection, option};

use crate::eval::cqs::{Graded, Tagged, literal_pairs, oriented_pairs};
use crate::eval::cr_bench::{Input, Label, Review};
use crate::eval::score::{Compat, Hits, Matching, Measures, Number, Pairing};
use crate::eval::sphinx::{BugFree, Buggy, Penalty, parse_count};
use crate::eval::swe_prbench::{self, Agent, Human};
use crate::eval::{cqs, sphinx, text};

fn of(measures: &Measures, name: &str) -> Option<f64> {
    measures[name].value.map(Number::get)
}

fn review() -> impl Strategy<Value = Review> {
    let label = prop_oneof![Just(Label::BugHit), Just(Label::ValidSuggestion), Just(Label::Noise)];
    (label, 0..4_u8)
        .prop_map(|(label, bug)| Review { label, bug: (label == Label::BugHit && bug > 0).then(|| format!("b{bug}")) })
}

fn cr_bench() -> impl Strategy<Value = Input> {
    (0..5_u64, collection::vec(review(), 0..12)).prop_map(|(total_bugs, reviews)| Input { total_bugs, reviews })
}

fn hits() -> impl Strategy<Value = Hits> {
    prop_oneof![Just(Hits::PerBug), Just(Hits::PerComment)]
}

fn compat() -> impl Strategy<Value = Compat> {
    prop_oneof![Just(Compat::Paper), Just(Compat::V041)]
}

/// Comments whose similarities and actionabilities all differ, so that no order decides between equals.
fn swe_prbench() -> impl Strategy<Value = swe_prbench::Input> {
    let label = prop_oneof![
        Just(swe_prbench::Label::Confirmed),
        Just(swe_prbench::Label::Plausible),
        Just(swe_prbench::Label::Fabricated)
    ];
    let place = (option::of(0..2_u8), option::of(1..60_u32));
    let comment = (label, option::of(0..5_u8), 1.0..5.0_f64, place.clone());
    let comments = (collection::vec(comment, 0..6), collection::vec(place, 0..5));
    (comments, collection::vec(-1.0..1.0_f64, 60), any::<bool>()).prop_map(|((agents, humans), numbers, fallback)| {
        let mut numbers = numbers.into_iter();
        let file = |file: Option<u8>| file.map(|file| format!("f{file}"));
        let agent = |(at, (label, matched, action, (path, line))): (usize, (_, Option<u8>, _, _))| Agent {
            id: format!("a{at}"),
            label,
            matched: matched.map(|human| format!("h{human}")),
            action: Some(action),
            file: file(path),
            line,
        };
        let human = |(at, (path, line))| Human { id: format!("h{at}"), file: file(path), line };
        let agent_comments: Vec<Agent> = agents.into_iter().enumerate().map(agent).collect();
        let human_comments: Vec<Human> = humans.into_iter().enumerate().map(human).collect();
        let mut pair = |one: &str, other: &str| (format!("{one}|{other}"), numbers.next().unwrap_or_default());
        let mut pairs = Vec::new();
        let mut own = Vec::new();
        for (at, agent) in agent_comments.iter().enumerate() {
            pairs.extend(human_comments.iter().map(|human| pair(&agent.id, &human.id)));
            own.extend(agent_comments[..at].iter().map(|other| pair(&agent.id, &other.id)));
        }
        swe_prbench::Input {
            cut: None,
            agent_comments,
            human_comments,
            pair_similarity: pairs.into_iter().collect(),
            agent_similarity: own.into_iter().collect(),
            agent_parse_ok: true,
            judge_fallback: fallback,
        }
    })
}

fn sphinx() -> impl Strategy<Value = sphinx::Input> {
    let buggy =
        (1..6_u64, 0..6_u64).prop_map(|(items, matched)| Buggy { matched: matched.min(items), items, repeat: 1 });
    let free = (0..2_u64).prop_map(|no_comment| BugFree { no_comment, items: 1, repeat: 1 });
    (collection::vec(buggy, 0..6), collection::vec(free, 0..6), 0.0..=1.0_f64)
        .prop_map(|(buggy, bug_free, lambda_)| sphinx::Input { buggy, bug_free, lambda_ })
}

fn cqs() -> impl Strategy<Value = cqs::Input> {
    let tagged = (0..3_u8).prop_map(|tag| Tagged { tag: format!("t{tag}"), rationale: String::new() });
    let list = collection::vec(tagged, 0..6);
    (list.clone(), list, collection::vec(any::<bool>(), 36)).prop_map(|(predicted, ground_truth, answers)| {
        let keys = (0..6).flat_map(|one| (0..6).map(move |other| format!("{one}|{other}")));
        cqs::Input { predicted, ground_truth, rationale_match: keys.zip(answers).collect() }
    })
}

fn counts(input: &cqs::Input, matching: Matching) -> Measures {
    let matched = input.matched(matching);
    let counts = cqs::Counts {
        predicted: input.predicted.len() as u64,
        matched: matched.predictions,
        known: input.ground_truth.len() as u64,
        found: matched.known,
    };
    counts.measures()
}

fn penalty() -> impl Strategy<Value = Penalty> {
    prop_oneof![
        (0.0..3.0_f64, 0.1..5.0_f64, 0.0..=1.0_f64).prop_map(|(start, more, cap)| Penalty::Ramp {
            start,
            end: start + more,
            cap
        }),
        (0.1..5.0_f64, 0.0..=1.0_f64).prop_map(|(end, least)| Penalty::Literal { end, least }),
    ]
}

proptest! {
    #[test]
    fn cr_bench_stays_in_bounds_and_keeps_its_identities(input in cr_bench(), hits in hits()) {
        let counts = input.counts();
        prop_assert_eq!(counts.comments, counts.hit_comments + counts.valid + counts.noise);
        prop_assert!(counts.hit_bugs <= counts.bugs);
        let measures = counts.measures(hits);
        for name in ["precision", "usefulness"] {
            prop_assert!(of(&measures, name).is_none_or(|value| (0.0..=1.0).contains(&value)), "{}", name);
        }
        if hits == Hits::PerBug {
            prop_assert!(of(&measures, "recall").is_none_or(|value| (0.0..=1.0).contains(&value)));
        }
        match (of(&measures, "precision"), of(&measures, "recall")) {
            (Some(p), Some(r)) if p + r > 0.0 => {
                prop_assert!((of(&measures, "f1").unwrap() - 2.0 * p * r / (p + r)).abs() < 1e-12);
            }
            (None, None) => prop_assert_eq!(of(&measures, "f1"), None),
            _ => prop_assert_eq!(of(&measures, "f1"), Some(0.0)),
        }
        match of(&measures, "usefulness") {
            None => prop_assert_eq!(of(&measures, "snr"), None),
            Some(1.0) => prop_assert_eq!(of(&measures, "snr"), Some(f64::INFINITY)),
            Some(u) => {
                prop_assert!((of(&measures, "snr").unwrap() - u / (1.0 - u)).abs() < 1e-9);
                prop_assert!(of(&measures, "precision").unwrap() <= u);
            }
        }
    }

    #[test]
    fn noise_never_raises_cr_bench(input in cr_bench(), hits in hits()) {
        let before = input.counts().measures(hits);
        let mut noisy = input;
        noisy.reviews.push(Review { label: Label::Noise, bug: None });
        let after = noisy.counts().measures(hits);
        prop_assert_eq!(of(&before, "recall"), of(&after, "recall"));
        for name in ["precision", "usefulness", "snr", "f1"] {
            if let Some(before) = of(&before, name) {
                prop_assert!(of(&after, name).unwrap() <= before, "{}", name);
            }
        }
    }

    #[test]
    fn cr_bench_has_no_order(input in cr_bench(), hits in hits(), seed in any::<u64>()) {
        let before = input.counts().measures(hits);
        let mut mixed = input;
        shuffle(&mut mixed.reviews, seed);
        prop_assert_eq!(mixed.counts().measures(hits), before);
    }

    #[test]
    fn swe_prbench_stays_in_bounds(input in swe_prbench(), compat in compat()) {
        let score = input.score(compat, Pairing::Greedy).unwrap();
        prop_assert!((0.0..=0.95 + 1e-12).contains(&score.overall.get()));
        let counts = score.counts;
        prop_assert_eq!(counts.confirmed + counts.plausible + counts.fabricated, input.agent_comments.len() as u64);
        prop_assert_eq!(counts.confirmed, score.pairs.len() as u64);
        // One to one, and somebody who is caught is caught by a confirmed comment.
        let (mut agents, mut humans): (Vec<_>, Vec<_>) = score.pairs.iter().map(|(a, h, _)| (a, h)).unzip();
        agents.sort(); agents.dedup(); humans.sort(); humans.dedup();
        prop_assert_eq!((agents.len(), humans.len()), (score.pairs.len(), score.pairs.len()));
        for rate in [score.recall, score.precision, score.actionability, score.hallucination, score.redundancy] {
            prop_assert!((0.0..=1.0).contains(&rate.get()));
        }
    }

    /// A comment that is made up, says nothing to act on and is like no other. (One that is praised for its actionability
    /// or thins out repetitions can raise the score of the paper by a little.)
    #[test]
    fn a_fabrication_never_raises_swe_prbench(input in swe_prbench(), compat in compat()) {
        let mut input = input;
        input.agent_similarity.clear();
        let before = input.score(compat, Pairing::Greedy).unwrap();
        input.agent_comments.push(Agent {
            id: "made up".to_owned(),
            label: swe_prbench::Label::Fabricated,
            matched: None,
            action: Some(1.0),
            file: None,
            line: None,
        });
        let after = input.score(compat, Pairing::Greedy).unwrap();
        prop_assert_eq!(&after.pairs, &before.pairs);
        prop_assert!(after.recall == before.recall && after.precision <= before.precision);
        prop_assert!(after.overall.get() <= before.overall.get() + 1e-12);
    }

    #[test]
    fn swe_prbench_has_no_order_but_that_of_clusters(input in swe_prbench(), compat in compat(), seed in any::<u64>()) {
        let mut input = input;
        // Clusters are greedy: their first member speaks for them. Without them nothing depends on the order.
        input.agent_similarity.clear();
        // Affinities that meet at the clamp are decided by order.
        input.pair_similarity.values_mut().for_each(|similarity| *similarity *= 0.7);
        let score = input.score(compat, Pairing::Greedy).unwrap();
        let mut mixed = input;
        shuffle(&mut mixed.agent_comments, seed);
        shuffle(&mut mixed.human_comments, seed.rotate_left(7));
        let other = mixed.score(compat, Pairing::Greedy).unwrap();
        prop_assert_eq!(&score.labels, &other.labels);
        prop_assert_eq!(&score.human_status, &other.human_status);
        prop_assert!((score.overall.get() - other.overall.get()).abs() < 1e-9);
    }

    #[test]
    fn more_human_comments_weigh_more(few in 0..1000_u64, more in 1..1000_u64) {
        prop_assert!(swe_prbench::weight(few) < swe_prbench::weight(few + more));
        let scores = [(0.5, few), (0.5, more)];
        prop_assert!((swe_prbench::aggregate(&scores).unwrap().get() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn sphinx_stays_in_bounds_and_has_no_order(input in sphinx(), seed in any::<u64>()) {
        let measures = input.measures().unwrap();
        for name in ["score", "coverage", "silence"] {
            prop_assert!(of(&measures, name).is_none_or(|value| (0.0..=1.0 + 1e-12).contains(&value)));
        }
        prop_assert_eq!(of(&measures, "coverage").is_none(), input.buggy.is_empty());
        let mut mixed = input.clone();
        shuffle(&mut mixed.buggy, seed);
        shuffle(&mut mixed.bug_free, seed);
        let other = mixed.measures().unwrap();
        for name in ["score", "coverage", "silence"] {
            let (one, other) = (of(&measures, name), of(&other, name));
            prop_assert_eq!(one.is_some(), other.is_some());
            prop_assert!(one.zip(other).is_none_or(|(one, other)| (one - other).abs() < 1e-9));
        }
        // One more item addressed never costs anything.
        let mut better = input;
        if let Some(case) = better.buggy.iter_mut().find(|case| case.matched < case.items) {
            case.matched += 1;
            let (better, before) = (of(&better.measures().unwrap(), "score"), of(&measures, "score"));
            prop_assert!(better.zip(before).is_none_or(|(better, before)| better >= before - 1e-12));
        }
    }

    #[test]
    fn padding_never_raises_the_reward(
        penalty in penalty(), length in 0..2000_u64, more in 1..500_u64, reference in 0..400_u64, coverage in 0.0..=1.0_f64,
    ) {
        penalty.check().unwrap();
        let reward = |length: u64| sphinx::reward(coverage, penalty.factor(length, reference));
        prop_assert!(reward(length + more) <= reward(length));
        prop_assert!((0.0..=1.0).contains(&reward(length)));
    }

    #[test]
    fn a_count_is_never_more_than_there_are(answer in "\\PC{0,20}", items in 0..100_u64) {
        prop_assert!(parse_count(&answer, items) <= items);
        prop_assert_eq!(parse_count(&format!("{items} of them"), items), items);
    }

    #[test]
    fn cqs_stays_in_bounds(input in cqs()) {
        let one = counts(&input, Matching::OneToOne);
        let many = counts(&input, Matching::ManyToOne);
        for measures in [&one, &many] {
            for name in ["precision", "recall", "f1"] {
                prop_assert!(of(measures, name).is_none_or(|value| (0.0..=1.0 + 1e-12).contains(&value)), "{}", name);
            }
        }
        let matched = input.matched(Matching::OneToOne);
        prop_assert_eq!(matched.predictions, matched.known);
        for (one, other) in &matched.pairs {
            prop_assert_eq!(&input.predicted[*one].tag, &input.ground_truth[*other].tag);
        }
        prop_assert!(many["precision"].value >= one["precision"].value);
    }

    #[test]
    fn a_comment_nobody_knows_never_raises_cqs(input in cqs()) {
        let before = counts(&input, Matching::OneToOne);
        let mut noisy = input;
        noisy.predicted.push(Tagged { tag: "nobody's".to_owned(), rationale: String::new() });
        let after = counts(&noisy, Matching::OneToOne);
        prop_assert_eq!(of(&after, "recall"), of(&before, "recall"));
        for name in ["precision", "f1"] {
            prop_assert!(of(&before, name).is_none_or(|before| of(&after, name).unwrap() <= before), "{}", name);
        }
    }

    #[test]
    fn pairs_are_oriented(scores in collection::vec(collection::vec((0..3_u8, -1..=10_i8), 0..4), 0..5), delta in 0..6_u8) {
        let graded = |(tag, score): &(u8, i8)| Graded {
            id: String::new(),
            tag: tag.to_string(),
            score: f64::from(*score),
        };
        let reviews: Vec<Vec<Graded>> = scores.iter().map(|review| review.iter().map(graded).collect()).collect();
        let oriented = oriented_pairs(&reviews, f64::from(delta));
        for pair in &oriented {
            prop_assert!(pair.chosen.score > pair.rejected.score && pair.chosen.tag == pair.rejected.tag);
            prop_assert!(pair.chosen.score - pair.rejected.score >= f64::from(delta));
        }
        // The printed pseudo code has each pair twice, once the wrong way round.
        if delta > 0 {
            prop_assert_eq!(literal_pairs(&reviews, f64::from(delta)).len(), 2 * oriented.len());
        }
    }

    #[test]
    fn texts_are_most_like_themselves(one in "[a-c ]{0,20}", other in "[a-c ]{0,20}") {
        for measure in [text::bleu_1, text::rouge_l] {
            let (alike, itself) = (measure(&one, &other), measure(&one, &one));
            prop_assert!((0.0..=1.0).contains(&alike) && alike <= itself);
        }
        prop_assert_eq!(text::rouge_l(&one, &other), text::rouge_l(&other, &one));
    }

    #[test]
    fn numbers_come_back(value in prop_oneof![any::<f64>(), -2.0..2.0_f64, Just(f64::INFINITY)]) {
        let number = Number::new(value);
        prop_assert_eq!(number.is_none(), value.is_nan());
        if let Some(number) = number {
            let written = serde_json::to_string(&number).unwrap();
            let read: Number = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(serde_json::to_string(&read).unwrap(), written);
            prop_assert!(value.is_infinite() || (read.get() - value).abs() <= 1e-10 * value.abs().max(1.0));
        }
    }
}

/// Fisher and Yates, by a generator of the test's own.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed | 1;
    for at in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(at, (state >> 33) as usize % (at + 1));
    }
}
