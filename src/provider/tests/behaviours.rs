//! What servers do, and what each must come to: the table of `docs/faults.md`.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::Why;
use super::super::preset::{self, Preset};
use super::ANSWER;
use super::server::Act;

/// A dialect as the server speaks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    OpenAi,
    Anthropic,
    Ollama,
}

impl Wire {
    pub(crate) const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Ollama];

    pub(super) fn preset(self) -> &'static Preset {
        match self {
            Self::OpenAi => &preset::OPENAI,
            Self::Anthropic => &preset::ANTHROPIC,
            Self::Ollama => &preset::OLLAMA,
        }
    }

    /// The envelope of an answer that ended for this reason.
    pub(super) fn ended(self, reason: &Value, content: &Value) -> Value {
        match self {
            Self::OpenAi => json!({
                "object": "chat.completion",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": content, "refusal": null},
                             "finish_reason": reason}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}},
            }),
            Self::Anthropic => json!({
                "type": "message", "role": "assistant", "stop_reason": reason, "stop_details": null,
                "content": if content.is_array() { content.clone() } else { json!([{"type": "text", "text": content}]) },
                "usage": {"input_tokens": 36, "cache_read_input_tokens": 64, "cache_creation_input_tokens": 0,
                          "output_tokens": 7},
            }),
            Self::Ollama => json!({
                "model": "m", "message": {"role": "assistant", "content": content}, "done": true,
                "done_reason": reason, "prompt_eval_count": 100, "eval_count": 7,
            }),
        }
    }

    pub(super) fn good_end(self) -> &'static str {
        if self == Self::Anthropic { "end_turn" } else { "stop" }
    }

    fn cut_end(self) -> &'static str {
        if self == Self::Anthropic { "max_tokens" } else { "length" }
    }

    /// A complete answer with this text.
    pub(super) fn says(self, text: &str) -> Act {
        self.holds(&json!(text))
    }

    fn holds(self, content: &Value) -> Act {
        Act::reply(200, self.ended(&json!(self.good_end()), content).to_string())
    }

    /// An error body.
    fn error(self, kind: &str, message: &str) -> String {
        match self {
            Self::OpenAi => json!({"error": {"message": message, "type": "x", "param": null, "code": kind}}),
            Self::Anthropic => json!({"type": "error", "error": {"type": kind, "message": message}}),
            Self::Ollama => json!({"error": message}),
        }
        .to_string()
    }
}

/// What must come of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expected {
    /// The reason, or `None` for an answer.
    pub(crate) why: Option<Why>,
    pub(crate) attempts: u32,
}

pub(crate) struct Row {
    pub(crate) group: &'static str,
    pub(crate) name: String,
    pub(crate) acts: Box<dyn Fn(Wire) -> Vec<Act> + Send + Sync>,
    /// For each of [`Wire::ALL`]; `None` where the dialect has no such thing.
    pub(crate) expected: [Option<Expected>; 3],
    /// Seconds until the deadline.
    pub(crate) seconds: f64,
    /// Pauses in milliseconds, where they are the server's to choose.
    pub(super) waits: Option<Vec<u64>>,
}

impl Row {
    fn only(mut self, wires: &[Wire]) -> Self {
        for (wire, expected) in Wire::ALL.iter().zip(&mut self.expected) {
            if !wires.contains(wire) {
                *expected = None;
            }
        }
        self
    }

    fn but(mut self, wire: Wire, why: Option<Why>, attempts: u32) -> Self {
        for (other, expected) in Wire::ALL.iter().zip(&mut self.expected) {
            if *other == wire {
                *expected = Some(Expected { why, attempts });
            }
        }
        self
    }

    fn within(mut self, seconds: f64) -> Self {
        self.seconds = seconds;
        self
    }

    fn waits(mut self, waits: &[u64]) -> Self {
        self.waits = Some(waits.to_vec());
        self
    }
}

struct Table {
    group: &'static str,
    rows: Vec<Row>,
}

impl Table {
    fn add(
        &mut self,
        name: impl Into<String>,
        why: impl Into<Option<Why>>,
        attempts: u32,
        acts: impl Fn(Wire) -> Vec<Act> + Send + Sync + 'static,
    ) {
        let row = self.row(name, why, attempts, acts);
        self.rows.push(row);
    }

