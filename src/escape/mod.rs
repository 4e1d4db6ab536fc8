//! One escaper per sink. Text from outside reaches a terminal, a log, a URI, a workflow command or Markdown only through
//! here.

use std::ffi::OsStr;
use std::fmt::Write as _;

/// Makes a text safe to print on a terminal: C0 controls become their pictures (U+2400 block), while C1 controls,
/// bidirectional controls, zero-width and tag characters become `<U+202E>`. Tabs stay, line feeds become `␊`.
pub fn visible(text: &str) -> String {
    spell_out(text, |character| character == '\t')
}

/// [`visible`] for a text of several lines: line feeds stay, and CR LF is one of them. A lone carriage return becomes
/// `␍`, because terminals let it overwrite the line and .NET's `ReadLine` (both CI agents) lets it start a new one.
pub fn visible_lines(text: &str) -> String {
    spell_out(&text.replace("\r\n", "\n"), |character| matches!(character, '\t' | '\n'))
}

fn spell_out(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = '\0';
    for character in text.chars() {
        match character {
            _ if stays(character) => out.push(character),
            '\0'..='\x1f' => out.push(char::from_u32(0x2400 + character as u32).unwrap_or('\u{2426}')),
            '\x7f' => out.push('\u{2421}'),
            // An emoji's variation selector belongs to the sign before it; anywhere else it only hides.
            '\u{fe0f}' if !previous.is_ascii() && !is_invisible(previous) => out.push(character),
            _ if is_invisible(character) => {
                let _ = write!(out, "<U+{:04X}>", character as u32);
            }
            _ => out.push(character),
        }
        previous = character;
    }
    out
}

/// Characters that change how other text reads without being seen themselves: C1 controls and whatever Unicode calls
/// default ignorable, assigned or not. Culture-aware searches skip them too, so that they could hide a `##[` from us but
/// not from an agent written in .NET.
pub fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// A file name as one word of a POSIX shell, to be pasted from a terminal: in quotes where it needs them; what [`visible`]
/// would change, and bytes that are no UTF-8, in octal within `$'…'`. A leading `-` would be an option and gets `./`.
pub fn shell_word(name: &OsStr) -> String {
    let name = name.as_encoded_bytes();
    let dash = if name.starts_with(b"-") { "./" } else { "" };
    let shown = std::str::from_utf8(name).ok().filter(|text| visible(text) == **text && !text.contains('\t'));
    let is_plain = |c: char| c.is_alphanumeric() || "_-./,:@%+".contains(c);
    match shown {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => format!("{dash}{text}"),
        Some(text) => format!("'{dash}{}'", text.replace('\'', r"'\''")),
        None => {
            let mut out = format!("$'{dash}");
            for byte in name {
                match byte {
                    b'\'' | b'\\' => out.extend(['\\', char::from(*byte)]),
                    b' '..=b'~' => out.push(char::from(*byte)),
                    _ => drop(write!(out, "\\{byte:03o}")),
                }
            }
            out.push('\'');
            out
        }
    }
}

/// One line of prose for a CI log: [`visible`], and nothing in it can be read as a workflow command of GitHub
/// (`::name::`, `##[name]` anywhere in the line) or Azure (`##vso[`).
pub fn log_line(text: &str) -> String {
    neutral_line(&visible(text))
}

/// The second half of [`log_line`], for a line whose outside parts are [`visible`] already and that may carry colours of
/// our own: nothing in it can be read as a command, with the colours or without them.
pub fn neutral_line(line: &str) -> String {
    let line = break_legacy_commands(line);
    // Both agents trim white space before they look for `::`; colours are skipped in case something strips them first.
    let start = line.len() - skip_blanks_and_colors(&line).len();
    match line.get(start..) {
        Some(rest) if rest.starts_with("::") => {
            let (head, tail) = line.split_at(start + 1);
            format!("{head} {tail}")
        }
        _ => line,
    }
}

