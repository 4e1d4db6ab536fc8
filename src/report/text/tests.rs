use proptest::prelude::proptest;
use proptest::prop_assert;

use super::page::{columns, fit};
use super::{FORMAT, explain};
use crate::finding::{Columns, Line, Untrusted};
use crate::report::fixture::{self, Fixture};
use crate::report::{Report, Style};

fn printed(fixture: &Fixture, style: Style) -> String {
    let mut out = Vec::new();
    (FORMAT.write)(&Report { style, ..fixture.report() }, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("UTF-8")
}

fn explained(fixture: &Fixture, finding: &crate::finding::Finding) -> String {
    let mut out = Vec::new();
    explain(&fixture.report(), finding, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn a_report_reads_like_this() {
    let expected = r#"error[MutableDefault]: Mutable default argument
  --> shop/basket.py:12:15
   |
11 |
12 | def add(item, cache=[]):
   |               ^^^^^^^^ The default list is created once and shared by every call of `add`.
13 |     cache.append(item)
14 |     return cache
   |
  = suggestion: replace line 12
    - def add(item, cache=[]):
    + def add(item, cache=None):
  = in add · 000000000000000000000000000a11da · also shop/über uns.py:3
    accept in the baseline, or by `diffsieve: ignore[MutableDefault] reason` where policy counts it

warning[ResourceLeak]: A resource is not released
  --> src/io.c:41
   |
40 |       FILE *f = fopen(path, "r");
41 | /     if (!f)
42 | |         return -1;
43 | |     return parse(f);
   | |____________________^
44 |   }
   |
  = `f` is opened in line 40 and parsed, but no path closes it. Each call leaves one descriptor
    open, and a service that runs for a day will meet its limit.
    Close it after the parse, also where the parse fails.
  = in read_config · 000000000000000000000000000a11f7 · by the model · score 8.5 of 10 · 2 votes
    accept in the baseline, or by `diffsieve: ignore[ResourceLeak] reason` where policy counts it

note[LongFunction]: Something to look at
  --> shop/basket.py:30
   |
29 |
30 | def checkout(cart):
   | ^^^^^^^^^^^^^^^^^^^ The function grew from 40 to 95 lines in this change.
31 |     ...
   |
  = 000000000000000000000000000a11ec
    accept in the baseline, or by `diffsieve: ignore[LongFunction] reason` where policy counts it

Reviewed origin/main...HEAD (merge base 0123456)
2 files, all 42 added lines read. Read by: text detectors 2 files, parser 2, model 2
Not code: 2 binary, 1 lock file
Funnel: raised 5 → refuted:is_closed 1 → baseline 1 → shown 3
Note: an ignore of ResourceLeak in src/io.c:9 matches nothing

diffsieve failed: 1 error, 1 warning, 1 note; 1 finding at or above error

Fix the findings, or accept them in one of these ways, each of which stays visible in the report:
  - a maintainer adds the fingerprint to the baseline on the base branch (diffsieve baseline update)
  - a comment `diffsieve: ignore[Tag] reason` on the line, where policy counts ignores that a change
    brings along
`diffsieve explain FINGERPRINT` tells how a finding came about.
"#;
    let style = Style { funnel: true, ..Style::default() };
    assert_eq!(printed(&fixture::plain(), style), expected);
}

#[test]
fn nothing_found_reads_well_too() {
    assert_eq!(
        printed(&fixture::empty(), Style::default()),
        "Reviewed origin/main...HEAD (merge base 0123456)\n\
         2 files, all 42 added lines read. Read by: text detectors 2 files, parser 2, model off\n\
         \n\
         diffsieve passed: no findings\n"
    );
    assert_eq!(
        printed(&fixture::empty(), Style { quiet: true, ..Style::default() }),
        "diffsieve passed: no findings\n"
    );
}

#[test]
fn what_was_not_read_comes_first() {
    assert_eq!(
        printed(&fixture::incomplete(), Style::default()),
        "Not read, so the review is incomplete (2):\n  \
           assets/data.js (2 added lines): over 1 MiB\n  \
           src/lost.rs: an object is missing\n\
         \n\
         Reviewed origin/main...HEAD (merge base 0123456)\n\
         2 files, 40 of 42 added lines read, and more that could not be counted. Read by: text detectors 2\n\
         files, parser 2, model off\n\
         Not code: 1 binary\n\
         \n\
         diffsieve incomplete: no findings; 2 parts of the change could not be read\n\
         What was not read may hold findings, so this is no pass. Fetch, split or exclude it; a maintainer\n\
         can also set gate.on_incomplete = \"warn\".\n"
    );
}

#[test]
fn a_story_is_told_for_shown_and_dropped() {
    let fixture = fixture::plain();
    let shown = explained(&fixture, &fixture.review.findings[0]);
    let story = "
fingerprint  000000000000000000000000000a11da (window 00000000000000000000000000000b17)
function     add
kind         category structural, impact maintainability, severity low
raised by    detector MutableDefault/pattern
anchor       exact: line and quote agree
evidence     proved: is_default = true
score        not scored
merged with  shop/über uns.py:3
pack         cqs-core
about        **Mutable default argument.** Look at what the change does and say why it is right, or
             change it.
in           origin/main...HEAD (merge base 0123456)

collect   raised   MutableDefault/pattern: the pattern matched
ground    kept     exact: line and quote agree
Shown as error.
";
    assert!(shown.ends_with(story), "{shown}");
    let dropped = explained(&fixture, &fixture.review.dropped[0]);
    let end = "
collect   raised   ResourceLeak/pattern: the pattern matched
evidence  dropped  refuted:is_closed: the resource is closed in line 9
Dropped at evidence as refuted:is_closed: the resource is closed in line 9
";
    assert!(dropped.ends_with(end), "{dropped}");
}

#[test]
fn colours_come_only_when_asked_for() {
    let fixture = fixture::plain();
    let plain = printed(&fixture, Style::default());
    let colored = printed(&fixture, Style { color: true, ..Style::default() });
    assert!(!plain.contains('\u{1b}'));
    assert!(colored.contains("\u{1b}[1m\u{1b}[91merror[MutableDefault]\u{1b}[0m"), "{colored:?}");
    let mut stripped = String::new();
    for (index, part) in colored.split("\u{1b}[").enumerate() {
        stripped.push_str(if index == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) });
    }
    let trimmed: Vec<&str> = stripped.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, plain.lines().collect::<Vec<_>>());
}