    fn row(
        &self,
        name: impl Into<String>,
        why: impl Into<Option<Why>>,
        attempts: u32,
        acts: impl Fn(Wire) -> Vec<Act> + Send + Sync + 'static,
    ) -> Row {
        let expected = Some(Expected { why: why.into(), attempts });
        let (name, acts) = (name.into(), Box::new(acts));
        Row { group: self.group, name, acts, expected: [expected; 3], seconds: 20.0, waits: None }
    }
}

/// Every behaviour.
pub(crate) fn table() -> Vec<Row> {
    let mut table = Table { group: "", rows: Vec::new() };
    for (group, rows) in [
        ("Status codes", statuses as fn(&mut Table)),
        ("Waiting as asked", waits),
        ("Recovery", recovery),
        ("Connections", connections),
        ("Envelopes", envelopes),
        ("How an answer ended", endings),
        ("What the model wrote", texts),
        ("Errors with a reason", reasons),
        ("Errors inside a success", errors_inside_success),
        ("Fields that a server refuses", fields),
    ] {
        table.group = group;
        rows(&mut table);
    }
    table.rows
}

fn statuses(table: &mut Table) {
    use Why::{Exhausted, Malfunction, Rejected, TooLarge, Unauthorised, Unavailable};
    for (status, why, attempts) in [
        (300, Rejected, 1),
        (301, Rejected, 1),
        (302, Rejected, 1),
        (303, Rejected, 1),
        (304, Rejected, 1),
        (307, Rejected, 1),
        (308, Rejected, 1),
        (400, Rejected, 1),
        (401, Unauthorised, 1),
        (402, Exhausted, 1),
        (403, Unauthorised, 1),
        (404, Rejected, 1),
        (405, Rejected, 1),
        (408, Unavailable, 3),
        (409, Unavailable, 3),
        (410, Rejected, 1),
        (413, TooLarge, 1),
        (415, Rejected, 1),
        (418, Rejected, 1),
        (422, Rejected, 1),
        (424, Malfunction, 2),
        (429, Unavailable, 3),
        (451, Rejected, 1),
        (498, Rejected, 1),
        (500, Unavailable, 3),
        (501, Unavailable, 3),
        (502, Unavailable, 3),
        (503, Unavailable, 3),
        (504, Unavailable, 3),
        (520, Unavailable, 3),
        (524, Unavailable, 3),
        (529, Unavailable, 3),
        (599, Unavailable, 3),
    ] {
        table.add(format!("{status}"), why, attempts, move |wire| {
            let act = Act::reply(status, wire.error("some_error", "no"));
            vec![if status < 400 { act.with("location", "http://127.0.0.1:1/elsewhere") } else { act }]
        });
    }
    table.add("201 with an answer", None, 1, |wire| {
        vec![Act::reply(201, wire.ended(&json!(wire.good_end()), &json!(ANSWER)).to_string())]
    });
    table.add("204", Malfunction, 2, |_| vec![Act::Raw(b"HTTP/1.1 204 X\r\n\r\n".to_vec())]);
    table.add("302 to a server that would answer", Rejected, 1, |wire| {
        vec![Act::reply(302, "").with("location", "/v1/chat/completions"), wire.says(ANSWER)]
    });
    table.add("500 with a page of HTML", Unavailable, 3, |_| vec![Act::reply(500, "<html>Bad Gateway</html>")]);
    table.add("400 with 50 MB", Rejected, 1, |_| vec![Act::reply(400, vec![b'x'; 50 << 20])]);
    table.add("401 without a body", Unauthorised, 1, |_| vec![Act::reply(401, "")]);
    table.add("404 with invalid UTF-8", Rejected, 1, |_| vec![Act::reply(404, b"\xff\xfe\x00".to_vec())]);
}

