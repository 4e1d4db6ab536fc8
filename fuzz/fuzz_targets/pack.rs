//! Whatever stands in a rule pack or in the `[tags]` beside it, loading ends with rules or with problems that have their
//! place, and what was loaded can be shown, linted, tested and used.
#![no_main]

use diffsieve::detect;
use diffsieve::document::Problem;
use diffsieve::review::examples;
use diffsieve::rules::{self, Examples, RawPack, Rules, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source { name: "own.yml".to_owned(), text: text.to_owned() };
    // Most texts are no YAML, which is found out in a thousandth of the time that loading takes.
    let mut problems = Vec::new();
    let Some(pack) = RawPack::parse(&source.name, &source.text, &mut problems) else { return told(&problems) };
    // Only this pack where its name can be chosen: the shipped ones are always the same and take all the time.
    let plain = pack.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let chosen = diffsieve::document::toml("diffsieve.toml", &format!("packs = [\"{}\"]", pack.name));
    let packs = chosen.as_ref().ok().filter(|_| plain).and_then(|node| node.get("packs"));
    match Rules::load(Examples::Skip, &[source], packs, None) {
        Ok(rules) => {
            for tag in rules.tags.values().filter(|tag| tag.merged.at.source.as_ref() == "own.yml") {
                assert!(rules::show(tag, None, true).starts_with(&*tag.name));
            }
            let _ = detect::check(&rules);
            // Examples of the shipped packs are always the same and would take all the time.
            let mut own = rules;
            own.tags.retain(|_, tag| tag.merged.at.source.as_ref() == "own.yml");
            let _ = detect::lint(&own);
            let _ = examples::run(&own);
        }
        Err(problems) => told(&problems),
    }
});

fn told(problems: &[Problem]) {
    assert!(!problems.is_empty());
    for problem in problems {
        assert!(problem.at.is_some(), "{problem}");
        let bad = problem.to_string().chars().find(|character| character.is_control() && *character != '\t');
        assert!(bad.is_none(), "{problem:?}");
    }
}
