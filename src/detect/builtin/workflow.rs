//! Workflow files: values that an outsider chooses, inserted into a script before its shell reads it; and a checkout of
//! an outsider's code in a job that runs with the repository's own rights.

use std::borrow::Cow;

use super::walk::{parts, text, within};
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::diff::is_workflow;
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

// Braces inside a string do not end it.
pattern!(EXPRESSION, r"\$\{\{(?P<inner>(?:'[^']*'|[^'])*?)\}\}");
// `a['b']` is `a.b`.
pattern!(INDEX, r"\s*\[\s*'(?P<name>[\w-]+)'\s*\]");
pattern!(STRING, r"'[^']*'");
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
// A checkout by hand; what a comment of the script says is none.
pattern!(
    BY_HAND,
    r"(?m)^[^#\n]*?\b(?P<command>gh\s+pr\s+checkout\b[^\n]*|git\s+(?:checkout|switch|pull|merge|reset)\b(?P<of>[^\n]*))"
);
pattern!(
    PRINTED,
    r#"^\s*(?:echo|printf|cat\s*<<<)\s[^|>&;`]*\$\{\{\s*secrets(?:\.[A-Za-z0-9_]+|\['[A-Za-z0-9_]+'\])\s*\}\}[^|>&;`)]*$"#
);

fn injection(view: &FileView<'_>) -> Vec<Hit> {
    let Some(parsed) = workflow(view) else { return Vec::new() };
    let mut hits = Vec::new();
    for script in scripts(parsed) {
        for found in EXPRESSION.captures_iter(&script.text) {
            let (Some(whole), Some(inner)) = (found.get(0), found.name("inner")) else { continue };
            if let Some(path) = untrusted(inner.as_str()) {
                let hit = Hit::in_source(parsed, script.start + whole.start()..script.start + whole.end());
                hits.push(hit.with("path", path));
            }
        }
    }
    hits
}

/// The outsider's field whose text is in the result of an expression.
fn untrusted(expression: &str) -> Option<String> {
    let dotted = INDEX.replace_all(expression, ".$name");
    // What a string holds is neither a call nor a parenthesis.
    let bare = STRING.replace_all(&dotted, "''");
    let undecided = undecided(&bare);
    let left = COMPARED.replace_all(&undecided, "");
    let path = UNTRUSTED.find(&left)?.as_str();
    Some(path.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_').to_owned())
}

/// An expression without the calls whose result no text can change. A call that does not end stays.
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
        rest = &rest[call.end() + end.map_or(0, |end| end + 1)..];
    }
    out + rest
}

fn secret(view: &FileView<'_>) -> Vec<Hit> {
    let Some(parsed) = workflow(view) else { return Vec::new() };
    let mut hits = Vec::new();
    for script in scripts(parsed) {
        let mut at = script.start;
        let mut continued = false;
        for line in script.text.split_inclusive('\n') {
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
        if is_mapping(node) && value(parsed, node, "uses").is_some_and(|uses| is_action(parsed, &uses, CHECKOUT_ACTION))
        {
            let with = value(parsed, node, "with").and_then(|with| find_mapping(&with));
            for key in ["ref", "repository"] {
                let pair = with.as_ref().and_then(|with| pair(parsed, with, key));
                let pair = pair.filter(|pair| pair.field("value").is_some_and(|value| is_head(text(parsed, &value))));
                if let Some(pair) = pair {
                    hits.push(Hit::in_source(parsed, pair.range()).with("event", event));
                    break;
                }
            }
        }
        true
    });
    for script in scripts(parsed) {
        for found in BY_HAND.captures_iter(&script.text) {
            let Some(command) = found.name("command") else { continue };
            if found.name("of").is_none_or(|of| is_head(of.as_str())) {
                let length = command.as_str().trim_end().len();
                let start = script.start + command.start();
                hits.push(Hit::in_source(parsed, start..start + length).with("event", event));
            }
        }
    }
    hits
}

const CHECKOUT_ACTION: &str = "actions/checkout";
const SCRIPT_ACTION: &str = "actions/github-script";

