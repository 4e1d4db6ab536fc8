//! A mutable default that the function writes to. Without the write it is harmless, and 40 times as frequent.

use std::ops::Range;

use super::walk::{text, within};
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::{Node, Parsed};

pub(super) const DETECTOR: Builtin = Builtin {
    name: "mutable_default_written",
    help: "Python: a list, dict or set as a default that the body changes in place; `{name}` and `{write}`",
    captures: &["name", "write"],
    reads_comments: false,
    run: Run::Node(run),
};

// State that is kept on purpose says so in its name.
pattern!(DELIBERATE, r"(?i)^_|cache|memo|seen|registry|visited|singleton|state|static|persist|history");
pattern!(
    WRITES,
    r"^(?:append|appendleft|extend|insert|add|update|setdefault|pop|popitem|popleft|remove|discard|clear|sort|reverse)$"
);
pattern!(MUTABLE_CALL, r"^(?:list|dict|set|bytearray|(?:collections\.)?(?:defaultdict|OrderedDict|deque|Counter))\(");

fn run<'p>(_: &FileView<'_>, parsed: &'p Parsed, node: &Node<'p>, hits: &mut Vec<Hit>) {
    if node.kind() != "function_definition" || is_nested(parsed, node) {
        return;
    }
    let (Some(parameters), Some(body)) = (node.field("parameters"), node.field("body")) else { return };
    for parameter in parameters.children() {
        let Some(name) = default_name(parsed, &parameter) else { continue };
        if let Some(write) = first_write(parsed, &body, name).filter(|_| !DELIBERATE.is_match(name)) {
            hits.push(Hit::in_source(parsed, parameter.range()).with("name", name).with("write", write));
        }
    }
}

/// A function inside a function is made anew with its defaults, which then serve as variables of the outer one.
fn is_nested(parsed: &Parsed, node: &Node<'_>) -> bool {
    let own = parsed.symbols().iter().rfind(|symbol| symbol.bytes.end == node.range().end && symbol.kind.is_function());
    let outer = own.and_then(|symbol| parsed.symbols().get(symbol.parent?));
    outer.is_some_and(|outer| outer.kind.is_function())
}

/// The name of a parameter whose default can be changed in place.
fn default_name<'p>(parsed: &'p Parsed, parameter: &Node<'p>) -> Option<&'p str> {
    if !matches!(&*parameter.kind(), "default_parameter" | "typed_default_parameter") {
        return None;
    }
    let value = parameter.field("value")?;
    let mutable = match &*value.kind() {
        "list" | "dictionary" | "set" | "list_comprehension" | "dictionary_comprehension" => true,
        "call" => MUTABLE_CALL.is_match(text(parsed, &value)),
        _ => false,
    };
    parameter.field("name").filter(|_| mutable).map(|name| text(parsed, &name))
}

/// How the body first changes the object the name stands for; `None` too where the name is bound anew anywhere.
fn first_write<'p>(parsed: &'p Parsed, body: &Node<'p>, name: &str) -> Option<&'p str> {
    let mut first = None;
    let mut rebound = false;
    // `if name is None:` never holds for the default.
    let mut skipped = Vec::new();
    within(body, |node| {
        let range = node.range();
        if skipped.iter().any(|skipped: &Range<usize>| skipped.start <= range.start && range.end <= skipped.end) {
            return false;
        }
        let is_name = |node: &Node<'_>| node.kind() == "identifier" && text(parsed, node) == name;
        let item_of = |node: &Node<'_>| node.kind() == "subscript" && node.field("value").is_some_and(|v| is_name(&v));
        let write = match &*node.kind() {
            "assignment" => {
                let left = node.field("left");
                rebound |= left.as_ref().is_some_and(|left| binds(parsed, left, name));
                left.is_some_and(|left| item_of(&left))
            }
            "augmented_assignment" => node.field("left").is_some_and(|left| is_name(&left) || item_of(&left)),
            "delete_statement" => node.children().any(|target| item_of(&target)),
            "call" => node.field("function").is_some_and(|function| {
                function.kind() == "attribute"
                    && function.field("object").is_some_and(|object| is_name(&object))
                    && function.field("attribute").is_some_and(|method| WRITES.is_match(text(parsed, &method)))
            }),
            "named_expression" => {
                rebound |= node.field("name").is_some_and(|target| is_name(&target));
                false
            }
            "if_statement" => {
                let condition = node.field("condition").map(|condition| text(parsed, &condition));
                let missing = condition.and_then(|condition| condition.strip_prefix(name)) == Some(" is None");
                skipped.extend(node.field("consequence").filter(|_| missing).map(|block| block.range()));
                false
            }
            "for_statement" => {
                rebound |= node.field("left").is_some_and(|target| binds(parsed, &target, name));
                false
            }
            // A parameter or a variable of its own.
            "function_definition" | "lambda" | "class_definition" => return false,
            _ => false,
        };
        if write && first.is_none() {
            first = Some(text(parsed, node).lines().next().unwrap_or_default());
        }
        true
    });
    first.filter(|_| !rebound)
}

fn binds(parsed: &Parsed, target: &Node<'_>, name: &str) -> bool {
    match &*target.kind() {
        "identifier" => text(parsed, target) == name,
        "pattern_list" | "tuple_pattern" | "list_pattern" => target.children().any(|part| binds(parsed, &part, name)),
        _ => false,
    }
}
