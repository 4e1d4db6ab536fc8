//! The laws of a reward, and what a server refuses.

mod judged;

use proptest::prelude::*;
use serde_json::json;

use super::request::{BODY, Guard, HEAD, Head, Refusal, Status, answer};
use super::*;

fn row(value: Value) -> Row {
    serde_json::from_value(value).expect("it is a row")
}

fn reward(settings: Settings, value: Value) -> Result<(f64, &'static str), Error> {
    settings.reward(&row(value)).map(|reward| (reward.reward.get(), reward.by))
}

const LEXICAL: Settings = Settings { variant: Variant::Checklist, penalty: None, unit: Unit::Chars, lexical: true };

fn ramp() -> Settings {
    Settings { penalty: Some(Penalty::Ramp { start: 2.0, end: 4.0, cap: 0.5 }), ..Settings::default() }
}

/// The vector of the reward: .75 times .875, which is what a ramp from 2 to 4 leaves of three times the length.
#[test]
fn length_is_paid_for() {
    let review = "x".repeat(30);
    let value = json!({"completion": review, "checklist": ["abcde", "fghij"], "coverage": 0.75});
    assert_eq!(reward(ramp(), value.clone()), Ok((0.65625, "coverage")));
    assert_eq!(reward(Settings::default(), value.clone()), Ok((0.75, "coverage")));
    assert_eq!(reward(Settings { variant: Variant::NoLength, ..ramp() }, value), Ok((0.75, "coverage")));
}

#[test]
fn a_judge_is_read_in_each_of_its_forms() {
    let asked = |more: Value| {
        let mut value = json!({"completion": "Rename x.", "checklist": ["a", {"id": "2", "text": "b"}, "c", "d"]});
        value.as_object_mut().expect("it is one").extend(more.as_object().expect("it is one").clone());
        value
    };
    let settings = Settings::default();
    assert_eq!(reward(settings, asked(json!({"verdicts": [true, false, true, true]}))), Ok((0.75, "verdicts")));
    assert_eq!(reward(settings, asked(json!({"count": "I count 3 of them"}))), Ok((0.75, "count")));
    assert_eq!(reward(settings, asked(json!({"count": 9}))), Ok((1.0, "count")));
    assert_eq!(reward(settings, asked(json!({"count": "-1"}))), Ok((0.0, "count")));
    assert_eq!(reward(settings, asked(json!({"count": [1]}))), Err(Error::Count));
    // A number is a number: only in a text the first integer counts.
    for (count, expected) in [
        (json!(1e300), 1.0),
        (json!(1e16), 1.0),
        (json!(1e-7), 0.0),
        (json!(2.0), 0.5),
        (json!(2.9), 0.5),
        (json!(-1e300), 0.0),
        (json!(u64::MAX), 1.0),
        (json!("1e300"), 0.25),
    ] {
        assert_eq!(reward(settings, asked(json!({"count": count}))), Ok((expected, "count")), "{count}");
    }
    assert_eq!(reward(settings, asked(json!({"verdicts": [true]}))), Err(Error::Verdicts { verdicts: 1, items: 4 }));
    assert_eq!(reward(settings, asked(json!({"coverage": 1.5}))), Err(Error::Share("coverage")));
    assert_eq!(reward(settings, asked(json!({"coverage": 1, "count": 1}))), Err(Error::Several));
    assert_eq!(reward(settings, asked(json!({}))), Err(Error::Unjudged));
    let judged = Settings { variant: Variant::Judge, ..settings };
    assert_eq!(reward(judged, asked(json!({"judge": 0.25, "coverage": 1}))), Ok((0.25, "judge")));
    assert_eq!(reward(judged, asked(json!({"coverage": 1}))), Err(Error::NoJudge));
}

#[test]
fn a_clean_change_wants_silence() {
    for (completion, expected) in
        [("No comment.", 1.0), ("  ", 1.0), ("no comment", 1.0), ("No comment, but rename x.", 0.0), ("Rename x.", 0.0)]
    {
        for settings in [Settings::default(), ramp(), LEXICAL] {
            let value = json!({"completion": completion, "checklist": ["No comment"]});
            assert_eq!(reward(settings, value), Ok((expected, "clean")), "{completion}");
        }
    }
}

/// Words of silence are no words about the code.
#[test]
fn silence_addresses_nothing() {
    for completion in ["No comment", "", "no comment."] {
        let value = json!({"completion": completion, "checklist": ["Add a comment", "Close the file"]});
        assert_eq!(reward(LEXICAL, value), Ok((0.0, "lexical")), "{completion}");
    }
}

