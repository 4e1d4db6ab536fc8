//! For any change and any budget: nothing is lost, nothing is over budget, the same change makes the same bytes, and an
//! edit of one line leaves the other chunks alone.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::{prop_assert, prop_assert_eq};

use super::*;
use crate::context::{Layers, estimate_tokens};

/// A file as what stays, what goes and what comes, in turns.
type Turns = Vec<(Vec<String>, Vec<String>, Vec<String>)>;

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[ \t]{0,8}[a-z]{1,9} = [a-z]{1,8}\\([a-z0-9, ]{0,12}\\)",
        2 => "(def|fn|class|func) [a-z]{1,9}\\(\\)[:{]",
        1 => Just(String::new()),
        1 => "[}\\)\\]]{1,3}",
        1 => "\\PC{0,60}",
        1 => "x = '[a-zA-Z0-9+/]{200,2500}'",
        1 => "[数据库日本語\u{1f600}é]{0,400}",
        1 => Just("password = 'vT9$kQ2mXz7!pLr4'".to_owned()),
        1 => Just("\"\"\"".to_owned()),
    ]
}

fn turns(most: usize) -> impl Strategy<Value = Turns> {
    let run = |most: usize| vec(line(), 0..most);
    vec((run(12), run(most), run(most)), 1..5)
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,8}\\.(py|rs|go|ts|txt|md|yml)",
        1 => "tests/test_[a-z]{1,8}\\.py",
        1 => "([a-z]{1,30}/){1,40}[a-z]{1,60}\\.py",
        1 => "[\u{1f600}数]{1,80}\\.go",
    ]
}

/// A file with hunks that never touch.
fn file(path: &str, turns: &Turns) -> FileChange {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut hunks = Vec::new();
    for (same, gone, come) in turns {
        let mut same = same.clone();
        if same.is_empty() {
            same.push("same".to_owned());
        }
        old.extend(same.clone());
        new.extend(same);
        if !gone.is_empty() || !come.is_empty() {
            let first = |lines: &Vec<String>| lines.len() as u32 + 1;
            hunks.push(hunk((first(&old), gone.len() as u32), (first(&new), come.len() as u32)));
        }
        old.extend(gone.clone());
        new.extend(come.clone());
    }
    let text = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    change(path, &text(old), &text(new), hunks)
}

fn lines(set: &mut BTreeSet<(usize, bool, u32)>, file: usize, added: &[Lines], removed: &[Lines]) {
    for (lines, is_added) in [(added, true), (removed, false)] {
        set.extend(lines.iter().flat_map(|lines| lines.first..lines.end()).map(|line| (file, is_added, line)));
    }
}

/// Every changed line that is in a chunk or skipped by name.
fn told(chunks: &Chunks) -> BTreeSet<(usize, bool, u32)> {
    let mut told = BTreeSet::new();
    for covered in chunks.chunks.iter().flat_map(|chunk| &chunk.parts) {
        lines(&mut told, covered.file, &covered.added, &covered.removed);
    }
    for skipped in &chunks.skipped {
        lines(&mut told, skipped.file, &skipped.added, &skipped.removed);
    }
    told
}

fn all(changes: &[FileChange]) -> BTreeSet<(usize, bool, u32)> {
    let mut all = BTreeSet::new();
    for (file, change) in changes.iter().enumerate() {
        for hunk in change.hunks() {
            lines(&mut all, file, &[hunk.new], &[hunk.old]);
        }
    }
    all
}

