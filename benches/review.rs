//! Measures whole reviews against git and ast-grep, and their parts against a bare tree-sitter loop, in one run.
//!
//! `cargo bench --bench review -- REPOSITORY RANGE... [--runs N] [--ast-grep PROGRAM]`
//!
//! Every figure is the least of N runs (default 7), the programs taking turns so that a busy machine slows all of them.
//! Memory is the peak resident set that `/usr/bin/time` reports. docs/performance.md tells what was measured where.
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ast_grep_core::tree_sitter::LanguageExt as _;
use ast_grep_language::SupportLang;
use diffsieve::diff::{self, Body, FileChange, Globs, Limits, Plan};
use diffsieve::git::Repository;
use diffsieve::rules::{Examples, How, Rules};
use diffsieve::scope::{self, Request};
use diffsieve::syntax::Language;

fn main() {
    let mut repository = None;
    let (mut ranges, mut runs, mut ast_grep) = (Vec::new(), 7, None);
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => runs = arguments.next().unwrap().parse().unwrap(),
            "--ast-grep" => ast_grep = arguments.next(),
            _ if repository.is_none() => repository = Some(PathBuf::from(argument)),
            _ => ranges.push(argument),
        }
    }
    let Some(repository) = repository else {
        println!("usage: cargo bench --bench review -- REPOSITORY RANGE... [--runs N] [--ast-grep PROGRAM]");
        return;
    };
    let version = least(runs, || whole(&["--version"], &repository));
    println!("diffsieve --version: {:.1} ms, {:.1} MB", version.0, version.1);
    for range in ranges {
        measure(&repository, &range, runs, ast_grep.as_deref());
    }
}

/// Milliseconds and megabytes.
type Figure = (f64, f64);

fn measure(repository: &Path, range: &str, runs: usize, ast_grep: Option<&str>) {
    let files = load(repository, range);
    let sources: Vec<(Language, Vec<u8>)> = files.iter().filter_map(source).collect();
    let bytes: usize = sources.iter().map(|(_, source)| source.len()).sum();
    println!(
        "\n{range}: {} files, {} of them parsed at the new side ({:.1} MB)",
        files.len(),
        sources.len(),
        bytes as f64 / 1e6
    );
    let rules = ast_grep.map(|program| (program, AstGrep::prepare(&files)));
    let mut figures: Vec<(String, Figure)> = Vec::new();
    let mut note = |name: &str, figure: Figure| match figures.iter_mut().find(|(other, _)| other == name) {
        Some((_, best)) => *best = (best.0.min(figure.0), best.1.min(figure.1)),
        None => figures.push((name.to_owned(), figure)),
    };
    for _ in 0..runs {
        note("git diff -M", git(repository, range));
        note("diff alone, in process", (timed(|| drop(load(repository, range))), 0.0));
        note("bare tree-sitter loop", (timed(|| parse(&sources)), 0.0));
        note("diffsieve review", whole(&["review", "--range", range, "--format", "json=/dev/null"], repository));
        if let Some((program, prepared)) = &rules {
            note("ast-grep scan, same rules", prepared.run(program));
        }
    }
    let base = figures[0].1;
    for (name, (milliseconds, megabytes)) in &figures {
        let memory = if *megabytes > 0.0 { format!("{megabytes:7.1} MB") } else { " ".repeat(10) };
        println!("  {name:<28} {milliseconds:8.1} ms  {memory}  {:5.2} x git", milliseconds / base.0);
    }
    let of = |name: &str| figures.iter().find(|(other, _)| other == name).unwrap().1.0;
    let bound = of("git diff -M") + of("bare tree-sitter loop");
    println!("  review / (git diff + bare tree-sitter) = {:.2}", of("diffsieve review") / bound);
}

