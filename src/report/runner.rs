//! What the agents of GitHub and Azure execute of a log: a port of actions/runner `ActionCommand.cs` (`TryParseV2`,
//! `TryParse`) and azure-pipelines-agent `Command.cs`. The oracle of the tests; the same in Python is
//! `tests/conformance/runner_cmd.py`.

use std::collections::BTreeMap;

const REGISTERED: [&str; 15] = [
    "stop-commands",
    "set-env",
    "set-output",
    "save-state",
    "add-mask",
    "add-path",
    "add-matcher",
    "remove-matcher",
    "debug",
    "warning",
    "error",
    "notice",
    "group",
    "endgroup",
    "echo",
];

/// A recognised command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) syntax: &'static str,
    pub(super) name: String,
    pub(super) properties: BTreeMap<String, String>,
    pub(super) data: String,
}

/// Every command in the text. A line ends at CR, LF or both, as .NET reads lines.
pub(super) fn commands(text: &str) -> Vec<Command> {
    text.replace("\r\n", "\n")
        .split(['\r', '\n'])
        .flat_map(|line| v2(line).or_else(|| v1(line)).into_iter().chain(azure(line)))
        .collect()
}

fn v2(line: &str) -> Option<Command> {
    let rest = line.trim_start().strip_prefix("::")?;
    let (head, data) = rest.split_once("::")?;
    let (name, properties) =
        parse(head, ',', &[("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")])?;
    let data = unescape(data, &[("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]);
    Some(Command { syntax: "v2", name, properties, data })
}

fn v1(line: &str) -> Option<Command> {
    const ESCAPES: [(&str, &str); 5] = [("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%25", "%")];
    let (_, rest) = line.split_once("##[")?;
    let (head, data) = rest.split_once(']')?;
    let (name, properties) = parse(head, ';', &ESCAPES)?;
    Some(Command { syntax: "v1", name, properties, data: unescape(data, &ESCAPES) })
}

fn azure(line: &str) -> Option<Command> {
    let (_, rest) = line.split_once("##vso[")?;
    let (head, data) = rest.split_once(']')?;
    const ESCAPES: [(&str, &str); 5] = [("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%AZP25", "%")];
    let (name, rest) = head.split_once(' ').unwrap_or((head, ""));
    let parts = name.split('.').filter(|part| !part.is_empty()).count();
    let pairs = rest.split(';').filter_map(|pair| pair.split_once('=')).filter(|(_, value)| !value.is_empty());
    let properties = pairs.map(|(key, value)| (key.to_lowercase(), unescape(value, &ESCAPES))).collect();
    let command = Command { syntax: "vso", name: name.to_owned(), properties, data: unescape(data, &ESCAPES) };
    (parts == 2).then_some(command)
}

/// Name and properties of a registered command.
fn parse(head: &str, separator: char, escapes: &[(&str, &str)]) -> Option<(String, BTreeMap<String, String>)> {
    let (name, rest) = head.split_once(' ').unwrap_or((head, ""));
    let name = name.to_lowercase();
    if !REGISTERED.contains(&name.as_str()) {
        return None;
    }
    let properties = rest
        .trim()
        .split(separator)
        .filter_map(|pair| pair.split_once('='))
        .filter(|(key, value)| !key.is_empty() && !value.is_empty())
        .map(|(key, value)| (key.to_lowercase(), unescape(value, escapes)))
        .collect();
    Some((name, properties))
}

fn unescape(text: &str, escapes: &[(&str, &str)]) -> String {
    escapes.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[test]
fn the_oracle_sees_what_the_agents_see() {
    let names = |text: &str| commands(text).into_iter().map(|command| command.name).collect::<Vec<_>>();
    assert_eq!(
        names("  ::Error file=a::b\rx ##[add-mask]y\n##vso[task.complete]z"),
        ["error", "add-mask", "task.complete"]
    );
    assert_eq!(names("x ::error::y\n::unknown::z\n::error:z\n##[section]a"), Vec::<String>::new());
}
