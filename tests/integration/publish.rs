//! `diffsieve publish github` against a pull request on loopback: nothing lost, nothing doubled, nothing where it cannot
//! be seen.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use diffsieve::provider::Clock;
use diffsieve::publish::{Given, Job, Outcome, Target, publish};
use diffsieve::report::json;
use serde_json::{Value, json};

use super::github::{BOT, Fault, GitHub, State};
use super::program::{Place, Ran};

const TOKEN: &str = "ghs_geheim_0123456789";
const FIRST: &str = "1111111111111111111111111111111111111111";
const SECOND: &str = "2222222222222222222222222222222222222222";
const THIRD: &str = "3333333333333333333333333333333333333333";

/// A finding of a report.
fn finding(number: u32, level: &str, file: &str, line: u32) -> Value {
    json!({
        "fingerprint": format!("{number:032x}"), "key": format!("{number:032x}"), "window": format!("{number:032x}"),
        "line_hash": null, "tag": "MutableDefault", "title": format!("Title {number}"), "level": level, "file": file,
        "line": line, "end_line": line, "columns": null, "function": null, "quote": "x = 1",
        "rationale": format!("Rationale {number}."), "suggestion": null, "source": {"kind": "detector", "id": "a/b"},
        "score": null, "votes": 1, "evidence": {"status": "not_needed", "facts": []}, "anchor": {"how": "exact", "moved": 0},
        "related": [], "frame": null, "trail": [],
    })
}

fn report(head: &str, findings: Vec<Value>) -> Value {
    let zero = json!({"requests": 0, "prompt_tokens": 0, "completion_tokens": 0, "estimated": false});
    let run = json!({"requests": 0, "cached": 0, "prompt_tokens": 0, "completion_tokens": 0, "cached_tokens": 0, "cost": null, "seconds": 0.0});
    json!({
        "schema": "diffsieve.report/v1", "tool": {"name": "diffsieve", "version": "0.1.0"},
        "change": {"base": null, "merge_base": FIRST, "head": head, "range": null, "description": "d", "notes": [], "files": []},
        "coverage": {"added_lines": 9, "reviewed_lines": 9, "skipped": []},
        "funnel": {"raised": findings.len(), "shown": findings.len(), "removed": {}}, "findings": findings, "dropped": [],
        "gate": {"verdict": "fail", "complete": true, "reason": "findings at error", "fail_on": "error", "on_incomplete": "fail"},
        "model": {"provider": "none", "name": null, "validator": null, "health": "off"},
        "usage": zero, "run": run, "config": {"origin": "built-in defaults", "packs": []}, "notes": [],
    })
}

fn file(name: &str, patch: &str) -> Value {
    json!({"filename": name, "status": "modified", "patch": patch})
}

/// `a.py` shows its lines 10 to 15, `big.py` is too large for a patch.
fn pull(head: &str) -> State {
    let patch = "@@ -10,2 +10,6 @@ def f():\n a\n+b\n+c\n+d\n+e\n f";
    State {
        head: head.to_owned(),
        files: vec![file("a.py", patch), json!({"filename": "big.py", "status": "modified"})],
        ..State::default()
    }
}

/// Lines, file, and nothing but the summary.
fn three() -> Vec<Value> {
    vec![finding(1, "error", "a.py", 11), finding(2, "warning", "big.py", 5), finding(3, "note", "elsewhere.py", 5)]
}

/// Time that passes only where somebody waits, and what was waited.
struct Time {
    clock: Clock,
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl Time {
    fn new() -> Self {
        let (waits, ahead) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU64::new(0)));
        let start = Instant::now();
        let (log, add) = (waits.clone(), ahead.clone());
        let clock = Clock::new(
            move || start + Duration::from_millis(ahead.load(Ordering::SeqCst)),
            || SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000),
            move |wait: Duration| {
                add.fetch_add(u64::try_from(wait.as_millis()).expect("a short wait"), Ordering::SeqCst);
                log.lock().expect("nobody panics here").push(wait);
            },
        );
        Self { clock, waits }
    }

    fn waits(&self) -> Vec<u64> {
        self.waits.lock().expect("nobody panics here").iter().map(Duration::as_secs).collect()
    }
}

struct Published {
    outcome: Outcome,
    waits: Vec<u64>,
}

fn job<'a>(target: Target, api: &'a str, time: &Time) -> Job<'a> {
    Job {
        target,
        api,
        server: "https://github.com",
        token: Some(("GITHUB_TOKEN", TOKEN)),
        author: None,
        max_comments: 30,
        dry_run: false,
        time: Duration::from_secs(900),
        clock: time.clock.clone(),
        env: &|_| None,
    }
}

