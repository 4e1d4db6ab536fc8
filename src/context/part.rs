//! What one changed file brings: made while its text is in memory, and free of it afterwards but for the lines that are
//! shown, in which every hidden value is hidden.

use super::base::{self, Base};
use super::chunk::Reason;
use super::hostile::{AttemptKind, neutral};
use super::mask::{Digest, Secrets};
use super::reads::{self, Read};
use super::rows::{self, Row, Side, View};
use super::signatures::{self, Signature};
use super::summary::{self, Entry};
use super::tokens::{Milli, milli};
use super::{Context, Layers};
use crate::diff::{Body, FileChange, Lines, Status, Text};
use crate::finding::{Line, RepoPath};
use crate::rules::credential::named;
use crate::syntax::{Language, Parsed};

/// What one file brings to the chunks.
#[derive(Debug)]
pub struct FilePart {
    /// Its path, as git has it.
    pub path: RepoPath,
    /// Its language, if it is one that is parsed.
    pub language: Option<Language>,
    /// Whether it belongs to the class `test` of the packs.
    pub test: bool,
    pub(super) layers: Layers,
    /// As shown: hidden values hidden, escaped, cut.
    pub(super) header: String,
    pub(super) header_attempts: Vec<AttemptKind>,
    pub(super) shown_path: String,
    pub(super) rows: Vec<Row>,
    pub(super) symbols: Vec<String>,
    pub(super) summary: Vec<Entry>,
    pub(super) base: Base,
    pub(super) reads: Vec<Read>,
    pub(super) signatures: Vec<Signature>,
    pub(super) digests: Vec<Digest>,
    pub(super) skipped: Vec<(Vec<Lines>, Vec<Lines>, Reason)>,
}

/// Longest path that is shown, in tokens; its end tells more than its beginning.
const PATH: Milli = 60_000;
/// Longest name of a symbol that is shown, in tokens.
const NAME: Milli = 40_000;

impl FilePart {
    /// The path as a reader sees it: values hidden, forgeries spelt out, its beginning left out where it is too long.
    pub fn shown_path(&self) -> &str {
        &self.shown_path
    }

    /// Whether any line of it is shown.
    pub const fn is_shown(&self) -> bool {
        !self.rows.is_empty()
    }
}

