//! Reports for the tests of all formats: a plain one, an empty one, and one whose every text is hostile.

use std::sync::Arc;

use super::{Origin, Provenance, Report, Style, TagInfo};
use crate::diff::{PathClass, Status};
use crate::finding::{
    Anchored, Claim, Columns, Evidence, EvidenceStatus, Finding, Fingerprint, Frame, Level, Line, Location, RepoPath,
    Source, Stage, Suggestion, Untrusted,
};
use crate::gate::{Decision, FailOn, OnIncomplete, Policy, decide};
use crate::provider::Usage;
use crate::review::model::{Health, Names, Part, Tally};
use crate::review::{Change, Coverage, FileSummary, Funnel, ReadBy, Review, Skip};
use crate::taxonomy::Kind;

/// What a [`Report`] borrows.
pub(crate) struct Fixture {
    pub(crate) review: Review,
    pub(crate) decision: Decision,
    pub(super) tags: Vec<TagInfo>,
    pub(super) origin: Origin,
    pub(super) provenance: Provenance,
}

impl Fixture {
    /// The report as a format writes it.
    pub(super) fn written(&self, write: fn(&Report<'_>, &mut dyn std::io::Write) -> std::io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&self.report(), &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("UTF-8")
    }

    fn new(review: Review) -> Self {
        let policy = Policy { fail_on: FailOn::Level(Level::Error), on_incomplete: OnIncomplete::Fail };
        let decision = decide(&review, policy);
        Self {
            review,
            decision,
            tags: tags(),
            origin: Origin {
                config: "built-in defaults".to_owned(),
                packs: vec!["security 1 (built in)".to_owned(), "cqs-core 1 (built in)".to_owned()],
            },
            provenance: Provenance {
                repository_uri: Some("https://example.org/acme/shop".to_owned()),
                revision: Some("89abcdef0123456789abcdef0123456789abcdef".to_owned()),
                branch: Some("feature/cache".to_owned()),
                category: None,
            },
        }
    }

    pub(crate) fn report(&self) -> Report<'_> {
        Report {
            version: "0.1.0",
            review: &self.review,
            decision: &self.decision,
            tags: &self.tags,
            origin: &self.origin,
            provenance: self.provenance.clone(),
            style: Style::default(),
            sarif_suppressed: false,
        }
    }
}

const KIND: Kind = Kind { category: Some("structural"), impact: Some("maintainability"), severity: Some("low") };

/// A finding to start from.
pub(crate) fn finding(tag: &str, level: Level, path: &str, line: u32, frame: &[&str]) -> Finding {
    let first = Line::new(line.saturating_sub(1).max(1)).expect("not zero");
    let line = Line::new(line).expect("not zero");
    let quote = frame.get((line.get() - first.get()) as usize).copied().unwrap_or_default();
    Finding {
        claim: Claim {
            tag: Arc::from(tag),
            location: Location { path: RepoPath::from(path), line, end_line: line, columns: None },
            quote: Untrusted::new(quote),
            rationale: Untrusted::new("The value is shared by every call."),
            suggestion: None,
            level: None,
            source: Source::Detector(Arc::from(format!("{tag}/pattern").as_str())),
        },
        title: Arc::from("Something to look at"),
        kind: KIND,
        level,
        fingerprint: Fingerprint::new(format!("{:032x}", 0xa11ce_u64 + u64::from(line.get()))),
        window: Fingerprint::new(format!("{:032x}", 0xb0b_u64 + u64::from(line.get()))),
        function: None,
        anchor: Some(Anchored::Exact),
        evidence: Evidence { status: EvidenceStatus::NotNeeded, facts: vec![] },
        score: None,
        votes: 1,
        related: vec![],
        frame: Some(Frame { first, lines: frame.iter().copied().map(Untrusted::new).collect(), cuts: vec![] }),
        line_hash: Some("c129715d7a2bc9a3:1".to_owned()),
        trail: vec![],
        since: None,
        dropped: None,
    }
}

