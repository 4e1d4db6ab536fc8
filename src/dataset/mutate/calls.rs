//! Operators on calls and their arguments.

use super::logic::BINARY;
use super::site::{Edit, Site, is, is_identifier, parts};
use crate::syntax::Language::{self, C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript};

const LISTS: [&str; 2] = ["argument_list", "arguments"];

fn is_dynamic(language: Language) -> bool {
    matches!(language, Python | JavaScript | Ruby | Php)
}

/// Two neighbours among the arguments change places. Where types are written, both are parameters of one type.
pub(super) fn swapped(site: &Site<'_, '_>) -> Option<Edit> {
    if !site.is(&LISTS) {
        return None;
    }
    let parameters = site.parameters();
    let kind = |name: &str| parameters.iter().find(|(known, _)| *known == name).map(|(_, kind)| kind);
    let arguments = parts(site.node);
    let pair = arguments.windows(2).find(|pair| {
        let (one, other) = (site.text(&pair[0]), site.text(&pair[1]));
        let names = pair.iter().all(|argument| {
            is_identifier(argument) || (argument.kind() == "argument" && parts(argument).iter().all(is_identifier))
        });
        let alike = match (kind(one), kind(other)) {
            (Some(one), Some(other)) => one == other && (is_dynamic(site.language()) || !one.is_empty()),
            _ => is_dynamic(site.language()),
        };
        names && one != other && alike && ![one, other].contains(&"self") && ![one, other].contains(&"this")
    })?;
    let (one, other) = (pair[0].range(), pair[1].range());
    let between = site.parsed.source().get(one.end..other.start)?;
    let with = [site.text(&pair[1]), between, site.text(&pair[0])].concat();
    site.within(site.parent().unwrap_or(site.node), one.start..other.end, with)
}

/// Another parameter of the same type is read.
pub(super) fn wrong_variable(site: &Site<'_, '_>) -> Option<Edit> {
    let parent = site.parent()?;
    let around = if parent.kind() == "argument" { site.above.iter().rev().nth(1)? } else { parent };
    let read = is(around, &LISTS) || is(around, &BINARY) || is(around, &["return_statement"]);
    if !is_identifier(site.node) || !read {
        return None;
    }
    let (parameters, own) = (site.parameters(), site.own());
    let (_, kind) = parameters.iter().find(|(name, _)| *name == own)?;
    if kind.is_empty() && !is_dynamic(site.language()) {
        return None;
    }
    let beside: Vec<&str> = parts(around).iter().map(|part| site.text(part)).collect();
    let mut others = parameters.iter().filter(|(name, other)| *name != own && other == kind && !beside.contains(name));
    let (other, _) = others.next()?;
    // A list of arguments means nothing without its call.
    let quoted = if is(around, &LISTS) {
        site.above.iter().rev().find(|node| !is(node, &["argument", LISTS[0], LISTS[1]]))?
    } else {
        around
    };
    site.within(quoted, site.node.range(), *other)
}

pub(super) fn await_dropped(site: &Site<'_, '_>) -> Option<Edit> {
    let awaited = site.is(&["await", "await_expression"]).then(|| parts(site.node).pop())??;
    site.replace(site.text(&awaited))
}

/// The other truth value for a literal.
fn flipped(text: &str) -> Option<&'static str> {
    Some(match text {
        "true" => "false",
        "false" => "true",
        "True" => "False",
        "False" => "True",
        "TRUE" => "FALSE",
        "FALSE" => "TRUE",
        _ => return None,
    })
}

pub(super) fn flag(site: &Site<'_, '_>) -> Option<Edit> {
    let other = flipped(site.own())?;
    let parent = site.parent().filter(|_| parts(site.node).is_empty())?;
    let named = ["argument", "keyword_argument", "default_parameter", "pair", "named_argument"];
    if is(parent, &LISTS) {
        let call = site.above.iter().rev().nth(1)?;
        return site.within(call, site.node.range(), other);
    }
    is(parent, &named).then(|| site.within(parent, site.node.range(), other))?
}

pub(super) fn returned_flag(site: &Site<'_, '_>) -> Option<Edit> {
    let other = flipped(site.own())?;
    let returns = ["return_statement", "return_expression", "return"];
    let parent = site.above.iter().rev().find(|node| !is(node, &["argument_list", "expression_list"]))?;
    (is(parent, &returns) && parts(site.node).is_empty()).then(|| site.within(parent, site.node.range(), other))?
}

