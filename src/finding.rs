//! The nouns everyone shares: where a finding is, what it says, how sure it is, and what happened to it.
//!
//! A [`Claim`] is created once, by a detector or a model pass. Grounding turns it into a [`Finding`]; after that it is
//! only annotated or dropped, and each of those leaves a [`Step`] in its trail.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use crate::escape;
use crate::taxonomy::Kind;

/// A line number in a file, counted from 1 as git, SARIF and editors do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(NonZeroU32);

impl Line {
    /// The line with this number, or `None` for zero.
    pub const fn new(number: u32) -> Option<Self> {
        match NonZeroU32::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// The line at a 0-based index.
    pub const fn from_index(index: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(index))
    }

    /// The number, from 1.
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// The 0-based index.
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How serious a shown finding is: SARIF's levels (2.1.0, 3.27.10), the only severity scale there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Worth changing before the merge.
    Warning,
    /// Stops the merge.
    Error,
}

impl Level {
    /// Every level, lowest first.
    pub const ALL: [Self; 3] = [Self::Note, Self::Warning, Self::Error];

    /// The name used in packs, configuration and every format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Text from outside (the diff, a file name, a model). It has no `Display`: each sink goes through its own escaper in
/// [`escape`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Untrusted(String);

impl Untrusted {
    /// Wraps a text from outside.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as it came. Whoever calls this owes the sink its escaper.
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// The text with every invisible or terminal-active character made visible.
    pub fn visible(&self) -> String {
        escape::visible(&self.0)
    }
}

impl fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Untrusted({:?})", self.0)
    }
}

/// A path inside the repository: `/`-separated bytes as git stores them, not necessarily UTF-8. Untrusted, so no
/// `Display`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<[u8]>);

impl RepoPath {
    /// Wraps the bytes git gave.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self(Arc::from(bytes.as_ref()))
    }

    /// The bytes as git stores them.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text; bytes that are not UTF-8 become U+FFFD.
    pub fn to_text(&self) -> Untrusted {
        Untrusted::new(String::from_utf8_lossy(&self.0))
    }

    /// The path for a person: [`Self::to_text`] with everything invisible made visible.
    pub fn visible(&self) -> String {
        self.to_text().visible()
    }

    /// The file name, the part after the last `/`.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or(&self.0)
    }

    /// Whether the path stays inside the repository: relative, no `..`, no NUL.
    pub fn is_inside(&self) -> bool {
        !self.0.is_empty()
            && !self.0.starts_with(b"/")
            && !self.0.contains(&0)
            && self.0.split(|byte| *byte == b'/').all(|part| part != b"..")
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RepoPath({:?})", String::from_utf8_lossy(&self.0))
    }
}

/// The columns of a finding that stands on one line: 1-based byte columns, `end` exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Columns {
    /// First byte, from 1.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// Where in the new side of the change something is (in the old side for a claim about a deletion).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file.
    pub path: RepoPath,
    /// First line.
    pub line: Line,
    /// Last line, at least `line`.
    pub end_line: Line,
    /// Set only where the location lies on one line and the columns are known.
    pub columns: Option<Columns>,
}

impl Location {
    /// Whether the two have a line in common, whatever their files.
    pub fn shares_lines(&self, other: &Self) -> bool {
        self.line <= other.end_line && other.line <= self.end_line
    }
}

/// Who made a claim.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A deterministic detector, by its id (`Tag/detector-id`).
    Detector(Arc<str>),
    /// A pass of a language model.
    Model {
        /// Which pass, from 1.
        pass: u32,
    },
}

/// A replacement of whole lines of the new side. Offered only if it applies to the text it was made from and the file
/// still parses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Suggestion {
    /// First replaced line.
    pub line: Line,
    /// Last replaced line.
    pub end_line: Line,
    /// The new lines, each with its line ending; empty deletes.
    pub text: Untrusted,
}

/// What the names of tags begin with that a model made up and no pack knows. Their findings are notes.
pub const NOVEL: &str = "novel:";

/// Whether a tag is a model's own.
pub fn is_novel(tag: &str) -> bool {
    tag.starts_with(NOVEL)
}

/// What a detector or a model says, before anything has checked it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    /// The tag of a loaded pack.
    pub tag: Arc<str>,
    /// Where it says the problem is.
    pub location: Location,
    /// The code it speaks of, one or more whole lines copied from the diff.
    pub quote: Untrusted,
    /// Why it is a problem.
    pub rationale: Untrusted,
    /// What to put there instead.
    pub suggestion: Option<Suggestion>,
    /// A level of the detector's own, which beats its tag's.
    pub level: Option<Level>,
    /// Who says so.
    pub source: Source,
}

/// A stage of the review, in run order (design: pipeline).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Claims are raised.
    Collect,
    /// A claim is tied to an added line or dropped.
    Ground,
    /// Facts of the parser against the tag's needs.
    Evidence,
    /// An independent score.
    Validate,
    /// Conditions of the rule packs.
    Filter,
    /// Inline ignores and the baseline.
    Suppress,
    /// Near or like findings become one.
    Merge,
    /// Order and caps.
    Rank,
}

impl Stage {
    /// The name in reports and trails.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Collect => "collect",
            Self::Ground => "ground",
            Self::Evidence => "evidence",
            Self::Validate => "validate",
            Self::Filter => "filter",
            Self::Suppress => "suppress",
            Self::Merge => "merge",
            Self::Rank => "rank",
        }
    }
}

/// One entry of a finding's trail: what a stage decided about it and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The stage.
    pub stage: Stage,
    /// The rule that decided, such as a drop's id or a fact.
    pub rule: String,
    /// `kept`, `lowered`, `moved`, `dropped`, …
    pub verdict: &'static str,
    /// One sentence.
    pub why: Untrusted,
}

