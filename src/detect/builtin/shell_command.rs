//! A shell that receives a string put together from values. A name alone is not reported: where it was built is unknown.

use super::built_string::{built, literal};
use super::walk::{parts, text};
use crate::detect::{Builtin, Hit, Run};
use crate::syntax::{Language, Node, Parsed};

pub(super) const PLAIN: Builtin = Builtin {
    name: "shell_command",
    help: "a command for a shell, built from values that are no constants; `{call}` and `{value}`",
    captures: &["call", "value"],
    reads_comments: false,
    run: Run::Node(|_, parsed, node, hits| hits.extend(found(parsed, node, false))),
};

pub(super) const FLAGGED: Builtin = Builtin {
    name: "shell_flag_command",
    help: "Python: the same in a call with `shell=True`; `{call}` and `{value}`",
    captures: &["call", "value"],
    reads_comments: false,
    run: Run::Node(|_, parsed, node, hits| hits.extend(found(parsed, node, true))),
};

pattern!(PY_SHELL_FLAG, r"^(?:(?:subprocess|sp)\.)?(?:run|call|Popen|check_call|check_output)$");
pattern!(
    PY_SHELL,
    r"^(?:(?:subprocess\.)?get(?:status)?output|os\.system|os\.popen|asyncio\.create_subprocess_shell)$"
);
pattern!(
    JS_MODULE,
    r#"^(?:child_process|childProcess|cp|require\(\s*["'](?:node:)?child_process["']\s*\))\s*\.\s*(?:exec|execSync)$"#
);
pattern!(JS_BARE, r"^(?:exec|execSync)$");
pattern!(PHP, r"^\\?(?:exec|shell_exec|system|passthru|popen|proc_open)$");
pattern!(
    RUBY,
    r"^(?:(?:Kernel\.)?(?:system|exec|spawn)|(?:IO\.)?popen|Open3\.(?:capture2e?|capture3|popen2e?|popen3))$"
);
pattern!(SHELL, r"^(?:/(?:usr/)?bin/)?(?:ba|z|da|k)?sh(?:\s+-\w*c\b.*)?$|^cmd(?:\.exe)?(?:\s+/[cC]\b.*)?$");
pattern!(SHELL_FLAG, r"^(?:-\w*c|/[cC])$");
pattern!(SHELL_START, r"^\s*(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k)?sh\s+-\w*c|cmd(?:\.exe)?\s+/[cC])\b");

/// A call that starts a shell, by a flag of its own or by what it is.
fn found(parsed: &Parsed, node: &Node<'_>, flagged: bool) -> Option<Hit> {
    let (call, value) = match &*node.kind() {
        "call"
        | "call_expression"
        | "method_invocation"
        | "function_call_expression"
        | "object_creation_expression" => call(parsed, node, flagged)?,
        "subshell" | "shell_command_expression" if !flagged => {
            ("`…`".to_owned(), built(parsed, node)?.inserted.into_iter().next()?)
        }
        _ => return None,
    };
    Some(Hit::in_source(parsed, node.range()).with("call", call).with("value", value))
}

/// The callee and the first value that reaches the shell.
fn call(parsed: &Parsed, node: &Node<'_>, flagged: bool) -> Option<(String, String)> {
    let arguments_node = node.field("arguments").or_else(|| {
        // PHP and C# name no field for the arguments of some calls.
        node.children().find(|child| matches!(&*child.kind(), "arguments" | "argument_list"))
    })?;
    let arguments = parts(&arguments_node);
    let head = parsed.source().get(node.range().start..arguments_node.range().start)?.trim();
    let first = arguments.first()?;
    let value = |node: &Node<'_>| built(parsed, node).and_then(|built| built.inserted.into_iter().next());
    let found = match parsed.language() {
        Language::Python if flagged => {
            let shell =
                |argument: &Node<'_>| text(parsed, argument).split_whitespace().collect::<String>() == "shell=True";
            (PY_SHELL_FLAG.is_match(head) && arguments.iter().any(shell)).then(|| value(first))?
        }
        _ if flagged => None,
        Language::Python if PY_SHELL.is_match(head) => value(first),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let shell =
                JS_MODULE.is_match(head) || (JS_BARE.is_match(head) && parsed.source().contains("child_process"));
            shell.then(|| value(first))?
        }
        Language::Php if PHP.is_match(head) => value(first),
        // With several arguments Ruby starts no shell.
        Language::Ruby if RUBY.is_match(head) && arguments.len() == 1 => value(first),
        Language::Go if head == "exec.Command" || head == "exec.CommandContext" => after_flag(parsed, &arguments),
        Language::Java if head.ends_with(".exec") || head.starts_with("new ProcessBuilder") => {
            let whole = built(parsed, first).filter(|built| SHELL_START.is_match(&built.literal));
            let list = || after_flag(parsed, &elements(&arguments));
            whole.and_then(|built| built.inserted.into_iter().next()).or_else(list)
        }
        _ => None,
    };
    found.map(|value| (head.to_owned(), value))
}

/// The value built into the argument behind `sh`, `-c`.
fn after_flag(parsed: &Parsed, arguments: &[Node<'_>]) -> Option<String> {
    let at =
        arguments.iter().position(|argument| literal(parsed, argument).is_some_and(|text| SHELL.is_match(&text)))?;
    let flag = literal(parsed, arguments.get(at + 1)?)?;
    let command = arguments.get(at + 2).filter(|_| SHELL_FLAG.is_match(&flag))?;
    built(parsed, command)?.inserted.into_iter().next()
}

/// Arguments, with those of an array or list literal in place of it.
fn elements<'p>(arguments: &[Node<'p>]) -> Vec<Node<'p>> {
    let mut out = Vec::new();
    for argument in arguments {
        match &*argument.kind() {
            "array_creation_expression" => out.extend(argument.field("value").iter().flat_map(parts)),
            "array_initializer" => out.extend(parts(argument)),
            "method_invocation" => out.extend(argument.field("arguments").iter().flat_map(parts)),
            _ => out.push(argument.clone()),
        }
    }
    out
}
