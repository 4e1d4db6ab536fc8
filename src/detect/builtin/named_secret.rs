//! A literal that looks generated under a name that says secret.

use crate::detect::{Builtin, FileView, Hit, Run};
use crate::diff::trim_ending;
use crate::finding::Columns;
use crate::rules::credential::named;

pub(super) const DETECTOR: Builtin = Builtin {
    name: "named_secret",
    help: "a generated-looking literal under a name such as `password`; `{name}`, and `{t}` for the value",
    captures: &["name", "t"],
    reads_comments: true,
    run: Run::File(run),
};

fn run(view: &FileView<'_>) -> Vec<Hit> {
    let bare = named::takes_bare_values(&view.change.path);
    let mut hits = Vec::new();
    for line in view.change.added() {
        let Some(bytes) = view.text.line(line).map(trim_ending) else { continue };
        let Some(found) = named::generated(bytes, bare) else { continue };
        let column = |offset: usize| String::from_utf8_lossy(&bytes[..offset]).len() as u32 + 1;
        let columns = Columns { start: column(found.bytes.start), end: column(found.bytes.end) };
        let hit = Hit { line, end_line: line, columns: Some(columns), bytes: None, captures: Default::default() };
        hits.push(hit.with("name", found.name).with("t", found.value.clone()).with("0", found.value));
    }
    hits
}
