//! Whether what is acquired is given back.

use std::sync::LazyLock;

use regex::Regex;

use super::place::{around, bytes, call, field, is_assigned, mentions, start_of_line, words};
use super::resource::{Acquisition, Holder, MOST, acquisitions};
use super::{Fact, FactKind, FactValue, with_outline};
use crate::syntax::shapes::{Raw, text};
use crate::syntax::{Language, Parsed};

pub(super) const RELEASED: Fact = Fact {
    name: "released",
    help: "Whether everything that the lines acquire (see `resource_kind`) is released: by `with`, `using`, \
           try-with-resources, `defer`, a block, a smart pointer or another owner, in `finally`, or, where nothing can \
           throw in between, before every way out. False where nothing releases it. Unknown where it is returned, \
           stored or passed on, where a release does not cover every way out, and without an acquisition.",
    kind: FactKind::Bool,
    applies: with_outline,
    compute: |input| {
        let Some(new) = input.sound() else { return FactValue::Unknown };
        let found = acquisitions(new, &bytes(input, new));
        if found.len() > MOST {
            return FactValue::Unknown;
        }
        // Placement allocates nothing, so there is nothing to release either way.
        let counted = found.iter().filter(|acquisition| acquisition.kind != "placement");
        let all: Vec<Option<bool>> = counted.map(|acquisition| is_released(new, acquisition)).collect();
        if all.contains(&Some(false)) {
            FactValue::Bool(false)
        } else if all.is_empty() || all.contains(&None) {
            FactValue::Unknown
        } else {
            FactValue::Bool(true)
        }
    },
};

/// Languages in which a value that nobody holds is cleaned up at once, so that a missing release may be meant.
const COUNTED: [Language; 4] = [Language::Php, Language::JavaScript, Language::TypeScript, Language::Tsx];

fn is_released(new: &Parsed, acquisition: &Acquisition<'_>) -> Option<bool> {
    let source = new.source();
    if new.language() == Language::Rust {
        let forgets = ["forget(", "into_raw", "ManuallyDrop", "leak("].iter().any(|word| source.contains(word));
        return (!forgets).then_some(true);
    }
    if acquisition.kind == "lock" && !matches!(acquisition.holder, Holder::Owner) {
        return is_unlocked(new, acquisition.node);
    }
    let lost = (!COUNTED.contains(&new.language())).then_some(false);
    match acquisition.holder {
        Holder::Owner => Some(true),
        Holder::Escapes => None,
        _ if passes_itself(source, acquisition.node) => None,
        Holder::Dropped => lost,
        Holder::Used(whole) => {
            let tail = source.get(acquisition.node.end_byte()..whole.end_byte()).unwrap_or_default();
            // `connect().cursor()` is kept alive by what it gives.
            let reads = ["read", "lines", "Read", "write", "Write", "load"].iter().any(|word| tail.contains(word));
            if RELEASES.is_match(tail) { Some(true) } else { lost.filter(|_| reads) }
        }
        Holder::Passed(outer) => {
            let callee = call(outer, source).map(|call| call.path).unwrap_or_default();
            if RELEASES.is_match(&callee) { Some(true) } else { lost.filter(|_| BORROWS.is_match(&callee)) }
        }
        Holder::Name(name) => of_variable(new, acquisition, name),
    }
}

/// `new Widget(this)` belongs to its parent.
fn passes_itself(source: &str, node: Raw<'_>) -> bool {
    let call = call(node, source);
    call.is_some_and(|call| {
        call.arguments.iter().any(|argument| matches!(text(*argument, source), "this" | "self" | "parent"))
    })
}

/// What releases, as the last word of a call or an operator.
static RELEASES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|[^\w])(?:\w*[cC]lose\w*|CLOSE\w*|\w*_close|release\w*|Release\w*|\w*[fF]ree\w*|free_\w+|delete(?:\[\])?|dispose\w*|Dispose\w*|",
        r"disconnect\w*|Disconnect\w*|shutdown\w*|Shutdown\w*|unlock\w*|Unlock\w*|\w+_unlock\w*|destroy\w*|Destroy\w*|quit|end|stop|Stop|",
        r"munmap|terminate|putconn|cleanup\w*|unlink|detach|Rollback|Commit|safe_delete|SAFE_DELETE|Put|put)\s*$"
    ))
    .expect("the pattern is a constant that compiles")
});