#[test]
fn messages_are_a_review() {
    let value =
        json!({"completion": [{"role": "assistant", "content": "Close the file."}], "checklist": ["Close the file"]});
    assert_eq!(reward(LEXICAL, value), Ok((1.0, "lexical")));
    let item = |completion: Value, checklist: Value| {
        reward(LEXICAL, json!({"completion": completion, "checklist": checklist}))
    };
    assert_eq!(item(json!([{"role": "assistant"}]), json!(["a"])), Err(Error::Completion));
    assert_eq!(item(json!(3), json!(["a"])), Err(Error::Completion));
    assert_eq!(item(json!("x"), json!([])), Err(Error::NoItems));
    assert_eq!(item(json!("x"), json!(["a", " "])), Err(Error::Blank(2)));
    assert_eq!(item(json!("x"), json!([4])), Err(Error::Item(1)));
}

/// As the judge of the same name decides: half of an item's words, without its reason and without common words.
#[test]
fn words_are_looked_for_without_their_reason() {
    let items =
        json!(["Close the file handle (leaks descriptors)", "Rename `tmp` to `queue_depth` (clarity)", "Is it so"]);
    let said = |completion: &str| {
        LEXICAL.reward(&row(json!({"completion": completion, "checklist": items}))).map(|reward| reward.addressed)
    };
    assert_eq!(said("The file HANDLE stays open."), Ok(Some(1)));
    assert_eq!(said("leaks descriptors, clarity"), Ok(Some(0)));
    assert_eq!(said("Should tmp not be called queue_depth? Close this file."), Ok(Some(2)));
    assert_eq!(said("It is so."), Ok(Some(0)));
}

/// The review is split into words once, not once an item: that took minutes.
#[test]
fn a_long_review_with_many_items_takes_a_moment() {
    let review: String = (0..70_000).map(|at| format!("identifier{at} ")).collect();
    let items: Vec<String> = (0..ITEMS).map(|at| format!("Rename identifier{} thing{at}", at * 2)).collect();
    let begun = std::time::Instant::now();
    assert_eq!(reward(LEXICAL, json!({"completion": review, "checklist": items})), Ok((0.0, "lexical")));
    let items: Vec<String> = (0..ITEMS).map(|at| format!("identifier{at} thing{at}")).collect();
    assert_eq!(reward(LEXICAL, json!({"completion": review, "checklist": items})), Ok((1.0, "lexical")));
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "it took {:?}", begun.elapsed());
}

#[test]
fn more_than_is_compared_is_refused_and_says_how_much_is() {
    let of = |items: usize| reward(LEXICAL, json!({"completion": "a fault", "checklist": vec!["fault"; items]}));
    assert_eq!((of(ITEMS), of(ITEMS + 1)), (Ok((1.0, "lexical")), Err(Error::Items(ITEMS + 1))));
    let judged = |bytes: usize| {
        reward(Settings::default(), json!({"completion": "x".repeat(bytes), "checklist": ["four"], "coverage": 1}))
    };
    assert_eq!((judged(LONGEST - 4), judged(LONGEST - 3)), (Ok((1.0, "coverage")), Err(Error::Long(LONGEST + 1))));
    let body = json!({"completions": ["x"], "checklists": [vec!["a"; ITEMS + 1]]}).to_string();
    let refusal = answer(&LEXICAL, None, body.as_bytes()).expect_err("it is refused");
    assert_eq!(refusal.status, Status::BadRequest);
    assert!(refusal.what.contains("completions[0]: its checklist has 1001 items, and at most 1000"), "{refusal}");
    let body = json!({"completions": vec![""; ROWS + 1], "checklists": []}).to_string();
    let refusal = answer(&LEXICAL, None, body.as_bytes()).expect_err("it is refused");
    assert!(refusal.what.contains("`completions` has 65537 entries, and at most 65536"), "{refusal}");
}

#[test]
fn units_count_what_they_say() {
    let lengths = |unit: Unit| {
        let settings = Settings { unit, ..Settings::default() };
        let reward =
            settings.reward(&row(json!({"completion": " naïve text ", "checklist": ["a b", "c"], "coverage": 1})));
        reward.map(|reward| (reward.length, reward.reference))
    };
    assert_eq!(lengths(Unit::Chars), Ok((10, 4)));
    assert_eq!(lengths(Unit::Words), Ok((2, 3)));
    assert!(
        lengths(Unit::Tokens)
            .is_ok_and(|(length, reference)| (2..=6).contains(&length) && (2..=6).contains(&reference))
    );
}

