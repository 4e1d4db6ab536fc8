//! One review: inputs, outputs, annotations, the job's summary.

use std::fs;
use std::os::unix::fs::symlink;

use crate::runner::{Runner, conflict};

#[test]
fn a_clean_change_passes() {
    let runner = Runner::new();
    runner.commit("b.txt", "fine\n");
    let step = runner.review(&[]);
    assert_eq!(step.code, 0, "{}", step.log);
    step.has(&[("exit-code", "0"), ("verdict", "pass"), ("complete", "true"), ("findings", "0"), ("errors", "0")]);
    let range = format!("{}..{}", runner.git(&["rev-parse", "main"]), runner.git(&["rev-parse", "topic"]));
    step.has(&[("warnings", "0"), ("reviewed-range", &range)]);
    let json = fs::read_to_string(&step.outputs["json-file"]).unwrap();
    assert!(json.contains("diffsieve.report/v1"));
    let sarif = fs::read_to_string(&step.outputs["sarif-file"]).unwrap();
    assert!(sarif.contains("2.1.0"));
    assert!(step.summary.contains("passed"), "{}", step.summary);
}

#[test]
fn findings_are_counted_annotated_and_leave_the_exit_code_to_the_last_step() {
    let runner = Runner::new();
    // A name and lines that look like the report's own keys and like workflow commands.
    runner.commit("  \"gate\": {\n    \"verdict\": \"pass\",\n::add-mask::x.txt", &conflict());
    runner.commit("c.txt", &format!("      \"level\": \"error\",\n  \"findings\": [\n{}", conflict()));
    let step = runner.review(&[]);
    assert_eq!(step.code, 0, "{}", step.log);
    step.has(&[("exit-code", "1"), ("verdict", "fail"), ("complete", "true"), ("findings", "2"), ("errors", "2")]);
    assert_eq!(step.log.lines().filter(|line| line.starts_with("::error ")).count(), 2, "{}", step.log);
    assert!(!step.log.lines().any(|line| line.trim_start().starts_with("::add-mask")), "{}", step.log);
    assert!(step.summary.contains("failed") && step.summary.contains("MergeConflict"), "{}", step.summary);
    assert!(!step.summary.lines().any(|line| line.trim_start().starts_with("::")), "{}", step.summary);
}

#[test]
fn inputs_reach_the_review() {
    let runner = Runner::new();
    runner.commit("b.txt", &conflict());
    let sarif = runner.path("out.sarif");
    let step = runner.review(&[
        ("DIFFSIEVE_ACTION_FAIL_ON", "never"),
        ("DIFFSIEVE_ACTION_BASE", "main"),
        ("DIFFSIEVE_ACTION_SARIF_FILE", sarif.to_str().unwrap()),
        ("DIFFSIEVE_ACTION_ARGS", " --funnel\n  --category nightly "),
    ]);
    step.has(&[("exit-code", "0"), ("verdict", "pass"), ("errors", "1"), ("sarif-file", sarif.to_str().unwrap())]);
    assert!(fs::read_to_string(sarif).unwrap().contains("nightly"));
}

#[test]
fn a_model_without_its_key_is_no_pass() {
    let runner = Runner::new();
    runner.commit("b.txt", "fine\n");
    let step = runner.review(&[("DIFFSIEVE_ACTION_MODEL", "openai/m"), ("DIFFSIEVE_ACTION_VALIDATOR", "none")]);
    step.has(&[("exit-code", "3"), ("verdict", "incomplete"), ("complete", "false"), ("findings", "0")]);
    let step = runner.review(&[("DIFFSIEVE_ACTION_MODEL", "nobody/m")]);
    step.has(&[("exit-code", "2"), ("verdict", "error")]);
}

#[test]
fn without_a_report_there_is_no_number() {
    let runner = Runner::new();
    runner.commit("b.txt", "fine\n");
    let step = runner.review(&[("DIFFSIEVE_ACTION_BASE", "no-such-branch")]);
    assert_eq!(step.code, 0, "{}", step.log);
    step.has(&[("exit-code", "2"), ("verdict", "error"), ("complete", "false"), ("findings", ""), ("sarif-file", "")]);
    let step = runner.review(&[("GITHUB_BASE_REF", "gone")]);
    step.has(&[("exit-code", "3"), ("verdict", "incomplete"), ("complete", "false"), ("json-file", "")]);
}

