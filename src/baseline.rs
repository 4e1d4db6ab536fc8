//! The baseline: findings a maintainer accepted, by fingerprint, each with a reason and perhaps an end. A reviewed file
//! in the repository, so an acceptance is a commit like any other.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::document::{Fields, Node, Problem, json};
use crate::finding::{Finding, Fingerprint, Untrusted};

/// Where it stands in a repository.
pub const PATH: &str = ".diffsieve/baseline.json";

/// Largest file that is read, in bytes: over 150,000 entries.
pub const MAX_BYTES: u64 = 64 << 20;

/// A day of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Reads `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
            return None;
        }
        let number = |range: std::ops::Range<usize>| {
            text.get(range).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<u16>().ok()
        };
        let (year, month, day) = (number(0..4)?, number(5..7)? as u8, number(8..10)? as u8);
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (1..=days).contains(&day).then_some(Self { year, month, day })
    }

    /// The day of a time in seconds since 1970-01-01 (UTC), by the civil-from-days method of Howard Hinnant.
    pub fn of_unix_seconds(seconds: u64) -> Self {
        let days = (seconds / 86_400) as i64 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u8;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u8;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year: u16::try_from(year).unwrap_or(u16::MAX), month, day }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// One accepted finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its path when it was accepted, for the reader and for the order of the file.
    pub path: String,
    /// Its tag.
    pub tag: String,
    /// Its key.
    pub fingerprint: Fingerprint,
    /// Its window, which survives what the key does not.
    pub window: Fingerprint,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it counts.
    pub until: Option<Date>,
}

impl Entry {
    /// Whether its last day is over. Without a date of today nothing expires.
    pub fn is_expired(&self, today: Option<Date>) -> bool {
        self.until.zip(today).is_some_and(|(until, today)| today > until)
    }
}

/// All accepted findings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    /// Sorted by path, tag and fingerprint.
    pub entries: Vec<Entry>,
}

const SCHEMA: &str = "diffsieve.baseline/v1";

impl Baseline {
    /// Reads the file.
    ///
    /// # Errors
    /// Everything that is wrong in it; of what is no JSON the first place.
    pub fn parse(source: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let node = json(source, text).map_err(|problem| vec![problem])?;
        let mut problems = Vec::new();
        let mut entries = Vec::new();
        if let Some(mut fields) = Fields::of(&node, "a baseline", &mut problems) {
            fields.word("schema", &[SCHEMA]);
            let findings = fields.required("findings");
            fields.finish();
            for item in findings.map(Node::items).unwrap_or_default() {
                entries.extend(entry(item, &mut problems));
            }
        }
        // Which entry accepts a finding must not depend on where in the file it stands.
        entries.sort();
        if problems.is_empty() { Ok(Self { entries }) } else { Err(problems) }
    }

    /// Writes the file: sorted, one finding a block, a line feed at the end. Of two entries with one key the later stays.
    pub fn render(&self) -> String {
        let by_key: BTreeMap<&Fingerprint, &Entry> =
            self.sorted().into_iter().map(|entry| (&entry.fingerprint, entry)).collect();
        let mut entries: Vec<&Entry> = by_key.into_values().collect();
        entries.sort();
        let findings: Vec<_> = entries
            .iter()
            .map(|entry| {
                let mut value = serde_json::json!({
                    "path": entry.path,
                    "tag": entry.tag,
                    "fingerprint": entry.fingerprint.as_str(),
                    "window": entry.window.as_str(),
                    "reason": entry.reason,
                });
                if let Some(until) = entry.until {
                    value["until"] = until.to_string().into();
                }
                value
            })
            .collect();
        let mut text = serde_json::to_string_pretty(&serde_json::json!({"schema": SCHEMA, "findings": findings}))
            .expect("a value made here has only string keys");
        text.push('\n');
        text
    }

    fn sorted(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort();
        entries
    }

