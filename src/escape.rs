//! One escaper per sink. Text from outside reaches a terminal, a log, a URI or a workflow command only through here.

use std::fmt::Write as _;

/// Makes a text safe to print on a terminal: C0 controls become their pictures (U+2400 block), while C1 controls,
/// bidirectional controls, zero-width and tag characters become `<U+202E>`. Tabs stay, line feeds become `␊`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => out.push('\t'),
            '\0'..='\x1f' => out.push(char::from_u32(0x2400 + character as u32).unwrap_or('\u{2426}')),
            '\x7f' => out.push('\u{2421}'),
            _ if is_invisible(character) => {
                let _ = write!(out, "<U+{:04X}>", character as u32);
            }
            _ => out.push(character),
        }
    }
    out
}

/// Characters that change how other text reads without being seen themselves.
pub fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{115f}' | '\u{1160}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// One line of prose for a CI log: [`visible`], and nothing in it can be read as a workflow command of GitHub
/// (`::name::`, `##[name]` anywhere in the line) or Azure (`##vso[`).
pub fn log_line(text: &str) -> String {
    let text = visible(text);
    let text = break_legacy_commands(&text);
    if text.trim_start().starts_with("::") { text.replacen("::", ": :", 1) } else { text }
}

/// Puts a space into the opening of a legacy command, which agents honour anywhere in a line.
fn break_legacy_commands(text: &str) -> String {
    text.replace("##[", "## [").replace("##vso[", "## vso[")
}

/// The data part of a GitHub workflow command: `%`, CR and LF (actions/toolkit `command.ts`, `escapeData`); `##[` is
/// broken up, because the runner honours it anywhere in a line.
pub fn workflow_data(text: &str) -> String {
    break_legacy_commands(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a GitHub workflow command: [`workflow_data`] plus `:` and `,`.
pub fn workflow_property(text: &str) -> String {
    workflow_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A path as a relative URI reference (RFC 3986): every byte but unreserved characters and `/` is percent-encoded.
pub fn uri_path(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(*byte as char),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
