//! Whether a key that is read is known to be there.

use super::guard::{Effect, Guard, Subject, Told, guard};
use super::map_read::{MOST, Read, key_words, reads, with_maps};
use super::place::{
    MOST_MENTIONS, around, assigns, bytes, call, field, mentions, operation, rest_of_line, scope, squeezed,
    start_of_line, words,
};
use super::{Fact, FactKind, FactValue, hints};
use crate::syntax::shapes::{Raw, text};
use crate::syntax::{Language, Parsed};

pub(super) const KEY_GUARDED: Fact = Fact {
    name: "key_guarded",
    help: "Whether every key that the lines read from a map is there or cannot fail: tested (`in`, `contains_key`, \
           `isset`), written before, taken from the map's own keys, given a default, or the failure is handled; or the \
           map makes what is missing (`defaultdict`). Unknown where something tests the map or the key in another \
           way, where the map is a field, without a read of a map and in broken code.",
    kind: FactKind::Bool,
    applies: with_maps,
    compute: |input| {
        let Some(new) = input.sound() else { return FactValue::Unknown };
        let reads = reads(new, &bytes(input, new));
        if reads.hidden || reads.found.len() > MOST {
            return FactValue::Unknown;
        }
        let guards = reads.found.iter().map(|read| {
            let guard = of_read(new, read);
            if read.sure { guard } else { guard.max(Guard::Perhaps) }
        });
        match guards.min() {
            Some(Guard::Sure) => FactValue::Bool(true),
            Some(Guard::None) => FactValue::Bool(false),
            _ => FactValue::Unknown,
        }
    },
};

pub(super) const MAP_IS_LOCAL: Fact = Fact {
    name: "map_is_local",
    help: "Whether every map that the lines read by a key was made in the same function. Unknown without such a read \
           and in broken code.",
    kind: FactKind::Bool,
    applies: with_maps,
    compute: |input| {
        let Some(new) = input.sound() else { return FactValue::Unknown };
        let reads = reads(new, &bytes(input, new));
        if reads.hidden || reads.found.is_empty() || reads.found.len() > MOST {
            return FactValue::Unknown;
        }
        FactValue::Bool(reads.found.iter().all(|read| is_local(new, read)))
    },
};

fn of_read(new: &Parsed, read: &Read<'_>) -> Guard {
    let source = new.source();
    if has_default(new, read) {
        return Guard::Sure;
    }
    let form = Form {
        map: words(read.map, source),
        key: key_words(read.key, source),
        source,
        is_name: read.key.named_child_count() == 0 && !read.key.kind().contains("string"),
    };
    if form.makes_missing() {
        return Guard::Sure;
    }
    let subject = Subject {
        condition: &|condition| form.told(condition),
        statement: &|statement| form.effect(statement),
        spoils: &|text| assigns(text, &form.map) || (form.is_name && assigns(text, &form.key)),
        walks: &|node| form.walks(node),
        failures: &["KeyError", "LookupError", "IndexError", "KeyNotFound", "out_of_range", "NullPointer"],
    };
    let found = guard(new, &read.node.byte_range(), &subject);
    if found == Guard::Sure {
        return found;
    }
    let place = read.node.byte_range();
    let told = hints::speaks_for(new, &place, &form.map) || (form.is_name && hints::speaks_for(new, &place, &form.key));
    let is_field = form.map.contains(['.', '@']) || form.map.contains("->") || form.map.contains("::");
    let known_outside = is_field && !form.map.ends_with("environ") && !form.map.contains(['(', '[']);
    match form.literal_holds() {
        Some(true) => Guard::Sure,
        _ if told || known_outside => found.max(Guard::Perhaps),
        _ => found,
    }
}

/// Whether what is around the read gives it a default or only asks: `… ?? x`, `isset(…)`.
fn has_default(new: &Parsed, read: &Read<'_>) -> bool {
    let source = new.source();
    let path = around(new, &read.node.byte_range());
    path.windows(2).rev().take(6).any(|pair| {
        let (outer, inner) = (pair[0], pair[1]);
        let is_left = |left: Raw<'_>| left == inner;
        let or_else = match (new.language(), operation(outer, source)) {
            (Language::Php | Language::CSharp, Some((left, operator, _))) => {
                operator.starts_with("??") && is_left(left)
            }
            (Language::Ruby, Some((left, "||" | "||=", _))) => is_left(left),
            _ => false,
        };
        let asks = || call(outer, source).is_some_and(|call| matches!(call.name, "isset" | "empty" | "unset"));
        or_else || asks() || outer.kind() == "error_suppression_expression"
    })
}