fn mutable_default() -> Finding {
    let frame = ["", "def add(item, cache=[]):", "    cache.append(item)", "    return cache"];
    let mut found = finding("MutableDefault", Level::Error, "shop/basket.py", 12, &frame);
    found.title = Arc::from("Mutable default argument");
    found.claim.location.columns = Some(Columns { start: 15, end: 23 });
    found.claim.rationale = Untrusted::new("The default list is created once and shared by every call of `add`.");
    found.claim.suggestion = Some(Suggestion {
        line: found.claim.location.line,
        end_line: found.claim.location.line,
        text: Untrusted::new("def add(item, cache=None):\n"),
    });
    found.function = Some(Untrusted::new("add"));
    found.evidence =
        Evidence { status: EvidenceStatus::Proved, facts: vec![("is_default".to_owned(), "true".to_owned())] };
    found.related = vec![Location {
        path: RepoPath::from("shop/über uns.py"),
        line: Line::new(3).expect("not zero"),
        end_line: Line::new(3).expect("not zero"),
        columns: None,
    }];
    found.step(Stage::Collect, "MutableDefault/pattern", "raised", "the pattern matched");
    found.step(Stage::Ground, "exact", "kept", "line and quote agree");
    found
}

fn model() -> Part {
    Part {
        names: Names {
            provider: "openai".to_owned(),
            name: Some("some-model".to_owned()),
            validator: Some("anthropic/other-model".to_owned()),
        },
        health: Health::Degraded,
        tally: Tally {
            requests: 5,
            cached: 1,
            usage: Usage { prompt_tokens: 9_000, completion_tokens: 700, cached_tokens: 4_000 },
            answers: 4,
            estimated: (9_100, 650),
        },
        unreadable: 0,
        chunks: 2,
        scored: (3, 2),
        cost: Some(0.0125),
        seconds: 3.5,
    }
}

fn leak() -> Finding {
    let frame = ["    FILE *f = fopen(path, \"r\");", "    if (!f)", "        return -1;", "    return parse(f);", "}"];
    let mut found = finding("ResourceLeak", Level::Warning, "src/io.c", 41, &frame);
    found.title = Arc::from("A resource is not released");
    found.claim.location.end_line = Line::new(43).expect("not zero");
    found.claim.quote = Untrusted::new("    if (!f)\n        return -1;\n    return parse(f);");
    found.claim.rationale = Untrusted::new(
        "`f` is opened in line 40 and parsed, but no path closes it. Each call leaves one descriptor open, and a \
         service that runs for a day will meet its limit.\nClose it after the parse, also where the parse fails.",
    );
    found.claim.source = Source::Model { pass: 1 };
    found.function = Some(Untrusted::new("read_config"));
    found.score = Some(8.5);
    found.votes = 2;
    found.evidence.status = EvidenceStatus::Unknown;
    found.anchor = Some(Anchored::Moved(-2));
    found
}

fn dropped() -> Finding {
    let mut found = finding("ResourceLeak", Level::Note, "src/io.c", 7, &["a", "int x = 0;"]);
    found.step(Stage::Collect, "ResourceLeak/pattern", "raised", "the pattern matched");
    found.drop_at(Stage::Evidence, "refuted:is_closed", "the resource is closed in line 9");
    found
}

fn suppressed() -> Finding {
    let mut found = finding("MutableDefault", Level::Error, "shop/old.py", 3, &["x", "def f(a={}): return a"]);
    found.drop_at(Stage::Suppress, "baseline", "accepted on 2026-01-01: legacy module");
    found
}

fn file(path: RepoPath, added: u64) -> FileSummary {
    FileSummary {
        path,
        old_path: None,
        status: Status::Modified,
        added,
        removed: 2,
        language: Some("python"),
        class: PathClass::default(),
        read_by: ReadBy { text: true, parser: true, model: true },
        excerpt: None,
    }
}

fn change() -> Change {
    Change {
        description: "origin/main...HEAD (merge base 0123456)".to_owned(),
        base_tip: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
        merge_base: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
        head: Some("89abcdef0123456789abcdef0123456789abcdef".to_owned()),
        notes: vec![],
        files: vec![file("shop/basket.py".into(), 30), file("src/io.c".into(), 12)],
    }
}

fn skip(path: &str, lines: Option<u64>, unread: bool, why: &str) -> Skip {
    Skip { path: path.into(), lines, unread, why: why.to_owned() }
}