/// Whether a value names the head of the pull request.
fn is_head(value: &str) -> bool {
    HEAD.is_match(&INDEX.replace_all(value, ".$name"))
}

/// The file, if a runner reads it as a workflow or an action.
fn workflow<'v>(view: &'v FileView<'_>) -> Option<&'v Parsed> {
    let is_one = view.language == Some(Language::Yaml) && is_workflow(&view.change.path);
    if is_one { view.parsed() } else { None }
}

/// A script inside a workflow.
struct Script<'p> {
    /// Where its text starts in the source.
    start: usize,
    /// Byte for byte as long as in the source.
    text: Cow<'p, str>,
}

/// The values that a shell or a script engine reads: of `run`, and of `script` given to a github-script.
fn scripts(parsed: &Parsed) -> Vec<Script<'_>> {
    let mut found = Vec::new();
    within(&parsed.root(), |node| {
        if is_mapping(node) {
            found.extend(value(parsed, node, "run").filter(|run| find_mapping(run).is_none()));
            let uses = value(parsed, node, "uses");
            if uses.is_some_and(|uses| is_action(parsed, &uses, SCRIPT_ACTION)) {
                let with = value(parsed, node, "with").and_then(|with| find_mapping(&with));
                found.extend(with.and_then(|with| value(parsed, &with, "script")));
            }
        }
        true
    });
    found.iter().map(|node| script(parsed, node)).collect()
}

/// The text of a value, without its quotes.
fn script<'p>(parsed: &'p Parsed, node: &Node<'p>) -> Script<'p> {
    let (start, whole) = (node.range().start, text(parsed, node));
    let inner = |quote: char| whole.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match (inner('\''), inner('"')) {
        // Two quotes stand for one; a blank takes the place of the other.
        (Some(inner), _) => Script { start: start + 1, text: inner.replace("''", "' ").into() },
        (None, Some(inner)) => Script { start: start + 1, text: inner.into() },
        (None, None) => Script { start, text: whole.into() },
    }
}

/// Whether `uses` names a version of this action; case does not count in the names of repositories.
fn is_action(parsed: &Parsed, uses: &Node<'_>, action: &str) -> bool {
    let name = unquoted(text(parsed, uses)).split('@').next().unwrap_or_default();
    name.eq_ignore_ascii_case(action)
}

