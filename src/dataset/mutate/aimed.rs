//! Operators that write what a shipped detector looks for, out of code that is there.

use super::around::mentions;
use super::logic::BINARY;
use super::site::{Edit, Site, bare, is, is_identifier, parts};
use crate::syntax::facts::misspelt;
use crate::syntax::{Language, Node};

const SCRIPTS: [Language; 3] = [Language::JavaScript, Language::TypeScript, Language::Tsx];

fn is_script(site: &Site<'_, '_>) -> bool {
    SCRIPTS.contains(&site.language())
}

/// Reading it twice gives the same.
fn is_pure(text: &str) -> bool {
    !text.contains(['(', '"', '\'', '=', '`', '+']) && !text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}

fn doubled(site: &Site<'_, '_>, tokens: &[(&str, &'static str)]) -> Option<Edit> {
    site.is(&BINARY).then(|| site.token(tokens))??;
    let sides = parts(site.node);
    let (left, right) = (sides.first()?, sides.get(1)?);
    let text = site.text(left);
    let fits = is_pure(text) && is_pure(site.text(right)) && text != site.text(right) && !is(right, &["let_condition"]);
    let literal = ["null", "None", "nil", "NULL", "nullptr", "undefined", "true", "false"].contains(&text);
    // A name without `@` may be a method there, and give something else the second time.
    let method = site.language() == Language::Ruby && (!text.starts_with('@') || text.contains(['.', '[']));
    (fits && !literal && !method && !is(left, &BINARY)).then(|| site.inside(right.range(), text))?
}

pub(super) fn duplicate_operand(site: &Site<'_, '_>) -> Option<Edit> {
    doubled(site, &[("&&", ""), ("||", ""), ("and", ""), ("or", "")])
}

pub(super) fn self_comparison(site: &Site<'_, '_>) -> Option<Edit> {
    // `x === x` is how a script asks whether a number is not NaN.
    let asks = is_script(site) && site.node.field("left").is_some_and(|left| is_identifier(&left));
    let equal: &[_] = if asks { &[] } else { &[("==", ""), ("===", "")] };
    // `a < a` may be the beginning of a template.
    let template = matches!(site.language(), Language::C | Language::Cpp);
    let less: &[_] = if template { &[] } else { &[("<", ""), (">", "")] };
    doubled(site, &[equal, less, &[("<=", ""), (">=", "")]].concat())
}

/// The `else` does what the `if` does.
pub(super) fn same_branches(site: &Site<'_, '_>) -> Option<Edit> {
    if !site.is(&["if_statement", "if_expression", "if"]) || site.language() == Language::Ruby {
        return None;
    }
    let then = site.node.field("consequence").or_else(|| site.node.field("body"))?;
    let mut others = site.node.field_children("alternative");
    let (other, more) = (others.next()?, others.next());
    let other =
        if other.kind() == "else_clause" { other.field("body").or_else(|| parts(&other).pop())? } else { other };
    let (one, two) = (site.text(&then), site.text(&other));
    let fits = more.is_none() && !other.kind().contains("if") && !other.kind().contains("elif") && one != two;
    // Two that leave the same way, give the same number, or are still to come may be meant.
    let body = one.trim_matches(['{', '}']).trim();
    let open = ["return", "continue", "break"].iter().any(|word| body.starts_with(word))
        || ["NotImplemented", "todo!", "unimplemented!", "TODO"].iter().any(|word| body.contains(word));
    let does = body.len() >= 7 && !open;
    // A comment before the `else` says why there are two.
    let between = site.parsed.source().get(then.range().end..other.range().start)?;
    let told = ["//", "#", "/*"].iter().any(|start| between.contains(start));
    (fits && does && !told).then(|| site.within(&other, other.range(), one))?
}

/// The second key of a literal is its first.
pub(super) fn duplicate_key(site: &Site<'_, '_>) -> Option<Edit> {
    if !site.is(&["object", "dictionary", "hash", "array_creation_expression"]) {
        return None;
    }
    let keys = parts(site.node).into_iter().filter_map(|pair| match &*pair.kind() {
        "pair" => pair.field("key"),
        "array_element_initializer" if parts(&pair).len() == 2 => parts(&pair).into_iter().next(),
        _ => None,
    });
    let keys: Vec<Node<'_>> = keys.filter(|key| is_plain_key(site.text(key))).take(2).collect();
    let [one, two] = <[_; 2]>::try_from(keys).ok()?;
    let pair = parts(site.node).into_iter().find(|pair| pair.range().start == two.range().start)?;
    (site.text(&one) != site.text(&two)).then(|| site.within(&pair, two.range(), site.text(&one)))?
}

fn is_plain_key(text: &str) -> bool {
    let name = text.trim_matches(['"', '\'', ':']);
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// A test for NaN as a comparison with it.
pub(super) fn nan(site: &Site<'_, '_>) -> Option<Edit> {
    let (calls, nan): (&[&str], &str) = match site.language() {
        Language::Python => (&["math.isnan", "np.isnan"], "== float(\"nan\")"),
        language if SCRIPTS.contains(&language) => (&["Number.isNaN", "isNaN"], "=== NaN"),
        Language::Java => (&["Double.isNaN"], "== Double.NaN"),
        Language::CSharp => (&["double.IsNaN"], "== double.NaN"),
        Language::Go => (&["math.IsNaN"], "== math.NaN()"),
        Language::Rust => {
            let value = site.callee().and_then(|_| site.own().strip_suffix(".is_nan()"))?;
            return site.replace(format!("({value} == f64::NAN)"));
        }
        _ => return None,
    };
    let [value] = <[_; 1]>::try_from(site.arguments()).ok()?;
    let is_call = calls.iter().any(|call| site.own().strip_prefix(call).is_some_and(|rest| rest.starts_with('(')));
    is_call.then(|| site.replace(format!("({} {nan})", site.text(&value))))?
}

pub(super) fn misspelling(site: &Site<'_, '_>) -> Option<Edit> {
    if !site.node.kind().contains("comment") {
        return None;
    }
    let (own, start) = (site.own(), site.node.range().start);
    let mut at = 0;
    for word in own.split_inclusive(|c: char| !c.is_ascii_alphabetic()) {
        let bare = word.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
        let place = start + at;
        at += word.len();
        let beside =
            [own.get(..at - word.len())?.chars().next_back(), own.get(at - word.len() + bare.len()..)?.chars().next()];
        // A part of a name or an address is nobody's spelling.
        let in_prose = beside.iter().flatten().all(|c| c.is_whitespace() || ",.;:()".contains(*c));
        if let Some(wrong) = in_prose.then(|| misspelt(bare)).flatten() {
            return Some(Edit {
                range: place..place + bare.len(),
                was: bare.to_owned(),
                now: wrong.clone(),
                with: wrong,
            });
        }
    }
    None
}

// One language each.

pub(super) fn assigned_condition(site: &Site<'_, '_>) -> Option<Edit> {
    let condition = site.is(&["if_statement", "while_statement"]).then(|| site.condition())??;
    let inner = Site { parsed: site.parsed, node: &condition, above: site.above };
    let left = inner.is(&BINARY).then(|| condition.field("left"))??;
    let (token, other) = inner.token(&[("==", "=")])?;
    (is_identifier(&left) || left.kind() == "field_expression").then(|| inner.inside(token.range(), other))?
}

pub(super) fn empty_if(site: &Site<'_, '_>) -> Option<Edit> {
    let condition = site.is(&["if_statement"]).then(|| site.node.field("condition"))??;
    let alone = site.node.field("alternative").is_none();
    let end = condition.range().end;
    let was = site.parsed.source().get(site.node.range().start..end)?.to_owned();
    let block = site.node.field("consequence").is_some_and(|body| body.kind() == "compound_statement");
    (alone && block).then(|| Edit { range: end..end, with: ";".to_owned(), now: format!("{was};"), was })
}

pub(super) fn catch_by_value(site: &Site<'_, '_>) -> Option<Edit> {
    let parameters = site.is(&["catch_clause"]).then(|| site.node.field("parameters"))??;
    let text = site.text(&parameters);
    let plain = text.replacen("const ", "", 1).replacen('&', "", 1);
    text.contains('&').then(|| site.within(&parameters, parameters.range(), plain))?
}

pub(super) fn mismatched_delete(site: &Site<'_, '_>) -> Option<Edit> {
    let value = site.is(&["delete_expression"]).then(|| site.own().strip_prefix("delete[]"))??;
    // Without its beginning at hand nobody sees that it is an array.
    let made = format!("{} = new ", value.trim());
    let function = site.text(site.function()?);
    function.lines().find(|line| line.contains(&made) && line.contains('['))?;
    site.replace(format!("delete{value}"))
}

pub(super) fn format_string(site: &Site<'_, '_>) -> Option<Edit> {
    let callee = site.callee()?;
    let prints = ["printf", "fprintf", "syslog"].contains(&site.text(&callee));
    (prints && site.own().contains("\"%s\", ")).then(|| site.replace(site.own().replacen("\"%s\", ", "", 1)))?
}

pub(super) fn memset(site: &Site<'_, '_>) -> Option<Edit> {
    let callee = site.callee()?;
    let [_, value, size] = <[_; 3]>::try_from(site.arguments()).ok()?;
    let fits = site.text(&callee) == "memset" && site.text(&value) == "0" && site.text(&size) != "0";
    let with = format!("{}, 0", site.text(&size));
    fits.then(|| site.inside(value.range().start..size.range().end, with))?
}

pub(super) fn rethrow(site: &Site<'_, '_>) -> Option<Edit> {
    let clause = site.above.iter().rev().find(|node| node.kind() == "catch_clause")?;
    let declaration = parts(clause).into_iter().find(|part| part.kind() == "catch_declaration")?;
    let name = declaration.field("name")?;
    // Where the name gets another value, that is what is thrown.
    let other = site.text(clause).contains(&format!("{} = ", site.text(&name)));
    (site.own() == "throw;" && !other).then(|| site.replace(format!("throw {};", site.text(&name))))?
}

pub(super) fn async_void(site: &Site<'_, '_>) -> Option<Edit> {
    let kind =
        site.is(&["method_declaration"]).then(|| site.node.field("returns").or_else(|| site.node.field("type")))??;
    let head = site.node.range().start..site.node.field("body")?.range().start;
    let is_async = site.parsed.source().get(head.clone())?.contains("async ");
    let edit = (is_async && site.text(&kind) == "Task").then(|| site.inside(kind.range(), "void"))??;
    let cut = |text: &str| text.split(['{', '\n']).next().unwrap_or_default().trim().to_owned();
    Some(Edit { was: cut(&edit.was), now: cut(&edit.now), ..edit })
}

pub(super) fn error_dropped(site: &Site<'_, '_>) -> Option<Edit> {
    let returned = site.is(&["return_statement"]).then(|| site.own().strip_suffix("err"))??;
    let around = site.above.iter().rev().find(|node| node.kind() == "if_statement")?;
    let condition = around.field("condition")?;
    let last = returned.ends_with([' ', ',']);
    (last && site.text(&condition) == "err != nil").then(|| site.replace(format!("{returned}nil")))?
}

pub(super) fn string_identity(site: &Site<'_, '_>) -> Option<Edit> {
    let object = site.is(&["method_invocation"]).then(|| site.node.field("object"))??;
    let [text] = <[_; 1]>::try_from(site.arguments()).ok()?;
    let compares =
        site.text(&site.callee()?) == "equals" && [&text, &object].iter().any(|side| side.kind() == "string_literal");
    compares.then(|| site.replace(format!("({} == {})", site.text(&object), site.text(&text))))?
}

pub(super) fn optional_null(site: &Site<'_, '_>) -> Option<Edit> {
    (site.is(&["return_statement"]) && site.own() == "return Optional.empty();")
        .then(|| site.replace("return null;"))?
}

pub(super) fn invalid_typeof(site: &Site<'_, '_>) -> Option<Edit> {
    const NAMES: [(&str, &str); 6] = [
        ("function", "func"),
        ("undefined", "undef"),
        ("object", "Object"),
        ("string", "String"),
        ("number", "int"),
        ("boolean", "bool"),
    ];
    let asks = site.is(&BINARY) && is_script(site) && site.own().contains("typeof ");
    let text = asks.then(|| parts(site.node).into_iter().find(|part| part.kind() == "string"))??;
    let said = site.text(&text);
    let (right, wrong) = NAMES.iter().find(|(right, _)| said.trim_matches(['"', '\'']) == *right)?;
    site.inside(text.range(), said.replace(right, wrong))
}

pub(super) fn identity(site: &Site<'_, '_>) -> Option<Edit> {
    let (token, other) = site.is(&["comparison_operator"]).then(|| site.token(&[("==", "is"), ("!=", "is not")]))??;
    let literal = parts(site.node).iter().any(|part| is(part, &["string", "integer", "float"]));
    literal.then(|| site.inside(token.range(), other))?
}

/// The text of an `except` clause up to its colon, and its bytes.
fn except_head<'p>(site: &Site<'_, 'p>) -> Option<(&'p str, std::ops::Range<usize>)> {
    let body = site.is(&["except_clause"]).then(|| parts(site.node).pop())??;
    let text = site.parsed.source().get(site.node.range().start..body.range().start)?;
    let length = text.rfind(':')?;
    let start = site.node.range().start;
    Some((text.get(..length)?, start..start + length))
}

fn except_edit(site: &Site<'_, '_>, with: String) -> Option<Edit> {
    let (was, range) = except_head(site)?;
    Some(Edit { range, was: was.to_owned(), now: with.clone(), with })
}

pub(super) fn bare_except(site: &Site<'_, '_>) -> Option<Edit> {
    let (head, _) = except_head(site)?;
    // Who raises again may catch what there is; who comments may say why.
    let raises = mentions(site.own(), "raise") || site.own().contains('#');
    (head.len() > "except".len() && !head.contains(" as ") && !raises)
        .then(|| except_edit(site, "except".to_owned()))?
}

pub(super) fn except_or(site: &Site<'_, '_>) -> Option<Edit> {
    let (head, _) = except_head(site)?;
    let names = head.strip_prefix("except (")?.split_once(')')?;
    names.0.contains(", ").then(|| except_edit(site, format!("except {}{}", names.0.replace(", ", " or "), names.1)))?
}

pub(super) fn string_membership(site: &Site<'_, '_>) -> Option<Edit> {
    let tuple = site.is(&["comparison_operator"]).then(|| parts(site.node).pop())??;
    let first = parts(&tuple).into_iter().next()?;
    let fits =
        tuple.kind() == "tuple" && first.kind() == "string" && site.token(&[("in", ""), ("not in", "")]).is_some();
    fits.then(|| site.inside(tuple.range(), format!("({})", site.text(&first))))?
}

pub(super) fn unsafe_loader(site: &Site<'_, '_>) -> Option<Edit> {
    let callee = site.callee()?;
    (site.own().starts_with("yaml.safe_load(")).then(|| site.inside(callee.range(), "load"))?
}

pub(super) fn rescue_exception(site: &Site<'_, '_>) -> Option<Edit> {
    let exceptions = site.is(&["rescue"]).then(|| site.node.field("exceptions"))??;
    let text = site.text(&exceptions);
    let head = site.node.range().start..exceptions.range().end;
    let was = site.parsed.source().get(head)?.to_owned();
    // Who raises again may catch what there is.
    let raises = ["raise", "throw", "exit", "abort", "fail"].iter().any(|word| mentions(site.own(), word));
    (text != "Exception" && !raises).then(|| Edit {
        range: exceptions.range(),
        with: "Exception".to_owned(),
        now: "rescue Exception".to_owned(),
        was,
    })
}

pub(super) fn guard_dropped(site: &Site<'_, '_>) -> Option<Edit> {
    let pattern = site.is(&["let_declaration"]).then(|| site.node.field("pattern"))??;
    let value = bare(&site.node.field("value")?);
    let locks = [".lock()", ".write()", ".read()"].iter().any(|call| site.text(&value).contains(call));
    let name = site.text(&pattern);
    (locks && name.starts_with('_') && name.len() > 1).then(|| site.inside(pattern.range(), "_"))?
}
