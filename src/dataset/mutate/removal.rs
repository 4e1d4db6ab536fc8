//! Operators that take something away: a check, a step, a branch.

use super::guards;
use super::site::{Edit, Site, is, parts};
use crate::syntax::{Language, Node};

pub(super) const IFS: [&str; 6] = ["if_statement", "if_expression", "if", "unless", "if_modifier", "unless_modifier"];
const LOOPS: [&str; 12] = [
    "for_statement",
    "for_in_statement",
    "foreach_statement",
    "enhanced_for_statement",
    "for_range_loop",
    "while_statement",
    "do_statement",
    "for_expression",
    "while_expression",
    "loop_expression",
    "while",
    "for",
];
const SWITCHES: [&str; 9] = [
    "switch_statement",
    "switch_expression",
    "expression_switch_statement",
    "type_switch_statement",
    "select_statement",
    "switch_case",
    "switch_section",
    "case",
    "match_expression",
];
const CATCHES: [&str; 4] = ["catch_clause", "except_clause", "rescue", "except_group_clause"];

pub(super) fn starts_with_word(text: &str, words: &[&str]) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    words.contains(&word)
}

/// A failure is not looked at.
pub(super) fn error_check(site: &Site<'_, '_>) -> Option<Edit> {
    if site.language() != Language::Rust {
        return guards::failure(site);
    }
    let [tried] = <[_; 1]>::try_from(parts(site.node)).ok()?;
    let statement = is(site.node, &["expression_statement"]) && is(&tried, &["try_expression"]);
    let call = statement.then(|| site.own().strip_suffix("?;"))??;
    site.replace(format!("let _ = {call};"))
}

/// The statement inside Rust's statement of an expression.
fn inner<'p>(site: &Site<'_, 'p>) -> Node<'p> {
    match parts(site.node).pop() {
        Some(only) if is(site.node, &["expression_statement"]) => only,
        _ => site.node.clone(),
    }
}

pub(super) fn break_removed(site: &Site<'_, '_>) -> Option<Edit> {
    let is_break = is(&inner(site), &["break_statement", "break_expression", "break"]);
    // C# has no way on into the next section.
    (is_break && !site.is_child_of(&["switch_section"])).then(|| site.delete_statement())?
}

pub(super) fn return_removed(site: &Site<'_, '_>) -> Option<Edit> {
    const CAN_IGNORE: [Language; 8] = [
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Tsx,
        Language::Php,
        Language::Ruby,
        Language::C,
        Language::Cpp,
    ];
    let returned = inner(site);
    // At its end a function returns anyway.
    let around = site.above.iter().rev().skip(1).find(|node| !is(node, &["block"]))?;
    let on_the_way =
        is(around, &IFS) || is(around, &LOOPS) || around.kind().contains("clause") || is(around, &SWITCHES);
    if !is(&returned, &["return_statement", "return_expression", "return"]) || !on_the_way || !site.is_statement() {
        return None;
    }
    let Some(value) = parts(&returned).pop() else { return site.delete_statement() };
    let is_call = value.kind().contains("call") || (is(&value, &["argument_list"]) && site.text(&value).ends_with(')'));
    (is_call && CAN_IGNORE.contains(&site.language()))
        .then(|| site.inside(returned.range().start..value.range().start, ""))?
}

/// Whether the statement is one call with nothing made of it.
fn has_one_of(site: &Site<'_, '_>, wanted: &[&str]) -> bool {
    let text = site.own();
    site.is_statement() && !text.trim_end().contains('\n') && wanted.iter().any(|part| text.contains(part))
}

