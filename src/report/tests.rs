//! What holds for every format.

use std::path::Path;

use proptest::prelude::{Strategy, any, proptest};
use proptest::{prop_assert, prop_assert_eq, sample};

use super::fixture::{self, Fixture};
use super::mutants::mutants;
use super::runner::{self, Command};
use super::{FORMATS, Report, Style, format, xml};
use crate::finding::Level;
use crate::gate::Verdict;

fn written(name: &str, report: &Report<'_>) -> String {
    let mut out = Vec::new();
    let format = format(name).expect("a format of this name");
    (format.write)(report, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("every format writes UTF-8")
}

fn in_ci(report: Report<'_>, color: bool) -> Report<'_> {
    Report { style: Style { ci_log: true, funnel: true, color, ..Style::default() }, ..report }
}

fn fixtures() -> Vec<(&'static str, Fixture)> {
    vec![
        ("plain", fixture::plain()),
        ("empty", fixture::empty()),
        ("incomplete", fixture::incomplete()),
        ("hostile", fixture::hostile()),
        ("many", fixture::many(60)),
    ]
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    for (name, fixture) in fixtures() {
        for format in FORMATS {
            let first = written(format.name, &fixture.report());
            assert_eq!(first, written(format.name, &fixture.report()), "{name} as {}", format.name);
            assert!(first.is_empty() || first.ends_with('\n'), "{name} as {}", format.name);
        }
    }
}

#[test]
fn formats_have_names_of_their_own() {
    for wanted in FORMATS {
        assert!(std::ptr::eq(format(wanted.name).expect("found by its name"), wanted));
    }
    assert!(format("yaml").is_none());
}

/// For `tests/conformance/run`: every fixture in every format, as files for validators written by others.
#[test]
fn write_fixtures_for_outside_validators() {
    let Some(folder) = std::env::var_os("DIFFSIEVE_FIXTURES") else { return };
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder.join("mutants")).expect("a folder for fixtures");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a fixture is written");
    let mut all: Vec<(String, Fixture)> =
        fixtures().into_iter().map(|(name, fixture)| (name.to_owned(), fixture)).collect();
    if std::env::var_os("DIFFSIEVE_FIXTURES_LARGE").is_some() {
        all.push(("large".to_owned(), fixture::many(26_000)));
    }
    // Few enough in a report that GitHub gets a command for each.
    for (index, texts) in mutants(&fixture::HOSTILE, 1_000).chunks(25).enumerate() {
        all.push((format!("mutants/{index}"), fixture::with_texts(texts)));
    }
    for (name, fixture) in &all {
        for format in FORMATS {
            let report = in_ci(fixture.report(), false);
            write(&format!("{name}.{}", format.name), &written(format.name, &report));
        }
        write(&format!("{name}.commands"), &format!("github {}\nazure {}\n", intended(fixture), issues(fixture)));
    }
    let suppressed = fixture::plain();
    write("suppressed.sarif", &written("sarif", &Report { sarif_suppressed: true, ..suppressed.report() }));
    for (index, text) in hashed().iter().enumerate() {
        let wanted: Vec<u32> = (1..=text.len() as u32 + 2).collect();
        let hashes: Vec<String> = crate::line_hash::line_hashes(text, &wanted).into_iter().flatten().collect();
        std::fs::write(folder.join(format!("hashed{index}.src")), text).expect("a fixture is written");
        write(&format!("hashed{index}.hashes"), &format!("{}\n", hashes.join("\n")));
    }
    write("report.schema.json", super::json::SCHEMA_TEXT);
}

/// Files whose line hashes other implementations compute too: code, mixed endings, no UTF-8, repeated lines.
fn hashed() -> [Vec<u8>; 5] {
    let code = include_bytes!("tests.rs").to_vec();
    let mixed = b"a\r\nb\n\n  c\td\r\n\re\n".repeat(7);
    let marked = "\u{feff}é = \u{1f600}\nno end".as_bytes().to_vec();
    let broken = [b"x = 1\n\xff\xfe\xe2\x82 y\n".as_slice(), &[0xf0, 0x9f], b"\nz\n"].concat();
    [code, mixed, marked, broken, b"same line\n".repeat(300)]
}

/// The annotations that a report may cause: the first ten of each kind.
fn intended(fixture: &Fixture) -> usize {
    let mut counts = [0_usize; 3];
    if !fixture.decision.complete {
        let incomplete = fixture.decision.verdict == Verdict::Incomplete;
        counts[if incomplete { 2 } else { 1 }] += 1;
    }
    for finding in &fixture.review.findings {
        counts[finding.level as usize] += 1;
    }
    counts.into_iter().map(|count| count.min(10)).sum()
}

fn only_intended(fixture: &Fixture) {
    let found = runner::commands(&written("github", &fixture.report()));
    assert_eq!(found.len(), intended(fixture), "{found:#?}");
    for Command { syntax, name, properties, .. } in &found {
        assert_eq!(*syntax, "v2");
        assert!(["error", "warning", "notice"].contains(&name.as_str()), "{name}");
        for key in properties.keys() {
            assert!(["file", "line", "endline", "col", "endcolumn", "title"].contains(&key.as_str()), "{key}");
        }
    }
    only_issues(fixture);
    for color in [false, true] {
        let text = written("text", &in_ci(fixture.report(), color));
        assert_eq!(runner::commands(&text), [], "{text}");
    }
    for format in FORMATS.iter().filter(|format| !["text", "github", "azure"].contains(&format.name)) {
        let text = written(format.name, &fixture.report());
        assert_eq!(runner::commands(&text), [], "{}: {text}", format.name);
    }
}

/// The commands that a report may cause in Azure: an issue for each finding but notes, one for what is unread, and one to
/// complete the task.
fn issues(fixture: &Fixture) -> usize {
    let findings = fixture.review.findings.iter().filter(|finding| finding.level >= Level::Warning).count();
    let issues = findings + usize::from(!fixture.decision.complete);
    issues + usize::from(issues > 0 && fixture.decision.verdict == Verdict::Pass)
}

fn only_issues(fixture: &Fixture) {
    let found = runner::commands(&written("azure", &fixture.report()));
    assert_eq!(found.len(), issues(fixture), "{found:#?}");
    for Command { syntax, name, properties, .. } in &found {
        assert_eq!(*syntax, "vso");
        let known: &[&str] = match name.as_str() {
            "task.complete" => &["result"],
            _ => &["type", "sourcepath", "linenumber", "columnnumber", "code"],
        };
        assert!(properties.keys().all(|key| known.contains(&key.as_str())), "{properties:?}");
    }
}

#[test]
fn agents_run_the_intended_commands_and_no_other() {
    for (_, fixture) in fixtures() {
        only_intended(&fixture);
    }
    for text in fixture::HOSTILE {
        only_intended(&fixture::with_text(text));
    }
    for texts in mutants(&fixture::HOSTILE, 100).chunks(25) {
        only_intended(&fixture::with_texts(texts));
    }
}

#[test]
fn an_annotation_carries_what_the_finding_says() {
    let fixture = fixture::plain();
    let found = runner::commands(&written("github", &fixture.report()));
    let first = found.first().expect("an annotation");
    assert_eq!(first.name, "error");
    let properties: Vec<(&str, &str)> = first.properties.iter().map(|(key, value)| (&**key, &**value)).collect();
    assert_eq!(
        properties,
        [
            ("col", "15"),
            ("endcolumn", "23"),
            ("endline", "12"),
            ("file", "shop/basket.py"),
            ("line", "12"),
            ("title", "Mutable default argument"),
        ]
    );
    assert!(first.data.starts_with("The default list is created once and shared by every call of `add`.\n"));
    // Columns of several lines would be dropped by the runner with a message in the log.
    assert!(!found[1].properties.contains_key("col"));
}

#[test]
fn what_github_would_not_show_is_counted() {
    let text = written("github", &fixture::many(60).report());
    assert_eq!(text.lines().filter(|line| line.starts_with("::")).count(), 13);
    assert_eq!(
        text.lines().last(),
        Some(
            "diffsieve: not annotated: 47 of 57 warnings, because GitHub shows 10 annotations of a kind per step; \
             `--format text` shows all."
        )
    );
}

/// Texts made of what attacks are made of.
fn attack() -> impl Strategy<Value = String> {
    let pieces = [
        "::",
        "##[",
        "##vso[",
        "]",
        "[",
        "#",
        ":",
        ",",
        ";",
        "=",
        " ",
        "\t",
        "\r",
        "\n",
        "%",
        "%0A",
        "%0D",
        "%25",
        "error",
        "add-mask",
        "stop-commands",
        "task.complete",
        "file=x",
        "\u{1b}[0m",
        "\u{ad}",
        "\u{200d}",
        "\u{85}",
        "\u{2028}",
        "\u{a0}",
        "é",
        "日",
        "x",
        "{",
        "}",
        "`",
    ];
    proptest::collection::vec(sample::select(pieces.to_vec()), 0..14).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_text_makes_a_command(text in attack()) {
        only_intended(&fixture::with_text(&text));
    }

    #[test]
    fn no_text_breaks_the_terminal(text in attack(), width in proptest::option::of(1_u16..120)) {
        let fixture = fixture::with_text(&text);
        let style = Style { funnel: true, width, ..Style::default() };
        let out = written("text", &Report { style, ..fixture.report() });
        prop_assert!(out.chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control()), "{:?}", out);
    }

    #[test]
    fn data_comes_through_as_it_was_but_for_what_is_dangerous(text in "[a-zA-Z0-9 %,:;=é日\n]{1,40}") {
        let mut fixture = fixture::plain();
        fixture.review.findings.truncate(1);
        for finding in &mut fixture.review.findings {
            finding.claim.rationale = crate::finding::Untrusted::new(text.as_str());
            finding.claim.location.path = crate::finding::RepoPath::from(text.replace('\n', "").as_str());
        }
        let found = runner::commands(&written("github", &fixture.report()));
        prop_assert_eq!(found.len(), 1);
        prop_assert!(found[0].data.starts_with(text.trim()));
        if !text.replace('\n', "").is_empty() {
            prop_assert_eq!(&found[0].properties["file"], &text.replace('\n', ""));
        }
    }

    #[test]
    fn data_formats_take_any_text(attack in attack(), any in any::<String>()) {
        let text = attack + &any;
        let fixture = fixture::with_text(&text);
        for name in ["json", "sarif", "gitlab", "rdjson"] {
            serde_json::from_str::<serde_json::Value>(&written(name, &fixture.report())).expect("JSON");
        }
        for line in written("rdjsonl", &fixture.report()).lines() {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON on every line");
        }
        for name in ["checkstyle", "junit"] {
            let root = xml::parse(&written(name, &fixture.report())).expect("XML");
            prop_assert!(root.all().len() > fixture.review.findings.len());
        }
    }
}