#[test]
fn every_result_says_what_was_chosen() {
    let result = ramp().reward(&row(json!({"id": "7", "completion": "x", "checklist": ["a"], "coverage": 1})));
    let written = serde_json::to_value(result.expect("it has a reward")).expect("it is plain");
    assert_eq!(
        written["constants"],
        json!({"variant": "checklist", "penalty": "ramp", "m": 2.0, "n": 4.0, "cap": 0.5, "least": null, "unit": "chars",
               "source": SOURCE})
    );
    assert_eq!(written["id"], "7");
    let off = Settings { variant: Variant::NoLength, ..ramp() }.constants();
    assert_eq!((off.penalty, off.m), ("off", None));
}

proptest! {
    /// Whatever a judge said, more text never earns more.
    #[test]
    fn padding_never_raises_the_reward(
        review in "[a-z ]{0,60}", padding in "[a-z .]{0,200}", coverage in 0.0_f64..=1.0, end in 2.1_f64..6.0, cap in 0.0_f64..=1.0,
        literal in any::<bool>(),
    ) {
        let penalty = if literal { Penalty::Literal { end, least: 1.0 - cap } } else { Penalty::Ramp { start: 2.0, end, cap } };
        for unit in [Unit::Chars, Unit::Words, Unit::Tokens] {
            let settings = Settings { penalty: Some(penalty), unit, ..Settings::default() };
            let of = |completion: &str| {
                reward(settings, json!({"completion": completion, "checklist": ["close it"], "coverage": coverage}))
            };
            let of = |completion: &str| of(completion).expect("it was judged");
            let (short, long) = (of(&review), of(&format!("{review} {padding}")));
            prop_assert!(long.0 <= short.0 && (0.0..=coverage).contains(&short.0), "{short:?} {long:?}");
        }
    }

    #[test]
    fn items_in_any_order_give_the_same(at in 0_usize..4) {
        let mut items = vec!["close the file", "rename tmp", "check the divisor", "document it"];
        let review = "rename tmp, close file";
        let before = reward(LEXICAL, json!({"completion": review, "checklist": items}));
        items.rotate_left(at);
        prop_assert_eq!(before, reward(LEXICAL, json!({"completion": review, "checklist": items})));
    }
}

fn guard() -> Guard {
    Guard { address: "127.0.0.1:8123".parse().expect("it is one"), token: None }
}

fn asked(guard: &Guard, request: &str) -> Result<usize, Refusal> {
    let head = Head::read(request.as_bytes())?.expect("the head is whole");
    guard.admit(&head)
}

const GOOD: &str =
    "POST /reward HTTP/1.1\r\nHost: 127.0.0.1:8123\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n";

#[test]
fn a_trainer_is_admitted() {
    assert_eq!(asked(&guard(), GOOD), Ok(12));
    assert_eq!(asked(&guard(), &GOOD.replace("127.0.0.1:8123", "localhost:8123")), Ok(12));
    assert_eq!(asked(&guard(), &GOOD.replace("application/json", "Application/JSON; charset=utf-8")), Ok(12));
    assert_eq!(Head::read(&GOOD.as_bytes()[..GOOD.len() - 1]), Ok(None));
    assert_eq!(Head::read(b""), Ok(None));
}