/// What a reader of the page makes of its lines: every added line of a chunk stands there under its number.
fn read_back(chunks: &Chunks) -> BTreeSet<(usize, bool, u32)> {
    let mut read = BTreeSet::new();
    for chunk in &chunks.chunks {
        let mut label = String::new();
        for line in chunk.text.lines().skip(1) {
            let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if let Some(rest) = line.strip_prefix("<<") {
                let word = rest.split_whitespace().nth(1).unwrap_or_default();
                label = word.trim_end_matches('>').to_owned();
            }
            if !label.starts_with('h') {
                continue;
            }
            if digits > 0 && line[digits..].starts_with("+ ") {
                let place = chunk.place(line[..digits].parse().expect("digits")).expect("a shown line has a place");
                assert!(place.added);
                read.insert((place.file, true, place.line.get()));
            }
        }
    }
    read
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost(
        files in vec((path(), turns(40)), 1..5),
        budget in prop_oneof![Just(800_u32), 800..2_000_u32, Just(4_000), Just(16_000)],
        layer in 0..Layers::ALL.len(),
        expand_function in any::<bool>(),
    ) {
        let layers = Layers::ALL[layer];
        let changes: Vec<FileChange> = files.iter().map(|(path, turns)| file(path, turns)).collect();
        let context = context(Options { layers, expand_function, ..Options::default() });
        let found = made_in(&context, budget, &changes);
        prop_assert_eq!(told(&found), all(&changes));
        let added = |set: BTreeSet<(usize, bool, u32)>| set.into_iter().filter(|line| line.1).collect::<BTreeSet<_>>();
        let mut read = read_back(&found);
        for skipped in &found.skipped {
            lines(&mut read, skipped.file, &skipped.added, &[]);
        }
        prop_assert_eq!(read, added(all(&changes)));
        for chunk in &found.chunks {
            prop_assert!(chunk.tokens <= budget, "{} of {budget}\n{}", chunk.tokens, chunk.text);
            prop_assert!(!chunk.text.contains("vT9$kQ2mXz7"));
            prop_assert!(!chunk.text.chars().any(crate::context::mask::is_reserved));
            let fresh = estimate_tokens(&chunk.text, None);
            prop_assert!(fresh < chunk.tokens + chunk.tokens / 8 + 8, "{fresh} and {}", chunk.tokens);
        }
        prop_assert_eq!(found, made_in(&context, budget, &changes));
    }

    #[test]
    fn one_edit_makes_few_chunks_again(
        files in vec(("[a-z]{1,8}\\.(py|txt|go)", vec((
            vec("[a-z]{2,8} = [a-z]{2,8}", 9..14),
            vec("[a-z]{2,8} = [a-z]{2,8}", 0..4),
            vec("[a-z]{2,8} = [a-z]{2,8}", 1..6),
        ), 2..9)), 2..9),
        pick in any::<proptest::sample::Index>(),
        budget in prop_oneof![Just(800_u32), 800..2_000_u32],
        more in any::<bool>(),
    ) {
        let before: Vec<FileChange> = files.iter().map(|(path, turns)| file(path, turns)).collect();
        let mut edited = files.clone();
        let index = pick.index(edited.len());
        let turn = pick.index(edited[index].1.len());
        let lines = &mut edited[index].1[turn].2;
        if more {
            lines.push("inserted = here".to_owned());
        } else {
            let last = lines.len() - 1;
            lines[last] = "edited = here".to_owned();
        }
        let after: Vec<FileChange> = edited.iter().map(|(path, turns)| file(path, turns)).collect();
        let context = context(Options::default());
        let ids = |changes: &[FileChange]| -> BTreeSet<String> {
            made_in(&context, budget, changes).chunks.into_iter().map(|chunk| chunk.id).collect()
        };
        let (before, after) = (ids(&before), ids(&after));
        let fresh = after.difference(&before).count();
        prop_assert!(fresh <= 2, "{fresh} of {} chunks", after.len());
    }
}

#[test]
fn a_rebase_changes_no_byte() {
    let same: Vec<String> = (0..30).map(|number| format!("line{number} = {number}")).collect();
    let come = vec!["new = 1".to_owned()];
    let turns = vec![(same.clone(), Vec::new(), come.clone())];
    let mut shifted = vec!["# upstream".to_owned(); 7];
    shifted.extend(same);
    let text = |changes: &[FileChange]| pages(Options::default(), changes);
    assert_eq!(text(&[file("a.py", &turns)]), text(&[file("a.py", &vec![(shifted, Vec::new(), come)])]));
}

#[test]
fn an_edit_inside_a_new_file_leaves_the_rest() {
    let function = |number: usize| {
        let body: String =
            (0..number % 7 + 2).map(|line| format!("    value{line} = compute{number}({line})\n")).collect();
        format!("def function{number}():\n{body}    return value0\n\n")
    };
    let context = context(Options::default());
    let ids = |text: &str| -> BTreeSet<String> {
        let found = made_in(&context, 1_500, &[added("a.py", text)]);
        found.chunks.into_iter().map(|chunk| chunk.id).collect()
    };
    let text: String = (0..150).map(function).collect();
    let before = ids(&text);
    assert!(before.len() > 10);
    for number in (0..150).step_by(7) {
        let body = format!("def function{number}():\n");
        let after = ids(&text.replace(&body, &format!("{body}    inserted = {number}\n")));
        let fresh = after.difference(&before).count();
        assert!((1..=2).contains(&fresh), "{fresh} of {} for function {number}", after.len());
    }
}

#[test]
fn statements_stay_whole_where_they_fit() {
    let function = |number: usize| {
        let call = format!("    call{number}(\n        alpha,\n        beta,\n        gamma,\n    )\n");
        format!("def function{number}():\n{}", call.repeat(3))
    };
    let text: String = (0..40).map(function).collect();
    let found = made(Options::default(), 800, &[added("a.py", &text)]);
    assert!(found.chunks.len() > 4);
    for chunk in &found.chunks {
        let first = chunk.text.lines().find(|line| line.starts_with("1+ ")).expect("an added line");
        assert!(first.starts_with("1+ def function"), "{first}");
    }
    let literal: String = (0..900).map(|number| format!("    {number}: 'value of {number}',\n")).collect();
    let found = made(Options::default(), 800, &[added("a.py", &format!("TABLE = {{\n{literal}}}\n"))]);
    assert_eq!(told(&found).len(), 902);
}

#[test]
fn a_line_longer_than_a_chunk_is_cut() {
    let text = format!("x = '{}'\n", "abcdefgh 数 ".repeat(800));
    let found = made(Options::default(), 800, &[added("a.txt", &text)]);
    assert!(found.chunks.len() > 1);
    assert_eq!(told(&found).len(), 1);
    let mut seen = 0;
    for chunk in &found.chunks {
        let lines: Vec<&str> = chunk.text.lines().filter(|line| line.starts_with("1+ ")).collect();
        assert_eq!(lines.len(), 1);
        seen += lines[0].matches('数').count();
        assert_eq!(chunk.place(1).map(|place| place.line.get()), Some(1));
    }
    assert_eq!(seen, 800);
}
