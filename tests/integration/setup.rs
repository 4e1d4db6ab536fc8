//! `init` and `doctor`: from a repository without anything to its first review.

use std::fs;

use serde_json::json;

use super::program::{Place, Ran};
use super::service::Service;

fn line<'r>(ran: &'r str, matter: &str) -> Vec<&'r str> {
    ran.lines().filter(|line| line.split_whitespace().nth(1) == Some(matter)).collect()
}

fn doctor(place: &Place, args: &[&str]) -> Ran {
    place.program([&["doctor"], args].concat()).run()
}

#[test]
fn init_writes_what_a_first_review_needs() {
    let place = Place::with(&[("a.py", "x = 1\n")]);
    let printed = place.run(["init", "--print"]).text();
    assert!(printed.contains("# --- diffsieve.toml\n") && printed.contains("# --- .github/workflows/diffsieve.yml\n"));
    assert!(!place.path("diffsieve.toml").exists());
    let first = place.run(["init"]);
    assert!(first.stderr.contains("diffsieve.toml written"), "{}", first.stderr);
    assert!(first.stderr.contains(".github/workflows/diffsieve.yml written"), "{}", first.stderr);
    assert!(first.stderr.contains("pre-push: installed"), "{}", first.stderr);
    assert!(place.read(".git/hooks/pre-push").contains("diffsieve hook pre-push"));
    assert!(printed.contains("# --- the hook pre-push\n#!/bin/sh\n"), "{printed}");
    place.run(["rules", "list"]);
    place.commit("set up");
    let review = place.review(["review"]);
    assert_eq!((review.code, review.report["config"]["origin"].clone()), (0, json!("diffsieve.toml")));
    let doctor = doctor(&place, &[]);
    assert!(line(&doctor.text(), "workflow")[0].starts_with("BROKEN"), "{}", doctor.text());
}

#[test]
fn init_changes_nothing_that_is_there() {
    let place = Place::with(&[("a.py", "x = 1\n"), (".gitlab-ci.yml", "mine: {script: [true]}\n")]);
    place.write(".github/diffsieve.toml", "[gate]\nfail_on = \"never\"\n");
    let ran = place.run(["init", "--no-hook"]);
    assert!(ran.stderr.contains(".github/diffsieve.toml is there already: kept"), "{}", ran.stderr);
    assert!(!place.path("diffsieve.toml").exists());
    // `.github` is there, so GitHub is what is used.
    assert!(place.path(".github/workflows/diffsieve.yml").exists());
    let again = place.run(["init", "--no-hook", "--ci", "gitlab"]);
    assert!(
        again.stderr.contains(".gitlab-ci.yml is there already: kept; `diffsieve init --print`"),
        "{}",
        again.stderr
    );
    assert_eq!(place.read(".gitlab-ci.yml"), "mine: {script: [true]}\n");
}

#[cfg(unix)]
#[test]
fn init_writes_through_no_link() {
    let place = Place::with(&[("a.py", "x = 1\n")]);
    std::os::unix::fs::symlink(place.path("../outside.toml"), place.path("diffsieve.toml")).unwrap();
    place.run(["init", "--no-hook", "--ci", "none"]);
    assert!(!place.path("../outside.toml").exists());
}

