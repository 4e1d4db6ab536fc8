//! A file's name that speaks to a model: it stands in every request beside the code, and no pattern reads it.

use crate::detect::{Builtin, FileView, Hit, Run};
use crate::diff::Status;
use crate::escape;

pub(super) const DETECTOR: Builtin = Builtin {
    name: "file_name",
    help: "the name of a new or moved file holds a mark of a model's conversation, an order to a reviewer or a character \
           that cannot be seen, at its first added line; `{mark}`",
    captures: &["mark"],
    reads_comments: true,
    run: Run::File(run),
};

pattern!(
    MARK,
    concat!(
        r"(?i)<\|\w{2,24}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|user|human)(?:[-_ ]\w+)?>|(?:^|/)(?:human|assistant|system)\s?:",
        r"|<<[0-9A-Z]{6,64}\s+(?:FILE|END|KEY|BASE|READS|TESTS|h[0-9])|===\s*Raw Source Control|‹\s*secret",
        r"|(?:ignore|disregard|forget|override)[\s_.-]+(?:\w+[\s_.-]+){0,4}?(?:instructions|prompt|guidelines)",
        r"|approve[\s_.-]+this[\s_.-]+(?:pr|change|pull|merge|diff|patch)|no_comment[\s_.=-]+true",
    )
);

fn run(view: &FileView<'_>) -> Vec<Hit> {
    if !matches!(view.change.status, Status::Added | Status::Renamed { .. }) {
        return Vec::new();
    }
    let path = view.change.path.to_text();
    let path = path.raw();
    let unseen = || path.chars().find(|character| escape::is_invisible(*character)).map(String::from);
    let Some(mark) = MARK.find(path).map(|found| found.as_str().to_owned()).or_else(unseen) else { return Vec::new() };
    let mut lines = view.change.added();
    let first = lines.find(|line| view.text.line_text(*line).is_some_and(|text| !text.trim().is_empty()));
    let hit = first.map(|line| {
        let hit = Hit { line, end_line: line, columns: None, bytes: None, captures: Default::default() };
        hit.with("mark", escape::visible(&mark))
    });
    hit.into_iter().collect()
}
