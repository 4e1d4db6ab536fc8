//! The scanner of inline ignores: alone on any line, and within a review of a file in a language that the first byte
//! chooses, where every finding is either shown or suppressed by an ignore that has its tag. A line of `===` separates the old side
//! from the new.
#![no_main]

use std::sync::LazyLock;

use diffsieve::diff::{Body, EntryKind, FileChange, Hunk, Lines, PathClass, Status, Text};
use diffsieve::finding::RepoPath;
use diffsieve::review::suppress::{self, ignores};
use diffsieve::review::{Change, Loaded, Settings, review};
use diffsieve::rules::{Examples, Rules, Source};
use libfuzzer_sys::fuzz_target;

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = "pack: own\ntags:\n  M:\n    detect: [{id: m, in: any, regex: M, message: m}]\n";
    let mut rules =
        Rules::load(Examples::Skip, &[Source { name: "own.yml".to_owned(), text: text.to_owned() }], None, None)
            .expect("the pack is a constant that loads");
    rules.tags.retain(|name, _| name == "M");
    rules
});

const NAMES: [&str; 12] =
    ["a.py", "a.js", "a.ts", "a.java", "a.c", "a.cpp", "a.cs", "a.go", "a.rs", "a.php", "a.rb", "a.txt"];

fuzz_target!(|text: &str| {
    let Some(choice) = text.bytes().next().filter(u8::is_ascii) else { return };
    let (old, new) = text[1..].split_once("\n===\n").unwrap_or(("", &text[1..]));
    for line in new.lines() {
        for ignore in ignores(line) {
            assert!(line[ignore.at..].starts_with("diffsieve:"));
            assert!(!ignore.tags.is_empty() && ignore.tags.iter().all(|tag| line.contains(tag.as_str())));
            assert!(line.contains(&ignore.reason));
        }
    }
    let lines = |range: &std::ops::Range<u32>| Lines { first: range.start + 1, count: range.end - range.start };
    let changes = diffsieve::git::line_changes(old.as_bytes(), new.as_bytes());
    let hunks: Vec<Hunk> =
        changes.into_iter().map(|change| Hunk { old: lines(&change.old), new: lines(&change.new) }).collect();
    if hunks.is_empty() {
        return;
    }
    let file = FileChange {
        path: RepoPath::from(NAMES[usize::from(choice >> 2) % NAMES.len()]),
        old_path: None,
        status: Status::Modified,
        old_kind: Some(EntryKind::File),
        new_kind: Some(EntryKind::File),
        class: PathClass::default(),
        old_id: None,
        body: Body::Text {
            hunks,
            old: Text::whole(old.as_bytes().to_vec()),
            new: Text::whole(new.as_bytes().to_vec()),
        },
    };
    let settings = Settings::plain(suppress::Policy { added_ignores: choice & 1 != 0, unreasoned: choice & 2 != 0 });
    let review = review(&Loaded::new(vec![file]), Change::default(), &RULES, &settings);
    let suppressed = review.funnel.removed.get("suppressed:inline").copied().unwrap_or_default();
    assert!(suppressed == 0 || ignores_of(new, "M"), "{suppressed} findings suppressed by nothing");
    for note in &review.notes {
        assert!(!note.chars().any(|character| character.is_control() && character != '\t'), "{note:?}");
    }
});

fn ignores_of(text: &str, tag: &str) -> bool {
    text.split('\n').any(|line| ignores(line).iter().any(|ignore| ignore.tags.iter().any(|name| name == tag)))
}