/// A call of a function that is easily taken for another one of its pair.
fn renamed(site: &Site<'_, '_>, pairs: &[(&'static str, &'static str)]) -> Option<Edit> {
    let callee = site.callee()?;
    let name = site.text(&callee);
    let other = pairs.iter().find_map(|(one, other)| match name {
        name if name == *one => Some(*other),
        name if name == *other => Some(*one),
        _ => None,
    })?;
    site.inside(callee.range(), other)
}

pub(super) fn extreme(site: &Site<'_, '_>) -> Option<Edit> {
    renamed(
        site,
        &[
            ("min", "max"),
            ("Min", "Max"),
            ("fmin", "fmax"),
            ("min_by", "max_by"),
            ("minBy", "maxBy"),
            ("min_by_key", "max_by_key"),
            ("MIN", "MAX"),
        ],
    )
}

pub(super) fn wrong_end(site: &Site<'_, '_>) -> Option<Edit> {
    let pairs: &[(&str, &str)] = match site.language() {
        Python => &[
            ("startswith", "endswith"),
            ("removeprefix", "removesuffix"),
            ("find", "rfind"),
            ("index", "rindex"),
            ("lstrip", "rstrip"),
        ],
        JavaScript | TypeScript | Tsx => &[
            ("startsWith", "endsWith"),
            ("indexOf", "lastIndexOf"),
            ("trimStart", "trimEnd"),
            ("unshift", "push"),
            ("shift", "pop"),
            ("find", "findLast"),
        ],
        Java => &[("startsWith", "endsWith"), ("indexOf", "lastIndexOf"), ("getFirst", "getLast")],
        C => &[("strchr", "strrchr")],
        Cpp => &[
            ("starts_with", "ends_with"),
            ("find", "rfind"),
            ("front", "back"),
            ("begin", "rbegin"),
            ("strchr", "strrchr"),
        ],
        CSharp => &[
            ("StartsWith", "EndsWith"),
            ("IndexOf", "LastIndexOf"),
            ("TrimStart", "TrimEnd"),
            ("First", "Last"),
            ("FirstOrDefault", "LastOrDefault"),
        ],
        Go => &[
            ("HasPrefix", "HasSuffix"),
            ("TrimPrefix", "TrimSuffix"),
            ("TrimLeft", "TrimRight"),
            ("Index", "LastIndex"),
        ],
        Rust => &[
            ("starts_with", "ends_with"),
            ("strip_prefix", "strip_suffix"),
            ("first", "last"),
            ("find", "rfind"),
            ("position", "rposition"),
            ("split_once", "rsplit_once"),
            ("trim_start", "trim_end"),
            ("pop_front", "pop_back"),
            ("push_front", "push_back"),
        ],
        Php => &[
            ("str_starts_with", "str_ends_with"),
            ("strpos", "strrpos"),
            ("strchr", "strrchr"),
            ("ltrim", "rtrim"),
            ("array_shift", "array_pop"),
        ],
        Ruby => &[
            ("start_with?", "end_with?"),
            ("first", "last"),
            ("index", "rindex"),
            ("lstrip", "rstrip"),
            ("shift", "pop"),
            ("unshift", "push"),
        ],
        _ => &[],
    };
    // The last of an iterator is asked of something that has no first.
    let is_iterator = site.language() == Rust && site.own().ends_with(").last()");
    (!is_iterator).then(|| renamed(site, pairs))?
}

pub(super) fn quantifier(site: &Site<'_, '_>) -> Option<Edit> {
    const PAIRS: [(&str, &str); 6] = [
        ("any", "all"),
        ("some", "every"),
        ("anyMatch", "allMatch"),
        ("Any", "All"),
        ("any?", "all?"),
        ("any_of", "all_of"),
    ];
    // Without a condition there is nothing that all could fulfil.
    let asks = !site.arguments().is_empty() || site.own().ends_with(['}', 'd']);
    asks.then(|| renamed(site, &PAIRS))?
}

