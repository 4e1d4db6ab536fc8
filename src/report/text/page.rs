//! The page: lines, colours, wrapping. Nothing here knows what a finding is.

use std::io;

use annotate_snippets::renderer::{AnsiColor, Effects, Style as Ansi};

use crate::escape::neutral_line;
use crate::report::Style;

/// Prose is never set narrower than this; a terminal that small scrolls.
const NARROWEST: usize = 40;

/// Prose is never set wider than this either, because nobody can read it.
const WIDEST: usize = 100;

/// Code is cut at this many columns, or at the terminal's edge where that is nearer.
const WIDEST_CODE: usize = 140;

/// What a colour means.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ink {
    Error,
    Warning,
    Note,
    Good,
    Added,
    Removed,
    Bold,
}

impl Ink {
    const fn ansi(self) -> Ansi {
        match self {
            Self::Error => AnsiColor::BrightRed.on_default().effects(Effects::BOLD),
            Self::Warning => AnsiColor::Yellow.on_default().effects(Effects::BOLD),
            Self::Note => AnsiColor::BrightBlue.on_default().effects(Effects::BOLD),
            Self::Good => AnsiColor::BrightGreen.on_default().effects(Effects::BOLD),
            Self::Added => AnsiColor::Green.on_default(),
            Self::Removed => AnsiColor::Red.on_default(),
            Self::Bold => Ansi::new().effects(Effects::BOLD),
        }
    }
}

/// Text on its way to a terminal. Whatever goes in has been made visible.
pub(super) struct Page {
    style: Style,
    text: String,
}

impl Page {
    pub(super) const fn new(style: Style) -> Self {
        Self { style, text: String::new() }
    }

    pub(super) const fn has_color(&self) -> bool {
        self.style.color
    }

    /// Columns to use for code.
    pub(super) fn code_width(&self) -> usize {
        self.style.width.map_or(WIDEST_CODE, |width| usize::from(width).clamp(NARROWEST, WIDEST_CODE))
    }

    /// Columns to use for prose.
    fn width(&self) -> usize {
        self.style.width.map_or(WIDEST, |width| usize::from(width).clamp(NARROWEST, WIDEST))
    }

    pub(super) fn paint(&self, ink: Ink, text: &str) -> String {
        if !self.style.color || text.is_empty() {
            return text.to_owned();
        }
        let ansi = ink.ansi();
        format!("{}{text}{}", ansi.render(), ansi.render_reset())
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Prose, wrapped; the lines after the first are indented as far as `head` is long.
    pub(super) fn prose(&mut self, head: &str, text: &str) {
        let indent = columns(head);
        let room = self.width().saturating_sub(indent).max(1);
        for (index, line) in wrap(text, room).iter().enumerate() {
            if index == 0 {
                self.line(&format!("{head}{line}"));
            } else {
                self.line(&format!("{:indent$}{line}", ""));
            }
        }
    }

    /// Short things in a row, none of them broken unless it is wider than the page.
    pub(super) fn items(&mut self, head: &str, items: &[String]) {
        let indent = columns(head);
        let room = self.width().saturating_sub(indent).max(1);
        let mut row = String::new();
        let mut head = head.to_owned();
        for item in items {
            if !row.is_empty() && columns(&row) + 3 + columns(item) > room {
                self.prose(&head, &std::mem::take(&mut row));
                head = format!("{:indent$}", "");
            }
            if !row.is_empty() {
                row.push_str(" · ");
            }
            row.push_str(item);
        }
        self.prose(&head, &row);
    }

    /// Writes all of it.
    pub(super) fn print(self, out: &mut dyn io::Write) -> io::Result<()> {
        if !self.style.ci_log {
            return out.write_all(self.text.as_bytes());
        }
        self.text.lines().try_for_each(|line| writeln!(out, "{}", neutral_line(line)))
    }
}

/// Breaks at blanks; a word wider than the room stands alone on its line. Line feeds in the text stay breaks.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && columns(&line) + 1 + columns(word) > room {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// How many columns a terminal gives the text: two for what East Asian fonts and emoji draw wide, none for combining
/// marks. Wide enough for layout; nothing depends on its being exact.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(char_columns).sum()
}

pub(super) const fn char_columns(character: char) -> usize {
    match character {
        '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// The text cut to this many columns, with a mark where something is missing.
pub(super) fn fit(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut used = 1;
    let kept: String = text
        .chars()
        .take_while(|character| {
            used += char_columns(*character);
            used <= room
        })
        .collect();
    format!("{kept}…")
}