#[test]
fn whoever_is_no_trainer_is_refused() {
    let locked = Guard { token: Some("s3cret".to_owned()), ..guard() };
    assert_eq!(asked(&locked, &GOOD.replace("Host", "Authorization: Bearer s3cret\r\nHost")), Ok(12));
    for (guard, from, to, status) in [
        (&guard(), "Host: 127.0.0.1:8123", "Host: evil.example:8123", Status::MisdirectedRequest),
        (&guard(), "Host: 127.0.0.1:8123", "Host: 127.0.0.1:80", Status::MisdirectedRequest),
        (&guard(), "Host: 127.0.0.1:8123", "Host: 127.0.0.1", Status::MisdirectedRequest),
        (&guard(), "Host: 127.0.0.1:8123", "X: y", Status::MisdirectedRequest),
        (&guard(), "Host: ", "Host: localhost:8123\r\nHost: ", Status::BadRequest),
        (&guard(), "Host: ", "Origin: https://evil.example\r\nHost: ", Status::Forbidden),
        (&guard(), "Host: ", "Origin: null\r\nHost: ", Status::Forbidden),
        (&guard(), "Host: ", "Sec-Fetch-Site: cross-site\r\nHost: ", Status::Forbidden),
        (&guard(), "application/json", "text/plain", Status::UnsupportedMediaType),
        (&guard(), "POST /reward", "GET /reward", Status::MethodNotAllowed),
        (&guard(), "POST /reward", "OPTIONS /reward", Status::MethodNotAllowed),
        (&guard(), "POST /reward", "POST /", Status::NotFound),
        (&guard(), "POST /reward", "POST /reward?x", Status::NotFound),
        (&guard(), "POST /reward", "POST http://127.0.0.1:8123/reward", Status::NotFound),
        (&guard(), "HTTP/1.1", "HTTP/2.0", Status::HttpVersionNotSupported),
        (&guard(), "POST /reward", "POST  /reward", Status::BadRequest),
        (&guard(), "Content-Length: 12", "Transfer-Encoding: chunked", Status::LengthRequired),
        (&guard(), "Content-Length: 12", "Content-Encoding: gzip\r\nContent-Length: 12", Status::LengthRequired),
        (&guard(), "Content-Length: 12", "X: y", Status::LengthRequired),
        (&guard(), "Content-Length: 12", "Content-Length: +12", Status::BadRequest),
        (&guard(), "Content-Length: 12", "Content-Length: 12\r\nContent-Length: 13", Status::BadRequest),
        (&guard(), "Content-Length: 12", "Content-Length: 16777217", Status::ContentTooLarge),
        (&guard(), "Content-Length: 12", "Content-Length: 99999999999999999999999", Status::ContentTooLarge),
        (&guard(), "Content-Length: 12", "Content-Length : 12", Status::BadRequest),
        (&guard(), "Content-Length: 12", "X: y\r\n Content-Length: 12", Status::BadRequest),
        (&guard(), "Content-Length: 12", "X: y\nContent-Length: 12", Status::BadRequest),
        (&guard(), "Content-Length: 12", "X: \u{7}", Status::BadRequest),
        (&locked, "Host: ", "Host: ", Status::Unauthorized),
        (&locked, "Host: ", "Authorization: Bearer s3cre\r\nHost: ", Status::Unauthorized),
        (&locked, "Host: ", "Authorization: Bearer s3cret2\r\nHost: ", Status::Unauthorized),
        (&locked, "Host: ", "Authorization: Basic s3cret\r\nHost: ", Status::Unauthorized),
    ] {
        let request = GOOD.replacen(from, to, 1);
        let found = asked(guard, &request).map_err(|refusal| refusal.status);
        assert_eq!(found, Err(status), "{request}");
    }
    let long = format!("POST /reward HTTP/1.1\r\nX: {}", "y".repeat(HEAD));
    assert_eq!(Head::read(long.as_bytes()).map_err(|it| it.status), Err(Status::RequestHeaderFieldsTooLarge));
    assert_eq!(asked(&guard(), &GOOD.replace("Length: 12", &format!("Length: {BODY}"))), Ok(BODY as usize));
}

#[test]
fn a_status_has_its_words() {
    assert_eq!(Status::Ok.to_string(), "200 OK");
    assert_eq!(Status::RequestHeaderFieldsTooLarge.to_string(), "431 Request Header Fields Too Large");
}

#[test]
fn a_batch_is_answered_in_its_order() {
    let body = json!({
        "completions": ["Close the file.", [{"role": "assistant", "content": "No comment."}]],
        "checklists": [["Close the file", "Rename tmp"], ["No comment"]],
        "counts": [2, null],
    });
    let answer = answer(&Settings::default(), None, body.to_string().as_bytes()).expect("it is answered");
    let answer: Value = serde_json::from_str(&answer).expect("it is JSON");
    assert_eq!(answer["rewards"], json!([1.0, 1.0]));
    assert_eq!(answer["details"][0]["by"], "count");
}

#[test]
fn a_bad_batch_is_named() {
    for (body, part) in [
        (json!({"completions": ["x"], "checklists": []}), "`checklists` has 0 entries and `completions` has 1"),
        (json!({"completions": ["x"], "checklists": [["a"]], "judges": []}), "`judges` has 0 entries"),
        (json!({"completions": ["x"], "checklists": [["a"]]}), "completions[0]: nobody judged it"),
        (json!({"completions": ["x"], "checklists": [["a"]], "reward": 1}), "unknown field `reward`"),
        (json!([]), "invalid length"),
    ] {
        let refusal = answer(&Settings::default(), None, body.to_string().as_bytes()).expect_err("it is refused");
        assert_eq!(refusal.status, Status::BadRequest);
        assert!(refusal.what.contains(part), "{body}: {}", refusal.what);
    }
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(answer(&Settings::default(), None, nested.as_bytes()).is_err());
    assert!(answer(&Settings::default(), None, b"\xff").is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 0_usize..120) {
        let mut request = GOOD.as_bytes()[..cut.min(GOOD.len())].to_vec();
        request.extend(bytes);
        request.extend(b"\r\n\r\n");
        if let Ok(Some(head)) = Head::read(&request) {
            let _ = guard().admit(&head);
            prop_assert!(head.length <= request.len());
        }
        let _ = answer(&LEXICAL, None, &request);
    }
}
