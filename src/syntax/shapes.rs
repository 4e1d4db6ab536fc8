//! How the name, the owner and the body of a symbol are read from a node, where grammars differ. Referenced by the rows
//! in [`super::languages`].

use std::ops::Range;

use super::outline::SymbolKind::{self, Method, Type};

/// A bare tree-sitter node: `Copy`, and without a pointer to the source.
pub(super) type Raw<'t> = tree_sitter::Node<'t>;

/// Reads one symbol; `None` where the node turns out to be none, such as a variable that is no function.
pub(super) type Shape = fn(Raw<'_>, &str) -> Option<Found>;

/// Reads the dotted path a scope lends to what is inside; empty for none.
pub(super) type Scope = fn(Raw<'_>, &str) -> String;

/// What a [`Shape`] reads.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) name: String,
    /// Dotted names that the declaration itself puts before its name, as in `void A::b()`.
    pub(super) owner: String,
    pub(super) body: Option<Range<usize>>,
    /// Where the signature ends; the start of the body or the end of the node otherwise.
    pub(super) signature_end: Option<usize>,
    /// Another kind than the row's.
    pub(super) kind: Option<SymbolKind>,
}

/// The text of a node.
pub(super) fn text<'s>(node: Raw<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or("")
}

fn field<'t>(node: Raw<'t>, name: &str) -> Option<Raw<'t>> {
    node.child_by_field_name(name)
}

fn field_text<'s>(node: Raw<'_>, name: &str, source: &'s str) -> Option<&'s str> {
    field(node, name).map(|node| text(node, source)).filter(|text| !text.is_empty())
}

fn body_of(node: Raw<'_>) -> Option<Range<usize>> {
    field(node, "body").map(|body| body.byte_range())
}

/// A name on one line, without quotes.
fn clean(name: &str) -> String {
    let name = name.trim_matches(['"', '\'', '`']);
    if name.contains(char::is_whitespace) {
        name.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        name.to_owned()
    }
}

/// Any child, named or not, of a kind.
pub(super) fn child_of_kind<'t>(node: Raw<'t>, kinds: &[&str]) -> Option<Raw<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

/// The fields `name` and `body`.
pub(super) fn plain(node: Raw<'_>, source: &str) -> Option<Found> {
    let name = field_text(node, "name", source)?;
    Some(Found { name: clean(name).replace("::", "."), body: body_of(node), ..Found::default() })
}

/// [`plain`], if there is a body: `struct a b;` mentions a type, `struct a { … }` declares it.
pub(super) fn with_body(node: Raw<'_>, source: &str) -> Option<Found> {
    plain(node, source).filter(|found| found.body.is_some())
}

/// [`plain`] for an expression, unless the name is that of a variable it is assigned to.
pub(super) fn unassigned(node: Raw<'_>, source: &str) -> Option<Found> {
    let found = plain(node, source)?;
    let taken = ["variable_declarator", "pair", "assignment_expression", "field_definition", "public_field_definition"];
    let parent = node.parent();
    let call = parent.filter(|parent| parent.kind() == "arguments").and_then(|arguments| arguments.parent());
    let is_wrapped = call
        .and_then(|call| field_text(call, "function", source))
        .is_some_and(|function| WRAPPING_CALLS.contains(&function));
    let is_taken = is_wrapped || parent.is_some_and(|parent| taken.contains(&parent.kind()));
    (!is_taken).then_some(found)
}

/// Calls of React and MobX that wrap a function and return it.
const WRAPPING_CALLS: [&str; 5] = ["memo", "forwardRef", "observer", "React.memo", "React.forwardRef"];

/// The function or class that a value of JavaScript is, and its kind.
fn js_value<'t>(value: Raw<'t>, source: &str) -> Option<(Raw<'t>, Option<SymbolKind>)> {
    let mut value = value;
    // Parentheses and a wrapping call at most: enough for what people write, and bounded.
    for _ in 0..4 {
        match value.kind() {
            "arrow_function" | "function_expression" | "generator_function" => return Some((value, None)),
            "class" => return Some((value, Some(Type))),
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => value = value.named_child(0)?,
            "call_expression" if WRAPPING_CALLS.contains(&field_text(value, "function", source)?) => {
                value = field(value, "arguments")?.named_child(0)?;
            }
            _ => return None,
        }
    }
    None
}

