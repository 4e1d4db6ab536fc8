//! The JSON as it is written. Private: the shape belongs to the format, the meaning to the types it is made from.
//!
//! The comments on fields are the schema's descriptions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Everything a review found, dropped and read, and what the gate says of it.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Report {
    /// Name and version of this format.
    #[cfg_attr(test, schemars(extend("const" = super::SCHEMA)))]
    pub(super) schema: String,
    /// What made the report.
    pub(super) tool: Tool,
    /// What was reviewed.
    pub(super) change: Change,
    /// How much of it was read.
    pub(super) coverage: Coverage,
    /// Shown findings, best first.
    pub(super) findings: Vec<Finding>,
    /// Claims that are not shown, each with the stage and the reason.
    pub(super) dropped: Vec<Finding>,
    /// Claims in, findings out: `raised` is `shown` plus the sum of `removed`.
    pub(super) funnel: Funnel,
    /// The verdict.
    pub(super) gate: Gate,
    /// The language model, if one took part.
    pub(super) model: Model,
    /// What the model was asked: the same for the same change, rules and answers.
    pub(super) usage: Usage,
    /// What this very run took: the only figures that differ between two runs with the same answers.
    pub(super) run: Run,
    /// Where what decided the review was read from.
    pub(super) config: Config,
    /// Sentences for the reader that belong to no finding.
    pub(super) notes: Vec<String>,
    /// What became of the findings of an earlier review; absent where there was none to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<Since>,
    /// What joins this share of a review with the others; absent in the report of a whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<Shard>,
}

/// The comparison with an earlier review.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Since {
    /// The commit that the earlier review ended at.
    pub(super) head: Option<String>,
    /// Its findings that are not shown any more.
    pub(super) gone: Vec<Gone>,
}

/// A finding of the earlier review that is not shown any more.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Gone {
    /// Its identity.
    pub(super) fingerprint: String,
    /// Its tag.
    pub(super) tag: String,
    /// The tag's title.
    pub(super) title: String,
    /// Its level.
    #[cfg_attr(test, schemars(extend("enum" = ["note", "warning", "error"])))]
    pub(super) level: String,
    /// The file.
    pub(super) file: String,
    /// The name's bytes, percent-encoded, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file_bytes: Option<String>,
    /// Its first line, then.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) line: u32,
    /// Its place was read again and it is not there, it is there but not shown, or its place was not read again.
    #[cfg_attr(test, schemars(extend("enum" = ["fixed", "hidden", "unknown"])))]
    pub(super) fate: String,
    /// One sentence.
    pub(super) why: String,
}

/// One of several runs that share a review. Its report is about its own files; `diffsieve merge` joins them.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Shard {
    /// Which one, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) index: u32,
    /// How many there are.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) count: u32,
    /// Every file of the whole change and who reviews it.
    pub(super) files: Vec<Owned>,
    /// Names what is reviewed and by which policy; equal in all shares.
    pub(super) identity: String,
    /// What was found before accepted findings, twins and caps were taken out.
    pub(super) kept: Vec<Finding>,
    /// Remarks of this share alone.
    pub(super) notes: Vec<String>,
    /// What this share alone did not read.
    pub(super) skipped: Vec<Skip>,
    /// Chunks that do not count as clean unless what is in them was accepted.
    pub(super) steered: Vec<Steered>,
    /// The accepted findings that this share could need.
    pub(super) baseline: Vec<Accepted>,
    /// Most findings shown, errors not counted.
    pub(super) cap: Option<u32>,
    /// Most findings shown of a tag in a language.
    pub(super) caps: Vec<Cap>,
    /// All tags, for the joined report.
    pub(super) tags: Vec<TagInfo>,
    /// The repository, for the joined report.
    pub(super) provenance: Provenance,
}

/// An accepted finding.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Accepted {
    /// Its path when it was accepted.
    pub(super) path: String,
    /// Its tag.
    pub(super) tag: String,
    /// Its identity.
    pub(super) fingerprint: String,
    /// Its second identity.
    pub(super) window: String,
    /// Why it is accepted.
    pub(super) reason: String,
    /// The last day on which it counts.
    pub(super) until: Option<String>,
}

/// A file and the number of the shard that reviews it.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Owned {
    /// The file.
    pub(super) path: String,
    /// The name's bytes, percent-encoded, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path_bytes: Option<String>,
    /// The shard.
    pub(super) shard: u32,
}

