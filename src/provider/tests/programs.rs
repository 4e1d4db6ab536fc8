//! Programs: shell scripts that behave as the agents do, and as they should not.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::super::{Answer, NoAnswer, Settings, Usage, Why, find};
use super::{ANSWER, KEY, prompt, settings, time};

struct Script {
    folder: TempDir,
    path: PathBuf,
}

fn script(text: &str) -> Script {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("agent");
    fs::write(&path, format!("#!/bin/sh\nout={}\n{text}\n", folder.path().display())).expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it may run");
    Script { folder, path }
}

impl Script {
    fn wrote(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}

fn environment(name: &str) -> Option<OsString> {
    match name {
        "PATH" | "HOME" => std::env::var_os(name),
        "SSH_AUTH_SOCK" | "AWS_SECRET_ACCESS_KEY" | "EXTRA_TOKEN" => Some("geheim-4712".into()),
        name if name.ends_with("_API_KEY") => Some(KEY.into()),
        _ => None,
    }
}

fn ask(kind: &str, program: &Path, seconds: f64, change: impl FnOnce(&mut Settings)) -> Result<Answer, NoAnswer> {
    let mut settings = settings("", &time(), seconds);
    settings.program = Some(program.to_owned());
    change(&mut settings);
    (find(kind).expect("a kind").open)(&settings, &environment).expect("it opens").ask(&prompt("the change"))
}

fn says(kind: &str, output: &str, code: u8) -> Result<Answer, NoAnswer> {
    let script = script(&format!("cat >/dev/null\ncat <<'END'\n{output}\nEND\necho trouble >&2\nexit {code}"));
    ask(kind, &script.path, 20.0, |_| {})
}

#[test]
fn a_program_gets_the_prompt_an_empty_folder_and_few_variables() {
    let script = script(
        "cat >$out/input\nls -A >$out/files\nenv >$out/env\necho \"$@\" >$out/args\necho '{\"no_comment\": true}'",
    );
    let answer = ask("command", &script.path, 20.0, |settings| {
        settings.arguments = vec!["--flag".into(), "two words".into()];
        settings.variables = vec!["EXTRA_TOKEN".to_owned()];
    });
    assert_eq!(answer.expect("an answer").text, ANSWER);
    let input = script.wrote("input");
    assert!(input.starts_with("You review a change.\n") && input.ends_with("the change"), "{input}");
    assert!(input.contains("\"no_comment\""), "the schema is spelt out");
    assert_eq!((script.wrote("files").as_str(), script.wrote("args").as_str()), ("", "--flag two words\n"));
    let variables = script.wrote("env");
    assert!(variables.contains("EXTRA_TOKEN=geheim") && variables.contains("HOME="), "{variables}");
    assert!(
        !variables.contains("AWS_") && !variables.contains("SSH_AUTH_SOCK") && !variables.contains(KEY),
        "{variables}"
    );
}

#[test]
fn a_program_that_hangs_dies_with_its_children() {
    let script = script("(sleep 2; echo late >$out/late) &\necho $$ >$out/pid\nsleep 60");
    let began = Instant::now();
    let no = ask("command", &script.path, 0.4, |_| {}).expect_err("it hangs");
    assert_eq!((no.why, no.attempts), (Why::Deadline, 1));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(script.wrote("late"), "", "the child lives on");
    let pid = script.wrote("pid");
    assert!(!Path::new(&format!("/proc/{}/stat", pid.trim())).exists(), "the program lives on");
}

#[test]
fn a_program_that_ends_takes_its_children_with_it() {
    let script = script("(sleep 2; echo late >$out/late) &\ncat >/dev/null\necho '{\"no_comment\": true}'");
    let began = Instant::now();
    assert_eq!(ask("command", &script.path, 20.0, |_| {}).expect("an answer").text, ANSWER);
    assert!(began.elapsed() < Duration::from_secs(2), "a child held the pipe: {:?}", began.elapsed());
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(script.wrote("late"), "", "the child lives on");
}

#[test]
fn programs_that_misbehave_come_to_a_reason() {
    let large = "x".repeat(300_000);
    for (text, why, attempts) in [
        ("exit 0", Why::Malfunction, 2),
        ("exit 3", Why::Unavailable, 2),
        ("cat >/dev/null; echo prose", Why::NoObject, 2),
        ("echo '{\"no_comment\": true}'; exit 1", Why::Unavailable, 1),
        ("echo '{\"a\": 1, \"a\": 2}'", Why::NoObject, 2),
        ("head -c 9000000 /dev/zero", Why::Malfunction, 1),
        ("kill -9 $$", Why::Unavailable, 2),
        ("printf '\\377\\376'", Why::NoObject, 2),
    ] {
        let script = script(text);
        let no = ask("command", &script.path, 20.0, |_| {}).expect_err(text);
        assert_eq!(no.why, why, "{text}: {no}");
        assert!(no.attempts <= attempts, "{text}: {} attempts", no.attempts);
    }
    let gone = ask("command", Path::new("/nonexistent/agent"), 5.0, |_| {}).expect_err("no program");
    assert_eq!((gone.why, gone.attempts), (Why::Rejected, 1));
    let script = script("exec 0<&-\necho '{\"no_comment\": true}'");
    let mut settings = settings("", &time(), 20.0);
    settings.program = Some(script.path.clone());
    let provider = (find("command").expect("a kind").open)(&settings, &environment).expect("it opens");
    assert!(provider.ask(&prompt(&large)).is_ok(), "it need not read its input");
    settings.program = Some("./agent".into());
    assert!((find("command").expect("a kind").open)(&settings, &environment).is_err(), "relative to what?");
}

#[test]
fn agents_are_run_without_tools_and_their_words_are_understood() {
    let claude = r#"{"type":"result","subtype":"success","is_error":false,"result":"prose","structured_output":{"no_comment":true},
        "stop_reason":"end_turn","usage":{"input_tokens":3,"cache_read_input_tokens":4,"output_tokens":5}}"#;
    let answer = says("claude", claude, 0).expect("an answer");
    assert_eq!(answer.usage, Usage { prompt_tokens: 7, completion_tokens: 5, cached_tokens: 4 });
    assert_eq!(says("claude", &claude.replace("end_turn", "refusal"), 1).expect_err("refused").why, Why::Refused);
    let failed = claude.replace("\"is_error\":false", "\"is_error\":true,\"api_error_status\":401");
    assert_eq!(says("claude", &failed, 1).expect_err("no key").why, Why::Unauthorised);

