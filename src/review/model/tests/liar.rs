//! A liar cannot get through: true claims about real changes, each told again with one thing or all of them wrong.
//!
//! The changes are the commits of this very repository, where it is one, and of those in `DIFFSIEVE_LIAR`, a list of git
//! folders. What is right is decided by the files themselves, not by the pages that the claims were made from.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::super::answer::Worded;
use super::super::locate::{Page, Spot};
use super::CONTEXT;
use crate::context::{Budget, Chunk, FilePart, Form, chunks};
use crate::detect::FileView;
use crate::diff::{self, Body, FileChange, Globs, Plan};
use crate::finding::Line;
use crate::git::{Repository, Side};

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }
}

/// A claim that is true: it names a line that the change adds.
#[derive(Clone)]
struct Truth {
    claim: Worded,
    file: usize,
    line: Line,
}

/// What is told of it.
struct Told {
    claim: Worded,
    /// Whether the quoted code is still that of the true claim, white space and page numbers apart.
    intact: bool,
}

type Lie = fn(&Truth, &Scene<'_>, &mut Dice) -> Told;

/// What a lie is told about.
struct Scene<'s> {
    chunk: &'s Chunk,
    parts: &'s [FilePart],
}

fn told(truth: &Truth, intact: bool, change: impl FnOnce(&mut Worded)) -> Told {
    let mut claim = truth.claim.clone();
    change(&mut claim);
    Told { claim, intact }
}

fn any_line(scene: &Scene<'_>, dice: &mut Dice, wanted: impl Fn(&crate::context::Shown) -> bool) -> String {
    let lines: Vec<&str> =
        scene.chunk.lines.iter().filter(|line| wanted(line)).map(|line| line.text.as_str()).collect();
    lines.get(dice.roll(lines.len())).map_or_else(|| "nothing_of_the_kind()".to_owned(), |line| (*line).to_owned())
}

const LIES: &[(&str, Lie)] = &[
    ("the truth", |truth, _, _| told(truth, true, |_| ())),
    ("line a little off", |truth, _, dice| {
        let by = dice.roll(5) as i64 + 1;
        told(truth, true, |claim| claim.line += if by % 2 == 0 { by } else { -by })
    }),
    ("line far off", |truth, scene, dice| {
        let line = dice.roll(scene.chunk.lines.len()) as i64 + 1;
        told(truth, true, |claim| claim.line = line)
    }),
    ("line that is none", |truth, _, dice| {
        let line = [0, -1, 1_000_000, i64::MAX, i64::MIN][dice.roll(5)];
        told(truth, true, |claim| claim.line = line)
    }),
    ("line of the file", |truth, _, _| told(truth, true, |claim| claim.line = i64::from(truth.line.get()))),
    ("file with another prefix", |truth, _, dice| {
        let prefix = ["a/", "b/", "./", "/home/me/project/"][dice.roll(4)];
        told(truth, true, |claim| claim.file = format!("{prefix}{}", claim.file))
    }),
    ("another file of the change", |truth, scene, dice| {
        let file = &scene.parts[dice.roll(scene.parts.len())];
        told(truth, true, |claim| claim.file = file.path.to_text().raw().to_owned())
    }),
    ("file that is none", |truth, _, _| told(truth, true, |claim| claim.file = "src/does/not/exist.rs".to_owned())),
    ("file and line", |truth, scene, dice| {
        let line = dice.roll(scene.chunk.lines.len()) as i64 + 1;
        told(truth, true, |claim| (claim.file, claim.line) = ("nowhere.py".to_owned(), line))
    }),
    ("function", |truth, _, _| told(truth, true, |claim| claim.function = Some("invented_function".to_owned()))),
    ("other white space", |truth, _, _| {
        told(truth, true, |claim| claim.quote = format!("\t {}  \n", claim.quote.replace(' ', "  ")))
    }),
    ("quote with number and sign", |truth, _, _| {
        told(truth, true, |claim| claim.quote = format!("{}+ {}", claim.line, claim.quote.trim_end()))
    }),
    ("one character of the quote", |truth, _, dice| {
        told(truth, false, |claim| {
            let at = dice.roll(claim.quote.chars().count());
            claim.quote = claim.quote.chars().enumerate().map(|(index, c)| if index == at { '¤' } else { c }).collect();
        })
    }),
    ("half of the quote", |truth, _, _| {
        told(truth, false, |claim| {
            let half = claim.quote.chars().count() / 2;
            claim.quote = claim.quote.chars().take(half).collect();
        })
    }),
    ("invented quote", |truth, _, _| {
        told(truth, false, |claim| claim.quote = "if user is None: raise Invented()".to_owned())
    }),
    ("no quote", |truth, _, _| told(truth, false, |claim| claim.quote.clear())),
    ("quote of a removed line", |truth, scene, dice| {
        let lines = &scene.chunk.removed;
        let line = lines.get(dice.roll(lines.len())).map_or("gone", |line| line.text.as_str()).to_owned();
        told(truth, false, |claim| claim.quote = line)
    }),
    ("quote of an unchanged line", |truth, scene, dice| {
        let line = any_line(scene, dice, |line| !line.place.added);
        told(truth, false, |claim| claim.quote = line)
    }),
    ("a true line and an invented one", |truth, _, _| {
        told(truth, false, |claim| claim.quote = format!("{}\ninvented(line)", claim.quote))
    }),
    ("the lines the other way round", |truth, scene, dice| {
        let other = any_line(scene, dice, |line| line.place.added);
        told(truth, false, |claim| claim.quote = format!("{other}\n{}", claim.quote))
    }),
    ("other letter case", |truth, _, _| told(truth, false, |claim| claim.quote = claim.quote.to_uppercase() + "X")),
    ("everything", |truth, _, dice| {
        let line = dice.roll(500) as i64 - 20;
        told(truth, false, |claim| {
            claim.file = "lib/all_wrong.go".to_owned();
            claim.line = line;
            claim.quote = "return everything, nil".to_owned();
            claim.function = Some("wrong".to_owned());
        })
    }),
];

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of the new side of every file, folded.
fn texts(files: &[FileChange]) -> Vec<Vec<String>> {
    let lines = |file: &FileChange| match &file.body {
        Body::Text { new, .. } => new.lines().map(|(_, line)| folded(&String::from_utf8_lossy(line))).collect(),
        _ => Vec::new(),
    };
    files.iter().map(lines).collect()
}