/// The read as it is written, without white space.
struct Form<'s> {
    map: String,
    key: String,
    source: &'s str,
    /// The key is a name.
    is_name: bool,
}

impl Form<'_> {
    fn told(&self, condition: Raw<'_>) -> Told {
        let written = text(condition, self.source);
        if mentions(written, &self.map).next().is_none() {
            return Told::default();
        }
        let mentioned = Told { mentions: true, ..Told::default() };
        if mentions(written, &self.key).next().is_none() {
            return mentioned;
        }
        let whole = squeezed(written);
        if let Some((left, operator, right)) = operation(condition, self.source) {
            let is_key = key_words(left, self.source) == self.key;
            let in_map = words(right, self.source).trim_end_matches(".keys()") == self.map;
            let other = words(right, self.source);
            let nothing =
                matches!(&*other, "None" | "null" | "nullptr" | "nil" | "NULL" | "0") || other.ends_with("end()");
            return match operator.split_whitespace().collect::<Vec<_>>()[..] {
                ["in"] if is_key && in_map => Told::safe_where(true),
                ["not", "in"] if is_key && in_map => Told::safe_where(false),
                ["!=" | "!==" | ">" | "is not"] | ["is", "not"] if nothing => Told::safe_where(true),
                ["==" | "===" | "is"] if nothing => Told::safe_where(false),
                _ => mentioned,
            };
        }
        match call(condition, self.source).map(|call| call.name) {
            Some("empty" | "nil?") => Told::safe_where(false),
            Some(name) if ASKS.contains(&name) => Told::safe_where(true),
            Some(_) => mentioned,
            None if condition.kind() == "let_condition" && whole.contains("Some(") => Told::safe_where(true),
            None if whole == format!("{}[{}]", self.map, self.key) => Told::safe_where(true),
            None => mentioned,
        }
    }

    fn effect(&self, statement: Raw<'_>) -> Effect {
        // What is done under a condition or in a loop is not always done.
        let always = ["if", "for", "while", "unless", "try", "begin", "switch", "match", "case", "with"]
            .iter()
            .all(|word| !statement.kind().starts_with(word));
        let whole = squeezed(text(statement, self.source));
        if always && (self.is_written_in(&whole) || PUTS.iter().any(|put| self.is_called_in(&whole, put))) {
            return Effect::Safe;
        }
        let spoils = assigns(&whole, &self.map) || (self.is_name && assigns(&whole, &self.key));
        if spoils { Effect::Spoilt } else { Effect::None }
    }

    fn is_written_in(&self, squeezed: &str) -> bool {
        let subscript = format!("{}[{}]", self.map, self.key);
        mentions(squeezed, &subscript).any(|at| {
            let after = squeezed[at + subscript.len()..].trim_start_matches(['|', '?']);
            after.starts_with('=') && !after.starts_with("==")
        })
    }

    fn is_called_in(&self, squeezed: &str, method: &str) -> bool {
        mentions(squeezed, &self.map).any(|at| {
            let after = &squeezed[at + self.map.len()..];
            let after = after.strip_prefix('.').or_else(|| after.strip_prefix("->"));
            let arguments = after.and_then(|rest| rest.strip_prefix(method)?.strip_prefix('('));
            arguments.is_some_and(|rest| {
                let rest = rest.trim_start_matches(['&', '{']);
                rest.strip_prefix(self.key.as_str()).is_some_and(|rest| rest.starts_with([',', ')', '.']))
            })
        })
    }

    /// Whether the map answers for every key.
    fn makes_missing(&self) -> bool {
        let last = self.map.rsplit(['.', '>', '@']).next().unwrap_or(&self.map);
        mentions(self.source, last).take(MOST_MENTIONS).any(|at| {
            let line = rest_of_line(self.source, at + last.len()).trim_start();
            let value = line.split_once('=').map_or("", |(_, value)| value.trim_start());
            let typed = line.strip_prefix(':').map_or("", str::trim_start);
            let makers = ["defaultdict(", "collections.defaultdict(", "Counter(", "collections.Counter("];
            (line.starts_with(['=', ':']) && makers.iter().any(|maker| value.starts_with(maker)))
                || ["DefaultDict", "defaultdict", "Counter"].iter().any(|kind| typed.starts_with(kind))
                || (value.starts_with("Hash.new") && !value.trim_end().ends_with("new"))
        })
    }

    /// Whether a loop goes over the map's own keys, and the key is its variable.
    fn walks(&self, node: Raw<'_>) -> bool {
        let kind = node.kind();
        let is_loop = ["for", "enhanced_for"].iter().any(|word| kind.starts_with(word));
        let is_block = kind == "call" && field(node, &["block"]).is_some();
        if !self.is_name || !(is_loop || is_block) {
            return false;
        }
        let body = field(node, &["body"]).or_else(|| field(node, &["block"]).and_then(|block| field(block, &["body"])));
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let head = self.source.get(node.start_byte()..end).unwrap_or_default();
        let goes_over = mentions(head, &self.map).any(|at| {
            let after = head[at + self.map.len()..].trim_start();
            let own = [
                ".keys",
                ".items",
                ".keySet",
                ".Keys",
                ".iter()",
                ".each_key",
                ".each ",
                ".each{",
                ".each_pair",
                "as ",
            ];
            after.is_empty() || after.starts_with([')', ':', '{']) || own.iter().any(|own| after.starts_with(own))
        });
        // `for i, k in enumerate(m)` and the like say less.
        let own = !["values", "Values", "enumerate", "zip", "range"].iter().any(|word| head.contains(word));
        goes_over && own && mentions(head, &self.key).next().is_some()
    }

    /// Whether a literal that the file gives the map holds the key; `None` without a literal.
    fn literal_holds(&self) -> Option<bool> {
        let literals = mentions(self.source, &self.map).take(MOST_MENTIONS).filter_map(|at| {
            let from = at + self.map.len();
            let head = rest_of_line(self.source, from);
            // `name = {`, `name: Type = {`.
            let sign = head
                .find('=')
                .filter(|sign| head.trim_start().starts_with([':', '=']) && !head[*sign..].starts_with("=="))?;
            let inner = head[sign + 1..].trim_start().strip_prefix(['{', '['])?;
            let start = from + head.len() - inner.len();
            Some(squeezed(up_to_close(self.source.get(start..)?)))
        });
        let name = self.key.trim_matches(['"', '\'']);
        let entries =
            [format!("{}:", self.key), format!("{}=>", self.key), format!("{}:", name.trim_start_matches(':'))];
        literals.take(4).map(|literal| !self.is_name && entries.iter().any(|entry| literal.contains(entry))).max()
    }
}