    let message = r#"{"type":"item.completed","item":{"type":"agent_message","text":"{\"no_comment\": true}"}}"#;
    let done = r#"{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":1,"output_tokens":2}}"#;
    assert_eq!(says("codex", &format!("{message}\n{done}"), 0).expect("an answer").usage.prompt_tokens, 9);
    assert_eq!(says("codex", done, 0).expect_err("an empty answer").why, Why::Malfunction);
    assert_eq!(says("codex", message, 0).expect_err("no end").why, Why::Malfunction);
    let failed = r#"{"type":"turn.failed","error":{"message":"stream error"}}"#;
    assert_eq!(says("codex", &format!("{message}\n{failed}"), 1).expect_err("failed").why, Why::Unavailable);

    let gemini = r#"{"response":"{\"no_comment\": true}","stats":{"models":{"m":{"tokens":{"prompt":8,"candidates":2,"thoughts":1}}}}}"#;
    assert_eq!(says("gemini-cli", gemini, 0).expect("an answer").usage.completion_tokens, 3);
    let blocked = r#"{"response":"","error":{"type":"INVALID_STREAM"}}"#;
    assert_eq!(says("gemini-cli", blocked, 0).expect_err("blocked").why, Why::Malfunction);
    assert_eq!(says("gemini-cli", "", 41).expect_err("no key").why, Why::Unavailable);

    let message = r#"{"type":"assistant.message","data":{"content":"{\"no_comment\": true}"}}"#;
    let end = |code: u8| format!("{message}\n{{\"type\":\"result\",\"exitCode\":{code}}}");
    assert!(says("copilot", &end(0), 0).is_ok());
    assert_eq!(says("copilot", &end(1), 1).expect_err("failed").why, Why::Unavailable);
    assert!(says("llm", ANSWER, 0).is_ok());

    for (kind, arguments) in [
        ("claude", &["--tools=", "--bare", "--model m-1", "--json-schema {"][..]),
        ("codex", &["-s read-only", "--ephemeral", "--output-schema /", " more -"]),
        ("gemini-cli", &["--approval-mode plan", "-m m-1"]),
        ("copilot", &["--disable-builtin-mcps", "--no-custom-instructions"]),
        ("llm", &["-n", "--schema /"]),
    ] {
        let script = script("echo \" $* \" >$out/args\ncat >$out/input");
        drop(ask(kind, &script.path, 20.0, |settings| settings.arguments = vec!["more".into()]));
        let given = script.wrote("args");
        assert!(arguments.iter().all(|argument| given.contains(argument)), "{kind}: {given}");
        assert!(script.wrote("input").ends_with("the change"), "{kind}");
    }
}

#[test]
fn a_program_that_repeats_its_key_does_not_spread_it() {
    let script = script(
        "cat >/dev/null\necho \"{\\\"x\\\": \\\"$ANTHROPIC_API_KEY\\\"}\"\necho $ANTHROPIC_API_KEY >&2\nexit $out_code",
    );
    let outcome = ask("claude", &script.path, 20.0, |_| {});
    assert!(!format!("{outcome:?}").contains(KEY), "{outcome:?}");
    let failing = super::programs::script("echo $OPENAI_API_KEY >&2; exit 1");
    let no = ask("llm", &failing.path, 20.0, |_| {}).expect_err("it fails");
    assert!(no.message.contains("‹key›"), "{no}");
}
