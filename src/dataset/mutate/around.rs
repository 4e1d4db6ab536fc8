//! Operators that first look at what stands around: only there is what they write the fault that they name.

use super::site::{Edit, Site, is, is_identifier, parts};
use crate::finding::Line;
use crate::syntax::{Language, Node, Region, Symbol};

/// Lines of a function from which on its name and signature alone do not tell what it is for.
const TELLING: u32 = 15;

/// Whether a text has a name as a word of its own.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(inside) && !after.starts_with(inside)
    })
}

/// Nothing is done with an error that nobody expects. A narrow error, a way that is tried before another and cleaning up
/// may do without.
pub(super) fn swallowed(site: &Site<'_, '_>) -> Option<Edit> {
    if !site.is(&["catch_clause", "except_clause"]) || tries(site) || cleans_up(site) {
        return None;
    }
    let body = site.node.field("body").or_else(|| parts(site.node).pop())?;
    let head = site.parsed.source().get(site.node.range().start..body.range().start)?.trim();
    let said = site.text(&body);
    let was = said.trim_matches(['{', '}']).trim().to_owned();
    // `return null` swallows the error as well.
    let handles = parts(&body).iter().any(|part| {
        let text = site.text(part);
        text.contains('(') || ["throw", "raise"].iter().any(|word| mentions(text, word))
    });
    if !handles || !is_broad(site, head) {
        return None;
    }
    let with = if site.language() == Language::Python { "pass" } else { "{}" };
    let edit = site.inside(body.range(), with)?;
    Some(Edit { was: format!("{head} {was}"), now: format!("{head} {with}"), ..edit })
}

/// Whether the head of a handler takes errors that nobody expects, and says nothing of why.
fn is_broad(site: &Site<'_, '_>, head: &str) -> bool {
    const JAVA: [&str; 7] = [
        "Exception",
        "RuntimeException",
        "Throwable",
        "IOException",
        "SQLException",
        "InterruptedException",
        "ExecutionException",
    ];
    if head.contains("//") || head.contains('#') || head.contains("/*") {
        return false;
    }
    let words = || head.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).skip(1);
    let named = |names: &[&str]| words().next().is_some_and(|word| names.contains(&word));
    let meant = |name: &str| ["ig", "expected", "unused", "_"].iter().any(|start| name.starts_with(start));
    match site.language() {
        Language::Python => words().next().is_none() || named(&["Exception", "BaseException"]),
        Language::Java => {
            let mut words = words().skip_while(|word| *word == "final");
            words.next().is_some_and(|kind| JAVA.contains(&kind)) && !head.contains('|') && !words.any(meant)
        }
        Language::CSharp => !head.contains("when") && (words().next().is_none() || named(&["Exception"])),
        Language::Php => head.contains('$') && !head.contains('|') && named(&["Exception", "Throwable"]),
        // Without a name the error was not to be looked at.
        _ => words().next().is_some_and(|name| !meant(name)),
    }
}

/// Whether the block of the handler ends by returning: what follows is another way to the same, or nothing.
fn tries(site: &Site<'_, '_>) -> bool {
    let body = site.parent().and_then(|parent| parent.field("body"));
    let last = body.and_then(|body| parts(&body).pop());
    last.is_some_and(|last| site.text(&last).starts_with("return"))
}

/// Whether the function around it is there to clean up or to try.
fn cleans_up(site: &Site<'_, '_>) -> bool {
    const STARTS: [&str; 14] = [
        "try",
        "safe",
        "quiet",
        "close",
        "stop",
        "dispose",
        "clean",
        "shutdown",
        "release",
        "destroy",
        "kill",
        "disconnect",
        "terminate",
        "del__",
    ];
    let function = site.parsed.enclosing_function(site.line());
    function.is_some_and(|function| {
        let name = function.name.trim_start_matches('_').to_ascii_lowercase();
        STARTS.iter().any(|start| name.starts_with(start))
    })
}