    /// Adds entries; each takes the place of those with its fingerprint.
    pub fn accept(&mut self, entries: impl IntoIterator<Item = Entry>) {
        let new: BTreeMap<Fingerprint, Entry> =
            entries.into_iter().map(|entry| (entry.fingerprint.clone(), entry)).collect();
        self.entries.retain(|entry| !new.contains_key(&entry.fingerprint));
        self.entries.extend(new.into_values());
    }

    /// The entry that accepts each finding, if one does: the one with its key, else one with its window and tag, best of
    /// the same path. An entry that a key or a window has used accepts no second finding by its window, or copies of
    /// accepted code would be accepted wherever they stand. `may` tells whether an entry may speak of a finding at all.
    pub fn entries_for(&self, findings: &[Finding], may: impl Fn(&Finding, &Entry) -> bool) -> Vec<Option<&Entry>> {
        let paths: Vec<Untrusted> = findings.iter().map(|finding| finding.claim.location.path.to_text()).collect();
        let mut by_key: BTreeMap<&Fingerprint, Vec<usize>> = BTreeMap::new();
        let mut by_window: BTreeMap<(&Fingerprint, &str), VecDeque<usize>> = BTreeMap::new();
        let mut by_place: BTreeMap<(&Fingerprint, &str, &str), VecDeque<usize>> = BTreeMap::new();
        for (index, entry) in self.entries.iter().enumerate() {
            by_key.entry(&entry.fingerprint).or_default().push(index);
            by_window.entry((&entry.window, &entry.tag)).or_default().push_back(index);
            by_place.entry((&entry.window, &entry.tag, &entry.path)).or_default().push_back(index);
        }
        let mut used = vec![false; self.entries.len()];
        // Of two with one key the later one counts, as it did when they were written.
        let of_key = |finding: &Finding| {
            let all = by_key.get(&finding.fingerprint).into_iter().flatten().rev().copied();
            all.into_iter().find(|index| may(finding, &self.entries[*index]))
        };
        let mut found: Vec<Option<usize>> = findings.iter().map(of_key).collect();
        found.iter().flatten().for_each(|index| used[*index] = true);
        for same_path in [true, false] {
            let open = findings.iter().zip(&paths).zip(&mut found).filter(|(_, found)| found.is_none());
            for ((finding, path), found) in open {
                let (window, tag) = (&finding.window, &*finding.claim.tag);
                let near = match same_path {
                    true => by_place.get_mut(&(window, tag, path.raw())),
                    false => by_window.get_mut(&(window, tag)),
                };
                let Some(near) = near else { continue };
                // What is used stays used, so it is looked at once.
                while near.front().is_some_and(|index| used[*index]) {
                    near.pop_front();
                }
                *found = near.iter().copied().find(|index| !used[*index] && may(finding, &self.entries[*index]));
                if let Some(index) = *found {
                    used[index] = true;
                }
            }
        }
        found.into_iter().map(|index| index.map(|index| &self.entries[index])).collect()
    }
}

fn entry(node: &Node, problems: &mut Vec<Problem>) -> Option<Entry> {
    let mut fields = Fields::of(node, "a baseline entry", problems)?;
    let mut required = |key| fields.required(key).and_then(Node::text).map(str::to_owned);
    let (path, tag, fingerprint) = (required("path"), required("tag"), required("fingerprint"));
    let (window, reason) = (required("window"), required("reason"));
    for (key, digits) in [("fingerprint", &fingerprint), ("window", &window)] {
        let good =
            |digits: &String| digits.len() == 32 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if digits.as_ref().is_some_and(|digits| !good(digits)) {
            let at = fields.at().clone();
            fields
                .problems
                .push(Problem::at(&at, format!("`{key}` has 32 hexadecimal digits, as the review prints it")));
        }
    }
    let until = fields.node("until");
    let date = until.and_then(Node::text).and_then(Date::parse);
    if let (Some(until), None) = (until, date) {
        fields.problems.push(Problem::at(&until.at, "`until` is a day such as `2026-12-31`"));
    }
    if reason.as_deref().is_some_and(|reason| reason.trim().is_empty()) {
        let at = fields.at().clone();
        fields.problems.push(Problem::at(&at, "a baseline entry needs a reason"));
    }
    fields.finish();
    Some(Entry {
        path: path?,
        tag: tag?,
        fingerprint: Fingerprint::new(fingerprint?),
        window: Fingerprint::new(window?),
        reason: reason?,
        until: date,
    })
}

