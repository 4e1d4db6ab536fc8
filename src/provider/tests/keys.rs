//! A planted key is in the header and nowhere else.

use std::ffi::OsString;
use std::fs;
use std::sync::Arc;

use serde_json::json;

use super::super::http::Base;
use super::super::preset::{self, PRESETS};
use super::super::{Cache, Cached, KINDS, Provider as _, Recorded};
use super::behaviours::Wire;
use super::server::{Act, Server};
use super::{KEY, only_keys, prompt, service, settings, time};

#[test]
fn a_server_that_repeats_the_key_does_not_spread_it() {
    let echo = format!("you sent Bearer {KEY} and {KEY}");
    for (act, answered) in [
        (Act::reply(401, json!({"error": {"message": echo}}).to_string()), false),
        (Act::reply(500, echo.clone()), false),
        (Act::reply(400, [b"\xff ", echo.as_bytes()].concat()), false),
        (Act::reply(200, json!({"error": echo}).to_string()), false),
        (Act::reply(200, Wire::OpenAi.ended(&json!(KEY), &json!("{}")).to_string()), false),
        (Wire::OpenAi.says(&json!({"no_comment": true, "x": echo}).to_string()), true),
        (Wire::OpenAi.says(&format!("{{\"x\": \"{}\"}}", KEY.replace('-', "\\u002d"))), true),
    ] {
        let server = Server::start(vec![act]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let provider = service(&preset::OPENAI, &settings(&server.url(), &time(), 20.0));
        let cache = Arc::new(Cache::open(folder.path().join("cache"), 1 << 20).expect("a cache"));
        let recorded =
            Recorded::new(Cached::new(provider, cache, "1"), folder.path().join("record")).expect("a folder");
        let outcome = recorded.ask(&prompt("x"));
        assert_eq!(outcome.is_ok(), answered, "{outcome:?}");
        if let Ok(answer) = &outcome {
            let value: serde_json::Value = serde_json::from_str(&answer.text).expect("an object");
            assert!(!value.to_string().contains(KEY), "spelt with escapes: {value}");
        }
        let mut texts = vec![format!("{outcome:?}"), recorded.identity()];
        texts.extend(outcome.err().map(|no| no.to_string()));
        for name in ["cache", "record"] {
            for entry in fs::read_dir(folder.path().join(name)).expect("it was made") {
                texts.push(fs::read_to_string(entry.expect("an entry").path()).expect("a text"));
            }
        }
        assert!(!answered || texts.len() == 4, "cached and recorded");
        assert!(texts.iter().all(|text| !text.contains(KEY)), "{texts:?}");
        assert!(!server.received()[0].line.contains(KEY));
    }
}

#[test]
fn no_error_of_opening_repeats_a_key_or_a_password() {
    let time = time();
    for preset in PRESETS {
        for value in [format!("{KEY} x"), format!("{KEY}\u{e4}"), format!("{KEY}\r\nx-other: 1")] {
            let env = |name: &str| (name.contains("KEY") || name.contains("TOKEN")).then(|| OsString::from(&value));
            let kind = KINDS.iter().find(|kind| kind.name == preset.name).expect("every preset is a kind");
            let error = (kind.open)(&settings("http://127.0.0.1:9", &time, 1.0), &env).err().expect("no header");
            assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
        }
    }
    for url in [
        format!("https://user:{KEY}@example.com/v1"),
        format!("https://{KEY}@example.com/v1"),
        format!("user:{KEY}@example.com"),
        format!("https://example.com/v1?key={KEY}"),
        format!("https://example.com/v1#{KEY}"),
        format!("https://a b:{KEY}@example.com"),
    ] {
        let error = Base::parse(&url).err().expect("it is refused");
        assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
    }
}

#[test]
fn no_debug_text_holds_a_key() {
    let settings = settings("http://127.0.0.1:9", &time(), 1.0);
    for kind in &KINDS[..14] {
        let provider = (kind.open)(&settings, &only_keys).unwrap_or_else(|error| panic!("{}: {error}", kind.name));
        assert!(!provider.identity().contains(KEY), "{}", kind.name);
    }
    let secret = super::super::secret::Secret::new(&format!("{KEY}\n")).expect("a key with the end of its line");
    assert_eq!((secret.expose(), format!("{secret:?}").contains("sk")), (KEY, false));
    assert!(!format!("{settings:?}").contains(KEY));
}