/// Publishes a report for an event that has this head.
fn publish_for(github: &GitHub, head: &str, report: &Value, change: impl FnOnce(&mut Job<'_>)) -> Published {
    let saved = json::read(report.to_string().as_bytes()).expect("a report");
    let event = json!({"pull_request": {"number": 7, "head": {"sha": head}}, "repository": {"full_name": "acme/shop"}});
    let target = Target::find(&Given::default(), Some(&event), &|_| None).expect("a pull request");
    let (time, url) = (Time::new(), github.url());
    let mut job = job(target, &url, &time);
    change(&mut job);
    let outcome = publish(&saved, &job).expect("the report is of the event");
    let text = format!("{outcome:?}");
    assert!(!text.contains("geheim"), "the token is told: {text}");
    Published { outcome, waits: time.waits() }
}

fn publish_to(github: &GitHub, report: &Value) -> Published {
    let head = github.state().head.clone();
    publish_for(github, &head, report, |_| {})
}

trait Counts {
    /// On lines, on files, before, in the summary alone, untold.
    fn counts(&self) -> [usize; 5];
}

impl Counts for Outcome {
    fn counts(&self) -> [usize; 5] {
        [self.on_lines, self.on_files, self.before, self.in_summary, self.untold.len()]
    }
}

/// What of a pull request tells each finding: `line`, `file` or `summary`, as often as it does.
fn told(github: &GitHub, number: u32) -> Vec<&'static str> {
    let state = github.state();
    let mark = format!("<!-- diffsieve:v1 fp={number:032x} -->");
    let is_marked = |comment: &&Value| comment["body"].as_str().is_some_and(|body| body.starts_with(&mark));
    let subject = |comment: &Value| if comment["subject_type"] == "file" { "file" } else { "line" };
    let mut told: Vec<&'static str> = state.comments.iter().filter(is_marked).map(subject).collect();
    let text = state.conversation.iter().filter_map(|comment| comment["body"].as_str()).collect::<String>();
    if text.lines().any(|line| line.contains(&format!("Title {number} ")) && line.ends_with("| only here |")) {
        told.push("summary");
    }
    told
}

#[test]
fn three_pushes_tell_each_finding_once() {
    let github = GitHub::start(State { may_resolve: true, ..pull(FIRST) });
    let Published { outcome, waits } = publish_to(&github, &report(FIRST, three()));
    assert_eq!(outcome.counts(), [1, 1, 0, 1, 0], "{outcome:?}");
    assert_eq!((1..=3).map(|number| told(&github, number)).collect::<Vec<_>>(), [["line"], ["file"], ["summary"]]);
    assert_eq!(waits, [1, 1], "a second between two writes");
    assert_eq!(github.written().len(), 3);
    let comment = github.state().comments[0].clone();
    assert_eq!((&comment["line"], &comment["start_line"]), (&json!(11), &Value::Null), "one line has no start");

    // The same again: nothing at all is written.
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, three()));
    assert_eq!((outcome.counts(), github.written()), ([0, 0, 2, 1, 0], vec![]));

    // Another push: the first is fixed, the second stays, a fourth is new.
    SECOND.clone_into(&mut github.state().head);
    let findings = vec![
        finding(2, "warning", "big.py", 5),
        finding(3, "note", "elsewhere.py", 5),
        finding(4, "error", "a.py", 13),
    ];
    let Published { outcome, .. } = publish_to(&github, &report(SECOND, findings.clone()));
    assert_eq!((outcome.counts(), outcome.fixed), ([1, 0, 1, 1, 0], 1));
    let written = github.written();
    assert_eq!(written[0], "POST /repos/acme/shop/pulls/7/reviews");
    assert!(written[1].starts_with("PATCH /repos/acme/shop/issues/comments/"), "{written:?}");
    assert_eq!(&written[2..], ["POST /graphql hide", "POST /graphql resolve"]);
    let hidden: Vec<u64> = github.state().hidden.keys().copied().collect();
    assert_eq!(hidden, github.state().resolved);

    // And it comes back: its old comment is hidden, so it is told anew; nothing else is.
    THIRD.clone_into(&mut github.state().head);
    let again = [findings, vec![finding(1, "error", "a.py", 11)]].concat();
    let Published { outcome, .. } = publish_to(&github, &report(THIRD, again));
    assert_eq!(outcome.counts(), [1, 0, 2, 1, 0]);
    assert_eq!([told(&github, 1).len(), told(&github, 2).len(), told(&github, 4).len()], [2, 1, 1]);
    assert_eq!(github.state().conversation.len(), 1, "one summary");
    assert_eq!(github.state().reviews.len(), 3);
}