/// Why a finding is not shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped {
    /// The stage that removed it.
    pub stage: Stage,
    /// The reason as the funnel counts it, such as `ungrounded`, `refuted:is_divisor`, `drop:placement-new`.
    pub reason: String,
    /// One sentence.
    pub why: Untrusted,
}

/// How a claim was tied to the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anchored {
    /// Line and quote agreed.
    Exact,
    /// The quote stands on another line, this many lines away (new minus claimed).
    Moved(i64),
    /// On an unchanged line that touches a deletion, for tags with `anchor: deletion`.
    BesideDeletion,
    /// By its quote alone, which stands once in what was shown; the claimed line is in another file or nowhere.
    Quoted,
}

impl Anchored {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Moved(_) => "moved",
            Self::BesideDeletion => "beside_deletion",
            Self::Quoted => "quoted",
        }
    }
}

/// What the parser's facts say of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceStatus {
    /// The tag needs no facts, or the detector is its own proof.
    NotNeeded,
    /// All needs hold.
    Proved,
    /// A need does not hold.
    Refuted,
    /// Some need could not be decided; the level is capped at `note`.
    Unknown,
}

impl EvidenceStatus {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotNeeded => "not_needed",
            Self::Proved => "proved",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
        }
    }
}

/// Facts and what they decided.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The verdict over all needs.
    pub status: EvidenceStatus,
    /// Fact name and value as text, in the order they were asked.
    pub facts: Vec<(String, String)>,
}

/// A finding's stable identity: 32 hexadecimal digits that survive line moves, re-indentation and renames inside the
/// reviewed range (design: pipeline, Identity).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Wraps the digits.
    pub fn new(digits: impl Into<String>) -> Self {
        Self(digits.into())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A few lines of the new side around a finding, kept so that no format needs the file again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// The number of the first line in `lines`.
    pub first: Line,
    /// The lines without their endings.
    pub lines: Vec<Untrusted>,
    /// The lines of which only a part is kept, in order.
    pub cuts: Vec<Cut>,
}

/// What is left out of a line that is too long to keep. A byte order mark in front of the file counts no UTF-16 unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    /// The line.
    pub line: Line,
    /// Bytes in front of the kept part.
    pub bytes: u32,
    /// Characters in front of it.
    pub chars: u32,
    /// UTF-16 code units in front of it.
    pub units: u32,
    /// UTF-16 code units of the whole line.
    pub width: u32,
}

impl Frame {
    /// What is left out of a line, if it is not whole.
    pub fn cut(&self, line: Line) -> Option<&Cut> {
        self.cuts.iter().find(|cut| cut.line == line)
    }

    /// How many bytes of a line are left out in front.
    pub fn left_out(&self, line: Line) -> usize {
        self.cut(line).map_or(0, |cut| cut.bytes as usize)
    }
}

/// Whether a finding was there in the earlier review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// It was not.
    New,
    /// It was, perhaps on another line or under another name of its file.
    Unchanged,
}

impl Since {
    /// Both.
    pub const ALL: [Self; 2] = [Self::New, Self::Unchanged];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Unchanged => "unchanged",
        }
    }
}

/// A claim on its way through the sieve, shown or dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The claim as raised; its location and quote are those after grounding.
    pub claim: Claim,
    /// The tag's title.
    pub title: Arc<str>,
    /// The tag's kind; unknown for a tag that no pack has.
    pub kind: Kind,
    /// The level it is shown with.
    pub level: Level,
    /// Identity, `key` of the design: tag, path, symbol, normalised line, occurrence.
    pub fingerprint: Fingerprint,
    /// Second identity over the neighbouring lines, without the path.
    pub window: Fingerprint,
    /// The enclosing function or type, if the parser knows one.
    pub function: Option<Untrusted>,
    /// How it was tied to the change; `None` where it could not be.
    pub anchor: Option<Anchored>,
    /// Facts.
    pub evidence: Evidence,
    /// The validator's score, 0 to 10.
    pub score: Option<f32>,
    /// How many passes made the claim.
    pub votes: u32,
    /// Places merged into this one.
    pub related: Vec<Location>,
    /// Code around it.
    pub frame: Option<Frame>,
    /// GitHub's `primaryLocationLineHash` of its first line (codeql-action, `src/fingerprints.ts`).
    pub line_hash: Option<String>,
    /// What each stage decided.
    pub trail: Vec<Step>,
    /// Whether an earlier review had it, where there is one to compare with.
    pub since: Option<Since>,
    /// Set where it is not shown.
    pub dropped: Option<Dropped>,
}

impl Finding {
    /// Appends a step to the trail.
    pub fn step(&mut self, stage: Stage, rule: impl Into<String>, verdict: &'static str, why: impl Into<String>) {
        self.trail.push(Step { stage, rule: rule.into(), verdict, why: Untrusted::new(why) });
    }

    /// Marks the finding as dropped and says so in the trail.
    pub fn drop_at(&mut self, stage: Stage, reason: impl Into<String>, why: impl Into<String>) {
        let (reason, why) = (reason.into(), why.into());
        self.step(stage, reason.clone(), "dropped", why.clone());
        self.dropped = Some(Dropped { stage, reason, why: Untrusted::new(why) });
    }

    /// Whether only a cap keeps it from being shown.
    pub fn is_capped(&self) -> bool {
        self.dropped.as_ref().is_some_and(|dropped| dropped.stage == Stage::Rank)
    }

    /// Whether only a cap, or a finding that stands for it, keeps it from being shown.
    pub fn is_hidden(&self) -> bool {
        self.dropped.as_ref().is_some_and(|dropped| matches!(dropped.stage, Stage::Merge | Stage::Rank))
    }
}