/// The event of the file that gives an outsider's change the repository's rights.
fn privileged_event(parsed: &Parsed) -> Option<&'static str> {
    let mut found = None;
    within(&parsed.root(), |node| {
        if is_mapping(node) {
            let on = ["on", "true"].iter().find_map(|key| value(parsed, node, key));
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

fn is_mapping(node: &Node<'_>) -> bool {
    matches!(&*node.kind(), "block_mapping" | "flow_mapping")
}

fn pair<'p>(parsed: &'p Parsed, mapping: &Node<'p>, key: &str) -> Option<Node<'p>> {
    let is_it = |pair: &Node<'p>| pair.field("key").is_some_and(|node| unquoted(text(parsed, &node)) == key);
    mapping.children().find(|pair| matches!(&*pair.kind(), "block_mapping_pair" | "flow_pair") && is_it(pair))
}

fn value<'p>(parsed: &'p Parsed, mapping: &Node<'p>, key: &str) -> Option<Node<'p>> {
    pair(parsed, mapping, key)?.field("value")
}

/// A scalar without the quotes around it.
fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// The mapping that a value is, if it is one.
fn find_mapping<'p>(value: &Node<'p>) -> Option<Node<'p>> {
    if is_mapping(value) {
        return Some(value.clone());
    }
    parts(value).into_iter().find(is_mapping)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::FileChange;

    fn found(text: &str, look: fn(&FileView<'_>) -> Vec<Hit>) -> Vec<String> {
        let change = FileChange::new_file(".github/workflows/a.yml".into(), text.into());
        let view = FileView::of(&change).expect("a text");
        look(&view).iter().map(|hit| hit.captures["0"].clone()).collect()
    }

    fn injected(steps: &str) -> Vec<String> {
        found(&format!("on: issues\njobs:\n  a:\n    steps:\n{steps}"), injection)
    }

    #[test]
    fn a_script_is_one_however_it_is_spelt() {
        const TITLE: &str = "${{ github.event.issue.title }}";
        for step in [
            format!("      - run: echo {TITLE}\n"),
            format!("      - \"run\": echo {TITLE}\n"),
            format!("      - 'run': \"echo {TITLE}\"\n"),
            format!("      - {{run: 'echo {TITLE}'}}\n"),
            format!("      - {{\"name\": a, \"run\": \"echo {TITLE}\"}}\n"),
            format!("      - {{uses: Actions/github-script@v7, with: {{script: 'log(`{TITLE}`)'}}}}\n"),
            format!("      - uses: 'actions/github-script@v7'\n        with: {{ \"script\": \"log(`{TITLE}`)\" }}\n"),
        ] {
            assert_eq!(injected(&step), [TITLE], "{step}");
        }
    }

    #[test]
    fn an_expression_is_one_however_it_is_spelt() {
        for inner in [
            "github.event.issue['title']",
            "github['event'].issue.title",
            "github[ 'event' ]['issue']['title']",
            "contains('(', 'a') && 1 || github.event.issue.title",
            "format('contains(', github.event.issue.title)",
            "format('{0}', contains('a', 'b') && github.event.issue.title)",
            "contains(github.event.issue.title && github.event.issue.title",
            "'}}' && github.event.issue.title",
            "true &&\n            github.event.issue.title",
        ] {
            let step = format!("      - run: |\n          echo ${{{{ {inner} }}}}\n");
            assert_eq!(injected(&step).len(), 1, "{inner}");
        }
        let single = "      - {run: 'echo ${{ contains(''('', ''a'') && 1 || github.event.issue.title }}'}\n";
        assert_eq!(injected(single).len(), 1);
        for inner in [
            "contains(github.event.issue['title'], ')')",
            "github.event.issue['title'] == 'a'",
            "startsWith(github['event'].issue.title, '(') && 'github.event.issue.title'",
            "github.event.issue['number']",
        ] {
            let step = format!("      - run: |\n          echo ${{{{ {inner} }}}}\n");
            assert_eq!(injected(&step), Vec::<String>::new(), "{inner}");
        }
    }

    #[test]
    fn a_checkout_is_one_however_it_is_spelt() {
        let checked_out =
            |on: &str, step: &str| found(&format!("{on}\njobs:\n  a:\n    steps:\n      - {step}\n"), checkout).len();
        for step in [
            "{uses: actions/checkout@v4, with: {ref: '${{ github.event.pull_request.head.sha }}'}}",
            "uses: \"actions/checkout@v4\"\n        with: { \"ref\": \"${{ github.event.pull_request.head.sha }}\" }",
            "uses: actions/checkout@v4\n        with:\n          'ref': ${{ github.event.pull_request['head'].sha }}",
            "run: gh pr checkout ${{ github.event.number }}",
            "run: |\n          set -e\n          gh pr checkout \"$PR\" && make",
            "run: git checkout ${{ github.event.pull_request.head.sha }}",
        ] {
            assert_eq!(checked_out("on: pull_request_target", step), 1, "{step}");
            assert_eq!(checked_out("'on': {pull_request_target: {types: [opened]}}", step), 1, "{step}");
            assert_eq!(checked_out("on: pull_request", step), 0, "{step}");
        }
        for step in ["run: git checkout main", "run: |\n          # never gh pr checkout here\n          gh pr view 1"]
        {
            assert_eq!(checked_out("on: pull_request_target", step), 0, "{step}");
        }
    }

    #[test]
    fn a_quoted_command_prints_as_well() {
        for step in
            ["run: echo ${{ secrets.A }}", "\"run\": \"echo ${{ secrets['A'] }}\"", "{run: 'echo ${{ secrets.A }}'}"]
        {
            let text = format!("on: push\njobs:\n  a:\n    steps:\n      - {step}\n");
            assert_eq!(found(&text, secret).len(), 1, "{step}");
        }
    }
}
