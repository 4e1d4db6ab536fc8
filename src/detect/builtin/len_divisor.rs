//! A division by the length of something that nothing has shown to be non-empty.
//!
//! The search for a guard is that of the fact `divisor_guarded`, and generous: whatever may be a guard counts, because a
//! missed fault is cheaper here than a wrong one.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::walk::{bare, parts, text};
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::facts::{Guard, divisor_guard};
use crate::syntax::{Node, Parsed};

pub(super) const DETECTOR: Builtin = Builtin {
    name: "unguarded_len_divisor",
    help: "Python, Go: `/ len(x)` without a test on `x` before it in the function; `{divisor}` and `{name}`",
    captures: &["divisor", "name"],
    reads_comments: false,
    run: Run::Node(run),
};

static LENGTH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:float(?:32|64)?\(|int(?:32|64)?\()?len\((?P<name>[A-Za-z_]\w*)\)\)?$")
        .expect("the pattern is a constant that compiles")
});

fn run<'p>(_: &FileView<'_>, parsed: &'p Parsed, node: &Node<'p>, hits: &mut Vec<Hit>) {
    if let Some((divisor, name)) = divisor(parsed, node)
        && divisor_guard(parsed, &divisor) == Guard::None
    {
        let divisor = parsed.source().get(divisor).unwrap_or_default();
        hits.push(Hit::in_source(parsed, node.range()).with("divisor", divisor).with("name", name));
    }
}

/// The divisor `len(x)` of a division, and `x`.
fn divisor<'p>(parsed: &'p Parsed, node: &Node<'p>) -> Option<(Range<usize>, &'p str)> {
    if !matches!(&*node.kind(), "binary_operator" | "binary_expression") {
        return None;
    }
    let (left, right) = (node.field("left")?, node.field("right")?);
    let operator = parsed.source().get(left.range().end..right.range().start)?.trim();
    // A left side that is text joins paths or formats.
    let is_text = left.kind().contains("string") || parts(&left).iter().any(|part| part.kind().contains("string"));
    if is_text || !matches!(operator, "/" | "//") {
        return None;
    }
    let divisor = bare(&right);
    let name = LENGTH.captures(text(parsed, &divisor))?.name("name")?.as_str();
    let constant = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    (!constant).then(|| (divisor.range(), name))
}