impl Context<'_> {
    /// What a changed file brings. `new` and `old` are the parses of its sides where they are wanted and there are any:
    /// without them it is cut at indentation and nothing is told of its symbols.
    pub fn part(&self, change: &FileChange, new: Option<&Parsed>, old: Option<&Parsed>) -> FilePart {
        let mut secrets = Secrets::default();
        let mut part = self.empty(change, &mut secrets);
        let (old_text, new_text) = match (&change.body, self.reason(change)) {
            (_, Some(reason)) => {
                let lines = |side: fn(&crate::diff::Hunk) -> Lines| {
                    change.hunks().iter().map(side).filter(|lines| lines.count > 0).collect()
                };
                part.skipped.push((lines(|hunk| hunk.new), lines(|hunk| hunk.old), reason));
                return part;
            }
            (Body::Text { old, new, .. }, None) => (old, new),
            // Both have a reason.
            (Body::NotCode(_) | Body::Unread(_), None) => return part,
        };
        let first = new_text.line(Line::from_index(0)).or_else(|| old_text.line(Line::from_index(0)));
        part.language = Language::of_path(&change.path, first).filter(|language| language.is_compiled_in());
        let bare = takes_bare_values(change, part.language);
        let (old_text, new_text) = self.redactor.sides(old_text, new_text, bare, &mut secrets);
        let (old, new) = (Side { text: &old_text, parsed: old }, Side { text: &new_text, parsed: new });
        let view = View {
            around: self.options.around,
            expand_function: self.options.expand_function,
            language: part.language,
        };
        let drawn = rows::rows(change.hunks(), &old, &new, &view);
        part.symbols = drawn.symbols.iter().map(|name| self.name(name, &mut secrets)).collect();
        self.tell(&mut part, &old, &new, change, &mut secrets);
        part.rows = drawn.rows;
        if !drawn.long.0.is_empty() || !drawn.long.1.is_empty() {
            let lines = |numbers: Vec<u32>| numbers.into_iter().map(|first| Lines { first, count: 1 }).collect();
            part.skipped.push((lines(drawn.long.0), lines(drawn.long.1), Reason::LongLine));
        }
        part.digests = secrets.into_digests();
        part
    }

    fn empty(&self, change: &FileChange, secrets: &mut Secrets) -> FilePart {
        let shown_path = self.path(&change.path, secrets);
        let mut header = shown_path.clone();
        // A name that stays was looked at when it came.
        let is_new = matches!(change.status, Status::Added | Status::Renamed { .. });
        let header_attempts = if is_new { neutral(change.path.to_text().raw()).1 } else { Vec::new() };
        match change.status {
            Status::Added => header.push_str(" (added)"),
            Status::Deleted => header.push_str(" (deleted)"),
            Status::Modified => {}
            Status::Renamed { .. } => {
                if let Some(old) = &change.old_path {
                    header = format!("{header} (was {})", self.path(old, secrets));
                }
            }
        }
        FilePart {
            path: change.path.clone(),
            language: None,
            test: self.classes.contains("test", &change.path, change.class),
            layers: self.options.layers,
            header,
            header_attempts,
            shown_path,
            rows: Vec::new(),
            symbols: Vec::new(),
            summary: Vec::new(),
            base: Base::default(),
            reads: Vec::new(),
            signatures: Vec::new(),
            digests: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// Why nothing of a file is shown.
    pub(super) fn reason(&self, change: &FileChange) -> Option<Reason> {
        let denied = |path: &RepoPath| self.denied.is_match(path);
        let class = change.class;
        match &change.body {
            Body::NotCode(why) => Some(Reason::NotCode(*why)),
            Body::Unread(why) => Some(Reason::Unread(*why)),
            Body::Text { .. } if denied(&change.path) || change.old_path.as_ref().is_some_and(denied) => {
                Some(Reason::Denied)
            }
            Body::Text { .. } if class.lock => Some(Reason::Lock),
            Body::Text { .. } if class.generated => Some(Reason::Generated),
            Body::Text { .. } if class.vendored => Some(Reason::Vendored),
            Body::Text { .. } => None,
        }
    }

    /// What the layers tell of a file.
    fn tell(&self, part: &mut FilePart, old: &Side<'_>, new: &Side<'_>, change: &FileChange, secrets: &mut Secrets) {
        let mut clean = |text: &str| self.shown(text, secrets);
        if part.layers == Layers::None {
            return;
        }
        part.summary = summary::entries(old.parsed, new.parsed, change, &mut clean);
        if part.layers >= Layers::B && !part.test {
            part.base = base::base(change.hunks(), old, part.language);
            part.reads = reads::reads(new, part.language);
        }
        if part.layers >= Layers::C && part.test {
            part.signatures = signatures::signatures(change.hunks(), new, part.language);
        }
    }

    /// A text of the file as it may be shown.
    fn shown(&self, text: &str, secrets: &mut Secrets) -> String {
        let text = self.redactor.text(text, secrets);
        neutral(&text).0.into_owned()
    }

    /// The name of a symbol as it may be shown, its end left out where it is too long.
    fn name(&self, name: &str, secrets: &mut Secrets) -> String {
        let mut text = self.shown(name, secrets);
        if milli(&rows::plain(&text), None) > NAME {
            while milli(&rows::plain(&text), None) > NAME {
                text.pop();
            }
            text.push('…');
        }
        text
    }

    /// A path as it may be shown, its beginning left out where it is too long.
    fn path(&self, path: &RepoPath, secrets: &mut Secrets) -> String {
        let text = self.shown(path.to_text().raw(), secrets);
        let mut rest = text.as_str();
        while milli(&rows::plain(rest), None) > PATH {
            let mut characters = rest.chars();
            characters.next();
            rest = characters.as_str();
        }
        if rest.len() == text.len() { text } else { format!("…{rest}") }
    }
}

/// Whether values of a file may stand without quotes.
pub(super) fn takes_bare_values(change: &FileChange, language: Option<Language>) -> bool {
    language.is_none_or(|language| language == Language::Yaml) || named::takes_bare_values(&change.path)
}

/// The lines of a text that are text, with their numbers.
pub(super) fn numbered(text: &Text) -> impl Iterator<Item = (u32, std::borrow::Cow<'_, str>)> {
    text.lines().map(|(number, line)| (number.get(), String::from_utf8_lossy(crate::diff::trim_ending(line))))
}
