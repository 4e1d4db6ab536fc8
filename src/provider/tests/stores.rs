//! The cache, recordings and the queue.

use std::fs;
use std::sync::Arc;

use super::super::{Cache, Cached, KINDS, NoAnswer, Prompt, Provider, Recorded, Settings, Stats, Usage, Why, find};
use super::{ANSWER, Scripted, prompt, settings, time};

const OTHER: &str = r#"{"no_comment": false}"#;

fn no(why: Why) -> NoAnswer {
    NoAnswer { why, message: "no".to_owned(), attempts: 1, usage: Usage::default() }
}

fn open(name: &str, folder: &std::path::Path) -> Box<dyn Provider> {
    let settings = Settings { folder: Some(folder.to_owned()), ..settings("", &time(), 5.0) };
    (find(name).expect("a kind").open)(&settings, &|_| None).expect("the folder is there")
}

#[test]
fn the_cache_answers_what_was_asked_before_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = Arc::new(Cache::open(folder.path(), 1 << 20).expect("a cache"));
    let scripted = Arc::new(Scripted::new(vec![Ok(ANSWER), Ok(OTHER), Err(no(Why::Truncated)), Ok(ANSWER), Ok(OTHER)]));
    let cached = Cached::new(scripted.clone(), cache.clone(), "1");
    assert_eq!(cached.ask(&prompt("a")).expect("asked").attempts, 1);
    let warm = cached.ask(&Prompt { answer_tokens: 5, ..prompt("a") }).expect("cached");
    assert_eq!((warm.text.as_str(), warm.attempts, warm.usage), (ANSWER, 0, Usage::default()));
    assert_eq!(cached.ask(&prompt("b")).expect("asked").text, OTHER);
    assert_eq!(cached.ask(&prompt("c")).expect_err("no answer").why, Why::Truncated);
    assert_eq!(cached.ask(&prompt("c")).expect("asked again").text, ANSWER);
    let other = Cached::new(scripted.clone(), cache.clone(), "2");
    assert_eq!(other.ask(&prompt("a")).expect("another version").text, OTHER);
    assert_eq!(scripted.asked(), 5);
    let Stats { entries, bytes, hits, misses } = cache.stats().expect("it can be counted");
    assert_eq!((entries, hits, misses), (4, 1, 5));
    assert!(bytes > 0);
    cache.clear().expect("it can be cleared");
    assert_eq!(cache.stats().expect("it can be counted").entries, 0);
}

#[test]
fn an_answer_of_no_use_is_forgotten_and_a_damaged_one_was_never_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = Arc::new(Cache::open(folder.path(), 1 << 20).expect("a cache"));
    let scripted = Arc::new(Scripted::new((0..12).map(|_| Ok(ANSWER)).collect()));
    let cached = Cached::new(scripted.clone(), cache, "1");
    cached.ask(&prompt("a")).expect("asked");
    cached.forget(&prompt("a"));
    cached.forget(&prompt("a"));
    cached.ask(&prompt("a")).expect("asked again");
    assert_eq!(scripted.asked(), 2);
    let entry = || fs::read_dir(folder.path()).expect("it is there").next().expect("one entry").expect("it").path();
    let whole = fs::read_to_string(entry()).expect("a text");
    let damages: [fn(&str) -> Vec<u8>; 8] = [
        |_| Vec::new(),
        |text| text.as_bytes()[..text.len() / 2].to_vec(),
        |text| text.replace("true", "null").into_bytes(),
        |text| text.replace("v1", "v0").into_bytes(),
        |text| text.replacen('{', "{\"more\":1,", 1).into_bytes(),
        |text| [text, text].concat().into_bytes(),
        |_| b"\xff\xff".to_vec(),
        |text| text.replacen("\"key\":\"", "\"key\":\"0", 1).into_bytes(),
    ];
    for (number, damage) in (0_u64..).zip(damages) {
        fs::write(entry(), damage(&whole)).expect("it is damaged");
        cached.ask(&prompt("a")).expect("asked again");
        assert_eq!(scripted.asked(), 3 + number, "damage {number} was believed");
    }
    assert_eq!(fs::read_to_string(entry()).expect("a text"), whole);
}

#[test]
fn the_oldest_answers_go_and_files_of_others_stay() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("notes.txt"), "x".repeat(10_000)).expect("it is written");
    let cache = Arc::new(Cache::open(folder.path(), 3000).expect("a cache"));
    let scripted = Arc::new(Scripted::new((0..40).map(|_| Ok(ANSWER)).collect()));
    let cached = Cached::new(scripted.clone(), cache.clone(), "1");
    for number in 0..40 {
        cached.ask(&prompt(&number.to_string())).expect("asked");
        assert!(cache.stats().expect("it can be counted").bytes <= 3000);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(cache.stats().expect("it can be counted").entries >= 5);
    cached.ask(&prompt("39")).expect("the last is there");
    assert_eq!(scripted.asked(), 40);
    cache.clear().expect("it can be cleared");
    assert!(folder.path().join("notes.txt").exists());
}