pub(super) fn lock_removed(site: &Site<'_, '_>) -> Option<Edit> {
    const LOCKS: [&str; 13] = [
        ".lock()",
        ".Lock()",
        ".RLock()",
        ".acquire()",
        "lock_guard",
        "unique_lock",
        "scoped_lock",
        "mutex_lock(",
        "spin_lock(",
        "rwlock_wrlock(",
        "rwlock_rdlock(",
        "Monitor.Enter(",
        "LOCK_EX",
    ];
    let header = |token: &str| {
        let body = site.node.field("body").or_else(|| parts(site.node).pop())?;
        let head = site.node.range().start..body.range().start;
        let text = site.parsed.source().get(head.clone())?;
        let edit = text.starts_with(token).then(|| site.inside(head, ""))??;
        Some(Edit { was: text.trim_end().to_owned(), now: String::new(), ..edit })
    };
    match (site.language(), &*site.node.kind()) {
        (Language::Java, "synchronized_statement") => header("synchronized"),
        (Language::CSharp, "lock_statement") => header("lock"),
        (Language::Ruby, "call") => {
            let block = site.node.field("block").filter(|block| block.kind() == "do_block")?;
            let locks = site.own().contains(".synchronize do");
            let head = site.node.range().start..block.range().start + "do".len();
            let was = site.parsed.source().get(head.clone())?.to_owned();
            let edit = (locks && site.is_statement()).then(|| site.inside(head, "begin"))??;
            Some(Edit { was, now: String::new(), ..edit })
        }
        (Language::Python, "with_statement") => with_lock(site),
        (Language::Rust, "let_declaration") => {
            let guards = site.own().starts_with("let _") && !site.own().starts_with("let _ ");
            let locks = [".lock()", ".write()", ".read()"];
            (guards && has_one_of(site, &locks)).then(|| site.delete_statement())?
        }
        (Language::Rust, _) => None,
        _ => has_one_of(site, &LOCKS).then(|| site.delete_statement())?,
    }
}

/// The body of a `with lock:` moves to where the `with` stands.
fn with_lock(site: &Site<'_, '_>) -> Option<Edit> {
    let body = site.node.field("body")?;
    let source = site.parsed.source();
    let head = source.get(site.node.range().start..body.range().start)?;
    let low = head.to_ascii_lowercase();
    let locks = (low.contains("lock") || low.contains("mutex") || low.contains("semaphore")) && !low.contains(" as ");
    let lines = (locks && !site.own().contains("\"\"\"")).then(|| site.whole_lines(site.node.range()))??;
    let indent = source.get(lines.start..site.node.range().start)?;
    let first = site.parsed.line_range(site.parsed.line_of(body.range().start)).start;
    let deeper = source.get(first..body.range().start)?;
    let with: String = source.get(first..lines.end)?.split_inclusive('\n').fold(String::new(), |text, line| match line
        .strip_prefix(deeper)
    {
        Some(rest) => text + indent + rest,
        None => match line.strip_prefix(deeper.strip_prefix(indent).unwrap_or(deeper)) {
            Some(rest) => text + rest,
            None => text + line,
        },
    });
    Some(Edit { range: lines, with, was: head.trim_end().to_owned(), now: String::new() })
}

pub(super) fn unlock_removed(site: &Site<'_, '_>) -> Option<Edit> {
    const UNLOCKS: [&str; 9] = [
        ".unlock()",
        ".Unlock()",
        ".RUnlock()",
        ".release()",
        "mutex_unlock(",
        "spin_unlock(",
        "rwlock_unlock(",
        "Monitor.Exit(",
        "LOCK_UN",
    ];
    has_one_of(site, &UNLOCKS).then(|| site.delete_statement())?
}

pub(super) fn close_removed(site: &Site<'_, '_>) -> Option<Edit> {
    const CLOSES: [&str; 10] = [
        ".close()",
        ".Close()",
        ".Dispose()",
        ".close;",
        ".disconnect()",
        ".shutdown()",
        "fclose(",
        "closedir(",
        "free(",
        "curl_close(",
    ];
    let closes = has_one_of(site, &CLOSES) || (site.language() == Language::Ruby && site.own().ends_with(".close"));
    let is_call = is(site.node, &["expression_statement", "defer_statement", "call"]);
    (closes && is_call && !site.own().contains('=')).then(|| site.delete_statement())?
}

