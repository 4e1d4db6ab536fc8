//! Places at which facts about a symbol are asked for. Whether the facts hold is the pack's `needs` to say; these only
//! leave out symbols whose facts would be unknown.

use crate::detect::{Builtin, FileView, Hit, Run};
use crate::diff::Hunk;
use crate::finding::Line;
use crate::syntax::{Parsed, Symbol};

pub(super) const GROWN: Builtin = Builtin {
    name: "grown_function",
    help: "each function of more than 40 lines that the change may have made longer, at its first added line; `{name}` and `{lines}`",
    captures: &["name", "lines"],
    reads_comments: false,
    run: Run::File(grown),
};

pub(super) const DECLARED: Builtin = Builtin {
    name: "declared_function",
    help: "each public function of 10 lines or more whose declaration is an added line; `{name}` and `{lines}`",
    captures: &["name", "lines"],
    reads_comments: false,
    run: Run::File(declared),
};

/// Shorter functions are not offered: every one that is costs a parse of the old side to ask for its facts.
const GROWN_LINES: u32 = 41;
const DECLARED_LINES: u32 = 10;

fn grown(view: &FileView<'_>) -> Vec<Hit> {
    sound(view, GROWN_LINES, |parsed, symbol| {
        let may_have_grown = view.change.hunks().iter().any(|hunk| changes_length(symbol, hunk));
        // A line may belong to a function inside this one, whose facts would answer.
        let is_own = |line: &Line| {
            view.is_added(*line) && parsed.enclosing_function(*line).is_some_and(|inner| inner.bytes == symbol.bytes)
        };
        let mut lines = (symbol.line.get()..=symbol.end_line.get()).filter_map(Line::new);
        lines.find(|line| may_have_grown && is_own(line))
    })
}

/// Whether a hunk may have made a function longer: it adds lines to it, and not just as many as it takes between lines
/// of the function that stayed.
fn changes_length(symbol: &Symbol, hunk: &Hunk) -> bool {
    let (start, end) = (symbol.line.get(), symbol.end_line.get());
    let adds = hunk.new.first.max(start) < hunk.new.end().min(end + 1);
    let inside = start < hunk.new.first && hunk.new.end() <= end;
    adds && !(inside && hunk.new.count == hunk.old.count)
}

fn declared(view: &FileView<'_>) -> Vec<Hit> {
    sound(view, DECLARED_LINES, |_, symbol| {
        Some(symbol.line).filter(|line| view.is_added(*line) && symbol.public == Some(true))
    })
}

fn sound(view: &FileView<'_>, least: u32, at: impl Fn(&Parsed, &Symbol) -> Option<Line>) -> Vec<Hit> {
    let Some(parsed) = view.parsed() else { return Vec::new() };
    let functions = parsed.symbols().iter().filter(|symbol| {
        symbol.line_count() >= least && symbol.kind.is_function() && symbol.body.is_some() && !symbol.has_error
    });
    let hit = |symbol: &Symbol| {
        let line = at(parsed, symbol)?;
        let old_is_sound = view.old_text.is_empty() || view.parsed_old().is_some();
        let range = parsed.line_range(line);
        let code = parsed.source().get(range.clone())?;
        let indent = code.len() - code.trim_start().len();
        let hit = Hit::in_source(parsed, range.start + indent..range.start + code.trim_end().len());
        old_is_sound.then(|| hit.with("name", symbol.name.as_str()).with("lines", symbol.line_count().to_string()))
    };
    functions.filter_map(hit).collect()
}
