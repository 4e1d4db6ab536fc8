//! Whatever stands in a rule pack or in the `[tags]` beside it, loading ends with rules or with problems that have their
//! place, and what was loaded can be shown, linted, tested and used.
#![no_main]

use diffsieve::detect;
use diffsieve::review::examples;
use diffsieve::rules::{self, Examples, RawPack, Rules, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source { name: "own.yml".to_owned(), text: text.to_owned() };
    // Only this pack where its name can be chosen: the shipped ones are always the same and take all the time.
    let name = RawPack::parse(&source.name, &source.text, &mut Vec::new()).map(|pack| pack.name).unwrap_or_default();
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let chosen = diffsieve::document::toml("diffsieve.toml", &format!("packs = [\"{name}\"]"));
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
        Err(problems) => {
            assert!(!problems.is_empty());
            for problem in problems {
                assert!(problem.at.is_some(), "{problem}");
                assert!(
                    !problem.to_string().chars().any(|character| character.is_control() && character != '\t'),
                    "{problem:?}"
                );
            }
        }
    }
});