/// The documentation of a public function is gone, and nothing else says what the function is for.
pub(super) fn documentation(site: &Site<'_, '_>) -> Option<Edit> {
    const CALLED_BY_OTHERS: [&str; 6] = ["main", "setUp", "tearDown", "toString", "hashCode", "render"];
    let declares = ["function", "method", "constructor_declaration"];
    let node = declares.iter().any(|kind| site.node.kind().contains(kind));
    let symbol = node.then(|| {
        site.parsed.symbols().iter().find(|symbol| symbol.line == site.line() && symbol.kind.is_function())
    })??;
    let known = CALLED_BY_OTHERS.contains(&&*symbol.name) || symbol.name.starts_with("__");
    if known || symbol.public != Some(true) || symbol.doc.is_none() || symbol.body.is_none() {
        return None;
    }
    let source = site.parsed.source();
    let range = if site.language() == Language::Python { docstring(site)? } else { above(site, symbol)? };
    let was = source.get(range.clone())?.trim().to_owned();
    let (first, last) = site.parsed.lines_of(range.start..range.end.saturating_sub(1).max(range.start));
    let inside = if symbol.contains(first) { last.get() - first.get() + 1 } else { 0 };
    let long = symbol.line_count() >= TELLING.saturating_add(inside);
    (!was.is_empty() && long && !explains(site, symbol, &range)).then_some(Edit {
        range,
        with: String::new(),
        was,
        now: String::new(),
    })
}

/// The lines of a docstring that is not all of its function.
fn docstring(site: &Site<'_, '_>) -> Option<std::ops::Range<usize>> {
    let body = site.node.field("body")?;
    let first = parts(&body).into_iter().next()?;
    let is_text = parts(&first).iter().chain([&first]).any(|node| node.kind() == "string");
    (is_text && parts(&body).len() > 1).then(|| site.whole_lines(first.range()))?
}

/// The lines of the comment directly above a declaration and what is written before it.
fn above(site: &Site<'_, '_>, symbol: &Symbol) -> Option<std::ops::Range<usize>> {
    let source = site.parsed.source();
    let is_comment = |line: Line| {
        let range = site.parsed.line_range(line);
        let text = source.get(range.clone()).unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        !text.trim().is_empty() && site.parsed.region(range.start + indent) == Region::Comment
    };
    let mut first = symbol.first_line;
    while let Some(above) = Line::new(first.get() - 1).filter(|line| is_comment(*line)) {
        first = above;
    }
    Some(site.parsed.line_range(first).start..site.parsed.line_range(symbol.first_line).start)
}

/// Whether a comment in the head of a function, or before the first code of its body, is left.
fn explains(site: &Site<'_, '_>, symbol: &Symbol, gone: &std::ops::Range<usize>) -> bool {
    let Some((opening, _)) = symbol.body else { return false };
    let source = site.parsed.source();
    let opened = match site.language() {
        Language::Python => gone.end,
        _ => site.parsed.line_range(opening).end,
    };
    site.parsed.comments((symbol.line, symbol.end_line)).filter(|comment| !gone.contains(&comment.start)).any(
        |comment| {
            let blank = |text: &str| text.trim_start_matches(['{', ':', '=', '>']).trim().is_empty();
            comment.start < opened || source.get(opened..comment.start).is_some_and(blank)
        },
    )
}

/// The default of a parameter that the function changes in place.
pub(super) fn mutable_default(site: &Site<'_, '_>) -> Option<Edit> {
    const KEPT: [&str; 8] = ["_", "cache", "memo", "seen", "registry", "visited", "state", "history"];
    let [.., function, list] = site.above else { return None };
    let inner = site.above.iter().filter(|node| node.kind() == "function_definition").count() > 1;
    if list.kind() != "parameters" || function.kind() != "function_definition" || inner {
        return None;
    }
    let written = is(site.node, &["default_parameter", "typed_default_parameter"]);
    let name = match &*site.node.kind() {
        "identifier" => Some(site.node.clone()),
        "typed_parameter" => parts(site.node).into_iter().next().filter(is_identifier),
        _ if written => site.node.field("name"),
        _ => None,
    }?;
    let name = site.text(&name);
    // What is kept between calls on purpose says so.
    if KEPT.iter().any(|kept| name.starts_with(kept)) {
        return None;
    }
    let body = site.text(&function.field("body")?);
    if written {
        let value = site.node.field("value").filter(|value| site.text(value) == "None")?;
        let made = made_if_missing(body, name)?;
        return changed(body, name).and_then(|_| site.inside(value.range(), made));
    }
    let others = parts(list);
    let own = others.iter().position(|other| other.range() == site.node.range())?;
    let last = others.get(own + 1).is_none_or(|next| !is(next, &["identifier", "typed_parameter"]));
    let kind = site.node.field("type").map_or("", |kind| site.text(&kind));
    let empty = match kind.split('[').next().unwrap_or_default() {
        "" => changed(body, name)?,
        "list" | "List" | "MutableSequence" => "[]",
        "dict" | "Dict" | "MutableMapping" => "{}",
        "set" | "Set" | "MutableSet" => "set()",
        _ => return None,
    };
    if !last || changed(body, name).is_none() || assigns(body, name) || matches!(name, "self" | "cls") {
        return None;
    }
    let own = site.own();
    site.replace(if kind.is_empty() { format!("{own}={empty}") } else { format!("{own} = {empty}") })
}