pub(super) fn rounding(site: &Site<'_, '_>) -> Option<Edit> {
    renamed(site, &[("floor", "ceil"), ("Floor", "Ceil"), ("Floor", "Ceiling")])
}

/// What was a copy is the thing itself.
pub(super) fn copy(site: &Site<'_, '_>) -> Option<Edit> {
    let own = site.own();
    let arguments = site.arguments();
    let only = (arguments.len() == 1).then(|| site.text(&arguments[0]));
    let called = |names: &[&str]| {
        let is_one = names.iter().any(|name| own.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')));
        is_one.then_some(only).flatten().filter(|argument| !argument.contains(['(', ' ', '*']))
    };
    let on = |names: &[&str]| names.iter().find_map(|name| own.strip_suffix(name));
    let original = match site.language() {
        Python if site.is(&["call"]) => {
            called(&["list", "dict", "set", "copy.copy", "copy.deepcopy", "deepcopy"]).or_else(|| on(&[".copy()"]))
        }
        Python if site.is(&["subscript"]) => on(&["[:]"]),
        JavaScript | TypeScript | Tsx => match &*site.node.kind() {
            "call_expression" => called(&["structuredClone", "Array.from"]).or_else(|| on(&[".slice()"])),
            "array" => own.strip_prefix("[...").and_then(|rest| rest.strip_suffix(']')),
            "object" => own.strip_prefix("{ ...").and_then(|rest| rest.strip_suffix(" }")),
            _ => None,
        },
        Java if site.is(&["object_creation_expression"]) => {
            let copies = ["new ArrayList<>", "new HashMap<>", "new HashSet<>", "new LinkedHashMap<>", "new TreeMap<>"];
            called(&copies)
        }
        CSharp if site.is(&["invocation_expression"]) => on(&[".ToList()", ".ToArray()"]),
        Go if site.is(&["call_expression"]) => called(&["slices.Clone", "maps.Clone", "bytes.Clone"]),
        Php if site.is(&["clone_expression"]) => own.strip_prefix("clone ").filter(|rest| rest.starts_with('$')),
        Ruby if site.is(&["call"]) => on(&[".dup", ".clone"]),
        _ => None,
    }?;
    let is_place = original.chars().all(|c| c.is_alphanumeric() || "_.$@>-".contains(c)) && !original.is_empty();
    is_place.then(|| site.replace(original))?
}

/// Bytes are taken for characters, or characters for bytes.
pub(super) fn bytes(site: &Site<'_, '_>) -> Option<Edit> {
    let own = site.own();
    let tail = |from: &str, to: &str| own.strip_suffix(from).map(|rest| format!("{rest}{to}"));
    let only = || match site.arguments().as_slice() {
        [only] => Some(site.text(only)),
        _ => None,
    };
    let called = |name: &str| own.strip_prefix(name).filter(|rest| rest.starts_with('(')).and_then(|_| only());
    let call = site.callee().is_some() || site.is(&["call"]);
    let wrong = match site.language() {
        Rust => tail(".chars().count()", ".len()"),
        Python => called("len")?.strip_suffix(".encode()").map(|text| format!("len({text})")),
        Go => called("utf8.RuneCountInString")
            .map(|text| format!("len({text})"))
            .or_else(|| Some(format!("len({})", called("len")?.strip_prefix("[]rune(")?.strip_suffix(')')?))),
        Java => tail(".getBytes(StandardCharsets.UTF_8)", ".getBytes()"),
        JavaScript | TypeScript | Tsx => called("Buffer.byteLength").map(|text| format!("{text}.length")),
        Php => own
            .strip_prefix("mb_")
            .filter(|name| name.starts_with("str") || name.starts_with("substr"))
            .map(str::to_owned),
        Ruby => tail(".bytesize", ".length"),
        CSharp => called("Encoding.UTF8.GetByteCount").map(|text| format!("{text}.Length")),
        _ => None,
    };
    call.then_some(wrong).flatten().and_then(|wrong| site.replace(wrong))
}

/// There is no room for the byte that ends a text.
pub(super) fn terminator(site: &Site<'_, '_>) -> Option<Edit> {
    let length = site.own().strip_suffix("+ 1").map(str::trim_end)?;
    (site.is(&["binary_expression"]) && length.starts_with("strlen(")).then(|| site.replace(length))?
}
