//! A literal that looks generated under a name that says secret.

use crate::detect::columns::LineColumns;
use crate::detect::{Builtin, FileView, Hit, LINE_HITS, Run};
use crate::diff::trim_ending;
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
        let mut columns = None;
        hits.extend(named::generated(bytes, bare).take(LINE_HITS).map(|found| {
            let columns = columns.get_or_insert_with(|| LineColumns::of(bytes)).at(found.bytes);
            let hit = Hit { line, end_line: line, columns: Some(columns), bytes: None, captures: Default::default() };
            hit.with("name", found.name).with("t", found.value.clone()).with("0", found.value)
        }));
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::FileChange;
    use crate::finding::Columns;

    #[test]
    fn every_value_of_a_line_is_looked_at() {
        // In two pieces, so that no scanner takes this file for a leak.
        let secret = ["vT9$kQ2m", "Xz7!pLr4"].concat();
        let line = format!("{{\"token_hint\": \"{}\", \"password\": \"{secret}\"}}\n", "a".repeat(20));
        let change = FileChange::new_file("a.json".into(), line.clone().into_bytes());
        let hits = run(&FileView::of(&change).expect("a text"));
        let captured: Vec<_> = hits.iter().map(|hit| (&*hit.captures["name"], &*hit.captures["t"])).collect();
        assert_eq!(captured, [("password", &*secret)]);
        let start = line.find(&secret).expect("it stands there") as u32 + 1;
        assert_eq!(hits[0].columns, Some(Columns { start, end: start + secret.len() as u32 }));
        let many = FileChange::new_file("a.json".into(), line.repeat(1_000).replace('\n', " ").into_bytes());
        assert_eq!(run(&FileView::of(&many).expect("a text")).len(), LINE_HITS);
    }
}
