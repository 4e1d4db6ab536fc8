//! What is sent: the dialects' bodies, the ladder, and what the run remembers.

use serde_json::{Value, json};

use super::super::preset::{self, PRESETS};
use super::super::service::extra_fields;
use super::super::{Prompt, Provider as _, Usage};
use super::behaviours::Wire;
use super::server::{Act, Received, Server};
use super::{ANSWER, KEY, prompt, service, settings, time};

/// The requests of two prompts to one service.
fn sent(preset: &'static preset::Preset, acts: Vec<Act>, temperature: Option<f32>) -> Vec<Received> {
    let server = Server::start(acts);
    let mut settings = settings(&server.url(), &time(), 20.0);
    settings.temperature = temperature;
    let provider = service(preset, &settings);
    for user in ["one", "two"] {
        provider.ask(&prompt(user)).expect("the server answers");
    }
    server.received()
}

fn refusal(param: &str, message: &str) -> Act {
    let error = json!({"error": {"message": message, "param": param, "code": "unsupported_parameter"}});
    Act::reply(400, error.to_string())
}

#[test]
fn chat_completions_are_asked_as_documented() {
    let requests = sent(&preset::OPENAI, vec![Wire::OpenAi.says(ANSWER)], None);
    let request = &requests[0];
    assert_eq!(request.line, "POST /chat/completions HTTP/1.1\r\n");
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("accept-encoding"), None);
    let expected = json!({
        "model": "m-1",
        "messages": [{"role": "system", "content": "You review a change."}, {"role": "user", "content": "one"}],
        "max_completion_tokens": 1000,
        "store": false,
        "response_format": {"type": "json_schema", "json_schema": {
            "name": "review", "strict": true, "schema": prompt("").schema.json,
        }},
    });
    assert_eq!(request.json(), expected);
}