/// Calls that use what they are given and give it back.
static BORROWS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|[\w.]*\W)?(?:json\.loads?|json\.dump|yaml\.\w*load\w*|yaml\.\w*dump\w*|toml\w*\.load|pickle\.(?:load|dump)|csv\.\w+|",
        r"print|len|str|repr|list|sorted|enumerate|iter|next|isinstance|any|map|",
        r"f(?:read|write|gets|puts|printf|scanf|seek|tell|flush|eof|error|getc|putc|ileno|stat|sync)|fputc|fgetc|getline|rewind|setvbuf|vfprintf|",
        r"read|write|pread|pwrite|send|recv|sendto|recvfrom|bind|listen|connect|setsockopt|getsockopt|ioctl|lseek|select|poll|fgetcsv|fputcsv|stream_\w+|",
        r"mem(?:cpy|set|move|cmp)|str(?:cpy|ncpy|cat|ncat|len|cmp|ncmp|chr|str|tok|lcpy)|s?n?printf|sscanf|sizeof|",
        r"io\.(?:Copy|ReadAll|ReadFull|WriteString)|ioutil\.ReadAll|fmt\.F\w+|",
        r"readdir|curl_setopt|curl_exec|is_resource|feof|flock|var_dump|echo|puts)$"
    ))
    .expect("the pattern is a constant that compiles")
});

/// A declaration in front of a name, as C and its heirs write it.
static DECLARES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[;{(,\s])(?P<word>[\w:.<>,]+)(?:\[\])?\s*[\s*&]\s*$")
        .expect("the pattern is a constant that compiles")
});

/// How often a variable is used, and to which end.
#[derive(Default)]
struct Uses {
    escapes: bool,
    /// Where it is released first.
    released: Option<usize>,
    /// Whether some release runs on every way out.
    always: bool,
}

/// Most uses of one variable that are read.
const MOST_USES: usize = 200;

fn of_variable(new: &Parsed, acquisition: &Acquisition<'_>, name: Raw<'_>) -> Option<bool> {
    let source = new.source();
    let line = new.line_of(acquisition.node.start_byte());
    let function = new.enclosing_function(line)?;
    let variable = text(name, source);
    let is_plain = variable.strip_prefix('$').unwrap_or(variable).chars().all(|c| c.is_alphanumeric() || c == '_');
    let head = source.get(function.bytes.start..acquisition.node.start_byte())?;
    if !is_plain || !is_local(new.language(), head, variable) {
        return None;
    }
    let after = acquisition.node.end_byte();
    let uses = uses(new, after..function.bytes.end, variable);
    match uses {
        // Whoever received it, it is closed on the way out.
        Uses { always: true, .. } => Some(true),
        Uses { escapes: true, .. } => None,
        Uses { released: None, .. } if COUNTED.contains(&new.language()) => None,
        Uses { released: None, .. } => Some(false),
        Uses { released: Some(at), .. } => {
            let covers = ways_out(new, after, at, variable) == 0 && same_block(new, acquisition.node.start_byte(), at);
            (covers && matches!(new.language(), Language::C | Language::Go)).then_some(true)
        }
    }
}

/// Whether a variable belongs to the function: declared in it, or in a language where assigning declares.
fn is_local(language: Language, head: &str, variable: &str) -> bool {
    match language {
        Language::Python => !mentions(head, variable).any(|at| {
            let before = start_of_line(head, at);
            before.contains("global ") || before.contains("nonlocal ")
        }),
        Language::Ruby | Language::Php => true,
        _ => mentions(head, variable).take(MOST_USES).any(|at| {
            let after = head[at + variable.len()..].trim_start();
            let keywords =
                ["return", "else", "in", "new", "delete", "case", "goto", "throw", "not", "and", "or", "await"];
            let declares = DECLARES.captures(start_of_line(head, at)).and_then(|captures| captures.name("word"));
            // Go: `f, err := os.Open(p)`
            let short = after.split(['\n', '=']).next().is_some_and(|left| left.trim_end().ends_with(':'));
            let typed = after.starts_with(':') && !after.starts_with("::");
            short || typed || declares.is_some_and(|word| !keywords.contains(&word.as_str()))
        }),
    }
}

