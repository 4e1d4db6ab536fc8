//! Places at which facts about a symbol are asked for. Whether the facts hold is the pack's `needs` to say; these only
//! leave out symbols whose facts would be unknown.

use crate::detect::{Builtin, FileView, Hit};
use crate::finding::Line;
use crate::syntax::{Parsed, Symbol};

pub(super) const TOUCHED: Builtin = Builtin {
    name: "touched_function",
    help: "each function that the change added lines to, at the first of them; `{name}` and `{lines}`",
    captures: &["name", "lines"],
    run: touched,
};

pub(super) const DECLARED: Builtin = Builtin {
    name: "declared_function",
    help: "each function whose declaration is an added line; `{name}` and `{lines}`",
    captures: &["name", "lines"],
    run: declared,
};

fn touched(view: &FileView<'_>) -> Vec<Hit> {
    sound(view, |parsed, symbol| {
        let first =
            (symbol.line.get()..=symbol.end_line.get()).filter_map(Line::new).find(|line| view.is_added(*line))?;
        // The line may belong to a function inside this one, whose facts would answer.
        let own = parsed.enclosing_function(first).is_some_and(|inner| inner.bytes == symbol.bytes);
        own.then_some(first)
    })
}

fn declared(view: &FileView<'_>) -> Vec<Hit> {
    sound(view, |_, symbol| Some(symbol.line).filter(|line| view.is_added(*line) && symbol.public == Some(true)))
}

fn sound(view: &FileView<'_>, at: impl Fn(&Parsed, &Symbol) -> Option<Line>) -> Vec<Hit> {
    let Some(parsed) = view.parsed() else { return Vec::new() };
    let old_is_sound = view.old_text.is_empty() || view.parsed_old().is_some();
    let functions = parsed
        .symbols()
        .iter()
        .filter(|symbol| old_is_sound && symbol.kind.is_function() && symbol.body.is_some() && !symbol.has_error);
    let hit = |symbol: &Symbol| {
        let line = at(parsed, symbol)?;
        let range = parsed.line_range(line);
        let code = parsed.source().get(range.clone())?;
        let indent = code.len() - code.trim_start().len();
        let hit = Hit::in_source(parsed, range.start + indent..range.start + code.trim_end().len());
        Some(hit.with("name", symbol.name.as_str()).with("lines", symbol.line_count().to_string()))
    };
    functions.filter_map(hit).collect()
}