#[test]
fn a_change_without_findings_gets_no_comment_until_there_was_one() {
    let github = GitHub::start(pull(FIRST));
    let mut clean = report(FIRST, vec![]);
    clean["gate"]["verdict"] = "pass".into();
    publish_to(&github, &clean);
    assert_eq!(github.written(), [""; 0]);
    publish_to(&github, &report(FIRST, three()));
    let Published { outcome, .. } = publish_to(&github, &clean);
    assert_eq!(outcome.fixed, 2);
    let body = github.state().conversation[0]["body"].to_string();
    assert!(body.contains("### diffsieve: passed") && body.contains("no findings"), "{body}");
    assert_eq!(github.state().comments.len(), 2, "nothing is deleted");
}

#[test]
fn several_lines_have_a_start_and_a_suggestion_its_own_range() {
    let github = GitHub::start(pull(FIRST));
    let mut one = finding(1, "error", "a.py", 12);
    one["end_line"] = 14.into();
    let mut two = finding(2, "error", "a.py", 12);
    two["suggestion"] = json!({"line": 11, "end_line": 12, "text": "fixed ```\n"});
    publish_to(&github, &report(FIRST, vec![one, two]));
    let state = github.state();
    let lines = |index: usize| (state.comments[index]["start_line"].clone(), state.comments[index]["line"].clone());
    assert_eq!([lines(0), lines(1)], [(json!(12), json!(14)), (json!(11), json!(12))]);
    let body = state.comments[1]["body"].as_str().unwrap();
    assert!(body.contains("\n````suggestion\nfixed ```\n````\n"), "{body}");
}

/// GitHub refuses one of many comments and does not say which.
#[test]
fn a_refused_comment_falls_to_its_file_and_takes_no_other_along() {
    for (count, bad) in [(1, 1), (2, 2), (9, 4), (25, 25)] {
        let patch = format!("@@ -0,0 +1,{count} @@\n{}", "+x\n".repeat(count as usize));
        let github = GitHub::start(State { files: vec![file("a.py", patch.trim_end())], ..pull(FIRST) });
        github.trouble(move |request, _| {
            let comments = request.body["comments"].as_array()?;
            let errors = json!(["Pull request review thread line must be part of the diff"]);
            comments
                .iter()
                .any(|comment| comment["line"] == bad)
                .then(|| Fault::Refuse(422, vec![], json!({"message": "Unprocessable Entity", "errors": errors})))
        });
        let findings = (1..=count).map(|number| finding(number, "error", "a.py", number)).collect();
        let Published { outcome, .. } = publish_to(&github, &report(FIRST, findings));
        assert_eq!(outcome.counts(), [count as usize - 1, 1, 0, 0, 0], "{outcome:?}");
        assert!(outcome.problem.is_none());
        for number in 1..=count {
            assert_eq!(told(&github, number), [if number == bad { "file" } else { "line" }], "{number} of {count}");
        }
        assert!(github.state().reviews.len() <= 6, "{} reviews", github.state().reviews.len());
    }
}

#[test]
fn a_refusal_that_names_a_path_costs_one_more_review() {
    let patch = "@@ -1 +1,4 @@\n a\n+b\n+c\n+d";
    let github = GitHub::start(State { files: vec![file("a.py", patch), file("b.py", patch)], ..pull(FIRST) });
    github.trouble(|request, _| {
        let comments = request.body["comments"].as_array()?;
        let errors =
            json!([{"resource": "PullRequestReviewComment", "code": "invalid", "field": "path", "value": "b.py"}]);
        comments
            .iter()
            .any(|comment| comment["path"] == "b.py")
            .then(|| Fault::Refuse(422, vec![], json!({"message": "Validation Failed", "errors": errors})))
    });
    let findings =
        (1..=4).map(|number| finding(number, "error", if number == 3 { "b.py" } else { "a.py" }, number)).collect();
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, findings));
    assert_eq!(outcome.counts(), [3, 1, 0, 0, 0]);
    assert_eq!(github.state().reviews.len(), 1);
}

#[test]
fn where_everything_is_refused_the_summary_has_all_of_it() {
    let github = GitHub::start(State {
        files: vec![file("a.py", &format!("@@ -0,0 +1,40 @@\n{}", "+x\n".repeat(40)))],
        ..pull(FIRST)
    });
    github.trouble(|request, _| {
        (request.is("POST", "/reviews") || request.is("POST", "/pulls/7/comments"))
            .then(|| Fault::Refuse(422, vec![], json!({"message": "Unprocessable Entity"})))
    });
    let findings = (1..=40).map(|number| finding(number, "error", "a.py", number)).collect();
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, findings));
    assert_eq!(outcome.counts(), [0, 0, 0, 40, 0]);
    assert!((1..=40).all(|number| told(&github, number) == ["summary"]));
    assert!(github.state().writes.len() <= 12 + 10 + 1, "{}", github.state().writes.len());
}

