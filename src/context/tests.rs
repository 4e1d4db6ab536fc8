//! The laws: nothing is lost, nothing moves without need, nothing hidden gets out.

mod laws;
mod pages;
mod secrets;

use std::sync::LazyLock;

use super::{Budget, Chunks, Context, FilePart, Form, Options, chunks};
use crate::diff::{Body, EntryKind, FileChange, Hunk, Lines, Status, Text};
use crate::finding::RepoPath;
use crate::git::Flags;
use crate::rules::{Examples, Rules};
use crate::syntax::{Language, Limits, Parsed};

static RULES: LazyLock<Rules> =
    LazyLock::new(|| Rules::load(Examples::Skip, &[], None, None).expect("the embedded packs are sound"));

fn context(options: Options) -> Context<'static> {
    Context::new(&RULES, options).expect("the options are sound")
}

/// A change between two texts; the hunks are given, since this is no test of the differ.
fn change(path: &str, old: &str, new: &str, hunks: Vec<Hunk>) -> FileChange {
    let status = match (old, new) {
        ("", _) => Status::Added,
        (_, "") => Status::Deleted,
        _ => Status::Modified,
    };
    let path = RepoPath::from(path);
    FileChange {
        class: crate::diff::classify(&path, Flags::default()),
        path,
        old_path: None,
        status,
        old_kind: Some(EntryKind::File),
        new_kind: Some(EntryKind::File),
        body: Body::Text {
            hunks,
            old: Text::whole(old.as_bytes().to_vec()),
            new: Text::whole(new.as_bytes().to_vec()),
        },
        old_id: None,
    }
}

const fn hunk(old: (u32, u32), new: (u32, u32)) -> Hunk {
    Hunk { old: Lines { first: old.0, count: old.1 }, new: Lines { first: new.0, count: new.1 } }
}

/// An added file.
fn added(path: &str, text: &str) -> FileChange {
    change(path, "", text, vec![hunk((1, 0), (1, text.lines().count() as u32))])
}

fn part(context: &Context<'_>, change: &FileChange) -> FilePart {
    let Body::Text { old, new, .. } = &change.body else { return context.part(change, None, None) };
    let language = Language::of_path(&change.path, None).filter(|language| language.is_compiled_in());
    let parse = |text: &Text| {
        let language = language.filter(|_| !text.is_empty())?;
        Parsed::parse(language, text.bytes(), &Limits::default()).ok()
    };
    context.part(change, parse(new).as_ref(), parse(old).as_ref())
}

fn made(options: Options, budget: u32, changes: &[FileChange]) -> Chunks {
    made_in(&context(options), budget, changes)
}

fn made_in(context: &Context<'_>, budget: u32, changes: &[FileChange]) -> Chunks {
    let parts: Vec<FilePart> = changes.iter().map(|change| part(context, change)).collect();
    chunks(&parts, &Budget::of(budget), Form::Marked, 1)
}

/// All pages of a change in one text.
fn pages(options: Options, changes: &[FileChange]) -> String {
    made(options, 100_000, changes).chunks.into_iter().map(|chunk| chunk.text).collect()
}