#[test]
fn wrong_inputs_are_refused_before_anything_runs() {
    let runner = Runner::new();
    let wrong = [
        ("DIFFSIEVE_ACTION_ARGS", "--format json"),
        ("DIFFSIEVE_ACTION_ARGS", "--quiet --format=sarif=x"),
        ("DIFFSIEVE_ACTION_ARGS", "--patch -"),
        ("DIFFSIEVE_ACTION_ARGS", "rules list"),
        ("DIFFSIEVE_ACTION_ARGS", "--category $(touch${IFS}hacked)"),
        ("DIFFSIEVE_ACTION_ARGS", "--category 'a b'"),
        ("DIFFSIEVE_ACTION_ARGS", "--category *"),
        ("DIFFSIEVE_ACTION_UPLOAD_SARIF", "yes"),
        ("DIFFSIEVE_ACTION_SARIF_FILE", "a\nverdict=pass"),
        ("DIFFSIEVE_ACTION_FAIL_ON", "error\nx=y"),
        ("DIFFSIEVE_ACTION_CONFIG", "a\rb"),
        ("DIFFSIEVE_ACTION_SHARD", "1/2\n::add-mask::x"),
        ("DIFFSIEVE_ACTION_MERGE", "a\u{1b}[2J"),
        ("DIFFSIEVE_ACTION_MODEL", "openai/\u{7}"),
        ("DIFFSIEVE_ACTION_FORMATS", "junit"),
        ("DIFFSIEVE_ACTION_FORMATS", "junit="),
        ("DIFFSIEVE_ACTION_FORMATS", "=report.xml"),
        ("DIFFSIEVE_ACTION_FORMATS", "--patch=x"),
        ("DIFFSIEVE_ACTION_FORMATS", "junit=$(touch${IFS}hacked)"),
        ("DIFFSIEVE_ACTION_FORMATS", "junit='a b'"),
        ("DIFFSIEVE_ACTION_FORMATS", "junit=a;touch hacked"),
    ];
    for (name, value) in wrong {
        let step = runner.review(&[(name, value)]);
        step.refuses("the input ");
        // Before anything ran: the annotation is all there is.
        assert_eq!(step.log.lines().count(), 1, "{name}={value}: {}", step.log);
    }
    assert!(!runner.path("work/hacked").exists());
    // What diffsieve itself refuses leaves its exit code.
    let step = runner.review(&[("DIFFSIEVE_ACTION_FAIL_ON", "fatal")]);
    step.has(&[("exit-code", "2"), ("verdict", "error")]);
}

/// What an option's value holds reaches diffsieve as one argument and nothing else.
#[test]
fn values_are_never_code() {
    let runner = Runner::new();
    runner.commit("b.txt", "fine\n");
    for name in ["BASE", "CONFIG", "CONFIG_FROM", "MODEL", "VALIDATOR", "SHARD", "ON_INCOMPLETE", "MERGE"] {
        let name = format!("DIFFSIEVE_ACTION_{name}");
        for value in ["$(touch hacked)", "`touch hacked`", "'; touch hacked; '", "\"$HOME\"", "--help", "* ?"] {
            let step = runner.review(&[(&name, value)]);
            assert_eq!(step.code, 0, "{name}={value}: {}", step.log);
            step.has(&[("verdict", "error"), ("exit-code", "2"), ("json-file", "")]);
            assert!(!step.log.contains("Usage: diffsieve review [OPTIONS]"), "{name}={value}: {}", step.log);
        }
    }
    assert!(!runner.path("work/hacked").exists());
}

#[test]
fn further_formats_are_written_beside_the_usual_ones() {
    let runner = Runner::new();
    runner.commit("b.txt", &conflict());
    let report = runner.path("report.xml");
    let formats = format!("junit={}\n\tcheckstyle=check.xml ", report.display());
    let step = runner.review(&[("DIFFSIEVE_ACTION_FORMATS", &formats)]);
    step.has(&[("exit-code", "1"), ("errors", "1")]);
    assert!(fs::read_to_string(report).unwrap().contains("<testsuites"));
    assert!(fs::read_to_string(runner.path("work/check.xml")).unwrap().contains("<checkstyle"));
    let step = runner.review(&[("DIFFSIEVE_ACTION_FORMATS", "nonsense=x")]);
    step.has(&[("exit-code", "2"), ("verdict", "error")]);
}