/// A comment that is taken and never shown is as good as none.
#[test]
fn a_comment_that_is_not_shown_falls_to_the_file() {
    let github = GitHub::start(pull(FIRST));
    github.trouble(|request, state| {
        let is_of_review = request.method == "GET" && request.path.contains("/reviews/");
        is_of_review.then(|| Fault::Refuse(200, vec![], json!(state.comments.iter().skip(1).collect::<Vec<_>>())))
    });
    let findings = vec![finding(1, "error", "a.py", 11), finding(2, "error", "a.py", 12)];
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, findings));
    assert_eq!(outcome.counts(), [1, 1, 0, 0, 0]);
}

/// A server of the service that lags behind is not taken for one that loses comments.
#[test]
fn a_comment_that_is_shown_late_is_told_once() {
    let github = GitHub::start(pull(FIRST));
    let left = AtomicUsize::new(1);
    github.trouble(move |request, _| {
        let late = request.method == "GET" && request.path.contains("/reviews/");
        let late = late && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok();
        late.then(|| Fault::Refuse(200, vec![], json!([])))
    });
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, three()));
    assert_eq!((outcome.counts(), told(&github, 1)), ([1, 1, 0, 1, 0], vec!["line"]));
}

#[test]
fn an_own_server_has_graphql_beside_its_rest() {
    let github = GitHub::start(pull(FIRST));
    let url = format!("{}/api/v3/", github.url());
    let publish_there = |report: &Value| {
        let saved = json::read(report.to_string().as_bytes()).expect("a report");
        let event =
            json!({"pull_request": {"number": 7, "head": {"sha": FIRST}}, "repository": {"full_name": "acme/shop"}});
        let target = Target::find(&Given::default(), Some(&event), &|_| None).expect("a pull request");
        publish(&saved, &job(target, &url, &Time::new())).expect("the report is of the event")
    };
    assert_eq!(publish_there(&report(FIRST, three())).counts(), [1, 1, 0, 1, 0]);
    github.written();
    assert_eq!(publish_there(&report(FIRST, vec![])).fixed, 2);
    assert!(github.written().contains(&"POST /api/graphql hide".to_owned()));
}

#[test]
fn a_token_that_may_only_read_leaves_everything_to_the_caller() {
    let github = GitHub::start(pull(FIRST));
    github.trouble(|request, _| {
        let message = json!({"message": "Resource not accessible by integration"});
        request.is_write().then(|| Fault::Refuse(403, vec![("x-ratelimit-remaining", "900".to_owned())], message))
    });
    let Published { outcome, .. } =
        publish_for(&github, FIRST, &report(FIRST, three()), |job| job.target.is_fork = true);
    assert_eq!(outcome.untold, [0, 1, 2]);
    let problem = outcome.problem.expect("it could not be completed");
    assert!(
        problem.contains("Resource not accessible by integration") && problem.contains("workflow_run"),
        "{problem}"
    );
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, three()));
    assert!(outcome.problem.is_some_and(|problem| problem.contains("pull-requests: write")));
}

/// What is refused for a time is done after it; a limit beyond the time there is ends the work.
#[test]
fn limits_are_waited_for_as_long_as_the_service_says() {
    let cases = [
        (429, vec![("retry-after", "7".to_owned())], "slow down", 7),
        (403, vec![("retry-after", "11".to_owned())], "slow down", 11),
        (403, vec![], "You have exceeded a secondary rate limit", 60),
        (403, vec![("x-ratelimit-remaining", "0".to_owned()), ("x-ratelimit-reset", "1000029".to_owned())], "API", 30),
    ];
    for (status, headers, message, wait) in cases {
        let github = GitHub::start(pull(FIRST));
        let left = AtomicUsize::new(1);
        github.trouble(move |request, _| {
            let once = request.is("POST", "/reviews")
                && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok();
            once.then(|| Fault::Refuse(status, headers.clone(), json!({"message": message})))
        });
        let Published { outcome, waits } = publish_to(&github, &report(FIRST, three()));
        assert_eq!(outcome.counts(), [1, 1, 0, 1, 0], "{outcome:?}");
        assert!(waits.contains(&wait), "{waits:?}");
    }
    let github = GitHub::start(pull(FIRST));
    github.trouble(|request, _| {
        let reset = vec![("x-ratelimit-remaining", "0".to_owned()), ("x-ratelimit-reset", "1003600".to_owned())];
        request.is_write().then(|| Fault::Refuse(403, reset, json!({"message": "API rate limit exceeded"})))
    });
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, three()));
    assert_eq!(outcome.untold.len(), 3);
    assert!(outcome.problem.is_some_and(|problem| problem.contains("API rate limit exceeded")));
}

