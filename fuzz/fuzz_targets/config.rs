//! Whatever stands in a configuration, in a baseline or in two configurations over each other, reading ends with values
//! or with problems that have their place. A line of `===` separates the two.
#![no_main]

use diffsieve::baseline::Baseline;
use diffsieve::config::{Config, File};
use diffsieve::rules::{Examples, Rules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let texts = text.split_once("\n===\n").unwrap_or((text, ""));
    let file = |name: &str, text: &str| File { name: name.to_owned(), text: text.to_owned(), of_user: false };
    let mut problems = Vec::new();
    let config = Config::of(&[file("user.toml", texts.0), file("diffsieve.toml", texts.1)], &mut problems);
    if config.packs.is_some() || config.tags.is_some() {
        problems.extend(
            Rules::load(Examples::Skip, &[], config.packs.as_ref(), config.tags.as_ref()).err().unwrap_or_default(),
        );
    }
    match Baseline::parse("baseline.json", texts.0) {
        Ok(baseline) => {
            let text = baseline.render();
            let again = Baseline::parse("baseline.json", &text).expect("what was written can be read");
            assert_eq!(again.render(), text);
        }
        Err(found) => problems.extend(found),
    }
    for problem in problems {
        assert!(problem.at.is_some(), "{problem}");
        assert!(
            !problem.to_string().chars().any(|character| character.is_control() && character != '\t'),
            "{problem:?}"
        );
    }
});