/// Reads the uses of a variable from its acquisition to the end of the function; comments do not count.
fn uses(new: &Parsed, range: std::ops::Range<usize>, variable: &str) -> Uses {
    let source = new.source();
    let mut uses = Uses::default();
    let mut seen = 0;
    for part in new.outside_comments(range.clone()) {
        let Some(code) = source.get(part.clone()) else { continue };
        for at in mentions(code, variable) {
            let place = part.start + at;
            seen += 1;
            if seen > MOST_USES {
                uses.escapes = true;
                return uses;
            }
            if new.region(place) == crate::syntax::Region::String {
                continue;
            }
            match use_at(source, range.start, place, variable) {
                Use::Release => {
                    uses.released.get_or_insert(place);
                    uses.always |= is_on_every_way(new, place, variable);
                }
                Use::Owned => {
                    uses.released.get_or_insert(place);
                    uses.always = true;
                }
                Use::Borrow => {}
                Use::Escape => uses.escapes = true,
            }
        }
    }
    uses
}

/// What a mention does with the variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Release,
    /// It is put under a construct that releases it: `with f:`.
    Owned,
    Borrow,
    Escape,
}

fn use_at(source: &str, from: usize, at: usize, variable: &str) -> Use {
    let before = start_of_line(&source[from..], at - from).trim_end();
    let after = source[at + variable.len()..].trim_start();
    let method = after.strip_prefix('.').or_else(|| after.strip_prefix("->")).or_else(|| after.strip_prefix("?."));
    if let Some(method) = method {
        let end =
            method.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '!' && c != '?').unwrap_or(method.len());
        // `response.Body.Close()`
        let last = method[end..].strip_prefix('.').map_or(&method[..end], |rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(rest)
        });
        return if RELEASES.is_match(last) { Use::Release } else { Use::Borrow };
    }
    if before.ends_with("delete") || before.ends_with("delete[]") || before.ends_with("delete []") {
        return Use::Release;
    }
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    if matches!(word, "with" | "using") || before.ends_with("using (") || before.ends_with("closing(") {
        return Use::Owned;
    }
    if let Some(callee) = callee(before).filter(|_| after.starts_with([',', ')'])) {
        return match callee {
            "" | "if" | "while" | "for" | "switch" | "elif" | "sizeof" | "isset" | "assert" => Use::Borrow,
            "using" | "try" | "closing" => Use::Owned,
            _ if RELEASES.is_match(callee) => Use::Release,
            _ if BORROWS.is_match(callee) => Use::Borrow,
            _ => Use::Escape,
        };
    }
    let compared =
        ["==", "!=", "<", ">", "is ", "&&", "||", "and ", "or ", "?"].iter().any(|sign| after.starts_with(sign))
            || ["==", "!=", "<", ">", "!", "&&", "||", "*"].iter().any(|sign| before.ends_with(sign));
    let tested =
        matches!(word, "if" | "elif" | "while" | "not" | "in" | "of" | "range" | "assert" | "unless" | "and" | "or");
    let indexed = after.starts_with('[') || after.starts_with('(');
    // The declaration of the next variable, or a new value: what was held is gone or never was.
    if is_assigned(before, after) {
        return if is_nothing(after) { Use::Borrow } else { Use::Escape };
    }
    if compared || tested || indexed || word.is_empty() && before.ends_with(';') { Use::Borrow } else { Use::Escape }
}

/// `= NULL`, as is written after a release.
fn is_nothing(after: &str) -> bool {
    let value = after.trim_start_matches('=').trim_start();
    ["NULL", "null", "nullptr", "None", "nil", "-1", "0;"].iter().any(|nothing| value.starts_with(nothing))
}