/// A chunk that tries to steer who reads it.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Steered {
    /// The attempts: the file as percent-encoded bytes, and the line, null for a file's name.
    pub(super) attempts: Vec<(String, Option<u32>)>,
    /// The files of the chunk as percent-encoded bytes, each with its added lines as first line and count.
    pub(super) covered: Vec<(String, Vec<(u32, u32)>)>,
    /// One sentence.
    pub(super) why: String,
}

/// Most findings shown of a tag in a language.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Cap {
    /// The tag.
    pub(super) tag: String,
    /// The language; empty for files of none.
    pub(super) language: String,
    /// So many.
    pub(super) most: u32,
}

/// What reports say of a tag.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TagInfo {
    /// Its id.
    pub(super) name: String,
    /// One line.
    pub(super) title: String,
    /// What it is about, in Markdown.
    pub(super) help: String,
    /// Its level; null where it is not shown.
    pub(super) level: Option<String>,
    /// `CWE-772`, …
    pub(super) cwe: Vec<String>,
    /// CR-Bench's category.
    pub(super) category: Option<String>,
    /// The characteristic of ISO/IEC 25010 that suffers.
    #[serde(default)]
    pub(super) impact: Option<String>,
    /// CR-Bench's severity.
    #[serde(default)]
    pub(super) severity: Option<String>,
    /// 0.1 to 10.0, for security tags.
    pub(super) security_severity: Option<f32>,
    /// Its pack.
    pub(super) pack: String,
}

/// Where the change comes from.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Provenance {
    /// The remote's address without credentials.
    pub(super) repository_uri: Option<String>,
    /// The reviewed commit.
    pub(super) revision: Option<String>,
    /// The branch.
    pub(super) branch: Option<String>,
    /// The name of the analysis.
    pub(super) category: Option<String>,
}

/// The program.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Tool {
    /// Always `diffsieve`.
    pub(super) name: String,
    /// Its version.
    pub(super) version: String,
}

/// What was compared with what.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Change {
    /// The commit at the tip of the base, in hexadecimal.
    pub(super) base: Option<String>,
    /// The commit the diff starts from.
    pub(super) merge_base: Option<String>,
    /// The commit the diff ends at; null for the index, the worktree or a patch.
    pub(super) head: Option<String>,
    /// `merge_base..head` where both are commits.
    pub(super) range: Option<String>,
    /// One sentence on the range.
    pub(super) description: String,
    /// Things to know about the range.
    pub(super) notes: Vec<String>,
    /// Every changed file in path order.
    pub(super) files: Vec<File>,
}

/// A changed file.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct File {
    /// Its name, the former one for a deletion. U+FFFD stands for bytes that are not UTF-8.
    pub(super) path: String,
    /// The name's bytes, percent-encoded, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path_bytes: Option<String>,
    /// The name it was renamed from.
    pub(super) old_path: Option<String>,
    /// That name's bytes, percent-encoded, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) old_path_bytes: Option<String>,
    /// What happened to it.
    #[cfg_attr(test, schemars(extend("enum" = ["added", "deleted", "modified", "renamed"])))]
    pub(super) status: String,
    /// For a rename, how alike the two files are, in percent.
    pub(super) similarity: Option<u8>,
    /// Added lines.
    pub(super) added: u64,
    /// Removed lines.
    pub(super) removed: u64,
    /// Its language, if it is one that is parsed.
    pub(super) language: Option<String>,
    /// Generated, by attribute or name.
    pub(super) generated: bool,
    /// Vendored, by attribute or folder.
    pub(super) vendored: bool,
    /// A dependency lock file.
    pub(super) lock: bool,
    /// Marked `-diff` or `binary` in the attributes of the base.
    pub(super) diff_off: bool,
    /// Who read its added lines.
    pub(super) read_by: ReadBy,
}

/// Who read a file's added lines.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ReadBy {
    /// The text detectors.
    pub(super) text: bool,
    /// The detectors that need a parse. They are not asked where only comments and blank lines changed.
    pub(super) parser: bool,
    /// A model.
    pub(super) model: bool,
}

/// How much of the change was reviewed.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Coverage {
    /// Added lines in all changed text files that could be counted.
    pub(super) added_lines: u64,
    /// Added lines that at least the text detectors read.
    pub(super) reviewed_lines: u64,
    /// Whatever was not read.
    pub(super) skipped: Vec<Skip>,
}