/// An answer that is lost says nothing about the write.
#[test]
fn what_arrived_is_not_written_twice() {
    for end in ["/reviews", "/pulls/7/comments", "/issues/7/comments"] {
        for (is_done, is_cut) in [(true, false), (true, true), (false, false)] {
            let github = GitHub::start(pull(FIRST));
            let left = AtomicUsize::new(1);
            github.trouble(move |request, _| {
                let once = request.is("POST", end)
                    && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok();
                once.then(|| match (is_done, is_cut) {
                    (true, true) => Fault::DoneAndCut,
                    (true, false) => Fault::DoneBut(502),
                    (false, _) => Fault::Refuse(502, vec![], json!({"message": "Server Error"})),
                })
            });
            let Published { outcome, .. } = publish_to(&github, &report(FIRST, three()));
            assert!(outcome.problem.is_none(), "{end} {is_done} {is_cut}: {outcome:?}");
            assert_eq!(outcome.counts(), [1, 1, 0, 1, 0], "{end} {is_done} {is_cut}");
            assert_eq!(
                (1..=3).map(|number| told(&github, number)).collect::<Vec<_>>(),
                [["line"], ["file"], ["summary"]],
                "{end}"
            );
            assert_eq!(github.state().conversation.len(), 1);
        }
    }
}

#[test]
fn a_service_that_is_down_is_asked_a_few_times_and_then_left() {
    let github = GitHub::start(pull(FIRST));
    github.trouble(|_, _| Some(Fault::Refuse(503, vec![], json!({"message": "Unavailable"}))));
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, three()));
    assert_eq!(outcome.untold.len(), 3);
    assert!(outcome.problem.is_some_and(|problem| problem.contains("503")));
    assert!(github.state().asked <= 4);
    // Only for a while.
    let github = GitHub::start(pull(FIRST));
    github.trouble(|request, state| {
        (request.method == "GET" && !state.asked.is_multiple_of(3)).then(|| Fault::Refuse(500, vec![], Value::Null))
    });
    assert_eq!(publish_to(&github, &report(FIRST, three())).outcome.counts(), [1, 1, 0, 1, 0]);
}

#[test]
fn lists_are_read_to_their_last_page() {
    let github = GitHub::start(pull(FIRST));
    publish_to(&github, &report(FIRST, three()));
    {
        let mut state = github.state();
        let (own, summary) = (std::mem::take(&mut state.comments), std::mem::take(&mut state.conversation));
        for number in 0..250 {
            state.somebody("ada", &format!("comment {number}"), None);
        }
        let others = state.comments.clone();
        state.conversation.extend(others);
        state.comments.extend(own);
        state.conversation.extend(summary);
        let shown = std::mem::take(&mut state.files);
        state.files = (0..250).map(|number| file(&format!("f{number}.py"), "@@ -1 +1 @@\n-a\n+b")).collect();
        state.files.extend(shown);
        state.writes.clear();
    }
    let with_new = [three(), vec![finding(4, "error", "a.py", 13)]].concat();
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, with_new));
    assert_eq!(outcome.counts(), [1, 0, 2, 1, 0], "{outcome:?}");
    assert_eq!(github.state().conversation.len(), 251);
    // And the threads, which are hidden only where their own is found.
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, vec![finding(3, "note", "elsewhere.py", 5)]));
    assert_eq!((outcome.fixed, github.state().hidden.len()), (3, 3));
}

#[test]
fn the_rest_of_many_is_in_the_summary_and_stays_there() {
    let github = GitHub::start(State {
        files: vec![file("a.py", &format!("@@ -0,0 +1,60 @@\n{}", "+x\n".repeat(60)))],
        ..pull(FIRST)
    });
    let findings: Vec<Value> =
        (1..=60).map(|number| finding(number, if number > 40 { "error" } else { "note" }, "a.py", number)).collect();
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, findings.clone()));
    assert_eq!(outcome.counts(), [30, 0, 0, 30, 0]);
    assert!((41..=60).all(|number| told(&github, number) == ["line"]), "errors come first");
    github.written();
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, findings));
    assert_eq!((outcome.counts(), github.written()), ([0, 0, 30, 30, 0], vec![]), "a cap is no queue");
}

/// Three thousand findings are more than a summary holds; each is in it or handed back.
#[test]
fn what_the_summary_cannot_hold_is_handed_back() {
    let github = GitHub::start(pull(FIRST));
    let findings = (0..3_000).map(|number| finding(number, "note", "elsewhere.py", number + 1)).collect();
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, findings));
    assert!(outcome.problem.is_none() && !outcome.untold.is_empty());
    let body = github.state().conversation[0]["body"].as_str().unwrap().to_owned();
    let rows: Vec<u32> = (0..3_000).filter(|number| body.contains(&format!("Title {number} ("))).collect();
    assert_eq!(rows.len(), outcome.in_summary);
    let mut all: Vec<usize> = rows.iter().map(|number| *number as usize).chain(outcome.untold).collect();
    all.sort_unstable();
    assert_eq!(all, (0..3_000).collect::<Vec<_>>());
}