/// One finding of each level, two dropped ones, nothing unread.
pub(crate) fn plain() -> Fixture {
    let mut note = finding("LongFunction", Level::Note, "shop/basket.py", 30, &["", "def checkout(cart):", "    ..."]);
    note.claim.rationale = Untrusted::new("The function grew from 40 to 95 lines in this change.");
    let mut found = Fixture::new(Review {
        model: Some(model()),
        change: change(),
        coverage: Coverage {
            added_lines: 42,
            reviewed_lines: 42,
            skipped: vec![
                skip("logo.png", None, false, "binary"),
                skip("icon.png", None, false, "binary"),
                skip("poetry.lock", Some(812), false, "lock file"),
            ],
        },
        findings: vec![mutable_default(), leak(), note],
        dropped: vec![dropped(), suppressed()],
        funnel: Funnel {
            raised: 5,
            shown: 3,
            removed: [("refuted:is_closed".to_owned(), 1), ("baseline".to_owned(), 1)].into(),
        },
        notes: vec!["an ignore of ResourceLeak in src/io.c:9 matches nothing".to_owned()],
        ..Review::default()
    });
    found.provenance.category = Some("linux".to_owned());
    found
}

/// Nothing found, everything read.
pub(super) fn empty() -> Fixture {
    Fixture::new(Review {
        change: change(),
        coverage: Coverage { added_lines: 42, reviewed_lines: 42, skipped: vec![] },
        ..Review::default()
    })
}

/// Nothing found, but a part could not be read.
pub(super) fn incomplete() -> Fixture {
    let mut found = empty();
    found.review.coverage.reviewed_lines = 40;
    found.review.coverage.skipped = vec![
        skip("assets/data.js", Some(2), true, "over 1 MiB"),
        skip("src/lost.rs", None, true, "an object is missing"),
        skip("logo.png", None, false, "binary"),
    ];
    found.decision = decide(&found.review, found.decision.policy);
    found
}

/// Texts that try to leave whatever they are put into.
pub(crate) const HOSTILE: [&str; 16] = [
    "\n::add-mask::secret\n",
    "v ##[add-mask]zz",
    "##vso[task.setvariable variable=x]y",
    "a,line=99,x=1::error::b",
    "%0A::error::x",
    "\r::set-output name=a::b\r",
    "\r\n::stop-commands::tok",
    "\u{1b}[31mred\u{1b}]0;title\u{7}",
    "\u{202e}reversed\u{2066}\u{200b}\u{e0041}",
    "\u{85}::error::next line\u{2028}::error::separator",
    "  ::warning file=x::indented",
    "{0} {{x}} [text](1) ](javascript:x)",
    "<img src=x onerror=alert(1)> @everyone #1 https://evil.example/",
    "```\n~~~\n`` ` ``",
    "../../etc/passwd %zz ü 日本語 😀",
    "::",
];

/// The text as a path that stays inside the repository; no other one can carry a finding.
fn path_of(text: &str) -> String {
    let path = text.replace("..", "__");
    if path.is_empty() || path.starts_with('/') { format!("p{path}") } else { path }
}

/// Every text replaced by this one.
pub(super) fn with_text(text: &str) -> Fixture {
    let mut found = plain();
    let review = &mut found.review;
    review.change.description = text.to_owned();
    review.change.notes = vec![text.to_owned()];
    review.notes.push(text.to_owned());
    let path = path_of(text);
    review.change.files = vec![file(path.as_str().into(), 1), file("plain.py".into(), 2)];
    review.coverage.skipped = vec![skip(&path, Some(1), true, text), skip(&path, None, false, text)];
    review.funnel.removed.insert(text.to_owned(), 1);
    review.funnel.raised += 1;
    for finding in review.findings.iter_mut().chain(&mut review.dropped) {
        make_hostile(finding, text);
    }
    found.tags.iter_mut().for_each(|tag| {
        tag.title = text.to_owned();
        tag.help = text.to_owned();
        tag.cwe = vec![text.to_owned(), "CWE-772".to_owned()];
    });
    found.origin.config = text.to_owned();
    found.origin.packs = vec![text.to_owned()];
    found.provenance = Provenance {
        repository_uri: Some(text.to_owned()),
        revision: Some(text.to_owned()),
        branch: Some(text.to_owned()),
        category: Some(text.to_owned()),
    };
    found.decision.reason = text.to_owned();
    found.decision.complete = false;
    found
}