/// The diff as the review reads it, on as many threads.
fn load(repository: &Path, range: &str) -> Vec<FileChange> {
    let repo = Repository::open(repository, &|_| None).unwrap();
    let scope = scope::find(&repo, &Request::Range(range.to_owned()), &|_| None, false).unwrap();
    let attributes = scope.base_tip.map(|tip| repo.tree_of(tip).unwrap());
    let plan = Plan::between(&repo, &scope.old, &scope.new, attributes).unwrap();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut reader = repo.reader();
        let mut files = Vec::new();
        while let Some(planned) = plan.files.get(next.fetch_add(1, Ordering::Relaxed)) {
            files.push(diff::load(planned, &mut reader, &Limits::default(), &Globs::default()));
        }
        files
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads()).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn source(file: &FileChange) -> Option<(Language, Vec<u8>)> {
    let Body::Text { new, .. } = &file.body else { return None };
    let skipped = file.class.generated || file.class.vendored || file.class.lock || new.is_empty();
    let language = Language::of_path(&file.path, None).filter(|_| !skipped)?;
    Some((language, new.bytes().to_vec()))
}

/// Parses every file and does nothing else.
fn parse(sources: &[(Language, Vec<u8>)]) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut parser = tree_sitter::Parser::new();
        while let Some((language, source)) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            let grammar: SupportLang = language.name().parse().unwrap();
            parser.set_language(&grammar.get_ts_language()).unwrap();
            std::hint::black_box(parser.parse(source, None));
        }
    };
    std::thread::scope(|scope| (0..threads()).for_each(|_| drop(scope.spawn(work))));
}

/// The same rules in ast-grep's own files, and the changed files in a folder.
struct AstGrep {
    folder: tempfile::TempDir,
}

impl AstGrep {
    fn prepare(files: &[FileChange]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rules = Rules::load(Examples::Skip, &[], None, None).unwrap();
        let mut text = String::new();
        for detector in rules.detectors() {
            let How::Rule(node) = &detector.how else { continue };
            for language in &detector.languages {
                let mut rule = node.to_json();
                let constraints = rule.as_object_mut().and_then(|rule| rule.remove("constraints"));
                let id = format!("{}-{}", detector.id.replace('/', "-"), language.name());
                let mut document = serde_json::json!({"id": id, "language": language.name(), "rule": rule});
                if let Some(constraints) = constraints {
                    document["constraints"] = constraints;
                }
                text.push_str(&format!("---\n{document}\n"));
            }
        }
        std::fs::write(folder.path().join("rules.yml"), text).unwrap();
        for file in files {
            if let (Some((_, source)), Ok(path)) = (source(file), std::str::from_utf8(file.path.bytes())) {
                let path = folder.path().join("files").join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, source).unwrap();
            }
        }
        Self { folder }
    }

    fn run(&self, program: &str) -> Figure {
        let mut command = under_time(program);
        command.args(["scan", "--no-ignore", "hidden", "--json=stream", "--rule", "rules.yml", "files"]);
        run(command.current_dir(self.folder.path()))
    }
}

fn git(repository: &Path, range: &str) -> Figure {
    let mut command = under_time("git");
    command.arg("-C").arg(repository).args(["diff", "-M", "--no-ext-diff", "--no-textconv", range]);
    run(&mut command)
}

fn whole(arguments: &[&str], repository: &Path) -> Figure {
    let mut command = under_time(env!("CARGO_BIN_EXE_diffsieve"));
    if arguments[0] == "review" {
        command.args(["review", "-C"]).arg(repository).args(&arguments[1..]);
    } else {
        command.args(arguments);
    }
    run(&mut command)
}

fn under_time(program: &str) -> Command {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-q", "-f", "%M", program]);
    command
}

fn run(command: &mut Command) -> Figure {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let said = String::from_utf8_lossy(&output.stderr);
    let kilobytes: f64 = said.lines().last().and_then(|line| line.trim().parse().ok()).unwrap_or(f64::NAN);
    (milliseconds, kilobytes / 1e3)
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

fn least(runs: usize, mut work: impl FnMut() -> Figure) -> Figure {
    (0..runs).map(|_| work()).fold((f64::MAX, f64::MAX), |best, new| (best.0.min(new.0), best.1.min(new.1)))
}