/// What a body puts in place of a default of `None`, where that is a list, dict or set of its own and nothing else is
/// put there.
fn made_if_missing<'t>(body: &'t str, name: &str) -> Option<&'t str> {
    let (before, after) = body.split_once(&format!("if {name} is None:\n"))?;
    let mut lines = after.lines();
    let made = lines.next()?.trim().strip_prefix(name)?.trim_start().strip_prefix('=')?.trim();
    let rest: String = lines.flat_map(|line| [line, "\n"]).collect();
    let is_empty = ["[]", "{}", "set()", "list()", "dict()"].contains(&made);
    (is_empty && !assigns(before, name) && !assigns(&rest, name)).then_some(made)
}

/// An empty one of what a body changes in place under a name.
fn changed(body: &str, name: &str) -> Option<&'static str> {
    const WAYS: [(&str, &str); 4] =
        [(".append(", "[]"), (".extend(", "[]"), (".setdefault(", "{}"), (".update(", "{}")];
    let calls = |way: &str| body.lines().any(|line| line.trim_start().starts_with(&format!("{name}{way}")));
    let item = || {
        body.lines().any(|line| {
            let set = line.trim_start().strip_prefix(name).and_then(|rest| rest.strip_prefix('['));
            set.and_then(|rest| rest.split_once("] = ")).is_some()
        })
    };
    WAYS.iter().find(|(way, _)| calls(way)).map(|(_, empty)| *empty).or_else(|| item().then_some("{}"))
}

/// Whether a body gives a name another value.
fn assigns(body: &str, name: &str) -> bool {
    body.lines().any(|line| {
        let rest = line.trim_start().strip_prefix(name).map(str::trim_start);
        let bound = rest.is_some_and(|rest| rest.starts_with('=') || rest.starts_with(": ") || rest.starts_with(','));
        bound || line.trim_start().starts_with(&format!("for {name} ")) || line.contains(&format!("{name} :="))
    })
}

/// The parameters of the function around a place of which the language gives a length, as far as their types tell.
pub(super) fn with_length<'p>(site: &Site<'_, 'p>) -> Vec<&'p str> {
    const HELD: [&str; 9] = ["list", "tuple", "dict", "set", "sequence", "mapping", "collection", "bytes", "str"];
    let has_length = |name: &str, written: &str| match site.language() {
        Language::Go => written == "string" || written.starts_with("[]") || written.starts_with("map["),
        Language::Python if written.is_empty() => name.ends_with('s') && !name.ends_with("ss") && name.len() > 2,
        // `None` has no length at all.
        Language::Python if written.contains("None") || written.contains("Optional") => false,
        Language::Python => {
            let kind = written.trim_start_matches(':').trim_start_matches("t.").trim_start_matches("typing.");
            let kind = kind.split('[').next().unwrap_or_default().to_ascii_lowercase();
            written == "*" || HELD.iter().any(|held| kind == *held || kind == format!("{held}=()"))
        }
        _ => false,
    };
    let parameters = site.parameters().into_iter();
    parameters.filter(|(name, written)| has_length(name, written)).map(|(name, _)| name).collect()
}

/// The source from the beginning of the function around a place to the line below the place.
pub(super) fn so_far<'p>(site: &Site<'_, 'p>) -> Option<&'p str> {
    let body: Node<'p> = site.function()?.field("body")?;
    let start = site.node.range().start;
    let source = site.parsed.source();
    let below: usize = source.get(start..)?.split_inclusive('\n').take(2).map(str::len).sum();
    source.get(body.range().start..start + below)
}