/// A part of the change that was not read.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Skip {
    /// The file.
    pub(super) path: String,
    /// The name's bytes, percent-encoded, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path_bytes: Option<String>,
    /// Added lines, where they could be counted.
    pub(super) lines: Option<u64>,
    /// True: it should have been read, so the review is incomplete. False: it is not code.
    pub(super) unread: bool,
    /// The reason.
    pub(super) why: String,
}

/// A claim, shown or dropped.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Finding {
    /// Stable identity: baseline, `explain` and suppressions go by it. Equal to `key`.
    pub(super) fingerprint: String,
    /// Identity over tag, path, symbol, normalised line and occurrence.
    pub(super) key: String,
    /// Second identity over the neighbouring lines, without the path.
    pub(super) window: String,
    /// GitHub's `primaryLocationLineHash` of the first line.
    pub(super) line_hash: Option<String>,
    /// The tag, such as `MutableDefault`.
    pub(super) tag: String,
    /// The tag's title.
    pub(super) title: String,
    /// The level it is shown with.
    #[cfg_attr(test, schemars(extend("enum" = ["note", "warning", "error"])))]
    pub(super) level: String,
    /// The tag's category: the root cause, after CR-Bench; null where the tag has none.
    #[serde(default)]
    pub(super) category: Option<String>,
    /// The tag's impact: the characteristic of ISO/IEC 25010 that suffers; null where the tag has none.
    #[serde(default)]
    pub(super) impact: Option<String>,
    /// The tag's severity, `low` to `critical` after CR-Bench: how bad such a fault is when it happens. It decides nothing;
    /// `level` does. Null where the tag has none.
    #[serde(default)]
    pub(super) severity: Option<String>,
    /// The file. U+FFFD stands for bytes that are not UTF-8.
    pub(super) file: String,
    /// The name's bytes, percent-encoded, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file_bytes: Option<String>,
    /// First line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) line: u32,
    /// Last line.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) end_line: u32,
    /// The columns of a finding on one line, where they are known.
    pub(super) columns: Option<Columns>,
    /// The enclosing function or type.
    pub(super) function: Option<String>,
    /// The code it speaks of, one or more whole lines.
    pub(super) quote: String,
    /// Why it is a problem.
    pub(super) rationale: String,
    /// What to put there instead.
    pub(super) suggestion: Option<Suggestion>,
    /// Who made the claim.
    pub(super) source: Source,
    /// The validator's score, 0 to 10; null where nobody scored it.
    pub(super) score: Option<f32>,
    /// How many passes made the claim.
    pub(super) votes: u32,
    /// What the parser's facts say.
    pub(super) evidence: Evidence,
    /// How it was tied to the change; null where it could not be.
    pub(super) anchor: Option<Anchor>,
    /// Places merged into this one.
    pub(super) related: Vec<Place>,
    /// A few lines of code around it.
    pub(super) frame: Option<Frame>,
    /// What each stage decided, in run order.
    pub(super) trail: Vec<Step>,
    /// Whether an earlier review had it; absent where there was none to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("enum" = ["new", "unchanged"])))]
    pub(super) since: Option<String>,
    /// Why it is not shown; absent where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dropped: Option<Dropped>,
}

/// Byte columns from 1.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Columns {
    /// First byte.
    pub(super) start: u32,
    /// One past the last byte.
    pub(super) end: u32,
}

/// A replacement of whole lines.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Suggestion {
    /// First replaced line.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) line: u32,
    /// Last replaced line.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) end_line: u32,
    /// The new lines, each with its line ending; empty deletes.
    pub(super) text: String,
}

/// Who made a claim.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Source {
    /// A deterministic detector or a language model.
    #[cfg_attr(test, schemars(extend("enum" = ["detector", "model"])))]
    pub(super) kind: String,
    /// The detector's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    /// The model's pass, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pass: Option<u32>,
}

/// Facts and what they decided.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Evidence {
    /// The verdict over all facts that the tag needs.
    #[cfg_attr(test, schemars(extend("enum" = ["not_needed", "proved", "refuted", "unknown"])))]
    pub(super) status: String,
    /// The facts in the order they were asked.
    pub(super) facts: Vec<Fact>,
}

/// One fact.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Fact {
    /// Its name.
    pub(super) name: String,
    /// Its value as text.
    pub(super) value: String,
}

/// How a claim was tied to the change.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Anchor {
    /// Line and quote agreed, the quote stood on another line, it stands beside a deletion, or only the quote was right.
    #[cfg_attr(test, schemars(extend("enum" = ["exact", "moved", "beside_deletion", "quoted"])))]
    pub(super) how: String,
    /// Lines between the claimed and the found place; 0 unless moved.
    pub(super) moved: i64,
}