fn skip_blanks_and_colors(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(sequence) = rest.strip_prefix("\x1b[") {
        match sequence.find(|character: char| !matches!(character, '0'..='9' | ';')) {
            Some(end) if sequence[end..].starts_with('m') => rest = sequence[end + 1..].trim_start(),
            _ => break,
        }
    }
    rest
}

/// Puts a space into the opening of a legacy command, which agents honour anywhere in a line.
fn break_legacy_commands(text: &str) -> String {
    text.replace("##[", "## [").replace("##vso[", "## vso[")
}

/// The data part of a GitHub workflow command: what cannot be seen is made visible, then `%` and LF are encoded
/// (actions/toolkit `command.ts`, `escapeData`; no CR is left to encode); `##[` is broken up, because the runner honours
/// it anywhere in a line.
pub fn workflow_data(text: &str) -> String {
    break_legacy_commands(&visible_lines(text)).replace('%', "%25").replace('\n', "%0A")
}

/// A property of a GitHub workflow command: [`workflow_data`] plus `:` and `,`.
pub fn workflow_property(text: &str) -> String {
    workflow_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A property or the data of a command of Azure Pipelines (azure-pipelines-agent `CommandStringConvertor.cs`): as
/// [`workflow_data`], with `;` and `]` encoded too and `%` in the agent's own way.
pub fn azure(text: &str) -> String {
    let text = break_legacy_commands(&visible_lines(text)).replace('%', "%AZP25");
    text.replace(';', "%3B").replace(']', "%5D").replace('\n', "%0A")
}

/// JSON as serde writes it, made fit for logs and terminals and the same to whoever parses it: what cannot be seen
/// becomes an escape, and so does the bracket of `##[` and `##vso[`. In JSON a `#` stands only in strings.
pub fn json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '[' if opens_command(&out) => out.push_str("\\u005b"),
            _ if character == '\x7f' || is_invisible(character) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            _ => out.push(character),
        }
    }
    out
}

/// Text as an attribute's value (in double quotes) or as content in XML 1.0. It stays on one line, so that no line of a
/// log begins with it, and comes back from a parser as it was, but for what XML cannot hold at all, not even by its
/// number: C0 controls become their pictures, U+FFFE and U+FFFF U+FFFD.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\0'..='\x1f' if !matches!(character, '\t' | '\n' | '\r') => {
                out.push(char::from_u32(0x2400 + character as u32).unwrap_or('\u{2426}'));
            }
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ if character.is_control() || is_invisible(character) || character == '[' && opens_command(&out) => {
                let _ = write!(out, "&#{};", character as u32);
            }
            _ => out.push(character),
        }
    }
    out
}

/// Whether a `[` after this would open a command that agents honour anywhere in a line.
fn opens_command(before: &str) -> bool {
    before.ends_with("##") || before.ends_with("##vso")
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

/// The bytes of a percent-encoded text (RFC 3986, 2.1); `None` where a `%` has no two digits behind it.
pub fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        out.push(if byte == b'%' {
            let (high, low) = (hex_digit(bytes.next()?)?, hex_digit(bytes.next()?)?);
            high << 4 | low
        } else {
            byte
        });
    }
    Some(out)
}

fn hex_digit(byte: u8) -> Option<u8> {
    u8::try_from(char::from(byte).to_digit(16)?).ok()
}

/// The plain text of a SARIF message (2.1.0): braces are doubled, since single ones are placeholders (3.11.5), and no
/// `[text](destination)` is left to be taken for an embedded link (3.11.6).
pub fn sarif_text(text: &str) -> String {
    visible_lines(text).replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

/// The Markdown of a SARIF message: [`markdown`] with braces doubled, which are placeholders there too (3.11.5).
pub fn sarif_markdown(markdown: &str) -> String {
    markdown.replace('{', "{{").replace('}', "}}")
}

/// Prose from outside as Markdown (GFM) that renders as that prose: no markup but code spans, no HTML, and no link,
/// image, mention or issue reference that a renderer would make of bare text. For those a backslash does not help,
/// because they are found after rendering; an invisible joiner (U+2060) parts them.
pub fn markdown(text: &str) -> String {
    let text = visible_lines(text);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let mut escaped = String::with_capacity(line.len());
        let mut rest = line.trim_start();
        // Whoever writes about code quotes it in single backticks, and a code span can hold nothing live.
        while let Some((before, code, after)) = split_code(rest) {
            markdown_prose(before, &mut escaped);
            escaped.push_str(&code_span(code));
            rest = after;
        }
        markdown_prose(rest, &mut escaped);
        out.push_str(&escaped);
    }
    out
}

