use super::*;
use crate::report::fixture::{self, Fixture};

fn written(fixture: &Fixture) -> String {
    page(&fixture.report(), SUMMARY_LIMIT)
}

#[test]
fn a_report_reads_like_this() {
    let expected = r#"## diffsieve failed: 1 error, 1 warning, 1 note

1 finding at or above error (the gate fails on `error`).

| level | findings |
|---|---:|
| error | 1 |
| warning | 1 |
| note | 1 |

### Errors

**Mutable default argument** (`MutableDefault`) at `shop/basket.py:12`

The default list is created once and shared by every call of `add`.

```text
  11 |
> 12 | def add(item, cache=[]):
  13 |     cache.append(item)
  14 |     return cache
```

Suggestion: replace line 12.

```diff
-def add(item, cache=[]):
+def add(item, cache=None):
```

in add · 000000000000000000000000000a11da · also shop/über uns.py:3 · pack cqs-core

### Warnings

**A resource is not released** (`ResourceLeak`) at `src/io.c:41-43`

`f` is opened in line 40 and parsed, but no path closes it. Each call leaves one descriptor open, and a service that runs for a day will meet its limit.
Close it after the parse, also where the parse fails.

```text
  40 |     FILE *f = fopen(path, "r");
> 41 |     if (!f)
> 42 |         return -1;
> 43 |     return parse(f);
  44 | }
```

in read\_config · 000000000000000000000000000a11f7 · by the model · score 8.5 of 10 · 2 votes · pack cqs-core

### Notes

**Something to look at** (`LongFunction`) at `shop/basket.py:30`

The function grew from 40 to 95 lines in this change.

```text
  29 |
> 30 | def checkout(cart):
  31 |     ...
```

000000000000000000000000000a11ec · pack cqs-core

Fix the findings, or accept them in one of these ways, each of which stays visible in the report:

- a maintainer adds the fingerprint to the baseline on the base branch (diffsieve baseline update)
- a comment `diffsieve: ignore[Tag] reason` on the line, where policy counts ignores that a change brings along

Reviewed origin/main...HEAD (merge base 0123456)

2 files, all 42 added lines read. Read by: text detectors 2 files, parser 2, model 2.

Not code: 2 binary, 1 lock file.

Funnel: raised 5 → refuted:is\_closed 1 → baseline 1 → shown 3

Note: an ignore of ResourceLeak in src/io.c:9 matches nothing
"#;
    assert_eq!(written(&fixture::plain()), expected);
}

#[test]
fn nothing_found_reads_well_too() {
    assert_eq!(
        written(&fixture::empty()),
        "## diffsieve passed: no findings\n\nno finding at or above error (the gate fails on `error`).\n\n\
         Reviewed origin/main...HEAD (merge base 0123456)\n\n\
         2 files, all 42 added lines read. Read by: text detectors 2 files, parser 2, model off.\n\n\
         Funnel: raised 0 → shown 0\n"
    );
}

#[test]
fn what_was_not_read_comes_first() {
    let text = written(&fixture::incomplete());
    let wanted = "## diffsieve incomplete: no findings\n\n2 parts of the change could not be read (the gate fails on \
                  `error`).\n\n### Not read, so the review is incomplete (2)\n\n\
                  - `assets/data.js` (2 added lines): over 1 MiB\n- `src/lost.rs`: an object is missing\n\n";
    assert!(text.starts_with(wanted), "{text}");
}

/// As many findings as fit, in steps.
#[test]
fn a_page_shrinks_in_steps() {
    let fixture = fixture::many(60);
    let report = fixture.report();
    let (whole, code, reason) = (page(&report, SUMMARY_LIMIT), "> 12 | ", "shared by every call");
    assert!(whole.contains(code) && whole.contains(reason), "{whole}");
    let bare = page(&report, whole.len() - 1);
    assert!(!bare.contains(code) && bare.contains(reason), "{bare}");
    let short = page(&report, bare.len() - 1);
    assert!(!short.contains(reason) && short.matches("LongFunction").count() == 60, "{short}");
    let list = page(&report, short.len() - 1);
    assert!(!list.contains("LongFunction") && list.matches("shop/basket.py:").count() == 60, "{list}");
    let cut = page(&report, 2_000);
    assert!(cut.len() <= 2_000 && cut.len() > 1_700, "{} {cut}", cut.len());
    let shown = cut.matches("shop/basket.py:").count();
    assert!(shown > 0 && cut.contains(&format!("\n{} more findings, all of which", 60 - shown)), "{cut}");
    assert!(cut.contains("| error | 3 |\n| warning | 57 |"), "{cut}");
}

#[test]
fn the_verdict_and_the_counts_are_never_cut() {
    for fixture in [fixture::plain(), fixture::incomplete(), fixture::hostile(), fixture::many(60)] {
        let report = fixture.report();
        let head = inert(&head(&report));
        for limit in [0, 1, 500, 1_000, 5_000, COMMENT_LIMIT] {
            let text = page(&report, limit);
            assert!(text.starts_with(head.trim_end()), "{text}");
            assert!(text.len() <= limit.max(head.len()), "{} of {limit}", text.len());
        }
    }
}

#[test]
fn a_flood_stays_below_what_services_take() {
    let mut fixture = fixture::many(1_000);
    for finding in &mut fixture.review.findings {
        finding.claim.location.path = "\u{e0041}".repeat(1_000).as_str().into();
    }
    let skip =
        Skip { path: "\u{202e}".repeat(4_000).as_str().into(), lines: None, unread: true, why: "\u{1b}".repeat(4_000) };
    fixture.review.coverage.skipped = vec![skip; 200];
    fixture.review.notes = vec!["*".repeat(9_000); 200];
    for limit in [SUMMARY_LIMIT, COMMENT_LIMIT] {
        let text = page(&fixture.report(), limit);
        assert!(text.len() <= limit && text.len() > limit / 2, "{}", text.len());
        assert!(text.contains(" more findings, all of which"), "what is missing is counted");
    }
}

/// Fences and nothing else may begin a line with three backticks, and each that opens is closed.
#[test]
fn no_code_leaves_its_fence() {
    for text in fixture::HOSTILE {
        let mut fixture = fixture::with_text(text);
        fixture.review.findings.truncate(1);
        let page = written(&fixture);
        let mut open: Option<usize> = None;
        for line in page.lines() {
            let ticks = line.len() - line.trim_start_matches('`').len();
            match open {
                Some(fence) if ticks >= fence && line.len() == ticks => open = None,
                None if ticks >= 3 && line[ticks..].bytes().all(|byte| byte.is_ascii_lowercase()) => open = Some(ticks),
                None => assert!(!line.contains("<img") || line.contains("\\<img") || line.contains('`'), "{line}"),
                Some(_) => {}
            }
        }
        assert_eq!(open, None, "{page}");
    }
}
