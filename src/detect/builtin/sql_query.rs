//! SQL text put together from values and given to a database. What names a table or a column cannot be a parameter, so
//! values with such names are not reported. A call that takes a condition alone counts where the text compares a column.

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
// A condition without its statement, as query builders take it.
pattern!(CONDITION, r"(?i)^[\s('\x22]*[\w.`]+\s*(?:=|<>|!=|<=?|>=?|\bi?like\b|\bin\b)");
pattern!(PYTHON, r"(?:^|\.)(?:execute|executemany|executescript|exec_driver_sql|raw)$");
pattern!(JAVASCRIPT, r"\.(?:query|execute|raw|\$queryRawUnsafe|\$executeRawUnsafe|all|run|each)$");
pattern!(GO, r"\.(?:Query|QueryRow|Exec|Prepare|QueryContext|QueryRowContext|ExecContext|PrepareContext|Raw)$");
pattern!(
    JAVA,
    concat!(
        r"(?:(?:^|\.)(?:executeQuery|executeUpdate|execute|prepareStatement|createNativeQuery|createQuery|queryForObject)",
        r"|(?i:jdbc)(?:Template|Operations)?\.(?:query|update|queryForList|queryForMap|queryForRowSet|batchUpdate))$"
    )
);
pattern!(
    PHP,
    concat!(
        r"(?:->(?:query|exec|prepare|executeQuery|executeStatement)|^\\?(?:mysqli_query|pg_query|sqlite_query)",
        r"|^\$wpdb->get_(?:results|row|var|col)|^(?:[\w\\]*\\)?DB::(?:select|selectOne|statement|unprepared|insert|update|delete|raw))$"
    )
);
pattern!(RUBY, r"(?:\.(?:execute|exec_query|find_by_sql|select_all|exec_params))$");
pattern!(RUBY_CONDITION, r"\.(?:where|rewhere|having)$");
pattern!(PHP_CONDITION, r"(?:->|::)(?:or)?(?:[wW]here|[hH]aving)Raw$");
// SQLAlchemy wants a text marked as SQL.
pattern!(MARKED, r"^(?:(?:sa|sqlalchemy|sql)\.)?text$");
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
            | "scoped_call_expression"
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
    let takes_condition = match parsed.language() {
        Language::Php => PHP_CONDITION.is_match(head),
        Language::Ruby => RUBY_CONDITION.is_match(head),
        _ => false,
    };
    if !takes_condition && !sink.is_match(head) {
        return None;
    }
    for argument in parts(&arguments).iter().take(2) {
        let argument = if argument.kind() == "argument" { parts(argument).pop()? } else { argument.clone() };
        let argument = marked(parsed, &argument).unwrap_or(argument);
        let is_sql = |literal: &str| STATEMENT.is_match(literal) || (takes_condition && CONDITION.is_match(literal));
        let Some(built) = built(parsed, &argument).filter(|built| is_sql(&built.literal)) else { continue };
        let value = built.inserted.into_iter().find(|value| !is_structure(value))?;
        let name = head.lines().last().unwrap_or(head).trim();
        return Some((name.to_owned(), value)).filter(|_| !text(parsed, &argument).is_empty());
    }
    None
}

/// What `text(…)` marks as SQL in Python.
fn marked<'p>(parsed: &Parsed, argument: &Node<'p>) -> Option<Node<'p>> {
    let function = argument.field("function").filter(|_| parsed.language() == Language::Python)?;
    let arguments = argument.field("arguments").filter(|_| MARKED.is_match(text(parsed, &function)))?;
    parts(&arguments).into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::FileChange;

    fn values(path: &str, code: &str) -> Vec<String> {
        let change = FileChange::new_file(path.into(), code.into());
        let view = FileView::of(&change).expect("a text");
        let parsed = view.parsed().expect("it parses");
        assert!(!parsed.has_any_error(), "{code}");
        let mut hits = Vec::new();
        parsed.visit(&|_| true, |node| run(&view, parsed, node, &mut hits));
        hits.iter().map(|hit| hit.captures["value"].clone()).collect()
    }

    #[test]
    fn the_value_of_an_interpolation_is_named() {
        let call = |value: &str| {
            let text = format!("$\"UPDATE t SET a = 1 WHERE n = '{{{value}}}'\"");
            values("a.cs", &format!("class A {{ void F() {{ db.Database.ExecuteSqlRaw({text}); }} }}\n"))
        };
        assert_eq!(call("user.Email"), ["user.Email"]);
        assert_eq!(call("day:yyyy"), ["day"]);
        assert_eq!(call("tableName"), Vec::<String>::new(), "what names a table cannot be a parameter");
    }

    #[test]
    fn calls_that_run_sql() {
        let statement = "SELECT a FROM t WHERE n = ";
        for (path, code, value) in [
            ("a.py", format!("db.execute(text(f\"{statement}'{{who}}'\"))\n"), "who"),
            ("a.py", format!("db.execute(sa.text(\"{statement}\" + who))\n"), "who"),
            ("a.java", format!("class A {{ void f() {{ jdbcTemplate.query(\"{statement}\" + who, m); }} }}\n"), "who"),
            ("a.java", format!("class A {{ void f() {{ this.jdbc.queryForList(\"{statement}\" + who); }} }}\n"), "who"),
            ("a.php", format!("<?php\n$r = $wpdb->get_results(\"{statement}'$who'\");\n"), "$who"),
            ("a.php", format!("<?php\n$r = DB::select(\"{statement}'$who'\");\n"), "$who"),
            ("a.php", format!("<?php\n$r = \\DB::select('{statement}' . $who);\n"), "$who"),
            ("a.php", "<?php\n$q->whereRaw(\"n = '$who'\");\n".to_owned(), "$who"),
            ("a.php", "<?php\nUser::whereRaw('n like ' . $who);\n".to_owned(), "$who"),
            ("a.rb", "User.where(\"n = '#{params[:who]}'\")\n".to_owned(), "params[:who]"),
        ] {
            assert_eq!(values(path, &code), [value], "{code}");
        }
    }

    #[test]
    fn calls_that_bind_their_values() {
        for (path, code) in [
            ("a.py", "db.execute(text(\"SELECT a FROM t WHERE n = :who\"), {\"who\": who})\n"),
            ("a.py", "page.write(text(f\"SELECT a FROM t WHERE n = '{who}'\"))\n"),
            ("a.java", "class A { void f() { jdbcTemplate.query(\"SELECT a FROM t WHERE n = ?\", m, who); } }\n"),
            (
                "a.php",
                "<?php\n$r = DB::select('SELECT a FROM t WHERE n = ?', [$who]);\n$q->whereRaw('n = ?', [$who]);\n",
            ),
            ("a.php", "<?php\n$r = Cache::get(\"n = '$who'\");\n"),
            (
                "a.rb",
                "User.where(\"n = ?\", who)\nUser.where(\"#{table}.n = ?\", who)\nUser.where(\"n = #{who.to_i}\")\n",
            ),
        ] {
            assert_eq!(values(path, code), Vec::<String>::new(), "{code}");
        }
    }
}
