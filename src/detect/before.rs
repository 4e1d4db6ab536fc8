//! A match that starts on a line which stayed, with an added line inside: what the change did is asked of the old side. If
//! the same detector matched there at the same place, the fault was there before; if not, the change put it in.

use std::collections::BTreeSet;

use super::engine::{Found, added_part};
use super::{FileView, Hit};
use crate::diff::{Body, FileChange, Hunk, Text};
use crate::finding::Line;
use crate::syntax::Parsed;

/// Puts such matches on their first added lines, where the change put them in. `look` is how they were found.
pub(super) fn place_introduced<'r>(
    view: &FileView<'_>,
    found: &mut [Found<'r>],
    look: impl FnOnce(&FileView<'_>, &Parsed, &dyn Fn(Line) -> bool) -> Vec<Found<'r>>,
) {
    let is_doubtful = |hit: &Hit| added_part(view, hit).is_none() && first_added(view, hit).is_some();
    let doubtful = found.iter().flat_map(|(.., hits)| hits).filter(|hit| is_doubtful(hit));
    let starts: BTreeSet<Line> = doubtful.filter_map(|hit| old_line(view.change, hit.line)).collect();
    let Some(change) = reversed(view.change).filter(|_| !starts.is_empty()) else { return };
    let Some(before) = FileView::of(&change) else { return };
    let Some(parsed) = before.parsed() else { return };
    let known = look(&before, parsed, &|line| starts.contains(&line));
    for ((.., hits), (.., old)) in found.iter_mut().zip(&known) {
        for hit in hits.iter_mut().filter(|hit| is_doubtful(hit)) {
            let start = old_line(view.change, hit.line);
            if let Some((first, last)) =
                first_added(view, hit).filter(|_| !old.iter().any(|old| Some(old.line) == start))
            {
                (hit.line, hit.end_line, hit.columns) = (first, last, None);
            }
        }
    }
}

/// The first run of added lines inside a match.
fn first_added(view: &FileView<'_>, hit: &Hit) -> Option<(Line, Line)> {
    let mut lines = (hit.line.get()..=hit.end_line.get()).filter_map(Line::new);
    let first = lines.find(|line| view.is_added(*line))?;
    let last = lines.take_while(|line| view.is_added(*line)).last();
    Some((first, last.unwrap_or(first)))
}

/// The number that a line which stayed has on the old side.
fn old_line(change: &FileChange, line: Line) -> Option<Line> {
    let before = change.hunks().iter().take_while(|hunk| hunk.new.end() <= line.get());
    let shift: i64 = before.map(|hunk| i64::from(hunk.old.count) - i64::from(hunk.new.count)).sum();
    u32::try_from(i64::from(line.get()) + shift).ok().and_then(Line::new)
}

/// The change that takes this one back; `None` where the sides are not whole.
fn reversed(change: &FileChange) -> Option<FileChange> {
    let Body::Text { hunks, old, new } = &change.body else { return None };
    let hunks = hunks.iter().map(|hunk| Hunk { old: hunk.new, new: hunk.old }).collect();
    old.is_whole().then(|| FileChange {
        path: change.path.clone(),
        old_path: None,
        status: change.status,
        old_kind: change.new_kind,
        new_kind: change.old_kind,
        class: change.class,
        body: Body::Text { hunks, old: Text::whole(new.bytes().to_vec()), new: Text::whole(old.bytes().to_vec()) },
        old_id: None,
    })
}