#[derive(Default)]
struct Figures {
    truths: usize,
    told: usize,
    shown: usize,
    /// Intact and unique, and of those the ones that landed right.
    due: usize,
    right: usize,
    by_lie: BTreeMap<&'static str, [usize; 4]>,
    ungrounded: Vec<String>,
}

/// Whether what is shown is in the change: an added line, and the quoted code stands there.
fn is_grounded(spot: &Spot, claim: &Worded, files: &[FileChange], texts: &[Vec<String>], chunk: &Chunk) -> bool {
    let (first, last) = spot.lines;
    let adds = (first.get()..=last.get()).filter_map(Line::new).any(|line| files[spot.file].is_added(line));
    let quote: Vec<String> = claim.quote.lines().map(folded).collect();
    let stands = (first.index()..=last.index()).all(|index| {
        let line = texts[spot.file].get(index).map_or("", String::as_str);
        // What forges is spelt out on the page, and quoted so.
        let spelt = |quoted: &str| {
            let at =
                chunk.lines.iter().filter(|shown| shown.place.file == spot.file && shown.place.line.index() == index);
            quoted.contains("<U+") && at.map(|shown| folded(&shown.text)).any(|shown| shown == quoted)
        };
        // The number and sign of the page may stand before it.
        let is_line = |quoted: &String| quoted == line || quoted.ends_with(&format!("+ {line}")) || spelt(quoted);
        line.is_empty() || quote.iter().any(is_line)
    });
    adds && stands
}

