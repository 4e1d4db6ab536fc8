//! Whether a declaration is visible outside, by the rules of each language.

use std::cell::OnceCell;

use super::shapes::{Raw, child_of_kind, text};

/// What a declaration says of its own visibility, before its surroundings are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    Public,
    Private,
    /// As visible as the type around it.
    Inherited,
    Unknown,
}

/// Where a declaration stands.
pub(super) struct Site<'t, 's> {
    /// The declaration.
    pub(super) node: Raw<'t>,
    /// The declaration with its wrappers.
    pub(super) outer: Raw<'t>,
    pub(super) name: &'s str,
    pub(super) owner: &'s str,
    pub(super) source: &'s str,
    /// Directly inside a type.
    pub(super) in_type: bool,
    /// Header of the scope around it that is no symbol.
    pub(super) scope: Option<&'s str>,
    /// The last access switch above it in the same type: `public`, `private`.
    pub(super) switch: Option<&'s str>,
    /// Whether the file makes names visible or hides them away from their declaration; asked once.
    pub(super) elsewhere: &'s OnceCell<bool>,
}

/// Whether a source holds one of these words: asked once for a file, not for each of its symbols.
fn says_elsewhere(site: &Site<'_, '_>, words: &[&str]) -> bool {
    *site.elsewhere.get_or_init(|| words.iter().any(|word| site.source.contains(word)))
}

pub(super) type Visibility = fn(&Site<'_, '_>) -> Own;

fn public_if(condition: bool) -> Own {
    if condition { Own::Public } else { Own::Private }
}

pub(super) fn unknown(_: &Site<'_, '_>) -> Own {
    Own::Unknown
}

/// A leading underscore hides. `__init__` and its like are called by the interpreter, not by name.
pub(super) fn python(site: &Site<'_, '_>) -> Own {
    public_if(!site.name.starts_with('_'))
}

/// Modifiers that are words of their own among the children, or inside a `modifiers` node.
fn modifiers<'s>(site: &Site<'_, 's>) -> Vec<&'s str> {
    let mut words = Vec::new();
    let mut cursor = site.node.walk();
    for child in site.node.children(&mut cursor) {
        match child.kind() {
            "modifiers" => words.extend(text(child, site.source).split_whitespace()),
            kind if kind.ends_with("modifier") => words.push(text(child, site.source)),
            _ => {}
        }
    }
    words
}

/// How JavaScript exports other than with `export` before the declaration.
const EXPORTS: [&str; 5] = ["export {", "export{", "export default", "export =", "exports"];

/// ECMAScript modules say `export`; CommonJS and scripts leave it open, as does an export list further down.
pub(super) fn javascript(site: &Site<'_, '_>) -> Own {
    if site.in_type {
        let hidden = modifiers(site).iter().any(|word| matches!(*word, "private" | "protected"));
        return if hidden || site.name.starts_with('#') { Own::Private } else { Own::Inherited };
    }
    if !site.owner.is_empty() || site.node.kind() == "pair" || site.node.kind() == "method_definition" {
        return Own::Unknown;
    }
    let source = site.source;
    // One of several variables of a declaration has no wrapper of its own.
    let statement = || site.node.parent().and_then(|list| list.parent()).filter(|_| site.node == site.outer);
    if site.outer.kind() == "export_statement" || statement().is_some_and(|outer| outer.kind() == "export_statement") {
        return Own::Public;
    }
    if site.node.kind() == "assignment_expression" {
        let exported = text(site.node, source).split('=').next().is_some_and(|left| left.contains("exports"));
        return if exported { Own::Public } else { Own::Unknown };
    }
    // A module without an export list keeps its other names to itself; a script may not be one at all.
    let is_module = || source.contains("export ") || source.contains("import ");
    let elsewhere = site.elsewhere.get_or_init(|| !is_module() || EXPORTS.iter().any(|word| source.contains(word)));
    if *elsewhere { Own::Unknown } else { Own::Private }
}

/// Members of an interface and enum constants are public without saying so.
pub(super) fn java(site: &Site<'_, '_>) -> Own {
    let words = modifiers(site);
    if words.contains(&"public") {
        Own::Public
    } else if site.in_type && site.node.parent().is_some_and(|parent| parent.kind() == "interface_body") {
        if words.contains(&"private") { Own::Private } else { Own::Inherited }
    } else {
        Own::Private
    }
}