#[test]
fn messages_are_asked_as_documented() {
    let requests = sent(&preset::ANTHROPIC, vec![Wire::Anthropic.says(ANSWER)], Some(0.2));
    let request = &requests[1];
    assert_eq!(request.line, "POST /v1/messages HTTP/1.1\r\n");
    assert_eq!((request.header("x-api-key"), request.header("authorization")), (Some(KEY), None));
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    let expected = json!({
        "model": "m-1",
        "max_tokens": 1000,
        "system": [{"type": "text", "text": "You review a change.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "two"}],
        "output_config": {"format": {"type": "json_schema", "schema": prompt("").schema.json}},
        "temperature": 0.2,
    });
    assert_eq!(request.json(), expected);
}

#[test]
fn ollama_is_told_never_to_shorten_a_prompt() {
    let requests = sent(&preset::OLLAMA, vec![Wire::Ollama.says(ANSWER)], None);
    let body = requests[0].json();
    assert_eq!(requests[0].line, "POST /api/chat HTTP/1.1\r\n");
    for field in ["stream", "truncate", "shift"] {
        assert_eq!(body[field], json!(false), "{field}");
    }
    assert_eq!(body["options"], json!({"num_ctx": 32768, "num_predict": 1000}));
    assert_eq!(body["format"], prompt("").schema.json);
    let server = Server::start(vec![Wire::Ollama.says(ANSWER)]);
    let provider = service(&preset::OLLAMA, &settings(&server.url(), &time(), 20.0));
    provider.ask(&Prompt { user: "x".repeat(100_000), ..prompt("") }).expect("the server answers");
    assert_eq!(server.received()[0].json()["options"]["num_ctx"], json!(65536));
}

#[test]
fn each_refusal_of_the_format_is_a_step_that_the_run_remembers() {
    let no = || refusal("response_format", "response_format is not supported");
    let requests = sent(&preset::OPENAI, vec![no(), no(), no(), Wire::OpenAi.says(ANSWER)], None);
    let formats: Vec<Value> = requests.iter().map(|request| request.json()["response_format"].clone()).collect();
    assert_eq!(formats[0]["json_schema"]["strict"], json!(true));
    assert_eq!((&formats[1]["type"], &formats[1]["json_schema"]["strict"]), (&json!("json_schema"), &Value::Null));
    assert_eq!(formats[2], json!({"type": "json_object"}));
    assert_eq!((&formats[3], &formats[4]), (&Value::Null, &Value::Null));
    assert_eq!(requests.len(), 5, "the second prompt asks once");
    let systems: Vec<_> = requests.iter().map(|request| request.json()["messages"][0]["content"].to_string()).collect();
    assert!(!systems[1].contains("no_comment") && systems[2].contains("no_comment") && systems[4].contains("JSON"));
}

#[test]
fn refused_fields_stay_away() {
    let acts = vec![
        refusal("temperature", "temperature is not supported"),
        refusal("max_completion_tokens", "Unsupported parameter; use max_tokens instead"),
        refusal("store", "Unrecognized request argument supplied: store"),
        Wire::OpenAi.says(ANSWER),
    ];
    let requests = sent(&preset::OPENAI, acts, Some(0.5));
    assert_eq!(requests.len(), 5);
    let (first, last) = (requests[0].json(), requests[4].json());
    for field in ["temperature", "max_completion_tokens", "store"] {
        assert!(first.get(field).is_some() && last.get(field).is_none(), "{field}");
    }
    assert_eq!(last["max_tokens"], json!(1000));
    assert!(last["response_format"]["json_schema"]["strict"].is_boolean());
}

#[test]
fn a_cut_answer_is_asked_for_with_more_room_and_prose_with_the_schema_in_words() {
    let cut = Wire::OpenAi.ended(&json!("length"), &json!("{"));
    let acts = vec![Act::reply(200, cut.to_string()), Wire::OpenAi.says(ANSWER)];
    let requests = sent(&preset::OPENAI, acts, None);
    let room = |index: usize| requests[index].json()["max_completion_tokens"].clone();
    assert_eq!((room(0), room(1), room(2)), (json!(1000), json!(2000), json!(1000)));
    let requests = sent(&preset::GROQ, vec![Wire::OpenAi.says("prose"), Wire::OpenAi.says(ANSWER)], None);
    let explained = |index: usize| requests[index].json()["messages"][0]["content"].to_string().contains("schema");
    assert_eq!((explained(0), explained(1), explained(2)), (false, true, false));
    let server =
        Server::start(vec![Act::reply(200, Wire::Anthropic.ended(&json!("max_tokens"), &json!("")).to_string())]);
    let provider = service(&preset::ANTHROPIC, &settings(&server.url(), &time(), 20.0));
    let no = provider.ask(&Prompt { answer_tokens: 50_000, ..prompt("") }).expect_err("it is cut");
    assert_eq!(no.attempts, 1, "no more can be asked for");
    assert_eq!(server.received()[0].json()["max_tokens"], json!(21_333));
}

#[test]
fn tokens_are_counted_over_all_attempts() {
    let server = Server::start(vec![Wire::OpenAi.says("prose"), Wire::OpenAi.says(ANSWER)]);
    let provider = service(&preset::OPENAI, &settings(&server.url(), &time(), 20.0));
    let answer = provider.ask(&prompt("x")).expect("the second is an answer");
    assert_eq!(answer.usage, Usage { prompt_tokens: 200, completion_tokens: 14, cached_tokens: 128 });
    let server = Server::start(vec![Wire::Anthropic.says(ANSWER)]);
    let provider = service(&preset::ANTHROPIC, &settings(&server.url(), &time(), 20.0));
    let usage = provider.ask(&prompt("x")).expect("an answer").usage;
    assert_eq!(usage, Usage { prompt_tokens: 100, completion_tokens: 7, cached_tokens: 64 });
}

#[test]
fn every_preset_sends_only_what_its_service_takes() {
    for preset in PRESETS {
        let wire = Wire::ALL.into_iter().find(|wire| wire.preset().dialect.path == preset.dialect.path);
        let requests = sent(preset, vec![wire.expect("a known dialect").says(ANSWER)], None);
        let (body, request) = (requests[0].json(), &requests[0]);
        assert!(body.get("temperature").is_none() && body.get("seed").is_none(), "{}", preset.name);
        assert_eq!(body.get("store").is_some(), preset.store, "{}", preset.name);
        let keys = [request.header("authorization"), request.header("x-api-key"), request.header("api-key")];
        assert!(keys.iter().flatten().count() == 1, "{}: one key in one header", preset.name);
        assert!(extra_fields(preset.extra).keys().all(|key| body.get(key).is_some()), "{}", preset.name);
        let kind = body["response_format"]["type"].as_str();
        match preset.name {
            "llama-cpp-python" => assert!(body["response_format"]["schema"].is_object()),
            "deepseek" => assert_eq!(kind, Some("json_object")),
            "ollama" | "anthropic" => assert_eq!(kind, None),
            name => assert_eq!(kind, Some("json_schema"), "{name}"),
        }
    }
}

#[test]
fn threads_share_a_provider_and_what_it_has_learnt() {
    let no = refusal("response_format", "response_format is not supported");
    let server = Server::start(vec![no, Wire::OpenAi.says(ANSWER)]);
    let provider = service(&preset::OPENAI, &settings(&server.url(), &time(), 20.0));
    provider.ask(&prompt("first")).expect("an answer");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let provider = &provider;
            scope.spawn(move || provider.ask(&prompt(&number.to_string())).expect("an answer"));
        }
    });
    assert_eq!(server.connections(), 10);
}
