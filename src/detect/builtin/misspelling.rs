//! Listed misspellings in what a change writes.

use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::Language;
use crate::syntax::facts::{may_be_misspelt, misspellings};

pub(super) const DETECTOR: Builtin = Builtin {
    name: "misspelling_list",
    help: "a listed misspelling in a comment or a declared name; `{word}` and `{fix}`",
    captures: &["word", "fix"],
    reads_comments: true,
    run: Run::File(run),
};

fn run(view: &FileView<'_>) -> Vec<Hit> {
    if view.language == Some(Language::Yaml) {
        return Vec::new();
    }
    let Some((parsed, lines)) = view.parsed_lines(may_be_misspelt) else { return Vec::new() };
    let found = lines.into_iter().flat_map(|line| misspellings(parsed, line));
    let hit = |bytes: std::ops::Range<usize>, fix: String| {
        let word = parsed.source().get(bytes.clone()).unwrap_or_default().to_owned();
        Hit::in_source(parsed, bytes).with("word", word).with("fix", fix)
    };
    found.map(|misspelling| hit(misspelling.bytes, misspelling.fix)).collect()
}