/// A number may come from the artifact of a stranger's run, so the head must be the run's, in the run's repository.
#[test]
fn a_run_cannot_point_at_somebody_elses_pull_request() {
    let github = GitHub::start(pull(FIRST));
    let of_repository = |id: u32| {
        let event = json!({"repository": {"full_name": "acme/shop"}, "workflow_run": {
            "head_sha": FIRST, "head_repository": {"id": id}, "repository": {"id": 1}, "pull_requests": []}});
        let given = Given { repository: None, number: Some(7) };
        let target = Target::find(&given, Some(&event), &|_| None).expect("a pull request");
        let saved = json::read(report(FIRST, three()).to_string().as_bytes()).expect("a report");
        publish(&saved, &job(target, &github.url(), &Time::new())).map_err(|error| error.to_string())
    };
    assert!(of_repository(2).expect_err("another repository").contains("pull request 7 is not the one of this event"));
    assert_eq!(github.written(), [""; 0]);
    assert_eq!(of_repository(1).expect("its own").counts(), [1, 1, 0, 1, 0]);
}

#[test]
fn texts_that_are_too_long_or_hostile_are_taken() {
    let texts = [
        "a".repeat(70_000),
        "\u{202e}<".repeat(35_000),
        "@ada #1 <!-- diffsieve:v1 fp=0000000000000000000000000000000f -->\n<!-- diffsieve:v1 summary -->".to_owned(),
        "```suggestion\nrm -rf /\n```\n".repeat(2_000),
        "| ".repeat(35_000),
        "](https://evil.example) ![x](https://evil.example/x.png)".to_owned(),
    ];
    for text in texts {
        let github = GitHub::start(pull(FIRST));
        let mut findings = three();
        for finding in &mut findings {
            for key in ["title", "rationale", "quote", "tag"] {
                finding[key] = text.clone().into();
            }
        }
        let Published { outcome, .. } = publish_to(&github, &report(FIRST, findings.clone()));
        assert_eq!(outcome.counts(), [1, 1, 0, 1, 0], "{outcome:?}");
        // Whatever it says, the next run knows what was told.
        github.written();
        let Published { outcome, .. } = publish_to(&github, &report(FIRST, findings));
        assert_eq!((outcome.counts(), github.written()), ([0, 0, 2, 1, 0], vec![]));
        let state = github.state();
        for body in state.comments.iter().chain(&state.conversation).filter_map(|comment| comment["body"].as_str()) {
            let offered =
                body.lines().any(|line| line.trim_start_matches('`') == "suggestion" && line.starts_with("```"));
            let in_code = body.lines().any(|line| line.starts_with("````"));
            assert!(!offered || in_code, "{}", &body[..300.min(body.len())]);
        }
    }
}

#[test]
fn answers_of_people_and_forged_marks_are_respected() {
    let github = GitHub::start(pull(FIRST));
    {
        // Somebody who knows the fingerprint wants it not to be told, and wants a summary of his own to be rewritten.
        let mut state = github.state();
        state.somebody("mallory", "<!-- diffsieve:v1 fp=00000000000000000000000000000001 -->\nnothing here", None);
        state.somebody(BOT, "> <!-- diffsieve:v1 fp=00000000000000000000000000000001 -->\nquoted", None);
        state
            .conversation
            .push(json!({"id": 1, "body": "<!-- diffsieve:v1 summary -->\n", "user": {"login": "mallory"}}));
    }
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, three()));
    assert_eq!(outcome.counts(), [1, 1, 0, 1, 0]);
    assert_eq!(github.state().conversation.len(), 2);
    let own = |subject: &str| {
        let is_own = |comment: &&Value| comment["user"]["type"] == "Bot" && comment["subject_type"] == subject;
        github.state().comments.iter().find(is_own).and_then(|comment| comment["id"].as_u64()).unwrap()
    };
    let (on_line, on_file) = (own("line"), own("file"));
    github.state().somebody("ada", "I do not think so", Some(on_line));
    let Published { outcome, .. } = publish_to(&github, &report(FIRST, vec![]));
    assert_eq!(outcome.fixed, 1);
    assert_eq!(github.state().hidden.keys().copied().collect::<Vec<_>>(), [on_file], "what somebody answered stays");
    assert_eq!(outcome.problem, None, "not to be allowed to resolve is no trouble");
}

