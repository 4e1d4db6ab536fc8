//! The publishing Action's script: which arguments diffsieve gets, and what is refused before.

use std::fs;
use std::os::unix::fs::symlink;

use crate::runner::{Runner, Step};

fn publish(runner: &Runner, inputs: &[(&str, &str)]) -> Step {
    // Stands in for the program: what it posts is tested where it is written.
    runner.program("diffsieve", "#!/bin/sh\nprintf '<%s>' \"$@\"\necho\nenv >seen\n");
    let binary = runner.path("bin/diffsieve");
    let mut env = vec![
        ("DIFFSIEVE_ACTION_BINARY", binary.to_str().unwrap()),
        ("DIFFSIEVE_ACTION_REPORT", "report.json"),
        ("GITHUB_TOKEN", "t"),
    ];
    env.extend(inputs);
    runner.script("publish", &env)
}

#[test]
fn a_report_is_handed_on_with_the_number_it_is_for() {
    let runner = Runner::empty();
    fs::write(runner.path("work/report.json"), "{}").unwrap();
    let step = publish(&runner, &[]);
    assert_eq!((step.code, step.log.as_str()), (0, "<publish><github><--report=report.json>\n"));
    let step = publish(&runner, &[("DIFFSIEVE_ACTION_PR", "7"), ("DIFFSIEVE_ACTION_MAX_COMMENTS", "0")]);
    assert_eq!(step.log, "<publish><github><--report=report.json><--pr=7><--max-comments=0>\n");
    let seen = fs::read_to_string(runner.path("work/seen")).unwrap();
    assert!(seen.contains("GITHUB_TOKEN=t") && seen.contains("GITHUB_STEP_SUMMARY="), "{seen}");
    assert!(!seen.contains("GITHUB_OUTPUT="), "{seen}");
}

#[test]
fn what_no_workflow_should_pass_is_refused() {
    let runner = Runner::empty();
    fs::write(runner.path("work/report.json"), "{}").unwrap();
    symlink("/etc/passwd", runner.path("work/link.json")).unwrap();
    for (name, value, why) in [
        ("DIFFSIEVE_ACTION_REPORT", "", "the input report"),
        ("DIFFSIEVE_ACTION_REPORT", "a\nb", "control character"),
        ("DIFFSIEVE_ACTION_REPORT", "gone.json", "no file"),
        ("DIFFSIEVE_ACTION_REPORT", "link.json", "no file"),
        ("DIFFSIEVE_ACTION_PR", "7 --repo=x/y", "the input pr is a number"),
        ("DIFFSIEVE_ACTION_PR", "$(id)", "the input pr is a number"),
        ("DIFFSIEVE_ACTION_PR", "7\n", "the input pr is a number"),
        ("DIFFSIEVE_ACTION_MAX_COMMENTS", "-1", "the input max-comments is a number"),
        ("GITHUB_TOKEN", "", "GITHUB_TOKEN"),
    ] {
        publish(&runner, &[(name, value)]).refuses(why);
    }
    assert!(!runner.path("work/seen").exists());
}
