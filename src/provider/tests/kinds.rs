//! The list of kinds, and what each needs to be opened.

use std::collections::BTreeSet;
use std::ffi::OsString;

use super::super::preset::PRESETS;
use super::super::{Error, KINDS, Settings, Why, find};
use super::server::Server;
use super::{ANSWER, KEY, behaviours::Wire, only_keys, prompt, settings, time};

/// Variables and their values.
type Set = &'static [(&'static str, &'static str)];

/// A variable list as an environment.
fn env(set: Set) -> impl Fn(&str) -> Option<OsString> {
    move |name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
}

fn plain(url: Option<&str>) -> Settings {
    Settings { base_url: url.map(str::to_owned), ..settings("", &time(), 5.0) }
}

#[test]
fn kinds_have_names_of_their_own_and_every_preset_is_one() {
    let names: BTreeSet<_> = KINDS.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), KINDS.len());
    assert!(PRESETS.iter().all(|preset| names.contains(preset.name)));
    for kind in &KINDS {
        assert_eq!(find(kind.name).expect("it is listed").help, kind.help);
    }
    let error = find("antropic").err().expect("misspelt").to_string();
    assert!(error.contains("did you mean `anthropic`?"), "{error}");
}

#[test]
fn a_missing_key_is_said_for_each_prompt_and_nothing_is_sent() {
    let server = Server::start(vec![Wire::OpenAi.says(ANSWER)]);
    let provider = (find("openai").expect("a kind").open)(&plain(Some(&server.url())), &|_| None).expect("it opens");
    let no = provider.ask(&prompt("x")).expect_err("no key");
    assert_eq!((no.why, no.attempts, server.connections()), (Why::NoKey, 0, 0));
    assert!(no.message.contains("OPENAI_API_KEY"), "{}", no.message);
    let local = (find("vllm").expect("a kind").open)(&plain(Some(&server.url())), &|_| None).expect("it opens");
    assert!(local.ask(&prompt("x")).is_ok(), "a local server needs none");
}

#[test]
fn addresses_come_from_the_setting_the_variable_or_the_service() {
    let cases: [(&str, Set, &str); 9] = [
        ("openai", &[], "https://api.openai.com/v1"),
        ("openai", &[("OPENAI_BASE_URL", "https://llm.example/v1/")], "https://llm.example/v1"),
        ("azure", &[("AZURE_OPENAI_ENDPOINT", "https://r.openai.azure.com/")], "https://r.openai.azure.com/openai/v1"),
        ("groq", &[("GROQ_BASE_URL", "https://g.example")], "https://g.example/openai/v1"),
        ("bedrock", &[("AWS_REGION", "eu-central-1")], "https://bedrock-mantle.eu-central-1.api.aws/openai/v1"),
        ("ollama", &[("OLLAMA_HOST", "0.0.0.0")], "http://127.0.0.1:11434"),
        ("ollama", &[("OLLAMA_HOST", "box:8080")], "http://box:8080"),
        ("ollama", &[("OLLAMA_HOST", "https://ollama.com")], "https://ollama.com"),
        ("ollama", &[("OLLAMA_HOST", ":1234")], "http://127.0.0.1:1234"),
    ];
    for (name, set, url) in cases {
        let both = |variable: &str| env(set)(variable).or_else(|| only_keys(variable));
        let provider =
            (find(name).expect("a kind").open)(&plain(None), &both).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(provider.identity(), format!("{name} {url} m-1"));
    }
    let region = env(&[("AWS_REGION", "x.evil.example/"), ("AWS_BEARER_TOKEN_BEDROCK", "abcd")]);
    assert!(matches!(
        (find("bedrock").expect("a kind").open)(&plain(None), &region).err(),
        Some(Error::BadVariable { .. })
    ));
    for name in ["azure", "bedrock"] {
        let error = (find(name).expect("a kind").open)(&plain(None), &only_keys).err();
        assert!(matches!(error, Some(Error::Missing { .. })), "{name}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused_before_anything_is_sent() {
    let open = |settings: &Settings, set| (find("openai").expect("a kind").open)(settings, &env(set)).err();
    for url in ["", "example.com", "ftp://example.com", "https://", "http://user@example.com"] {
        assert!(matches!(open(&plain(Some(url)), &[]), Some(Error::BadUrl { .. })), "{url}");
    }
    let nameless = Settings { model: " ".to_owned(), ..plain(None) };
    assert!(matches!(open(&nameless, &[]), Some(Error::Missing { .. })));
    for temperature in [-0.1, 2.5, f32::NAN] {
        let hot = Settings { temperature: Some(temperature), ..plain(None) };
        assert!(matches!(open(&hot, &[]), Some(Error::BadTemperature(_))), "{temperature}");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("ca.pem");
    for content in ["", "no certificate", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n"] {
        std::fs::write(&file, content).expect("it is written");
        let trusting = Settings { ca_file: Some(file.clone()), ..plain(None) };
        let error = (find("openai").expect("a kind").open)(&trusting, &only_keys).err();
        assert!(matches!(error, Some(Error::Certificates { .. })), "{content:?}");
    }
    let set = |name: &str| (name == "DIFFSIEVE_CA").then(|| "/nonexistent/ca.pem".into()).or_else(|| only_keys(name));
    assert!(matches!(
        (find("openai").expect("a kind").open)(&plain(None), &set).err(),
        Some(Error::Certificates { .. })
    ));
    for name in ["replay", "queue", "command", "claude"] {
        let nothing = Settings { model: String::new(), ..plain(None) };
        let error = (find(name).expect("a kind").open)(&nothing, &|_| None).err();
        assert!(matches!(error, Some(Error::Missing { .. })), "{name}");
    }
}

#[test]
fn the_second_variable_of_a_key_is_a_bearer_token_and_a_proxy_is_used() {
    let server = Server::start(vec![Wire::Anthropic.says(ANSWER)]);
    let set = |name: &str| (name == "ANTHROPIC_AUTH_TOKEN").then(|| OsString::from(KEY));
    let kind = find("anthropic").expect("a kind");
    let provider = (kind.open)(&plain(Some(&server.url())), &set).expect("it opens");
    provider.ask(&prompt("x")).expect("an answer");
    let request = &server.received()[0];
    assert_eq!(request.header("x-api-key"), None);
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let proxy = Server::start(vec![super::server::Act::reply(407, "")]);
    let url = proxy.url();
    let set = |name: &str| match name {
        "http_proxy" => Some(OsString::from(&url)),
        other => only_keys(other),
    };
    let provider = (kind.open)(&plain(Some("http://model.invalid")), &set).expect("it opens");
    assert!(provider.ask(&prompt("x")).is_err());
    assert!(proxy.connections() > 0, "it was asked through the proxy");
}

#[test]
fn a_server_that_is_not_there_is_unavailable_after_three_attempts() {
    let closed = {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        listener.local_addr().expect("it is bound")
    };
    let provider = (find("vllm").expect("a kind").open)(&plain(Some(&format!("http://{closed}"))), &|_| None);
    let no = provider.expect("it opens").ask(&prompt("x")).expect_err("nobody listens");
    assert_eq!((no.why, no.attempts), (Why::Unavailable, 3), "{no}");
    let late = Settings { deadline: std::time::Instant::now(), ..plain(Some(&format!("http://{closed}"))) };
    let provider = (find("vllm").expect("a kind").open)(&late, &|_| None).expect("it opens");
    let no = provider.ask(&prompt("x")).expect_err("it is too late");
    assert_eq!((no.why, no.attempts), (Why::Deadline, 0), "{no}");
}