/// Methods that ask for a key.
const ASKS: [&str; 15] = [
    "has_key",
    "has_key?",
    "key?",
    "include?",
    "member?",
    "contains_key",
    "containsKey",
    "ContainsKey",
    "contains",
    "count",
    "TryGetValue",
    "isset",
    "array_key_exists",
    "get",
    "dig",
];

/// Methods that put a key, or a value where there is none.
const PUTS: [&str; 13] = [
    "setdefault",
    "insert",
    "put",
    "Add",
    "entry",
    "putIfAbsent",
    "computeIfAbsent",
    "try_emplace",
    "emplace",
    "TryAdd",
    "store",
    "insert_or_assign",
    "insert_or_update",
];

/// The text up to where an open bracket closes, at most 4,000 bytes.
fn up_to_close(text: &str) -> &str {
    let mut depth = 0_u32;
    for (at, character) in text.char_indices().take_while(|(at, _)| *at < 4_000) {
        match character {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' if depth == 0 => return &text[..at],
            '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
    }
    ""
}

fn is_local(new: &Parsed, read: &Read<'_>) -> bool {
    let source = new.source();
    let line = new.line_of(read.node.start_byte());
    let Some(body) = new.enclosing_function(line).and_then(|_| {
        let scope = scope(new, line);
        source.get(scope.start..read.node.start_byte())
    }) else {
        return false;
    };
    let map = words(read.map, source);
    const MAKERS: [&str; 18] = [
        "{",
        "dict(",
        "defaultdict(",
        "collections.defaultdict(",
        "Counter(",
        "OrderedDict(",
        "new HashMap",
        "new TreeMap",
        "new LinkedHashMap",
        "new Dictionary",
        "new SortedDictionary",
        "new(",
        "HashMap::",
        "BTreeMap::",
        "Hash.new",
        "[",
        "array(",
        "new ConcurrentHashMap",
    ];
    mentions(body, &map).take(MOST_MENTIONS).any(|at| {
        let after = rest_of_line(body, at + map.len()).trim_start();
        let value = after.split_once('=').filter(|_| after.starts_with(['=', ':'])).map_or("", |(_, value)| value);
        let declared = || {
            let before = start_of_line(body, at);
            new.language() == Language::Cpp && before.contains("map<") && after.starts_with([';', '{', '='])
        };
        (!value.starts_with('=') && MAKERS.iter().any(|maker| value.trim_start().starts_with(maker))) || declared()
    })
}
