//! Measures reviews with a model that a server on loopback plays: the time to the first request, the whole run against the
//! least that its requests can take, the tokens of the prompts against those of the diff, and a warm run.
//!
//! `cargo bench --bench model -- REPOSITORY RANGE... [--runs N] [--binary PROGRAM] [--save FOLDER]`
//!
//! `--save` writes every prompt and the plain diff, for other tokenizers than our own estimate.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]
#![allow(dead_code, reason = "the tests use more of the service")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use diffsieve::context::estimate_tokens;
use serde_json::{Value, json};

#[path = "../tests/integration/service.rs"]
mod service;

use service::{Service, added, clean, is_opinion, scores, user};

const LATENCY: Duration = Duration::from_millis(500);

struct Options {
    repository: PathBuf,
    binary: PathBuf,
    runs: usize,
    save: Option<PathBuf>,
}

fn main() {
    let (mut repository, mut binary, mut save) = (None, None, None);
    let (mut ranges, mut runs) = (Vec::new(), 7);
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => runs = arguments.next().unwrap().parse().unwrap(),
            "--binary" => binary = arguments.next().map(PathBuf::from),
            "--save" => save = arguments.next().map(PathBuf::from),
            _ if repository.is_none() => repository = Some(PathBuf::from(argument)),
            _ => ranges.push(argument),
        }
    }
    let Some(repository) = repository else {
        println!(
            "usage: cargo bench --bench model -- REPOSITORY RANGE... [--runs N] [--binary PROGRAM] [--save FOLDER]"
        );
        return;
    };
    let binary = binary.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_diffsieve")));
    let options = Options { repository, binary, runs, save };
    for range in ranges {
        println!("\n{range}");
        first_request(&options, &range);
        tokens(&options, &range);
        whole(&options, &range);
    }
}

struct Run {
    took: Duration,
    first: Option<Duration>,
    code: i32,
}

/// Runs the program in an environment of its own; `config` is the user's file.
fn run(options: &Options, range: &str, service: &Service, config: &str, cache: &Path) -> Run {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("diffsieve");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), config).unwrap();
    let before = service.arrivals().len();
    let mut command = Command::new(&options.binary);
    command
        .args(["review", "--quiet", "--model", "openai/m", "--range", range, "--cache"])
        .arg(cache)
        .current_dir(&options.repository)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .env("OPENAI_BASE_URL", service.url())
        .env("OPENAI_API_KEY", "none")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let began = Instant::now();
    let code = command.status().unwrap().code().unwrap();
    let took = began.elapsed();
    let first = service.arrivals().get(before).map(|arrived| arrived.duration_since(began));
    Run { took, first, code }
}

fn first_request(options: &Options, range: &str) {
    let service = Service::new(|_| (200, clean()));
    let off = Path::new("off");
    let runs = || (0..options.runs).map(|_| run(options, range, &service, "", off));
    let first = runs().filter_map(|run| run.first).min().unwrap();
    let cache = tempfile::tempdir().unwrap();
    run(options, range, &service, "", cache.path());
    let before = service.count();
    let warm = (0..options.runs).map(|_| run(options, range, &service, "", cache.path()).took).min().unwrap();
    println!(
        "first request after {:.1} ms; warm run {:.1} ms and {} requests",
        first.as_secs_f64() * 1e3,
        warm.as_secs_f64() * 1e3,
        service.count() - before
    );
}

/// One claim for every third hunk.
fn thirds(page: &str) -> String {
    let mut claims: Vec<Value> = Vec::new();
    let mut lines =
        added(page).into_iter().filter(|(_, _, text)| text.chars().filter(|c| c.is_alphanumeric()).count() > 3);
    let ends: Vec<i64> = page
        .lines()
        .filter(|line| line.contains(" END h"))
        .map(|line| line.rsplit([' ', '-']).find_map(|word| word.trim_end_matches(">>").parse().ok()).unwrap_or(0))
        .collect();
    for end in ends.iter().skip(2).step_by(3) {
        if let Some((file, line, text)) = lines.by_ref().filter(|(_, line, _)| line <= end).last() {
            claims.push(json!({"file": file, "line": line, "quote": text, "tag": "LogicError", "suggestion": "",
                "rationale": "For an empty list this takes the wrong branch; could it be checked before the loop?"}));
        }
    }
    json!({"findings": claims, "no_comment": claims.is_empty()}).to_string()
}

fn tokens(options: &Options, range: &str) {
    let service = Service::new(|request| {
        let page = user(request);
        (200, if is_opinion(request) { scores(page, 5) } else { thirds(page) })
    });
    let done = run(options, range, &service, "", Path::new("off"));
    let diff =
        Command::new("git").args(["diff", "-M", range]).current_dir(&options.repository).output().unwrap().stdout;
    let diff = String::from_utf8_lossy(&diff).into_owned();
    let of_diff = f64::from(estimate_tokens(&diff, None));
    let (mut collect, mut validate, mut asked) = (0.0, 0.0, [0, 0]);
    for (number, request) in service.requests().iter().enumerate() {
        let texts = request["messages"].as_array().unwrap().iter().filter_map(|message| message["content"].as_str());
        let text = texts.collect::<Vec<_>>().join("\n");
        let tokens = f64::from(estimate_tokens(&text, None));
        let kind = if is_opinion(request) { "validate" } else { "collect" };
        *(if is_opinion(request) { &mut validate } else { &mut collect }) += tokens;
        asked[usize::from(is_opinion(request))] += 1;
        if let Some(folder) = &options.save {
            let folder = folder.join(range.replace(['/', '.'], "_"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("{number}.{kind}.txt")), &text).unwrap();
            fs::write(folder.join("diff.txt"), &diff).unwrap();
        }
    }
    println!(
        "{} questions, {} second opinions; diff {of_diff} tokens (our estimate), questions {:.2} of it, both {:.2}; exit {}",
        asked[0],
        asked[1],
        collect / of_diff,
        (collect + validate) / of_diff,
        done.code
    );
}

/// The whole run against its first request and the rounds of four that follow.
fn whole(options: &Options, range: &str) {
    for tokens in [4_000, 2_000, 1_000] {
        let service = Service::slow(LATENCY, |request| {
            let page = user(request);
            (200, if is_opinion(request) { scores(page, 5) } else { thirds(page) })
        });
        let config =
            format!("[model]\nchunk_tokens = {tokens}\n[budget]\nrequests = 500\ntokens = 5000000\nseconds = 600\n");
        let done = run(options, range, &service, &config, Path::new("off"));
        let opinions = service.requests().iter().filter(|request| is_opinion(request)).count();
        let questions = service.count() - opinions;
        let rounds = (questions.div_ceil(4) + opinions.div_ceil(4)) as u32;
        // The first question goes ahead of the others, so that the service keeps what they have in common.
        let first = done.first.unwrap() + LATENCY;
        let least = first + LATENCY * rounds;
        println!(
            "chunks of {tokens}: {questions} questions, {opinions} second opinions, {:.2} s; the first request with its \
             answer ({:.2} s) and {rounds} rounds of {} ms make {:.2} s: {:.3}",
            done.took.as_secs_f64(),
            first.as_secs_f64(),
            LATENCY.as_millis(),
            least.as_secs_f64(),
            done.took.as_secs_f64() / least.as_secs_f64()
        );
    }
}