/// The name in front of the parenthesis that is open at the end of a text; empty for a bare parenthesis.
fn callee(before: &str) -> Option<&str> {
    let mut depth = 0_u32;
    let open = before.char_indices().rev().find_map(|(at, character)| match character {
        ')' | ']' | '}' => {
            depth += 1;
            None
        }
        '(' | '[' | '{' if depth > 0 => {
            depth -= 1;
            None
        }
        '(' => Some(Some(at)),
        '[' | '{' => Some(None),
        _ => None,
    })??;
    let head = before[..open].trim_end();
    let start = head.rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | ':')).map_or(0, |at| at + 1);
    head.get(start..)
}

/// Whether a release stands where every way out comes by, under no condition but one about what is released.
fn is_on_every_way(new: &Parsed, at: usize, held: &str) -> bool {
    let path = around(new, &(at..at + 1));
    let kinds = ["finally_clause", "ensure", "defer_statement"];
    let Some(last) = path.iter().rposition(|node| kinds.contains(&node.kind())) else { return false };
    path[last..].iter().filter(|node| node.kind().starts_with("if")).all(|test| {
        let condition = field(*test, &["condition"]).map_or("", |condition| text(condition, new.source()));
        mentions(condition, held).next().is_some()
    })
}

static WAYS_OUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:return|goto|exit|abort|throw|raise|panic|longjmp|break|continue)\b")
        .expect("the pattern is a constant that compiles")
});

/// How many ways out there are between two bytes, the test of the variable or of its error right after the acquisition
/// not counted.
fn ways_out(new: &Parsed, from: usize, to: usize, variable: &str) -> usize {
    let source = new.source();
    let between = new.outside_comments(from..to).filter_map(|part| source.get(part)).collect::<String>();
    let mut left = between.as_str();
    let (mut count, mut first) = (0, true);
    while let Some(found) = WAYS_OUT.find(left) {
        let head = &left[..found.start()];
        let test = head.rfind("if").map(|at| &head[at..]);
        let fails = |test: &str| {
            let negative = ["NULL", "nil", "== 0", "< 0", "== -1", "!", "<= 0"].iter().any(|sign| test.contains(sign));
            negative && (mentions(test, variable).next().is_some() || mentions(test, "err").next().is_some())
        };
        if !first || !test.is_some_and(fails) {
            count += 1;
        }
        first = false;
        left = &left[found.end()..];
    }
    count
}

/// Whether two bytes stand in one block.
fn same_block(new: &Parsed, one: usize, other: usize) -> bool {
    let block = |at: usize| {
        let path = around(new, &(at..at + 1));
        let blocks = ["block", "compound_statement", "statement_list"];
        path.iter().rev().find(|node| blocks.contains(&node.kind())).map(|node| node.id())
    };
    block(one) == block(other)
}

/// A lock is held by what `lock()` is called on.
fn is_unlocked(new: &Parsed, node: Raw<'_>) -> Option<bool> {
    let source = new.source();
    let call = call(node, source)?;
    let held = call.receiver.filter(|_| call.name != "Enter").or_else(|| call.arguments.first().copied())?;
    let held = words(held, source).trim_start_matches('&').to_owned();
    let line = new.line_of(node.start_byte());
    let function = new.enclosing_function(line)?;
    let release = |range: std::ops::Range<usize>| {
        let text = source.get(range.clone()).unwrap_or_default();
        let releases = mentions(text, &held).take(MOST_USES).filter(|at| {
            let before = start_of_line(text, *at).trim_end_matches([' ', '&', '(']);
            let after = text[at + held.len()..].trim_start().trim_start_matches(['.', '-', '>']);
            let word = after.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            RELEASES.is_match(word) || word.starts_with("Exit") || before.ends_with("Exit") || RELEASES.is_match(before)
        });
        releases.map(|at| range.start + at).collect::<Vec<_>>()
    };
    let within = release(node.end_byte()..function.bytes.end);
    if within.iter().any(|at| is_on_every_way(new, *at, &held)) {
        return Some(true);
    }
    match within.first() {
        Some(first) => {
            let covers =
                ways_out(new, node.end_byte(), *first, &held) == 0 && same_block(new, node.start_byte(), *first);
            (covers && matches!(new.language(), Language::C | Language::Go)).then_some(true)
        }
        // Another function may unlock what this one locks.
        None if release(0..source.len()).is_empty() => Some(false),
        None => None,
    }
}