/// An error that was handed on is handled as if nothing were the matter.
pub(super) fn rethrow_removed(site: &Site<'_, '_>) -> Option<Edit> {
    let throws = starts_with_word(site.own(), &["throw", "raise"]);
    let in_catch = site.above.iter().rev().take(4).any(|node| is(node, &CATCHES));
    (throws && in_catch && site.is_statement() && !site.is_only_statement()).then(|| site.delete_statement())?
}

/// Whether the value of a decision may be used: in Rust that of one that is no statement, or ends its block.
fn is_value(site: &Site<'_, '_>) -> bool {
    if site.language() != Language::Rust {
        return false;
    }
    let mut outer = site.above.iter().rev().skip_while(|node| is(node, &["else_clause", "if_expression"]));
    let (statement, block) = (outer.next(), outer.next());
    statement.zip(block).is_none_or(|(statement, block)| {
        let is_last = parts(block).last().is_some_and(|last| last.range() == statement.range());
        !is(statement, &["expression_statement"]) || is_last
    })
}

pub(super) fn else_removed(site: &Site<'_, '_>) -> Option<Edit> {
    if !site.is(&["if_statement", "if_expression", "if", "unless"]) || is_value(site) {
        return None;
    }
    let children: Vec<_> = site.node.children().collect();
    let alternative = site.node.field_children("alternative").last()?;
    let at = children.iter().position(|child| child.range() == alternative.range())?;
    let before = children[..at].iter().rfind(|child| child.is_named() && !child.kind().contains("comment"))?;
    let chained = is(&alternative, &IFS) || parts(&alternative).first().is_some_and(|first| is(first, &IFS));
    let chained =
        (chained && !is(&alternative, &["else"])) || is(&alternative, &["elsif", "elif_clause", "else_if_clause"]);
    if before.range().start <= site.node.range().start || chained {
        return None;
    }
    if site.language() == Language::Ruby {
        let from = site.parsed.line_range(site.parsed.line_of(alternative.range().start)).start;
        let to = site.parsed.line_range(site.parsed.line_of(site.node.range().end)).start;
        let was = site.text(&alternative).trim().to_owned();
        return (from < to).then_some(Edit { range: from..to, with: String::new(), was, now: String::new() });
    }
    let range = before.range().end..alternative.range().end;
    let was = site.parsed.source().get(range.clone())?.trim().to_owned();
    Some(Edit { range, with: String::new(), was, now: String::new() })
}

pub(super) fn default_removed(site: &Site<'_, '_>) -> Option<Edit> {
    const DEFAULTS: [&str; 6] = [
        "switch_default",
        "switch_block_statement_group",
        "case_statement",
        "switch_section",
        "default_case",
        "default_statement",
    ];
    let is_default = (site.is(&DEFAULTS) && starts_with_word(site.own(), &["default"]))
        || (site.is(&["else"]) && site.is_child_of(&["case"]))
        || (site.is(&["case_clause"]) && site.own().starts_with("case _:"));
    let range = is_default.then(|| site.whole_lines(site.node.range()))??;
    Some(Edit { range, with: String::new(), was: site.own().trim().to_owned(), now: String::new() })
}

pub(super) fn loop_exit(site: &Site<'_, '_>) -> Option<Edit> {
    let word = site.own().trim_end_matches(';').trim();
    let other = match (word, site.language()) {
        ("continue", _) | ("next", Language::Ruby) => "break",
        ("break", Language::Ruby) => "next",
        ("break", _) => "continue",
        _ => return None,
    };
    let kinds = ["break_statement", "continue_statement", "break_expression", "continue_expression", "break", "next"];
    let around = site.above.iter().rev().find(|node| is(node, &LOOPS) || is(node, &SWITCHES))?;
    let length = word.len();
    let start = site.node.range().start;
    (site.is(&kinds) && is(around, &LOOPS)).then(|| site.inside(start..start + length, other))?
}