/// What stands before, in and after the first code span of a line.
fn split_code(line: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = line.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    (!code.trim().is_empty() && !after.starts_with('`')).then_some((before, code, after))
}

/// Appends a part of a line, escaped.
fn markdown_prose(text: &str, out: &mut String) {
    const JOINER: char = '\u{2060}';
    for (index, character) in text.char_indices() {
        let rest = text.get(index + character.len_utf8()..).unwrap_or_default();
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '!' | '$' => {
                out.extend(['\\', character]);
            }
            '@' => out.extend([character, JOINER]),
            '#' => out.extend(['\\', character, JOINER]),
            ':' if rest.starts_with("//") => out.extend([character, JOINER]),
            '.' if ends_with(out, "www") => out.extend([JOINER, character]),
            // Another way to write a reference to an issue.
            '-' if ends_with(out, "gh") => out.extend([JOINER, character]),
            // List markers, and headings underlined by `=` or `-`.
            '-' | '+' | '=' if out.is_empty() => out.extend(['\\', character]),
            '.' | ')' if !out.is_empty() && out.bytes().all(|byte| byte.is_ascii_digit()) => {
                out.extend(['\\', character]);
            }
            _ => out.push(character),
        }
    }
}

/// Whether a text ends so, in whatever case.
fn ends_with(text: &str, end: &str) -> bool {
    let start = text.len().checked_sub(end.len());
    start.and_then(|start| text.get(start..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// A text from outside as HTML, in an element or in a quoted attribute: [`visible`], with every character that HTML
/// gives a meaning spelt as a reference.
pub fn html(text: &str) -> String {
    html_references(&visible(text))
}

/// [`html`] for a text of several lines: line feeds stay.
pub fn html_lines(text: &str) -> String {
    html_references(&visible_lines(text))
}

/// Prose from outside as HTML: what stands in single backticks becomes `<code>`, line feeds stay, and nothing else is
/// markup.
pub fn html_prose(text: &str) -> String {
    let text = visible_lines(text);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let mut rest = line;
        while let Some((before, code, after)) = split_code(rest) {
            out.push_str(&html_references(before));
            out.push_str("<code>");
            out.push_str(&html_references(code));
            out.push_str("</code>");
            rest = after;
        }
        out.push_str(&html_references(rest));
    }
    out
}

/// Also what would be a command where the page itself is printed into an agent's log.
fn html_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut begins_line = true;
    for character in text.chars() {
        match character {
            '[' if opens_command(&out) => out.push_str("&#91;"),
            ':' if begins_line => out.push_str("&#58;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(character),
        }
        begins_line = character == '\n' || begins_line && character.is_whitespace();
    }
    out
}

/// Code from outside as a fenced block of Markdown: the fence is longer than any run of backticks inside.
pub fn code_block(code: &str, language: &str) -> String {
    let code = visible_lines(code);
    let fence = "`".repeat((longest_run(&code, '`') + 1).max(3));
    let language: String = language.chars().filter(char::is_ascii_alphanumeric).collect();
    let end = if code.is_empty() || code.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{code}{end}{fence}")
}

/// Code from outside as a code span of Markdown, on one line.
pub fn code_span(code: &str) -> String {
    let code = visible(code);
    let ticks = "`".repeat(longest_run(&code, '`') + 1);
    // A renderer takes one blank off each side, and only where there is one on both.
    let pad = if code.is_empty() || code.starts_with(['`', ' ']) || code.ends_with(['`', ' ']) { " " } else { "" };
    format!("{ticks}{pad}{code}{pad}{ticks}")
}

fn longest_run(text: &str, wanted: char) -> usize {
    text.split(|character| character != wanted).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