pub(super) fn csharp(site: &Site<'_, '_>) -> Own {
    let words = modifiers(site);
    let in_interface = || {
        let outer = site.node.parent().and_then(|list| list.parent());
        outer.is_some_and(|outer| outer.kind() == "interface_declaration")
    };
    if words.contains(&"public") {
        Own::Public
    } else if site.node.kind() == "namespace_declaration" || (words.is_empty() && site.in_type && in_interface()) {
        Own::Inherited
    } else {
        Own::Private
    }
}

/// `static` hides; whether a type in a source file is seen elsewhere is not in the file.
pub(super) fn c(site: &Site<'_, '_>) -> Own {
    match site.node.kind() {
        "function_definition" | "declaration" => public_if(!has_static(site)),
        _ => Own::Unknown,
    }
}

fn has_static(site: &Site<'_, '_>) -> bool {
    let mut cursor = site.node.walk();
    site.node
        .children(&mut cursor)
        .any(|child| child.kind() == "storage_class_specifier" && text(child, site.source) == "static")
}

/// The nearest `public:` above in the class; `class` starts private, `struct` public.
pub(super) fn cpp(site: &Site<'_, '_>) -> Own {
    if site.node.kind() == "namespace_definition" {
        return if site.name == "(anonymous)" { Own::Private } else { Own::Inherited };
    }
    if !site.owner.is_empty() {
        return Own::Unknown;
    }
    if !site.in_type {
        let is_type = site.node.kind().ends_with("_specifier") || site.node.kind() == "type_definition";
        return if is_type { Own::Public } else { c(site) };
    }
    if let Some(switch) = site.switch {
        return if switch.starts_with("public") { Own::Inherited } else { Own::Private };
    }
    let holder = site.outer.parent().and_then(|list| list.parent());
    if holder.is_some_and(|holder| holder.kind() == "class_specifier") { Own::Private } else { Own::Inherited }
}

/// An upper-case first letter, of the receiver too.
pub(super) fn go(site: &Site<'_, '_>) -> Own {
    let upper = |name: &str| name.chars().next().is_none_or(char::is_uppercase);
    public_if(upper(site.name) && upper(site.owner))
}

/// `pub` alone is public. A method of a trait is as visible as the trait; one that implements a trait is the trait's
/// name, not a new one.
pub(super) fn rust(site: &Site<'_, '_>) -> Own {
    match child_of_kind(site.node, &["visibility_modifier"]) {
        Some(modifier) => public_if(text(modifier, site.source) == "pub"),
        None if site.node.kind() == "macro_definition" => Own::Unknown,
        None if site.in_type && site.scope.is_none() => Own::Inherited,
        None => Own::Private,
    }
}

pub(super) fn php(site: &Site<'_, '_>) -> Own {
    let words = modifiers(site);
    if words.iter().any(|word| matches!(*word, "private" | "protected")) {
        Own::Private
    } else if site.in_type {
        Own::Inherited
    } else if site.node.kind() == "assignment_expression" {
        Own::Private
    } else {
        Own::Public
    }
}

/// How Ruby hides a method by its name.
const HIDES_BY_NAME: [&str; 7] =
    ["private :", "private(", "private *", "private %", "protected :", "private_class_method", "module_function"];

/// A bare `private` or `protected` above in the same body hides what follows, `private def x` hides `x`; `private :x`
/// somewhere leaves the others open.
pub(super) fn ruby(site: &Site<'_, '_>) -> Own {
    if !matches!(site.node.kind(), "method" | "singleton_method") {
        return Own::Public;
    }
    let hides = |word: &str| matches!(word, "private" | "protected");
    let call = site.node.parent().filter(|list| list.kind() == "argument_list").and_then(|list| list.parent());
    let method = call.and_then(|call| call.child_by_field_name("method"));
    if let Some(method) = method {
        let word = text(method, site.source);
        return if hides(word) || word == "private_class_method" { Own::Private } else { Own::Inherited };
    }
    if site.node.kind() == "method" && site.switch.is_some_and(hides) {
        Own::Private
    } else if says_elsewhere(site, &HIDES_BY_NAME) {
        Own::Unknown
    } else {
        Own::Inherited
    }
}