fn waits(table: &mut Table) {
    use Why::Unavailable;
    let busy = |status: u16| move |wire: Wire| Act::reply(status, wire.error("rate_limit_exceeded", "slow down"));
    type Case = (u16, &'static str, &'static str, u32, Option<&'static [u64]>);
    let headers: [Case; 14] = [
        (429, "retry-after", "2", 3, Some(&[2000, 2000])),
        (429, "retry-after", "0.5", 3, Some(&[500, 500])),
        (429, "retry-after-ms", "300", 3, Some(&[300, 300])),
        (429, "retry-after", "Sun, 06 Nov 1994 08:49:40 GMT", 3, Some(&[3000, 3000])),
        (429, "llm_provider-retry-after", "4", 3, Some(&[4000, 4000])),
        (503, "retry-after", "1", 3, Some(&[1000, 1000])),
        (529, "retry-after", "1", 3, Some(&[1000, 1000])),
        (408, "retry-after", "1", 3, Some(&[1000, 1000])),
        (429, "retry-after", "soon", 3, None),
        (429, "retry-after", "0", 3, None),
        (429, "retry-after", "-5", 3, None),
        (429, "retry-after", "121", 1, Some(&[])),
        (503, "retry-after", "3600", 1, Some(&[])),
        (429, "retry-after", "60", 1, Some(&[])),
    ];
    for (status, name, value, attempts, waits) in headers {
        let act = busy(status);
        let note = if value == "60" { " (more than is left)" } else { "" };
        let mut row = table.row(format!("{status}, `{name}: {value}`{note}"), Unavailable, attempts, move |wire| {
            vec![act(wire).with(name, value)]
        });
        row.waits = waits.map(<[u64]>::to_vec);
        table.rows.push(row);
    }
    let row = table.row("429, Gemini's `RetryInfo` of 7 s in a list of one", Unavailable, 3, |_| {
        let detail = json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"});
        let error = json!({"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota", "details": [detail]});
        vec![Act::reply(429, json!([{ "error": error }]).to_string())]
    });
    table.rows.push(row.waits(&[7000, 7000]));
    for (status, value, why, attempts) in [
        (429, "false", Unavailable, 1),
        (500, "false", Unavailable, 1),
        (400, "true", Why::Rejected, 3),
        (401, "true", Why::Unauthorised, 1),
    ] {
        table.add(format!("{status}, `x-should-retry: {value}`"), why, attempts, move |wire| {
            vec![Act::reply(status, wire.error("x", "no")).with("x-should-retry", value)]
        });
    }
}

fn recovery(table: &mut Table) {
    for status in [408, 409, 424, 429, 500, 502, 503, 529] {
        table.add(format!("{status}, then an answer"), None, 2, move |wire| {
            vec![Act::reply(status, wire.error("x", "no")), wire.says(ANSWER)]
        });
    }
    table.add("500, reset, then an answer", None, 3, |wire| vec![Act::reply(500, ""), Act::Reset, wire.says(ANSWER)]);
    table.add("prose, then an answer", None, 2, |wire| vec![wire.says("I found nothing."), wire.says(ANSWER)]);
    table.add("cut at the token limit, then an answer", None, 2, |wire| {
        let cut = wire.ended(&json!(wire.cut_end()), &json!("{\"no_com"));
        vec![Act::reply(200, cut.to_string()), wire.says(ANSWER)]
    });
    table.add("HTML with 200, then an answer", None, 2, |wire| vec![Act::reply(200, "<html>"), wire.says(ANSWER)]);
}

fn connections(table: &mut Table) {
    use Why::{Deadline, Malfunction, Unavailable};
    table.add("an answer", None, 1, |wire| vec![wire.says(ANSWER)]);
    table.add("reset", Unavailable, 3, |_| vec![Act::Reset]);
    table.add("end of connection without a byte", Unavailable, 3, |_| vec![Act::Raw(Vec::new())]);
    table.add("end of connection in the head", Unavailable, 3, |_| vec![Act::Raw(b"HTTP/1.1 200 X\r\ncont".to_vec())]);
    table.add("body shorter than promised", Unavailable, 3, |_| {
        vec![Act::Raw(b"HTTP/1.1 200 X\r\ncontent-length: 500\r\n\r\n{\"choices\": [".to_vec())]
    });
    table.add("chunked, without its end", Unavailable, 3, |_| {
        vec![Act::Raw(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n10\r\n{\"a\"".to_vec())]
    });
    table.add("no HTTP at all", Malfunction, 2, |_| vec![Act::Raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n".to_vec())]);
    table.add("a head of 200 KB", Malfunction, 2, |_| {
        vec![Act::Raw([b"HTTP/1.1 200 X\r\nx: ", &[b'x'; 200_000][..], b"\r\n\r\n"].concat())]
    });
    table.add("10,000 headers", Malfunction, 2, |_| {
        let headers: String = (0..10_000).map(|n| format!("a{n}: b\r\n")).collect();
        vec![Act::Raw(format!("HTTP/1.1 200 X\r\n{headers}\r\n").into_bytes())]
    });
    let row = table.row("silence", Deadline, 1, |_| vec![Act::Hang]);
    table.rows.push(row.within(0.3));
    let row = table.row("an answer that drips, a byte each 10 ms", Deadline, 1, |wire| {
        let body = wire.ended(&json!(wire.good_end()), &json!(ANSWER)).to_string();
        vec![Act::Drip(body.into_bytes(), Duration::from_millis(10))]
    });
    table.rows.push(row.within(0.3));
    let row = table.row("blank lines without end", Deadline, 1, |_| {
        vec![Act::Repeat("HTTP/1.1 200 X\r\n\r\n", b"\n".to_vec(), 10)]
    });
    table.rows.push(row.within(0.3));
    let row = table.row("an error that drips without end", Deadline, 1, |_| {
        vec![Act::Repeat("HTTP/1.1 503 X\r\n\r\n", b"x".to_vec(), 10)]
    });
    table.rows.push(
        row.within(0.3).but(Wire::OpenAi, Some(Unavailable), 1).but(Wire::Anthropic, Some(Unavailable), 1).but(
            Wire::Ollama,
            Some(Unavailable),
            1,
        ),
    );
    table.add("blank lines before an answer", None, 1, |wire| {
        vec![Act::reply(200, format!("\n\n\n \n{}", wire.ended(&json!(wire.good_end()), &json!(ANSWER))))]
    });
    table.add("103 Early Hints before an answer", None, 1, |wire| {
        let body = wire.ended(&json!(wire.good_end()), &json!(ANSWER)).to_string();
        let hints = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
        vec![Act::Raw(format!("{hints}HTTP/1.1 200 X\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes())]
    });
    table.add("an answer without a length", None, 1, |wire| {
        let body = wire.ended(&json!(wire.good_end()), &json!(ANSWER));
        vec![Act::Raw(format!("HTTP/1.0 200 X\r\n\r\n{body}").into_bytes())]
    });
    table.add("a chunked answer", None, 1, |wire| {
        let body = wire.ended(&json!(wire.good_end()), &json!(ANSWER)).to_string();
        let head = "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n";
        vec![Act::Raw(format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes())]
    });
}

fn envelopes(table: &mut Table) {
    use Why::Malfunction;
    let bodies: [(&str, &[u8]); 12] = [
        ("an empty body", b""),
        ("HTML with 200", b"<!doctype html><title>Sign in</title>"),
        ("a byte order mark", b"\xef\xbb\xbf{}"),
        ("invalid UTF-8", b"{\"a\": \"\xff\"}"),
        ("UTF-16", b"\xff\xfe{\0}\0"),
        ("`{}`", b"{}"),
        ("`null`", b"null"),
        ("`[]`", b"[]"),
        ("a text", b"\"ok\""),
        ("a stream of events", b"data: {\"choices\": []}\n\ndata: [DONE]\n\n"),
        ("two documents", b"{} {}"),
        ("NUL bytes", b"\0\0\0\0"),
    ];
    for (name, body) in bodies {
        table.add(name, Malfunction, 2, move |_| vec![Act::reply(200, body)]);
    }
    let good = |wire: Wire| wire.ended(&json!(wire.good_end()), &json!(ANSWER)).to_string();
    table.add("JSON that stops in the middle", Malfunction, 2, move |wire| {
        let body = good(wire);
        vec![Act::reply(200, &body.as_bytes()[..body.len() / 2])]
    });
    table.add("the same key twice, the last one good", Malfunction, 2, move |wire| {
        let body = good(wire);
        vec![Act::reply(200, format!("{{\"model\": 1, \"model\": 2, {}", &body[1..]))]
    });
    table.add("the content twice", Malfunction, 2, move |wire| {
        let (field, value) = if wire == Wire::Anthropic { ("text", "") } else { ("content", "") };
        vec![Act::reply(
            200,
            good(wire).replace(&format!("\"{field}\":\""), &format!("\"{field}\":\"{value}\",\"{field}\":\"")),
        )]
    });
    table.add("100,000 levels of nesting", Malfunction, 2, |_| vec![Act::reply(200, "[".repeat(100_000))]);
    table.add("nesting beside a good answer", Malfunction, 2, move |wire| {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        vec![Act::reply(200, format!("{{\"x\": {deep}, {}", &good(wire)[1..]))]
    });
    table.add("50 MB", Malfunction, 1, |_| vec![Act::reply(200, vec![b' '; 50 << 20])]);
    table.add("a body without end", Malfunction, 1, |_| {
        vec![Act::Repeat("HTTP/1.1 200 X\r\n\r\n", vec![b' '; 1 << 20], 0)]
    });
    table.add("gzip that nobody asked for", Malfunction, 2, move |wire| {
        vec![Act::reply(200, gzip(good(wire).as_bytes())).with("content-encoding", "gzip")]
    });
    table.add("a good answer that calls itself gzip", Malfunction, 2, move |wire| {
        vec![Act::reply(200, good(wire)).with("content-encoding", "gzip")]
    });
    table.add("gzip that does not say so", Malfunction, 2, move |wire| {
        vec![Act::reply(200, gzip(good(wire).as_bytes()))]
    });
    table.add("`content-encoding: identity`", None, 1, move |wire| {
        vec![Act::reply(200, good(wire)).with("content-encoding", "identity")]
    });
    table.add("a good answer as text/html", None, 1, move |wire| {
        vec![Act::reply(200, good(wire)).with("content-type", "text/html")]
    });
}

/// A gzip file of one stored block (RFC 1951, 3.2.4; RFC 1952).
fn gzip(content: &[u8]) -> Vec<u8> {
    let mut crc = u32::MAX;
    for byte in content {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1));
        }
    }
    let length = u16::try_from(content.len()).expect("one block");
    let mut file = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01".to_vec();
    file.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
    file.extend(content);
    file.extend((!crc).to_le_bytes().into_iter().chain(u32::from(length).to_le_bytes()));
    file
}

fn endings(table: &mut Table) {
    use Why::{Malfunction, Refused, Truncated, UnknownOutcome};
    table.add("at the token limit, with JSON that parses", Truncated, 2, |wire| {
        vec![Act::reply(200, wire.ended(&json!(wire.cut_end()), &json!(ANSWER)).to_string())]
    });
    table.add("at the token limit, empty", Truncated, 2, |wire| {
        vec![Act::reply(200, wire.ended(&json!(wire.cut_end()), &json!("")).to_string())]
    });
    let ends: [(&str, &[Wire], Why, u32); 15] = [
        ("content_filter", &[Wire::OpenAi], Refused, 1),
        ("model_length", &[Wire::OpenAi], Truncated, 2),
        ("tool_calls", &[Wire::OpenAi], Malfunction, 2),
        ("function_call", &[Wire::OpenAi], Malfunction, 2),
        ("error", &[Wire::OpenAi], Malfunction, 2),
        ("insufficient_system_resource", &[Wire::OpenAi], Malfunction, 2),
        ("refusal", &[Wire::Anthropic], Refused, 1),
        ("model_context_window_exceeded", &[Wire::Anthropic], Truncated, 1),
        ("pause_turn", &[Wire::Anthropic], Truncated, 1),
        ("tool_use", &[Wire::Anthropic], Malfunction, 2),
        ("stop_sequence", &[Wire::Anthropic], UnknownOutcome, 1),
        ("load", &[Wire::Ollama], UnknownOutcome, 1),
        ("STOP", &Wire::ALL, UnknownOutcome, 1),
        ("", &Wire::ALL, UnknownOutcome, 1),
        ("moon_phase", &Wire::ALL, UnknownOutcome, 1),
    ];
    for (reason, wires, why, attempts) in ends {
        let row = table.row(format!("`{reason}`, with JSON that parses"), why, attempts, move |wire| {
            vec![Act::reply(200, wire.ended(&json!(reason), &json!(ANSWER)).to_string())]
        });
        table.rows.push(row.only(wires));
    }
    for (name, reason) in [("null", Value::Null), ("a number", json!(3))] {
        table.add(format!("the reason is {name}"), UnknownOutcome, 1, move |wire| {
            vec![Act::reply(200, wire.ended(&reason, &json!(ANSWER)).to_string())]
        });
    }
    let row = table.row("`refusal` beside an answer", Refused, 1, |wire| {
        let mut body = wire.ended(&json!("stop"), &json!(ANSWER));
        body["choices"][0]["message"]["refusal"] = json!("I cannot help with exploits.");
        vec![Act::reply(200, body.to_string())]
    });
    table.rows.push(row.only(&[Wire::OpenAi]));
    let row = table.row("`refusal` empty beside an answer", None, 1, |wire| {
        let mut body = wire.ended(&json!("stop"), &json!(ANSWER));
        body["choices"][0]["message"]["refusal"] = json!("");
        vec![Act::reply(200, body.to_string())]
    });
    table.rows.push(row.only(&[Wire::OpenAi]));
    let row = table.row("no choices", Malfunction, 2, |_| vec![Act::reply(200, r#"{"choices": []}"#)]);
    table.rows.push(row.only(&[Wire::OpenAi]));
    let row = table.row("`done: false`", Malfunction, 2, |wire| {
        let mut body = wire.ended(&json!("stop"), &json!(ANSWER));
        body["done"] = json!(false);
        vec![Act::reply(200, body.to_string())]
    });
    table.rows.push(row.only(&[Wire::Ollama]));
    let row = table.row("a stream of lines instead of one object", Malfunction, 2, |wire| {
        let line = wire.ended(&json!("stop"), &json!(ANSWER));
        vec![Act::reply(200, format!("{line}\n{line}\n"))]
    });
    table.rows.push(row.only(&[Wire::Ollama]));
}

fn texts(table: &mut Table) {
    use Why::{Malfunction, NoObject};
    for (name, content) in [
        ("null", Value::Null),
        ("a number", json!(5)),
        ("a boolean", json!(true)),
        ("an object", json!({"no_comment": true})),
        ("an empty list", json!([])),
        ("empty", json!("")),
        ("white space", json!(" \n\t")),
        ("a list of texts", json!(["{}"])),
    ] {
        table.add(format!("the content is {name}"), Malfunction, 2, move |wire| vec![wire.holds(&content)]);
    }
    for (name, text) in [
        ("in a fence", format!("```json\n{ANSWER}\n```")),
        ("in prose", format!("Here you are: {ANSWER} I hope it helps.")),
        ("behind its reasoning", format!("<think>{{maybe</think>\n{ANSWER}")),
        ("twice the same", format!("{ANSWER}\n{ANSWER}")),
        ("after code with brackets", format!("`if x {{ y[0] }}` is fine.\n{ANSWER}")),
    ] {
        table.add(format!("the object {name}"), None, 1, move |wire| vec![wire.says(&text)]);
    }
    for (name, text) in [
        ("prose", "There is nothing to report.".to_owned()),
        ("two different objects", "{\"no_comment\": true} {\"no_comment\": false}".to_owned()),
        ("a list", format!("[{ANSWER}]")),
        ("a text that holds an object", json!(ANSWER).to_string()),
        ("the same key twice", "{\"no_comment\": false, \"no_comment\": true}".to_owned()),
        ("an object that stops in the middle", "{\"findings\": [{\"no_comment\": true}".to_owned()),
        ("an object inside a broken one", format!("{{\"a\": {ANSWER}, oops}}")),
        ("reasoning without end", format!("<think>{ANSWER}")),
        ("500 levels of nesting", format!("{{\"a\": {}{}}}", "[".repeat(500), "]".repeat(500))),
        ("half a surrogate", "{\"a\": \"\\ud83d\"}".to_owned()),
    ] {
        table.add(name, NoObject, 2, move |wire| vec![wire.says(&text)]);
    }
    let row = table.row("reasoning and text in parts", None, 1, |wire| {
        vec![wire.holds(&json!([
            {"type": "thinking", "thinking": [{"type": "text", "text": "{\"a\": 1}"}]},
            {"type": "text", "text": "{\"no_comment\""},
            {"type": "text", "text": ": true}"},
        ]))]
    });
    table.rows.push(row.only(&[Wire::OpenAi, Wire::Anthropic]));
}

fn reasons(table: &mut Table) {
    use Why::{Exhausted, Malfunction, Refused, Rejected, TooLarge, Unauthorised, Unavailable};
    let rows: [(&str, u16, Why, u32, Value); 24] = [
        (
            "OpenAI: quota",
            429,
            Exhausted,
            1,
            json!({"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}}),
        ),
        (
            "Anthropic: enforced spend limit",
            429,
            Exhausted,
            1,
            json!({"type": "error", "error": {"type": "rate_limit_error", "message": "limit",
                "details": {"error_code": "enforced_spend_limit_reached"}}}),
        ),
        (
            "Anthropic: own spend limit",
            400,
            Exhausted,
            1,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "You have reached your specified API spend limit"}}),
        ),
        (
            "Anthropic: credit",
            400,
            Exhausted,
            1,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}}),
        ),
        (
            "LiteLLM: budget",
            400,
            Exhausted,
            1,
            json!({"error": {"message": "Budget has been exceeded! Current cost: 1", "type": "budget_exceeded", "code": "400"}}),
        ),
        (
            "DeepSeek: balance",
            402,
            Exhausted,
            1,
            json!({"error": {"message": "Insufficient Balance", "code": "invalid_request_error"}}),
        ),
        (
            "LiteLLM: throttling, code as text",
            429,
            Unavailable,
            3,
            json!({"error": {"message": "No deployments available", "type": "throttling_error", "code": "429"}}),
        ),
        (
            "LiteLLM: wrong key",
            400,
            Unauthorised,
            1,
            json!({"error": {"message": "No connected db.", "type": "no_db_connection", "code": "400"}}),
        ),
        (
            "OpenAI: wrong key",
            401,
            Unauthorised,
            1,
            json!({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}),
        ),
        (
            "Gemini: wrong key, in a list",
            400,
            Unauthorised,
            1,
            json!([{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT",
                "details": [{"reason": "API_KEY_INVALID"}]}}]),
        ),
        (
            "OpenAI: context",
            400,
            TooLarge,
            1,
            json!({"error": {"message": "This model's maximum context length is 128000 tokens", "code": "context_length_exceeded"}}),
        ),
        (
            "Anthropic: prompt too long",
            400,
            TooLarge,
            1,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
        ),
        (
            "llama-server: context, code as number",
            400,
            TooLarge,
            1,
            json!({"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error", "n_ctx": 4096}}),
        ),
        (
            "Ollama: context, error as text",
            400,
            TooLarge,
            1,
            json!({"error": "the input length exceeds the context length"}),
        ),
        (
            "Groq: larger than a minute's tokens",
            413,
            TooLarge,
            1,
            json!({"error": {"message": "Request too large for model", "type": "tokens", "code": "rate_limit_exceeded"}}),
        ),
        (
            "OpenAI: larger than a minute's tokens",
            429,
            TooLarge,
            1,
            json!({"error": {"message": "Request too large for m on tokens per min (TPM)", "type": "tokens", "code": "rate_limit_exceeded"}}),
        ),
        (
            "Azure: content filter",
            400,
            Refused,
            1,
            json!({"error": {"message": "filtered", "code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
        ),
        (
            "OpenRouter: moderation",
            403,
            Refused,
            1,
            json!({"error": {"code": 403, "message": "Your input was flagged", "metadata": {"reasons": ["x"]}}}),
        ),
        (
            "Groq: `json_validate_failed`",
            400,
            Malfunction,
            2,
            json!({"error": {"message": "Failed to generate JSON", "type": "invalid_request_error", "code": "json_validate_failed", "failed_generation": "{"}}),
        ),
        (
            "llama-server: output that it cannot read itself",
            500,
            Malfunction,
            2,
            json!({"error": {"code": 500, "message": "The model produced output that does not match the expected peg-native format", "type": "server_error"}}),
        ),
        (
            "OpenAI: unknown model",
            404,
            Rejected,
            1,
            json!({"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}),
        ),
        (
            "OpenAI: invalid schema",
            400,
            Rejected,
            1,
            json!({"error": {"message": "Invalid schema for response_format 'review': x", "param": "response_format", "code": null}}),
        ),
        ("an error that is a list", 400, Rejected, 1, json!([1, 2, 3])),
        ("an error that is null", 500, Unavailable, 3, json!({"error": null})),
    ];
    for (name, status, why, attempts, body) in rows {
        table.add(format!("{status}, {name}"), why, attempts, move |_| vec![Act::reply(status, body.to_string())]);
    }
    table
        .add("500, LiteLLM: no key, as plain text", Unavailable, 3, |_| vec![Act::reply(500, "Internal Server Error")]);
}

fn errors_inside_success(table: &mut Table) {
    use Why::{Exhausted, Malfunction, Unauthorised, Unavailable};
    let rows: [(&str, Why, u32, Value); 9] = [
        ("an error object", Malfunction, 2, json!({"error": {"message": "it broke"}})),
        ("an error as text", Malfunction, 2, json!({"error": "it broke"})),
        (
            "OpenRouter: 429",
            Unavailable,
            2,
            json!({"error": {"code": 429, "message": "busy", "metadata": {"raw": "upstream"}}}),
        ),
        ("OpenRouter: 502", Unavailable, 2, json!({"error": {"code": 502, "message": "down"}})),
        ("OpenRouter: 401", Unauthorised, 1, json!({"error": {"code": 401, "message": "User not found"}})),
        ("OpenRouter: 402", Exhausted, 1, json!({"error": {"code": 402, "message": "more credits"}})),
        ("quota", Exhausted, 1, json!({"error": {"code": "insufficient_quota", "message": "x"}})),
        ("in a list of one", Malfunction, 2, json!([{"error": {"message": "it broke"}}])),
        (
            "Anthropic: overloaded",
            Unavailable,
            2,
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
        ),
    ];
    for (name, why, attempts, body) in rows {
        table.add(name, why, attempts, move |_| vec![Act::reply(200, body.to_string())]);
    }
    table.add("an error beside a good answer", Malfunction, 2, |wire| {
        let mut body = wire.ended(&json!(wire.good_end()), &json!(ANSWER));
        body["error"] = json!({"message": "it broke"});
        vec![Act::reply(200, body.to_string())]
    });
    let row = table.row("OpenRouter: an error in the choice", Unavailable, 2, |wire| {
        let mut body = wire.ended(&json!("error"), &json!(ANSWER));
        body["choices"][0]["error"] = json!({"code": 502, "message": "upstream broke"});
        vec![Act::reply(200, body.to_string())]
    });
    table.rows.push(row.only(&[Wire::OpenAi]));
}

fn fields(table: &mut Table) {
    let refuse = |status: u16, param: &'static str, message: &'static str| {
        let body = json!({"error": {"message": message, "param": param, "code": "unsupported_parameter"}});
        move || Act::reply(status, body.to_string())
    };
    let shape = refuse(400, "response_format", "This response_format type is unavailable now");
    let always = shape.clone();
    table
        .add("400 that names `response_format`, then an answer", None, 2, move |wire| vec![shape(), wire.says(ANSWER)]);
    let row = table.row("400 that names `response_format` each time", Why::Rejected, 4, move |_| vec![always()]);
    table.rows.push(row.but(Wire::Anthropic, Some(Why::Rejected), 2).but(Wire::Ollama, Some(Why::Rejected), 3));
    let cold = refuse(400, "temperature", "Unsupported value: 'temperature' does not support 0.2");
    let colder = cold.clone();
    table.add("400 that names `temperature`, then an answer", None, 2, move |wire| vec![cold(), wire.says(ANSWER)]);
    table.add("400 that names `temperature` each time", Why::Rejected, 2, move |_| vec![colder()]);
    let both =
        (refuse(400, "temperature", "temperature is deprecated"), refuse(400, "", "output_config: unknown field"));
    table.add("400 for `temperature`, 400 for `output_config`, 429, then an answer", None, 4, move |wire| {
        vec![both.0(), both.1(), Act::reply(429, ""), wire.says(ANSWER)]
    });
    let tokens = refuse(
        400,
        "max_completion_tokens",
        "Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens' instead.",
    );
    let row = table.row("400 that names `max_completion_tokens`, then an answer", None, 2, move |wire| {
        vec![tokens(), wire.says(ANSWER)]
    });
    table.rows.push(row.only(&[Wire::OpenAi]));
    table.add("400 because the answer's limit is too high", Why::Rejected, 1, |_| {
        let message = "max_tokens is too large: 1000. This model takes at most 500.";
        vec![Act::reply(400, json!({"error": {"message": message, "param": "max_tokens"}}).to_string())]
    });
    let row = table.row("422, Mistral: `store` is not permitted, then an answer", None, 2, |wire| {
        let detail = json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "store"], "msg": "Extra inputs are not permitted"}]});
        vec![Act::reply(422, detail.to_string()), wire.says(ANSWER)]
    });
    table.rows.push(row.only(&[Wire::OpenAi]));
    table.add("500, llama-cpp-python: `json_schema`, then an answer", None, 2, |wire| {
        let body = json!({"error": {"message": "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}]",
            "type": "internal_server_error", "param": null, "code": null}});
        vec![Act::reply(500, body.to_string()), wire.says(ANSWER)]
    });
}