/// A job for a pull request checks out a merge with the base, which may have grown above the change.
#[test]
fn the_report_of_a_merge_is_placed_by_its_code() {
    let merged = |file: &str, line: u32, lines: &[&str]| {
        let mut finding = finding(line, "error", file, line);
        finding["frame"] = json!({"first": line - 1, "lines": lines});
        finding
    };
    let findings = vec![
        merged("a.py", 31, &["a", "b", "c"]),
        merged("a.py", 12, &["x", "y", "z"]),
        merged("a.py", 13, &["c", "d", "e"]),
    ];
    let known = [(SECOND, vec!["base", FIRST]), (THIRD, vec![FIRST, "base"])];
    let commits = known
        .into_iter()
        .map(|(id, parents)| (id.to_owned(), parents.into_iter().map(str::to_owned).collect()))
        .collect();
    let github = GitHub::start(State { commits, ..pull(FIRST) });
    let Published { outcome, .. } = publish_to(&github, &report(SECOND, findings.clone()));
    assert_eq!(outcome.counts(), [2, 1, 0, 0, 0], "{outcome:?}");
    let lines: Vec<Value> = github.state().comments.iter().map(|comment| comment["line"].clone()).collect();
    assert_eq!(lines, [json!(11), json!(13), Value::Null]);
    let body = github.state().conversation[0]["body"].as_str().unwrap().to_owned();
    assert!(body.contains(&format!("/blob/{SECOND}/a.py#L31")), "the report's lines are those of the merge: {body}");
    // A commit whose first parent is the head is another push.
    let saved = json::read(report(THIRD, vec![]).to_string().as_bytes()).expect("a report");
    let event = json!({"pull_request": {"number": 7, "head": {"sha": FIRST}}});
    let given = Given { repository: Some("acme/shop".to_owned()), number: None };
    let target = Target::find(&given, Some(&event), &|_| None).expect("a pull request");
    let (time, url) = (Time::new(), github.url());
    let job = job(target, &url, &time);
    let error = publish(&saved, &job).expect_err("another commit").to_string();
    assert!(error.contains(THIRD) && error.contains(FIRST), "{error}");
}

#[test]
fn an_older_head_writes_nothing() {
    let github = GitHub::start(pull(SECOND));
    let Published { outcome, .. } = publish_for(&github, FIRST, &report(FIRST, three()), |_| {});
    assert!(outcome.is_outdated && outcome.problem.is_none());
    assert_eq!((outcome.untold.len(), github.written()), (3, vec![]));
}

/// The program itself: where it takes its values from, what it says and how it ends.
struct Shell {
    place: Place,
    github: GitHub,
}

impl Shell {
    fn new(head: &str) -> Self {
        let place = Place::new();
        let event = json!({"pull_request": {"number": 7, "head": {"sha": head, "repo": {"id": 2}}, "base": {"repo": {"id": 1}}}});
        place.write("event.json", event.to_string());
        Self { place, github: GitHub::start(pull(head)) }
    }

    fn publish(&self, report: &str, args: &[&str]) -> Ran {
        self.place.write("report.json", report);
        let run = self.place.program([&["publish", "github", "--report", "report.json"], args].concat());
        run.env("GITHUB_REPOSITORY", "acme/shop")
            .env("GITHUB_EVENT_NAME", "pull_request")
            .env("GITHUB_EVENT_PATH", "event.json")
            .env("GITHUB_API_URL", self.github.url())
            .env("GITHUB_TOKEN", TOKEN)
            .env("GITHUB_STEP_SUMMARY", "summary.md")
            .run()
    }
}

#[test]
fn the_program_publishes_what_a_job_has() {
    let shell = Shell::new(FIRST);
    let ran = shell.publish(&report(FIRST, three()).to_string(), &[]);
    ran.fails(0, &["1 new comments on lines, 1 on files", "1 in the summary alone", "the summary is up to date"]);
    assert_eq!(ran.text(), "");
    assert!(!shell.place.path("summary.md").exists(), "all of it is told");
}

#[test]
fn a_dry_run_prints_every_write_and_does_none() {
    let shell = Shell::new(FIRST);
    let ran = shell.publish(&report(FIRST, three()).to_string(), &["--dry-run"]);
    ran.fails(0, &["only shown, not written"]);
    let lines: Vec<Value> = ran.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let paths: Vec<&str> = lines.iter().filter_map(|line| line["path"].as_str()).collect();
    assert_eq!(
        paths,
        ["/repos/acme/shop/pulls/7/reviews", "/repos/acme/shop/pulls/7/comments", "/repos/acme/shop/issues/7/comments"]
    );
    assert_eq!(shell.github.written(), [""; 0]);
}

