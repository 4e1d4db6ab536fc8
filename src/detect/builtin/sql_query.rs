//! SQL text put together from values and given to a database. What names a table or a column cannot be a parameter, so
//! values with such names are not reported.

use super::built_string::built;
use super::walk::{parts, text};
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::{Language, Node, Parsed};

pub(super) const DETECTOR: Builtin = Builtin {
    name: "sql_query",
    help: "SQL built from values in a call that runs it; `{call}` and `{value}`",
    captures: &["call", "value"],
    reads_comments: false,
    run: Run::Node(run),
};

pattern!(
    STATEMENT,
    r"(?is)^[\s('\x22]*(?:select\s.*\sfrom\s.*\swhere\s|insert\s+into\s.*\bvalues\b|replace\s+into\s.*\bvalues\b|update\s.*\sset\s|delete\s+from\s.*\swhere\s)"
);
pattern!(PYTHON, r"(?:^|\.)(?:execute|executemany|executescript|exec_driver_sql|raw)$");
pattern!(JAVASCRIPT, r"\.(?:query|execute|raw|\$queryRawUnsafe|\$executeRawUnsafe|all|run|each)$");
pattern!(GO, r"\.(?:Query|QueryRow|Exec|Prepare|QueryContext|QueryRowContext|ExecContext|PrepareContext|Raw)$");
pattern!(
    JAVA,
    r"(?:^|\.)(?:executeQuery|executeUpdate|execute|prepareStatement|createNativeQuery|createQuery|queryForObject)$"
);
pattern!(
    PHP,
    r"(?:->(?:query|exec|prepare|executeQuery|executeStatement)|^\\?(?:mysqli_query|pg_query|sqlite_query))$"
);
pattern!(RUBY, r"(?:\.(?:execute|exec_query|find_by_sql|select_all|exec_params))$");
pattern!(CSHARP, r"(?:^new\s+\w*Command|\.(?:ExecuteSqlRaw|ExecuteSqlRawAsync|FromSqlRaw|SqlQueryRaw))$");
// Identifiers, lists of `?`, and text that the caller made into SQL already.
pattern!(
    STRUCTURE,
    r#"(?i)(?:table|tbl|column|cols?\b|field|schema|placeholder|holders|clause|where|order|sort|limit|offset|database|\bdb|index|view\b|sql|quer|cond|filter|prefix|suffix|select|join|bind|mark|type|_name$|(?-i:Name)(?:\(\))?$|["'](?:\?|%s)["']|^keys?$|identifier|operator|function|model|meta|version|class|entity)"#
);

/// Whether a value is a part of the statement by its name: what it is called last, and what is called with it.
fn is_structure(value: &str) -> bool {
    let last = value.split("->").flat_map(|part| part.split(['.', ':'])).filter(|part| !part.is_empty()).last();
    value.starts_with("self.") || value.starts_with("this.") || STRUCTURE.is_match(last.unwrap_or(value))
}

fn run<'p>(_: &FileView<'_>, parsed: &'p Parsed, node: &Node<'p>, hits: &mut Vec<Hit>) {
    let is_call = matches!(
        &*node.kind(),
        "call"
            | "call_expression"
            | "method_invocation"
            | "function_call_expression"
            | "member_call_expression"
            | "invocation_expression"
            | "object_creation_expression"
    );
    if let Some((call, value)) = is_call.then(|| call(parsed, node)).flatten() {
        hits.push(Hit::in_source(parsed, node.range()).with("call", call).with("value", value));
    }
}

/// The callee and the first value that goes into the text of a statement.
fn call(parsed: &Parsed, node: &Node<'_>) -> Option<(String, String)> {
    let arguments = node
        .field("arguments")
        .or_else(|| node.children().find(|child| matches!(&*child.kind(), "arguments" | "argument_list")))?;
    let head = parsed.source().get(node.range().start..arguments.range().start)?.trim();
    let sink = match parsed.language() {
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &JAVASCRIPT,
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::Php => &PHP,
        Language::Ruby => &RUBY,
        Language::CSharp => &CSHARP,
        Language::C | Language::Cpp | Language::Rust | Language::Yaml => return None,
    };
    if !sink.is_match(head) {
        return None;
    }
    for argument in parts(&arguments).iter().take(2) {
        let argument = if argument.kind() == "argument" { parts(argument).pop()? } else { argument.clone() };
        let Some(built) = built(parsed, &argument).filter(|built| STATEMENT.is_match(&built.literal)) else { continue };
        let value = built.inserted.into_iter().find(|value| !is_structure(value))?;
        let name = head.lines().last().unwrap_or(head).trim();
        return Some((name.to_owned(), value)).filter(|_| !text(parsed, &argument).is_empty());
    }
    None
}