/// A place in the change.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Place {
    /// The file.
    pub(super) file: String,
    /// The name's bytes, percent-encoded, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file_bytes: Option<String>,
    /// First line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) line: u32,
    /// Last line.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) end_line: u32,
    /// The columns, where it lies on one line and they are known.
    pub(super) columns: Option<Columns>,
}

/// A few lines of code.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Frame {
    /// The number of the first one.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) first: u32,
    /// The lines without their endings.
    pub(super) lines: Vec<String>,
    /// The lines of which only a part is kept; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) cuts: Vec<Cut>,
}

/// What is left out of a line that is too long to keep.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Cut {
    /// The number of the line.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(super) line: u32,
    /// Bytes in front of the kept part.
    pub(super) bytes: u32,
    /// Characters in front of it.
    pub(super) chars: u32,
    /// UTF-16 code units in front of it.
    pub(super) units: u32,
    /// UTF-16 code units of the whole line.
    pub(super) width: u32,
}

/// One decision about a claim.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Step {
    /// The stage that decided.
    pub(super) stage: String,
    /// The rule that decided.
    pub(super) rule: String,
    /// What it decided, such as `kept`, `lowered`, `dropped`.
    pub(super) verdict: String,
    /// One sentence.
    pub(super) why: String,
}

/// Why a claim is not shown.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Dropped {
    /// The stage that removed it.
    pub(super) stage: String,
    /// The reason as the funnel counts it.
    pub(super) reason: String,
    /// One sentence.
    pub(super) why: String,
}

/// Claims in, findings out.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Funnel {
    /// Claims raised.
    pub(super) raised: u64,
    /// Findings shown.
    pub(super) shown: u64,
    /// Removed, by reason.
    pub(super) removed: BTreeMap<String, u64>,
}

/// The verdict and what decided it.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Gate {
    /// The answer.
    #[cfg_attr(test, schemars(extend("enum" = ["pass", "fail", "incomplete"])))]
    pub(super) verdict: String,
    /// Whether everything that should be read was read, whatever the verdict.
    pub(super) complete: bool,
    /// One sentence.
    pub(super) reason: String,
    /// From which level findings fail.
    #[cfg_attr(test, schemars(extend("enum" = ["error", "warning", "note", "never"])))]
    pub(super) fail_on: String,
    /// What an incomplete review means.
    #[cfg_attr(test, schemars(extend("enum" = ["fail", "warn"])))]
    pub(super) on_incomplete: String,
}

/// The language model.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Model {
    /// Who served it; `none` without one.
    pub(super) provider: String,
    /// Its name.
    pub(super) name: Option<String>,
    /// The validator's name.
    pub(super) validator: Option<String>,
    /// How the validator worked; `off` without one.
    #[cfg_attr(test, schemars(extend("enum" = ["off", "ok", "degraded", "failed", "constant"])))]
    pub(super) health: String,
    /// Chunks of the change that it was shown.
    #[serde(default)]
    pub(super) chunks: u64,
    /// Claims that were to be scored.
    #[serde(default)]
    pub(super) to_score: u64,
    /// Claims that were.
    #[serde(default)]
    pub(super) scored: u64,
}

/// What the model was asked; all zero without one.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Usage {
    /// Prompts that were answered, by a service, a cache or a recording.
    pub(super) requests: u64,
    /// Tokens of those prompts.
    pub(super) prompt_tokens: u64,
    /// Tokens of the answers.
    pub(super) completion_tokens: u64,
    /// Whether the token counts are estimates.
    pub(super) estimated: bool,
}

/// What a run took; all zero without a model.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Run {
    /// Requests sent, retries included.
    pub(super) requests: u64,
    /// Answers that took no request.
    pub(super) cached: u64,
    /// Tokens read, as the services counted them.
    pub(super) prompt_tokens: u64,
    /// Tokens written.
    pub(super) completion_tokens: u64,
    /// Of the tokens read, those that the services had kept.
    pub(super) cached_tokens: u64,
    /// US dollars, where prices are configured.
    pub(super) cost: Option<f64>,
    /// Seconds.
    pub(super) seconds: f64,
}

/// Where what decided the review was read from.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Config {
    /// `built-in defaults`, or the file and the commit it was read from.
    pub(super) origin: String,
    /// The rule packs, each as `name version (origin)`.
    pub(super) packs: Vec<String>,
}
