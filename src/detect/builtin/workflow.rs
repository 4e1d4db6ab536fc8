//! Workflow files: values that an outsider chooses, inserted into a script before its shell reads it; and a checkout of
//! an outsider's code in a job that runs with the repository's own rights.

use super::walk::{parts, text, within};
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::{Language, Node, Parsed};

pub(super) const INJECTION: Builtin = Builtin {
    name: "workflow_injection",
    help: "an expression with outsiders' text inside `run:` or a github-script; `{0}` is the expression",
    captures: &["path"],
    reads_comments: false,
    run: Run::File(injection),
};

pub(super) const CHECKOUT: Builtin = Builtin {
    name: "workflow_untrusted_checkout",
    help: "a checkout of the pull request's code under `pull_request_target` or `workflow_run`; `{event}`",
    captures: &["event"],
    reads_comments: false,
    run: Run::File(checkout),
};

pub(super) const SECRET: Builtin = Builtin {
    name: "workflow_secret_printed",
    help: "a secret that a script prints to the log",
    captures: &[],
    reads_comments: false,
    run: Run::File(secret),
};

pattern!(EXPRESSION, r"\$\{\{(?P<inner>[^\n]*?)\}\}");
// The fields that anyone can fill who can open an issue or a pull request, after the provider's own list.
pattern!(
    UNTRUSTED,
    concat!(
        r"(?i)\b(?:github\.head_ref|github\.event\.(?:",
        r"(?:issue|pull_request|discussion)\.(?:title|body)",
        r"|pull_request\.head\.(?:ref|label|repo\.(?:default_branch|description|homepage))",
        r"|(?:comment|review|review_comment)\.body",
        r"|pages(?:\[[^\]]*\]|\.[\w*]+)*\.page_name",
        r"|(?:commits(?:\[[^\]]*\]|\.[\w*]+)*|head_commit)\.(?:message|author\.(?:email|name))",
        r"|workflow_run\.(?:head_branch|display_title|head_commit\.(?:message|author\.(?:email|name))|pull_requests(?:\[[^\]]*\]|\.[\w*]+)*\.head\.ref)",
        r"))(?:$|[^\w.])"
    )
);
// Their result is a truth value or a hash, whatever goes in.
pattern!(DECIDING, r"(?i)\b(?:contains|startsWith|endsWith|hashFiles)\(");
pattern!(COMPARED, r"(?i)[\w.\[\]*-]+\s*(?:==|!=|[<>]=?)\s*(?:'[^']*'|[\w.]+)|'[^']*'\s*(?:==|!=)\s*[\w.\[\]*-]+");
pattern!(
    HEAD,
    r"(?i)github\.event\.pull_request\.head\.(?:sha|ref)|github\.head_ref|refs/pull/|github\.event\.workflow_run\.head_(?:sha|branch)|github\.event\.(?:pull_request\.)?number"
);
pattern!(PRINTED, r#"^\s*(?:echo|printf|cat\s*<<<)\s[^|>&;`]*\$\{\{\s*secrets\.[A-Za-z0-9_]+\s*\}\}[^|>&;`)]*$"#);

fn injection(view: &FileView<'_>) -> Vec<Hit> {
    let Some(parsed) = workflow(view) else { return Vec::new() };
    let mut hits = Vec::new();
    for script in scripts(parsed) {
        for found in EXPRESSION.captures_iter(text(parsed, &script)) {
            let (Some(whole), Some(inner)) = (found.get(0), found.name("inner")) else { continue };
            if let Some(path) = UNTRUSTED.find(&COMPARED.replace_all(&undecided(inner.as_str()), "")) {
                let start = script.range().start;
                let hit = Hit::in_source(parsed, start + whole.start()..start + whole.end());
                let path = path.as_str().trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                hits.push(hit.with("path", path));
            }
        }
    }
    hits
}

/// An expression without the calls whose result no text can change.
fn undecided(expression: &str) -> String {
    let mut out = String::new();
    let mut rest = expression;
    while let Some(call) = DECIDING.find(rest) {
        out.push_str(&rest[..call.start()]);
        let mut depth = 1_u32;
        let end = rest[call.end()..].find(|character| {
            match character {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        rest = end.map_or("", |end| &rest[call.end() + end + 1..]);
    }
    out + rest
}

fn secret(view: &FileView<'_>) -> Vec<Hit> {
    let Some(parsed) = workflow(view) else { return Vec::new() };
    let mut hits = Vec::new();
    for script in scripts(parsed) {
        let mut at = script.range().start;
        let mut continued = false;
        for line in text(parsed, &script).split_inclusive('\n') {
            let body = line.trim_end();
            // The rest of a command that goes on may send the text elsewhere.
            let goes_on = body.ends_with('\\');
            if !continued && !goes_on && !body.contains("::add-mask::") && PRINTED.is_match(body) {
                let indent = body.len() - body.trim_start().len();
                hits.push(Hit::in_source(parsed, at + indent..at + body.len()));
            }
            continued = goes_on;
            at += line.len();
        }
    }
    hits
}

fn checkout(view: &FileView<'_>) -> Vec<Hit> {
    let Some(parsed) = workflow(view) else { return Vec::new() };
    let Some(event) = privileged_event(parsed) else { return Vec::new() };
    let mut hits = Vec::new();
    within(&parsed.root(), |node| {
        if node.kind() == "block_mapping" && value(parsed, node, "uses").is_some_and(|uses| is_checkout(parsed, &uses))
        {
            let with = value(parsed, node, "with").and_then(|with| find_mapping(&with));
            for key in ["ref", "repository"] {
                let pair = with.as_ref().and_then(|with| pair(parsed, with, key));
                let pair =
                    pair.filter(|pair| pair.field("value").is_some_and(|value| HEAD.is_match(text(parsed, &value))));
                if let Some(pair) = pair {
                    hits.push(Hit::in_source(parsed, pair.range()).with("event", event));
                    break;
                }
            }
        }
        true
    });
    hits
}

/// The file, if a runner reads it as a workflow or an action.
fn workflow<'v>(view: &'v FileView<'_>) -> Option<&'v Parsed> {
    if view.language != Some(Language::Yaml) {
        return None;
    }
    let path = String::from_utf8_lossy(view.change.path.bytes()).into_owned();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let is_one = path.contains(".github/workflows/") || matches!(name, "action.yml" | "action.yaml");
    view.parsed().filter(|_| is_one)
}

/// The values that a shell or a script engine reads: of `run`, and of `script` given to a github-script.
fn scripts(parsed: &Parsed) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    within(&parsed.root(), |node| {
        if node.kind() == "block_mapping" {
            found.extend(value(parsed, node, "run").filter(|run| find_mapping(run).is_none()));
            let uses = value(parsed, node, "uses");
            if uses.is_some_and(|uses| text(parsed, &uses).contains("github-script@")) {
                let with = value(parsed, node, "with").and_then(|with| find_mapping(&with));
                found.extend(with.and_then(|with| value(parsed, &with, "script")));
            }
        }
        true
    });
    found
}

fn is_checkout(parsed: &Parsed, uses: &Node<'_>) -> bool {
    text(parsed, uses).trim_matches(['"', '\'']).starts_with("actions/checkout@")
}

/// The event of the file that gives an outsider's change the repository's rights.
fn privileged_event(parsed: &Parsed) -> Option<&'static str> {
    let mut found = None;
    within(&parsed.root(), |node| {
        if node.kind() == "block_mapping" {
            let on = ["on", "'on'", "\"on\"", "true"].iter().find_map(|key| value(parsed, node, key));
            if let Some(on) = on {
                let events = text(parsed, &on);
                found = ["pull_request_target"].into_iter().find(|event| events.contains(event));
            }
            // Only the outermost mapping names events.
            return false;
        }
        true
    });
    found
}

fn pair<'p>(parsed: &'p Parsed, mapping: &Node<'p>, key: &str) -> Option<Node<'p>> {
    mapping.children().find(|pair| {
        pair.kind() == "block_mapping_pair" && pair.field("key").is_some_and(|node| text(parsed, &node) == key)
    })
}

fn value<'p>(parsed: &'p Parsed, mapping: &Node<'p>, key: &str) -> Option<Node<'p>> {
    pair(parsed, mapping, key)?.field("value")
}

/// The mapping that a value is, if it is one.
fn find_mapping<'p>(value: &Node<'p>) -> Option<Node<'p>> {
    if value.kind() == "block_mapping" {
        return Some(value.clone());
    }
    parts(value).into_iter().find(|child| child.kind() == "block_mapping")
}