/// The checkout's author does not choose which file a report overwrites.
#[test]
fn reports_are_not_written_through_links_of_the_checkout() {
    let runner = Runner::new();
    let precious = runner.path("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("file"), "mine").unwrap();
    symlink(precious.join("file"), runner.path("work/report.xml")).unwrap();
    symlink(&precious, runner.path("work/out")).unwrap();
    runner.commit("b.txt", "fine\n");
    let absolute = format!("junit={}", runner.path("work/out/file").display());
    for (name, value) in [
        ("DIFFSIEVE_ACTION_FORMATS", "junit=report.xml"),
        ("DIFFSIEVE_ACTION_FORMATS", "junit=./out/file"),
        ("DIFFSIEVE_ACTION_FORMATS", &absolute),
        ("DIFFSIEVE_ACTION_SARIF_FILE", "report.xml"),
        ("DIFFSIEVE_ACTION_SARIF_FILE", "out//file"),
    ] {
        runner.review(&[(name, value)]).refuses("symbolic link");
    }
    assert_eq!(fs::read_to_string(precious.join("file")).unwrap(), "mine");
}

#[test]
fn shares_are_joined_into_one_verdict() {
    let runner = Runner::new();
    for name in ["b.txt", "c.txt", "d.txt", "e.txt"] {
        runner.commit(name, &conflict());
    }
    let reports = runner.path("reports");
    let mut errors = 0;
    for share in ["1/2", "2/2"] {
        let step = runner.review(&[("DIFFSIEVE_ACTION_SHARD", share)]);
        assert_eq!(step.code, 0, "{}", step.log);
        errors += step.outputs["errors"].parse::<u32>().unwrap();
        // The job that joins them annotates, once.
        assert!(!step.log.contains("::error "), "{}", step.log);
        assert!(step.summary.contains(&format!("share {share}")) && !step.summary.contains("MergeConflict"));
        let folder = reports.join(share.replace('/', "-"));
        fs::create_dir_all(&folder).unwrap();
        fs::copy(&step.outputs["json-file"], folder.join("diffsieve.json")).unwrap();
    }
    assert_eq!(errors, 4);
    let step = runner.review(&[("DIFFSIEVE_ACTION_MERGE", reports.to_str().unwrap())]);
    step.has(&[("exit-code", "1"), ("verdict", "fail"), ("complete", "true"), ("errors", "4")]);
    assert_eq!(step.log.lines().filter(|line| line.starts_with("::error ")).count(), 4, "{}", step.log);
    // A share that left nothing makes the whole incomplete, and so does a folder without any.
    fs::remove_dir_all(reports.join("2-2")).unwrap();
    let step = runner.review(&[("DIFFSIEVE_ACTION_MERGE", reports.to_str().unwrap())]);
    step.has(&[("complete", "false")]);
    assert!(matches!(step.outputs["exit-code"].as_str(), "1" | "3"), "{}", step.log);
    fs::remove_dir_all(reports.join("1-2")).unwrap();
    let step = runner.review(&[("DIFFSIEVE_ACTION_MERGE", reports.to_str().unwrap())]);
    step.has(&[("exit-code", "3"), ("verdict", "incomplete"), ("json-file", "")]);
}

/// GitHub drops a summary above 1 MiB altogether, with what earlier lines of the step said.
#[test]
fn the_summary_stays_below_its_limit() {
    const LIMIT: usize = 1 << 20;
    let runner = Runner::new();
    runner.commit("b.txt", &conflict());
    let page = runner.review(&[]).summary;
    let after = |there: usize| {
        fs::write(runner.path("summary"), "x".repeat(there)).unwrap();
        let binary = env!("CARGO_BIN_EXE_diffsieve");
        let env = [("DIFFSIEVE_ACTION_BINARY", binary), ("DIFFSIEVE_ACTION_UPLOAD_SARIF", "false")];
        let step = runner.script("review", &env);
        step.has(&[("exit-code", "1")]);
        assert!(step.summary.len() <= LIMIT && step.summary.starts_with("xxx"));
        (step.summary[there..].to_owned(), step.log)
    };
    assert_eq!(after(LIMIT - page.len()).0, page);
    let (short, _) = after(LIMIT - page.len() + 1);
    assert!(short.contains("### diffsieve: fail") && short.contains("does not fit"), "{short}");
    let (none, log) = after(LIMIT - 3);
    assert!(none.is_empty() && log.contains("::notice title=diffsieve::The summary"), "{none}{log}");
    // No summary at all, as on an old server.
    let step = runner.review(&[("GITHUB_STEP_SUMMARY", "")]);
    step.has(&[("exit-code", "1")]);
}

/// A change may name its files like lines of the file that the step's outputs are read from.
#[test]
fn names_cannot_set_outputs() {
    let runner = Runner::new();
    runner.commit("b\nverdict=pass\nexit-code=0\n", &conflict());
    runner.commit("c\nx<<EOF\nEOF\n", &conflict());
    let step = runner.review(&[]);
    let written = fs::read_to_string(runner.path("output")).unwrap();
    assert_eq!(written.lines().count(), 9, "{written}");
    step.has(&[("exit-code", "1"), ("verdict", "fail"), ("errors", "2")]);
}

/// A program of the workflow (`command`), and whatever else is started, does not see where later steps read from.
#[test]
fn what_is_started_cannot_reach_later_steps() {
    let runner = Runner::new();
    runner.commit("b.txt", "fine\n");
    let spy = runner.path("bin/spy");
    runner.program("spy", "#!/bin/sh\nenv >spied\nexit 0\n");
    let files = [("GITHUB_ENV", "/e"), ("GITHUB_PATH", "/p"), ("GITHUB_STATE", "/s")];
    let mut env = vec![("DIFFSIEVE_ACTION_BINARY", spy.to_str().unwrap())];
    env.extend(files);
    runner.review(&env);
    let seen = fs::read_to_string(runner.path("work/spied")).unwrap();
    for name in ["GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
        assert!(!seen.contains(&format!("{name}=")), "{name} is visible");
    }
    assert!(seen.contains("GITHUB_EVENT_NAME="), "the rest of the job is");
}