#[test]
fn doctor_is_content_with_a_sound_repository() {
    let place = Place::with(&[("a.py", "x = 1\n")]);
    place.write("a.py", "x = 2\n");
    place.commit("topic");
    let ran = doctor(&place, &[]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    let text = ran.text();
    assert!(
        line(&text, "range")[0].contains("main...HEAD") && line(&text, "range")[0].ends_with("1 changed files"),
        "{text}"
    );
    assert!(line(&text, "policy")[0].contains("built-in defaults: fails on error"), "{text}");
    assert!(line(&text, "hooks").iter().any(|line| line.ends_with("pre-push: absent")), "{text}");
    assert!(line(&text, "model")[0].starts_with("ok") && line(&text, "job")[0].contains("no CI job"), "{text}");
}

#[test]
fn doctor_says_what_is_broken_and_how_to_mend_it() {
    let place = Place::with(&[("a.py", "x = 1\n"), ("b.py", "y = 1\n")]);
    place.write("a.py", "x = 2\n");
    place.commit("topic");
    let clone = |depth: &str, name: &str| {
        let url = format!("file://{}", place.root().display());
        place.git(["clone", "-q", "--depth", depth, "--branch", "topic", &url, &format!("../{name}")]);
        place.path(format!("../{name}"))
    };
    let event = place.path("../event.json");
    fs::write(
        &event,
        json!({"pull_request": {"head": {"repo": {"full_name": "other/fork"}}},
                             "repository": {"full_name": "acme/shop"}})
        .to_string(),
    )
    .unwrap();
    let shallow = place.program(["doctor"]).from(clone("1", "shallow"));
    let shallow = shallow
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_BASE_REF", "main")
        .env("GITHUB_EVENT_PATH", &event)
        .run();
    let text = shallow.text();
    assert_eq!(shallow.code, 3, "{text}");
    assert!(line(&text, "range")[0].starts_with("BROKEN") && text.contains("fetch-depth: 0"), "{text}");
    assert!(line(&text, "job")[0].contains("from a fork: no secrets"), "{text}");

    place.write("diffsieve.toml", "[gate]\nfail_onn = 1\n[review]\ncap = -1\n");
    let text = doctor(&place, &[]).text();
    assert_eq!(line(&text, "policy").len(), 2, "{text}");
    assert!(text.contains("fail_on") && line(&text, "policy").iter().all(|line| line.starts_with("BROKEN")), "{text}");
    fs::remove_file(place.path("diffsieve.toml")).unwrap();

    let text = doctor(&place, &["--model", "openai/m"]).text();
    assert!(line(&text, "model")[0].starts_with("BROKEN") && text.contains("OPENAI_API_KEY"), "{text}");

    let nowhere = place.program(["doctor"]).from(place.path("..")).run();
    assert_eq!(nowhere.code, 3);
    assert!(line(&nowhere.text(), "repository")[0].starts_with("BROKEN"), "{}", nowhere.text());
}

#[test]
fn doctor_counts_the_files_that_a_partial_clone_leaves_unread() {
    let place = Place::with(&[("a.py", "x = 1\n"), ("b.py", "y = 1\n"), ("c.py", "z = 1\n"), ("gone.py", "g = 1\n")]);
    place.write("a.py", "x = 2\n");
    place.write("d.py", "new = 1\n");
    fs::rename(place.path("c.py"), place.path("moved.py")).unwrap();
    fs::remove_file(place.path("gone.py")).unwrap();
    place.commit("topic");
    place.git(["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", place.root().display());
    place.git(["clone", "-q", "--filter=blob:none", "--branch", "topic", &url, "../partial"]);
    let partial = place.path("../partial");
    let ask = || place.program(["doctor"]).from(&partial).run();
    // Of `a.py` and `gone.py` the older contents were never fetched; the moved file is the same on both sides.
    let ran = ask();
    let text = ran.text();
    assert_eq!(ran.code, 3, "{text}");
    let said = line(&text, "contents")[0].to_owned();
    assert!(said.starts_with("BROKEN") && said.contains("2 of 4 changed files have content that is not"), "{text}");
    let review = place.program(["review", "--base", "origin/main"]).from(&partial).run();
    assert_eq!(review.code, 3, "{}", review.stderr);

    let remedy = said.split('`').nth(1).unwrap().strip_prefix("git ").unwrap();
    let dir = partial.to_str().unwrap();
    place.git(["-C", dir].into_iter().chain(remedy.split(' ')));
    let ran = ask();
    assert_eq!((ran.code, line(&ran.text(), "contents").len()), (0, 0), "{}", ran.text());
    assert_eq!(place.program(["review", "--base", "origin/main"]).from(&partial).run().code, 0);
    // Where a file is left out of the review, its content is not missed.
    fs::remove_dir_all(&partial).unwrap();
    place.git(["clone", "-q", "--filter=blob:none", "--branch", "topic", &url, "../partial"]);
    fs::write(partial.join("diffsieve.toml"), "[review]\nexclude = [\"a.py\", \"gone.py\"]\n").unwrap();
    assert_eq!(line(&ask().text(), "contents").len(), 0);
}

#[test]
fn doctor_needs_no_place_for_answers_where_nobody_is_asked() {
    let place = Place::with(&[("a.py", "x = 1\n")]);
    let ask = |args: &[&str]| {
        let run = place.program([&["doctor"], args].concat()).env("HOME", "/dev/null").env("XDG_CACHE_HOME", "");
        run.env("OPENAI_API_KEY", "sk-test-geheim-12345678").run()
    };
    let (alone, asked) = (ask(&[]), ask(&["--model", "openai/m"]));
    assert_eq!((alone.code, asked.code), (0, 3), "{}{}", alone.text(), asked.text());
    assert!(line(&alone.text(), "cache")[0].starts_with("note"), "{}", alone.text());
    assert!(line(&asked.text(), "cache")[0].starts_with("BROKEN"), "{}", asked.text());
}

#[cfg(unix)]
#[test]
fn an_event_that_is_no_file_is_not_waited_for() {
    let place = Place::with(&[("a.py", "x = 1\n")]);
    place.write("a.py", "x = 2\n");
    place.commit("topic");
    let pipe = place.path("../event");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Whoever waits for the pipe is stopped by the watchdog.
    for command in ["doctor", "review"] {
        let run = place.program([command]).env("GITHUB_ACTIONS", "true").env("GITHUB_EVENT_NAME", "pull_request");
        let ran = run.env("GITHUB_BASE_REF", "main").env("GITHUB_EVENT_PATH", &pipe).env("GITHUB_SHA", "x").run();
        let is_said = ran.text().contains("GITHUB_EVENT_PATH names no file");
        assert_eq!(is_said, command == "doctor", "{}", ran.text());
    }
}

#[test]
fn doctor_asks_the_model_only_when_told_to() {
    let place = Place::with(&[("a.py", "x = 1\n")]);
    let ask = |service: &Service, args: &[&str]| {
        let run = place.program([&["doctor", "--model", "openai/m"], args].concat());
        run.env("OPENAI_BASE_URL", service.url()).env("OPENAI_API_KEY", "sk-test-geheim-12345678").run()
    };
    let ready = Service::new(|_| (200, json!({"ready": true}).to_string()));
    assert_eq!((ask(&ready, &[]).code, ready.count()), (0, 0));
    let online = ask(&ready, &["--online"]);
    assert!(online.code == 0 && online.text().contains("openai/m answers"), "{}", online.text());
    let refusing = Service::new(|_| (401, json!({"error": {"message": "bad key"}}).to_string()));
    let refused = ask(&refusing, &["--online"]);
    assert_eq!(refused.code, 3);
    assert!(refused.text().contains("does not answer") && !refused.text().contains("geheim"), "{}", refused.text());
}