/// The JSON schema of the file.
pub fn schema() -> serde_json::Value {
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:diffsieve:baseline:v1",
        "title": "diffsieve baseline",
        "type": "object",
        "additionalProperties": false,
        "required": ["findings"],
        "properties": {
            "schema": {"const": SCHEMA},
            "findings": {"type": "array", "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["path", "tag", "fingerprint", "window", "reason"],
                "properties": {
                    "path": {"type": "string"},
                    "tag": {"type": "string"},
                    "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
                    "window": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
                    "reason": {"type": "string", "minLength": 1},
                    "until": {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
                },
            }},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_strictly() {
        for good in ["2026-12-31", "2024-02-29", "2000-02-29"] {
            assert_eq!(Date::parse(good).map(|date| date.to_string()).as_deref(), Some(good));
        }
        for bad in
            ["2026-13-01", "2026-02-29", "1900-02-29", "2026-1-01", "2026-01-00", "2026/01/01", "", "２０２６-01-01"]
        {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn unix_seconds_become_days() {
        for (seconds, day) in
            [(0, "1970-01-01"), (951_782_399, "2000-02-28"), (951_782_400, "2000-02-29"), (1_795_132_800, "2026-11-20")]
        {
            assert_eq!(Date::of_unix_seconds(seconds).to_string(), day);
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let baseline = Baseline {
            entries: vec![Entry {
                path: "a \"b\"\n.py".to_owned(),
                tag: "IsLiteral".to_owned(),
                fingerprint: Fingerprint::new("0123456789abcdef0123456789abcdef"),
                window: Fingerprint::new("fedcba9876543210fedcba9876543210"),
                reason: "accepted: see \u{202e} #12".to_owned(),
                until: Date::parse("2027-01-31"),
            }],
        };
        assert_eq!(Baseline::parse("b", &baseline.render()), Ok(baseline));
    }

    #[test]
    fn a_hundred_thousand_entries_are_read_back() {
        let entries = (0..100_000_u32).map(|number| Entry {
            path: "src/a.py".to_owned(),
            tag: "IsLiteral".to_owned(),
            fingerprint: Fingerprint::new(format!("{number:032x}")),
            window: Fingerprint::new(format!("{number:032x}")),
            reason: "legacy".to_owned(),
            until: None,
        });
        let mut baseline = Baseline::default();
        baseline.accept(entries.clone());
        baseline.accept(entries);
        assert_eq!(baseline.entries.len(), 100_000);
        let text = baseline.render();
        assert!((text.len() as u64) < MAX_BYTES, "{}", text.len());
        assert_eq!(Baseline::parse("b", &text), Ok(baseline));
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let text = "{\"findings\": [{\"path\": \"a\",\n\"path\": \"b\"}]}";
        let problems = Baseline::parse("b.json", text).expect_err("a key stands twice");
        assert_eq!(problems[0].to_string(), "b.json:2:1: the key `path` is a duplicate");
    }

    #[test]
    fn an_acceptance_without_a_reason_is_refused() {
        let text = r#"{"findings": [{"path": "a", "tag": "T", "fingerprint": "0123456789abcdef0123456789abcdef",
            "window": "0123456789abcdef0123456789abcdef", "reason": " "}]}"#;
        let problems = Baseline::parse("b.json", text).expect_err("no reason");
        assert_eq!(problems[0].to_string(), "b.json:1:15: a baseline entry needs a reason");
    }
}