fn js_named(name: &str, value: Raw<'_>, source: &str) -> Option<Found> {
    let (value, kind) = js_value(value, source)?;
    Some(Found { name: clean(name), body: body_of(value), kind, ..Found::default() })
}

/// `const name = () => …`
pub(super) fn js_variable(node: Raw<'_>, source: &str) -> Option<Found> {
    let name = field(node, "name").filter(|name| name.kind() == "identifier")?;
    js_named(text(name, source), field(node, "value")?, source)
}

/// `name = () => …` in a class.
pub(super) fn js_field(node: Raw<'_>, source: &str) -> Option<Found> {
    let name = field(node, "property").or_else(|| field(node, "name"))?;
    js_named(text(name, source), field(node, "value")?, source)
}

/// `name: function () {}` in an object.
pub(super) fn js_pair(node: Raw<'_>, source: &str) -> Option<Found> {
    js_named(field_text(node, "key", source)?, field(node, "value")?, source)
}

/// `exports.name = function () {}`, `Owner.prototype.name = …`.
pub(super) fn js_assignment(node: Raw<'_>, source: &str) -> Option<Found> {
    let left = field(node, "left").filter(|left| matches!(left.kind(), "member_expression" | "identifier"))?;
    let (left, right) = (text(left, source), field(node, "right")?);
    let mut parts = left.split('.').map(str::trim).filter(|part| !matches!(*part, "prototype" | "this"));
    let name = parts.next_back()?;
    let owner: Vec<_> = parts.filter(|part| !matches!(*part, "module" | "exports")).collect();
    let mut found = js_named(name, right, source)?;
    if left == "module.exports"
        && let Some(own) = js_value(right, source).and_then(|(value, _)| field_text(value, "name", source))
    {
        found.name = clean(own);
    }
    if !owner.is_empty() {
        found.owner = owner.join(".");
        found.kind = found.kind.or(Some(Method));
    }
    Some(found)
}

/// `export default function () {}` and its like without a name.
pub(super) fn js_default_export(node: Raw<'_>, source: &str) -> Option<Found> {
    let value = field(node, "value")?;
    let (function, _) = js_value(value, source)?;
    if field(function, "name").is_some() {
        return None;
    }
    js_named("default", value, source)
}

/// `type Name = …`: the value is the body.
pub(super) fn ts_alias(node: Raw<'_>, source: &str) -> Option<Found> {
    let body = field(node, "value").map(|value| value.byte_range());
    Some(Found { body, ..plain(node, source)? })
}

/// The declarator inside pointers, references, arrays and parentheses, and whether a function declarator holds it
/// directly: `int (*f)(int)` is a variable, `int (*f(int))(int)` and `int *f(int)` are functions.
fn c_declarator(node: Raw<'_>) -> Option<(Raw<'_>, bool)> {
    let mut current = field(node, "declarator")?;
    let mut direct = false;
    loop {
        let kind = current.kind();
        if !kind.ends_with("_declarator") {
            return Some((current, direct));
        }
        direct = kind == "function_declarator" || (direct && kind == "parenthesized_declarator");
        let inner = || {
            let mut cursor = current.walk();
            current.named_children(&mut cursor).find(|child| {
                let kind = child.kind();
                kind.ends_with("_declarator") || kind.ends_with("identifier") || kind.ends_with("_name")
            })
        };
        current = field(current, "declarator").or_else(inner)?;
    }
}