/// A line of 400 columns whose located part stands in the middle.
fn wide() -> Fixture {
    let mut fixture = fixture::plain();
    fixture.review.findings.truncate(1);
    for finding in &mut fixture.review.findings {
        let line = format!("{}HERE{}", "a".repeat(200), "b".repeat(196));
        finding.claim.location.columns = Some(Columns { start: 201, end: 205 });
        finding.claim.suggestion = None;
        if let Some(frame) = &mut finding.frame {
            frame.first = Line::new(12).expect("a line");
            frame.lines = vec![Untrusted::new(line)];
        }
    }
    fixture
}

#[test]
fn a_long_line_is_cut_around_what_matters() {
    let text = printed(&wide(), Style { width: Some(80), ..Style::default() });
    let code: Vec<&str> = text.lines().skip(3).take(3).collect();
    assert_eq!(
        code,
        [
            "12 | …aaaaaaaaaaaaaaaaaaaaaaaaHEREbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…",
            "   |                          ^^^^",
            "  = The default list is created once and shared by every call of `add`.",
        ]
    );
}

#[test]
fn the_column_is_that_of_the_file() {
    let mut fixture = fixture::plain();
    fixture.review.findings.truncate(1);
    for finding in &mut fixture.review.findings {
        // A tab and a letter of two bytes stand in front.
        finding.claim.location.columns = Some(Columns { start: 5, end: 9 });
        finding.claim.suggestion = None;
        if let Some(frame) = &mut finding.frame {
            frame.first = Line::new(12).expect("a line");
            frame.lines = vec![Untrusted::new("\té HERE")];
        }
    }
    let text = printed(&fixture, Style::default());
    let head: Vec<&str> = text.lines().skip(1).take(4).collect();
    assert_eq!(head[..3], ["  --> shop/basket.py:12:4", "   |", "12 |     é HERE"]);
    assert!(head[3].starts_with("   |       ^^^^ The default list"), "{text}");
    let wide = printed(&wide(), Style::default());
    assert!(wide.contains("--> shop/basket.py:12:201\n"), "{wide}");
}

#[test]
fn a_finding_without_code_still_has_its_place() {
    let mut fixture = fixture::plain();
    fixture.review.findings.truncate(1);
    for finding in &mut fixture.review.findings {
        finding.frame = None;
        finding.claim.quote = Untrusted::default();
        finding.claim.suggestion = None;
    }
    let text = printed(&fixture, Style::default());
    let head: Vec<&str> = text.lines().take(3).map(str::trim_start).collect();
    assert_eq!(
        head,
        [
            "error[MutableDefault]: Mutable default argument",
            "--> shop/basket.py:12",
            "= The default list is created once and shared by every call of `add`.",
        ]
    );
}

#[test]
fn a_cut_text_fits() {
    assert_eq!(fit("abcdef", 6), "abcdef");
    assert_eq!(fit("abcdef", 5), "abcd…");
    assert_eq!(fit("日本語", 5), "日本…");
    assert_eq!(columns("日本…"), 5);
}

proptest! {
    /// annotate-snippets panics on spans it does not like; none of ours may be one of those.
    #[test]
    fn any_frame_can_be_drawn(
        lines in proptest::collection::vec("[ a\t日é\u{1b}\u{200b}\u{301}]{0,60}", 1..30),
        first in 1_u32..4,
        at in (1_u32..34, 0_u32..30),
        span in proptest::option::of((0_u32..80, 0_u32..80)),
        width in 1_u16..120,
    ) {
        let mut fixture = fixture::plain();
        fixture.review.findings.truncate(1);
        for finding in &mut fixture.review.findings {
            let location = &mut finding.claim.location;
            location.line = Line::new(at.0).expect("a line");
            location.end_line = Line::new(at.0 + at.1).expect("a line");
            location.columns = span.map(|(start, end)| Columns { start, end });
            if let Some(frame) = &mut finding.frame {
                frame.first = Line::new(first).expect("a line");
                frame.lines = lines.iter().map(Untrusted::new).collect();
            }
        }
        for color in [false, true] {
            let text = printed(&fixture, Style { width: Some(width), color, ..Style::default() });
            prop_assert!(text.contains("MutableDefault"));
        }
    }
}