fn tell(files: &[FileChange], dice: &mut Dice, figures: &mut Figures) {
    let context = &*CONTEXT;
    let part = |file: &FileChange| match FileView::of(file) {
        Some(view) => context.part(file, view.parsed(), view.parsed_old()),
        None => context.part(file, None, None),
    };
    let parts: Vec<FilePart> = files.iter().map(part).collect();
    let texts = texts(files);
    let count = |quote: &str| texts.iter().flatten().filter(|line| *line == quote).count();
    for chunk in &chunks(&parts, &Budget::of(8_000), Form::Marked, 1).chunks {
        let page = Page::of(chunk, &parts);
        let scene = Scene { chunk, parts: &parts };
        for (shown, number) in chunk.lines.iter().zip(1..) {
            let is_telling = shown.text.chars().filter(|c| c.is_alphanumeric()).count() >= 3;
            // What is hidden or cut differs from the file on purpose.
            if !shown.place.added
                || !is_telling
                || folded(&shown.text) != texts[shown.place.file][shown.place.line.index()]
            {
                continue;
            }
            figures.truths += 1;
            let claim = Worded {
                file: parts[shown.place.file].path.to_text().raw().to_owned(),
                line: number,
                quote: shown.text.clone(),
                tag: "LogicError".to_owned(),
                rationale: "It is so.".to_owned(),
                suggestion: String::new(),
                function: None,
            };
            let truth = Truth { claim, file: shown.place.file, line: shown.place.line };
            for (name, lie) in LIES {
                let Told { claim, intact } = lie(&truth, &scene, dice);
                let spot = page.locate(&claim, false).ok();
                figures.told += 1;
                let row = figures.by_lie.entry(name).or_default();
                row[0] += 1;
                if let Some(spot) = &spot {
                    figures.shown += 1;
                    row[1] += 1;
                    if !is_grounded(spot, &claim, files, &texts, chunk) {
                        figures.ungrounded.push(format!("{name}: {claim:?} at {spot:?}"));
                    }
                }
                let quote = folded(&truth.claim.quote);
                let place = u32::try_from(claim.line).ok().and_then(|number| chunk.place(number));
                let near =
                    place.filter(|place| place.file == truth.file && place.line.get().abs_diff(truth.line.get()) <= 20);
                let is_near = near.is_some_and(|place| {
                    let lines = &texts[truth.file];
                    let (from, to) =
                        (place.line.index().saturating_sub(20), (place.line.index() + 21).min(lines.len()));
                    lines[from..to].iter().filter(|line| **line == quote).count() == 1
                });
                if intact && (count(&quote) == 1 || is_near) {
                    figures.due += 1;
                    row[2] += 1;
                    let right = spot.is_some_and(|spot| spot.file == truth.file && spot.lines.0 == truth.line);
                    figures.right += usize::from(right);
                    row[3] += usize::from(right);
                }
            }
        }
    }
}

/// The last commits of a repository, each against its first parent, until there are enough claims.
fn of_history(folder: &std::path::Path, enough: usize, dice: &mut Dice, figures: &mut Figures) {
    let Ok(repo) = Repository::open(folder, &|_| None) else { return };
    let mut commit = repo.resolve("HEAD").ok();
    let start = figures.truths;
    while let Some(id) = commit.take() {
        let Some(parent) = repo.commit(id).ok().and_then(|commit| commit.parents.first().copied()) else { break };
        let trees = repo.tree_of(parent).and_then(|old| Ok((old, repo.tree_of(id)?)));
        let Ok((old, new)) = trees else { break };
        if let Ok(plan) = Plan::between(&repo, &Side::Tree(old), &Side::Tree(new), None) {
            let mut reader = repo.reader();
            let load = |planned| diff::load(planned, &mut reader, &diff::Limits::default(), &Globs::default());
            tell(&plan.files.iter().take(60).map(load).collect::<Vec<_>>(), dice, figures);
        }
        if figures.truths - start >= enough {
            break;
        }
        commit = Some(parent);
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are what a run over other repositories is for")]
fn no_lie_is_shown_and_the_truth_lands_where_it_belongs() {
    let (mut dice, mut figures) = (Dice(4711), Figures::default());
    let given = std::env::var_os("DIFFSIEVE_LIAR");
    let folders: Vec<PathBuf> = match &given {
        Some(list) => std::env::split_paths(list).collect(),
        None => vec![PathBuf::from(env!("CARGO_MANIFEST_DIR"))],
    };
    for folder in &folders {
        of_history(folder, if given.is_some() { 3_000 } else { 1_500 }, &mut dice, &mut figures);
    }
    if figures.truths == 0 {
        // A package without its history: its own sources, as if they were new.
        let source = include_str!("../locate.rs");
        tell(&super::added(&[("src/locate.rs", source)]), &mut dice, &mut figures);
    }
    let mut table = String::new();
    for (lie, [told, shown, due, right]) in &figures.by_lie {
        let _ = writeln!(table, "{lie:<36} told {told:>7} shown {shown:>7} due {due:>7} right {right:>7}");
    }
    println!("{} truths, {} claims, {} shown\n{table}", figures.truths, figures.told, figures.shown);
    println!("{} of {} landed right", figures.right, figures.due);
    assert!(
        figures.ungrounded.is_empty(),
        "{} ungrounded: {:#?}",
        figures.ungrounded.len(),
        figures.ungrounded.first()
    );
    assert!(figures.right as f64 >= 0.995 * figures.due as f64, "{} of {}\n{table}", figures.right, figures.due);
}