#[test]
fn what_nobody_took_is_in_the_log_and_in_the_summary_of_the_job() {
    let shell = Shell::new(FIRST);
    shell.github.trouble(|request, _| {
        let message = json!({"message": "Resource not accessible by integration"});
        request.is_write().then(|| Fault::Refuse(403, vec![], message))
    });
    let mut findings = three();
    findings[0]["rationale"] = "x\n::error::y ##[add-mask]z <b>".into();
    let ran = shell.publish(&report(FIRST, findings).to_string(), &[]);
    ran.fails(
        3,
        &[
            "publishing could not be completed",
            "a job on `pull_request` never has for a fork: publish from a job on `workflow_run`",
            "3 findings are only in this log",
        ],
    );
    let log = ran.text();
    assert_eq!(log.lines().count(), 3);
    assert!(
        log.starts_with(
            "error a.py:11 Title 1 [MutableDefault 00000000000000000000000000000001]: x ::error::y ## [add-mask]z"
        ),
        "{log}"
    );
    let summary = shell.place.read("summary.md");
    for part in ["Title 1", "Title 2", "Title 3", "## \\[add-mask"] {
        assert!(
            summary.contains(part) || part.starts_with("##") && summary.contains("\\[add-mask\\]z \\<b\\>"),
            "{part}: {summary}"
        );
    }
}

#[test]
fn reports_that_do_not_fit_are_refused_before_anything_is_asked() {
    let shell = Shell::new(FIRST);
    let mut outside = report(FIRST, three());
    outside["findings"][0]["file"] = "../../etc/passwd".into();
    let mut zero = report(FIRST, three());
    zero["findings"][0]["line"] = 0.into();
    let mut mark = report(FIRST, three());
    mark["findings"][0]["fingerprint"] = "0 -->".into();
    let huge = report(FIRST, (0..20_001).map(|number| finding(number, "note", "a.py", 11)).collect());
    let mut share = report(FIRST, three());
    share["shard"] = json!({"index": 1, "count": 2, "files": [], "kept": [], "notes": [], "skipped": [], "steered": [],
        "identity": "", "baseline": [], "cap": null, "caps": [], "tags": [],
        "provenance": {"repository_uri": null, "revision": null, "branch": null, "category": null}});
    let mut nothing = report(FIRST, vec![]);
    nothing["change"]["head"] = Value::Null;
    for (report, part) in [
        (outside, "findings.file cannot be"),
        (zero, "findings.line cannot be"),
        (mark, "findings.fingerprint cannot be"),
        (huge, "more than 20000"),
        (share, "join all of them with `diffsieve merge`"),
        (nothing, "the report is of no commit"),
        (json!({"schema": "diffsieve.report/v9"}), "this version reads diffsieve.report/v1"),
        (json!([1]), "no diffsieve report"),
    ] {
        shell.publish(&report.to_string(), &[]).fails(2, &[part]);
    }
    assert_eq!(shell.github.state().asked, 0);
    shell.publish(&report(SECOND, three()).to_string(), &[]).fails(2, &[SECOND, FIRST, "nothing was written"]);
    assert_eq!(shell.github.written(), [""; 0]);
}

#[test]
fn calls_that_do_not_fit_say_what_to_do() {
    let shell = Shell::new(FIRST);
    let fine = report(FIRST, three()).to_string();
    for (args, part) in [
        (&["--pr", "8"][..], "the event is of pull request 7"),
        (&["--repo", "a/../b"], "write OWNER/NAME"),
        (&["--event", "missing.json"], "there is no file"),
        (&["--event", "report.json"], "name it with --pr"),
    ] {
        shell.publish(&fine, args).fails(2, &[part]);
    }
    let bare = shell.place.program(["publish", "github", "--report", "report.json", "--repo", "a/b", "--pr", "1"]);
    bare.run().fails(2, &["set GITHUB_TOKEN"]);
    let wrong = shell.place.program(["publish", "github", "--report", "report.json", "--repo", "a/b", "--pr", "1"]);
    wrong.env("GH_TOKEN", "gh geheim").run().fails(2, &["GH_TOKEN"]);
    // A server that says the token back.
    let ran = shell.publish(&fine, &["--repo", "acme/shop"]);
    assert_eq!(ran.code, 0);
    shell.place.write("report.json", &fine);
    let denied =
        shell.place.program(["publish", "github", "--report", "report.json", "--repo", "acme/shop", "--pr", "7"]);
    let denied = denied.env("GITHUB_API_URL", shell.github.url()).env("GH_TOKEN", "ghs_geheim_other").run();
    denied.fails(3, &["Bad credentials"]);
    assert!(!denied.stderr.contains("geheim") && !denied.text().contains("geheim"), "{}", denied.stderr);
}