fn make_hostile(finding: &mut Finding, text: &str) {
    finding.title = Arc::from(text);
    finding.function = Some(Untrusted::new(text));
    finding.claim.location.path = RepoPath::from(path_of(text).as_str());
    finding.claim.rationale = Untrusted::new(text);
    finding.claim.quote = Untrusted::new(text);
    finding.claim.suggestion = Some(Suggestion {
        line: finding.claim.location.line,
        end_line: finding.claim.location.end_line,
        text: Untrusted::new(text),
    });
    finding.evidence.facts = vec![(text.to_owned(), text.to_owned())];
    finding.related = vec![finding.claim.location.clone()];
    for line in finding.frame.iter_mut().flat_map(|frame| &mut frame.lines) {
        *line = Untrusted::new(text.replace('\n', ""));
    }
    finding.step(Stage::Filter, text, "kept", text);
    if let Some(dropped) = &mut finding.dropped {
        dropped.reason = text.to_owned();
        dropped.why = Untrusted::new(text);
    }
}

/// One finding for each text and one part that was not read, every word of both made of it.
pub(super) fn with_texts(texts: &[String]) -> Fixture {
    let mut found = plain();
    let review = &mut found.review;
    review.findings.clear();
    review.coverage.skipped.clear();
    for (index, text) in texts.iter().enumerate() {
        let level = Level::ALL[index % Level::ALL.len()];
        let mut each = finding("LongFunction", level, "x", 100 + index as u32, &["", "x = 1"]);
        make_hostile(&mut each, text);
        review.coverage.skipped.push(skip(&path_of(text), Some(1), true, text));
        review.notes.push(text.clone());
        review.findings.push(each);
    }
    review.funnel.shown = review.findings.len() as u64;
    review.funnel.raised = review.funnel.shown + review.funnel.removed.values().sum::<u64>();
    found.decision = decide(&found.review, found.decision.policy);
    found
}

/// All of [`HOSTILE`] at once, also as a tag, and a path that is no UTF-8.
pub(crate) fn hostile() -> Fixture {
    let mut found = with_text(&HOSTILE.concat());
    found.decision = decide(&found.review, found.decision.policy);
    let mut novel = finding("novel:a{b}::c", Level::Warning, "x", 2, &["", "\tcode {x} \u{202e}\u{1b}[1m"]);
    novel.claim.location.path = RepoPath::new(b"src/\xff\xfe,line=3::x.py");
    novel.claim.location.columns = Some(Columns { start: 2, end: 6 });
    found.review.findings.push(novel);
    for (index, text) in HOSTILE.iter().enumerate() {
        let mut each = finding("LongFunction", Level::Note, "src/ok.py", 100 + index as u32, &["", "x = 1"]);
        each.claim.location.path = RepoPath::from(format!("src/{}", path_of(text)).as_str());
        make_hostile_keeping_path(&mut each, text);
        found.review.findings.push(each);
    }
    found.review.funnel.shown = found.review.findings.len() as u64;
    found.review.funnel.raised = found.review.funnel.shown + found.review.funnel.removed.values().sum::<u64>();
    found
}

fn make_hostile_keeping_path(finding: &mut Finding, text: &str) {
    let path = finding.claim.location.path.clone();
    make_hostile(finding, text);
    finding.claim.location.path = path;
}

/// More findings than GitHub shows.
pub(crate) fn many(count: u32) -> Fixture {
    let mut found = empty();
    found.review.findings = (0..count)
        .map(|index| {
            let level = if index < 3 { Level::Error } else { Level::Warning };
            finding("LongFunction", level, "shop/basket.py", index + 1, &["x = 1", "y = 2"])
        })
        .collect();
    found.review.funnel = Funnel { raised: u64::from(count), shown: u64::from(count), ..Funnel::default() };
    found.decision = decide(&found.review, found.decision.policy);
    found
}

fn tags() -> Vec<TagInfo> {
    let tag = |name: &str, title: &str, level: Option<Level>| TagInfo {
        name: name.to_owned(),
        title: title.to_owned(),
        help: format!("**{title}.** Look at what the change does and say why it is right, or change it."),
        level,
        cwe: vec![],
        kind: KIND,
        security_severity: None,
        pack: "cqs-core".to_owned(),
    };
    let mut leak = tag("ResourceLeak", "A resource is not released", Some(Level::Warning));
    leak.cwe = vec!["CWE-772".to_owned()];
    leak.security_severity = Some(5.5);
    vec![
        tag("LongFunction", "The function is long", Some(Level::Note)),
        tag("MutableDefault", "Mutable default argument", Some(Level::Error)),
        leak,
        tag("Shadowed", "Only recorded", None),
    ]
}