#[test]
fn many_writers_leave_only_whole_entries() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                // A cache each, as processes have.
                let cache = Arc::new(Cache::open(folder.path(), 4000).expect("a cache"));
                let scripted = Arc::new(Scripted::new((0..60).map(|_| Ok(ANSWER)).collect()));
                let cached = Cached::new(scripted, cache, "1");
                for number in 0..60 {
                    let answer = cached.ask(&prompt(&(number % 20).to_string())).expect("an answer");
                    assert_eq!(answer.text, ANSWER);
                }
            });
        }
    });
    for entry in fs::read_dir(folder.path()).expect("it is there") {
        let path = entry.expect("an entry").path();
        assert!(path.extension().is_some_and(|name| name == "json"), "{path:?} is left over");
        let text = fs::read_to_string(path).expect("a text");
        serde_json::from_str::<serde_json::Value>(&text).expect("a whole entry");
    }
}

#[test]
fn what_was_recorded_is_replayed_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scripted = Arc::new(Scripted::new(vec![Ok(ANSWER), Err(no(Why::Refused)), Ok(OTHER)]));
    let recorded = Recorded::new(scripted, folder.path()).expect("a folder");
    recorded.ask(&prompt("a")).expect("asked");
    recorded.ask(&prompt("b")).expect_err("refused");
    recorded.ask(&prompt("c")).expect("asked");
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 2);
    let replay = open("replay", folder.path());
    let answer = replay.ask(&prompt("a")).expect("recorded");
    assert_eq!((answer.text.as_str(), answer.attempts), (ANSWER, 0));
    assert_eq!(replay.ask(&prompt("c")).expect("recorded").text, OTHER);
    assert_eq!(replay.ask(&prompt("b")).expect_err("refused then").why, Why::NotRecorded);
    let mut other = prompt("a");
    other.schema.name = "other";
    assert_eq!(replay.ask(&other).expect_err("another schema").why, Why::NotRecorded);
    for entry in fs::read_dir(folder.path()).expect("it is there") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a text");
        fs::write(&path, text.replace("no_comment\\\":", "no_comment\\\"")).expect("it is damaged");
    }
    assert_eq!(replay.ask(&prompt("a")).expect_err("damaged").why, Why::Malfunction);
}

#[test]
fn the_order_of_a_schema_does_not_change_a_prompt() {
    let mut one = prompt("a");
    one.schema.json = serde_json::json!({"a": {"x": 1, "y": [1, 2]}, "b": 2});
    let mut other = one.clone();
    other.schema.json = serde_json::from_str(r#"{"b": 2, "a": {"y": [1, 2], "x": 1}}"#).expect("JSON");
    let digest = super::super::digest::of_prompt;
    assert_eq!(digest(&one), digest(&other));
    other.user.push('b');
    assert_ne!(digest(&one), digest(&other));
    let moved = Prompt { system: one.system.clone() + &one.user, user: String::new(), ..one.clone() };
    assert_ne!(digest(&one), digest(&moved));
    // From another implementation of SHA-256: recordings must stay readable.
    assert_eq!(digest(&prompt("x")), "5409662c5e4eef5df7a7407678d79badee5fe98c43d76da90fc4f7cf99a7c655");
}

#[test]
fn the_queue_waits_for_an_answer_and_takes_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let queue = open("queue", folder.path());
    for _ in 0..2 {
        assert_eq!(queue.ask(&prompt("a")).expect_err("nobody has answered").why, Why::Waiting);
    }
    let files: Vec<_> = fs::read_dir(folder.path()).expect("it is there").map(|e| e.expect("a file").path()).collect();
    assert_eq!(files.len(), 1);
    let request: serde_json::Value = serde_json::from_slice(&fs::read(&files[0]).expect("a file")).expect("JSON");
    assert_eq!((&request["user"], &request["system"]), (&"a".into(), &"You review a change.".into()));
    let answer = folder.path().join(request["answer_file"].as_str().expect("a name"));
    fs::write(&answer, format!("Done:\n```json\n{ANSWER}\n```\n")).expect("it is answered");
    assert_eq!(queue.ask(&prompt("a")).expect("answered").text, ANSWER);
    fs::write(&answer, "I do not know").expect("it is answered");
    assert_eq!(queue.ask(&prompt("a")).expect_err("no object").why, Why::NoObject);
    assert!(KINDS.iter().any(|kind| kind.name == "queue"));
}