/// Splits `ns::A<int>::operator<<` at its `::` and drops template arguments, but not inside an operator's name.
fn cpp_path(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut angle = 0_usize;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let last = parts.last().map_or("", String::as_str);
        if angle == 0 && last.is_empty() && rest.starts_with("operator") {
            parts.pop();
            // A conversion is named by its type alone: `operator bool() const`.
            let end = rest.find('(').filter(|open| rest["operator".len()..*open].trim() != "");
            parts.push(rest[..end.unwrap_or(rest.len())].split_whitespace().collect::<Vec<_>>().join(" "));
            break;
        }
        match character {
            '<' => angle += 1,
            '>' => angle = angle.saturating_sub(1),
            ':' if angle == 0 && rest.starts_with("::") && !last.is_empty() => parts.push(String::new()),
            ':' => {}
            _ if angle == 0 && !character.is_whitespace() => {
                if let Some(last) = parts.last_mut() {
                    last.push(character);
                }
            }
            _ => {}
        }
        rest = &rest[character.len_utf8()..];
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn c_found(name: Raw<'_>, source: &str) -> Option<Found> {
    let mut parts = cpp_path(text(name, source));
    let name = parts.pop()?;
    let kind = (!parts.is_empty()).then_some(Method);
    Some(Found { name, owner: parts.join("."), kind, ..Found::default() })
}

/// A function with a body; its name stands inside the declarator.
pub(super) fn c_function(node: Raw<'_>, source: &str) -> Option<Found> {
    let (name, _) = c_declarator(node)?;
    let mut body = body_of(node);
    // The initializers of a constructor belong to the body.
    if let Some(initializers) = child_of_kind(node, &["field_initializer_list"]) {
        body = Some(initializers.start_byte()..body.map_or(node.end_byte(), |body| body.end));
    }
    Some(Found { body, ..c_found(name, source)? })
}

/// A function without a body, if the declaration stands where no local variable can.
pub(super) fn c_prototype(node: Raw<'_>, source: &str) -> Option<Found> {
    let (name, direct) = c_declarator(node)?;
    let outside = || !matches!(node.parent().map(|parent| parent.kind()), Some("compound_statement" | "for_statement"));
    if direct && outside() { c_found(name, source) } else { None }
}

/// `auto name = [] { … };`
pub(super) fn cpp_lambda(node: Raw<'_>, source: &str) -> Option<Found> {
    let value = field(node, "value").filter(|value| value.kind() == "lambda_expression")?;
    let name = field(node, "declarator").filter(|name| name.kind() == "identifier")?;
    Some(Found { name: text(name, source).to_owned(), body: body_of(value), ..Found::default() })
}

/// `namespace a::b { … }`; an unnamed one lends no name.
pub(super) fn cpp_namespace(node: Raw<'_>, source: &str) -> Option<Found> {
    plain(node, source)
        .or_else(|| Some(Found { name: "(anonymous)".to_owned(), body: Some(body_of(node)?), ..Found::default() }))
}

/// `typedef struct { … } name;` and every other typedef but a second name of a named struct's declaration.
pub(super) fn c_typedef(node: Raw<'_>, source: &str) -> Option<Found> {
    let kind = field(node, "type")?;
    let body = body_of(kind)?;
    if field(kind, "name").is_some() {
        return None;
    }
    let (name, _) = c_declarator(node)?;
    Some(Found { name: text(name, source).to_owned(), body: Some(body), ..Found::default() })
}

/// `#define NAME(args) …`
pub(super) fn c_macro(node: Raw<'_>, source: &str) -> Option<Found> {
    let body = field(node, "value").map(|value| value.byte_range());
    Some(Found { body, ..plain(node, source)? })
}

/// `~Name()`
pub(super) fn cs_destructor(node: Raw<'_>, source: &str) -> Option<Found> {
    let found = plain(node, source)?;
    Some(Found { name: format!("~{}", found.name), ..found })
}

/// `operator +` and `operator Type`.
pub(super) fn cs_operator(node: Raw<'_>, source: &str) -> Option<Found> {
    let name = field_text(node, "operator", source).or_else(|| field_text(node, "type", source))?;
    Some(Found { name: format!("operator {}", clean(name)), body: body_of(node), ..Found::default() })
}

/// `func (receiver *Owner[T]) name()`
pub(super) fn go_method(node: Raw<'_>, source: &str) -> Option<Found> {
    let mut kind = field(node, "receiver")?.named_child(0).and_then(|parameter| field(parameter, "type"));
    // A pointer, parentheses and type arguments at most.
    for _ in 0..4 {
        kind = match kind {
            Some(inner) if inner.kind() != "type_identifier" => field(inner, "type").or_else(|| inner.named_child(0)),
            found => found,
        };
    }
    let owner = kind.map_or("", |kind| text(kind, source)).to_owned();
    Some(Found { owner, ..plain(node, source)? })
}

/// `type Name struct { … }`: the body is what stands in braces.
pub(super) fn go_type(node: Raw<'_>, source: &str) -> Option<Found> {
    let kind = field(node, "type")?;
    let open = child_of_kind(kind, &["field_declaration_list", "{"]);
    let body = open.map(|open| open.start_byte()..kind.end_byte());
    Some(Found { body, ..plain(node, source)? })
}

/// `name := func() { … }`, one variable and one function.
pub(super) fn go_closure(node: Raw<'_>, source: &str) -> Option<Found> {
    let value = field(node, "value").or_else(|| field(node, "right"))?;
    let name = field(node, "name").or_else(|| field(node, "left"))?;
    let single = |list: Raw<'_>| list.kind() != "expression_list" || list.named_child_count() == 1;
    let value = if value.kind() == "expression_list" && single(value) { value.named_child(0)? } else { value };
    if value.kind() != "func_literal" || !single(name) {
        return None;
    }
    Some(Found { name: clean(text(name, source)), body: body_of(value), ..Found::default() })
}

/// `macro_rules! name { … }`
pub(super) fn rust_macro(node: Raw<'_>, source: &str) -> Option<Found> {
    let rules = child_of_kind(node, &["(", "[", "{"]).map(|open| open.start_byte()..node.end_byte());
    Some(Found { body: rules, ..plain(node, source)? })
}

/// The type of `impl Trait for Type<T>`, without its arguments.
pub(super) fn rust_impl(node: Raw<'_>, source: &str) -> String {
    let Some(kind) = field(node, "type") else { return String::new() };
    let named = if kind.kind() == "generic_type" { field(kind, "type").unwrap_or(kind) } else { kind };
    let name = if named.kind() == "scoped_type_identifier" { field(named, "name").unwrap_or(named) } else { named };
    clean(text(name, source))
}

/// `$name = function () { … };`
pub(super) fn php_closure(node: Raw<'_>, source: &str) -> Option<Found> {
    let right = field(node, "right").filter(|right| matches!(right.kind(), "anonymous_function" | "arrow_function"))?;
    let left = field(node, "left").filter(|left| left.kind() == "variable_name")?;
    let name = text(left, source).trim_start_matches('$').to_owned();
    Some(Found { name, body: body_of(right), ..Found::default() })
}

/// `def name`, `def self.name`, `def object.name`
pub(super) fn ruby_method(node: Raw<'_>, source: &str) -> Option<Found> {
    let found = plain(node, source)?;
    let end = field(node, "parameters").or_else(|| field(node, "name")).map(|node| node.end_byte());
    let owner = field_text(node, "object", source).filter(|owner| *owner != "self").unwrap_or("").to_owned();
    Some(Found { owner, signature_end: end, ..found })
}

/// `class A::B < C`, `module A`
pub(super) fn ruby_constant(node: Raw<'_>, source: &str) -> Option<Found> {
    let found = plain(node, source)?;
    let end = field(node, "superclass").or_else(|| field(node, "name")).map(|node| node.end_byte());
    Some(Found { signature_end: end, ..found })
}

/// `class << self`: what is inside belongs to the class around it.
pub(super) fn transparent_type(_: Raw<'_>, _: &str) -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::cpp_path;

    #[test]
    fn cpp_names_with_templates_and_operators() {
        assert_eq!(cpp_path("f"), ["f"]);
        assert_eq!(cpp_path("A::B::c"), ["A", "B", "c"]);
        assert_eq!(cpp_path("::f"), ["f"]);
        assert_eq!(cpp_path("A<std::vector<int>>::f"), ["A", "f"]);
        assert_eq!(cpp_path("A::operator<<"), ["A", "operator<<"]);
        assert_eq!(cpp_path("operator->"), ["operator->"]);
        assert_eq!(cpp_path("A :: operator std::string"), ["A", "operator std::string"]);
        assert_eq!(cpp_path("operator bool() const"), ["operator bool"]);
        assert_eq!(cpp_path("A::operator()"), ["A", "operator()"]);
        assert_eq!(cpp_path("A::~A"), ["A", "~A"]);
        assert_eq!(cpp_path(">>>:::<"), Vec::<String>::new());
    }
}
