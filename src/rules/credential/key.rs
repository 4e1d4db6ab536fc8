//! A private key: its header, and what of the text after it is the key.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// Characters of key material that must follow the header of a key. A header alone is what parsers and docstrings hold.
pub const BODY: usize = 40;

/// The header of a PEM key; `kind` is what it calls itself.
pub static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"-----BEGIN (?P<kind>(?:[A-Z0-9]+ )*)PRIVATE KEY-----")
        .expect("the pattern is a constant that compiles")
});

/// The header of any armoured key, PGP's and SSH2's too.
static ARMOUR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"-{4,5} ?BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-{4,5}")
        .expect("the pattern is a constant that compiles")
});

/// What stands in front of the key in PuTTY's format; the number of its lines follows.
static PUTTY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m-u)^Private-Lines: *(?P<lines>[0-9]{1,3})\r?$").expect("the pattern is a constant that compiles")
});

/// Most lines of a key: one of 16,384 bits has 200.
const LINES: usize = 300;

/// The longest run of base64 characters in a text.
pub fn longest_run(bytes: &[u8]) -> String {
    // `\n` inside a literal separates the lines of the key; removing it joins them as the file would.
    let text = String::from_utf8_lossy(bytes).replace("\\r", "").replace("\\n", "");
    let runs = text.split(|character: char| !(character.is_ascii_alphanumeric() || "+/=".contains(character)));
    runs.max_by_key(|run| run.len()).unwrap_or_default().to_owned()
}

/// What stands between header and footer of each key in a text. Without a footer a key ends with the lines that look like
/// one. A header without key material has none.
pub fn bodies(text: &[u8]) -> Vec<Range<usize>> {
    let mut bodies = Vec::new();
    for header in ARMOUR.find_iter(text) {
        let rest = &text[header.end()..];
        let end = memchr::memmem::find(rest, b"-----END").or_else(|| memchr::memmem::find(rest, b"---- END"));
        let end = end.filter(|end| memchr::memchr_iter(b'\n', &rest[..*end]).count() <= LINES);
        let end = end.unwrap_or_else(|| key_lines(rest));
        if longest_run(&rest[..end]).len() >= BODY / 2 {
            bodies.push(header.end()..header.end() + end);
        }
    }
    for header in PUTTY.captures_iter(text) {
        let start = header.get(0).expect("group 0 is the whole match").end();
        let count = header.name("lines").and_then(|lines| std::str::from_utf8(lines.as_bytes()).ok()?.parse().ok());
        let rest = &text[start..];
        let end = memchr::memchr_iter(b'\n', rest).nth(count.unwrap_or(LINES)).unwrap_or(rest.len());
        bodies.push(start..start + end);
    }
    bodies
}

/// How much of a text is lines that hold little but base64.
fn key_lines(text: &[u8]) -> usize {
    let mut end = 0;
    for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate().take(LINES) {
        let run = longest_run(line).len();
        let looks = index == 0 || run >= 16 || line.trim_ascii().is_empty() || line.contains(&b':');
        if !looks {
            // The last line of a key is a short one.
            let short = run >= 4 && run + 8 >= line.trim_ascii().len();
            return if short { end + line.len() } else { end };
        }
        end += line.len();
    }
    end
}

/// Whether a line is nothing but base64, as long as those of a key: where only parts of a file are known, its header may
/// not be.
pub fn is_key_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    (60..=80).contains(&line.len())
        && line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        && line.iter().any(u8::is_ascii_lowercase)
        && line.iter().any(u8::is_ascii_uppercase)
        && line.iter().any(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        bodies(text.as_bytes()).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn bodies_of_keys() {
        let line = "MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB";
        let pem = format!("a\n-----BEGIN RSA PRIVATE KEY-----\n{line}\nQw==\n-----END RSA PRIVATE KEY-----\nb\n");
        assert_eq!(of(&pem), [format!("\n{line}\nQw==\n")]);
        let pgp = format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{line}\n");
        assert_eq!(of(&pgp), [format!("\n\n{line}\n")]);
        let json = format!("\"key\": \"-----BEGIN PRIVATE KEY-----\\n{line}\\n-----END PRIVATE KEY-----\\n\",");
        assert_eq!(of(&json), [format!("\\n{line}\\n")]);
        assert!(of("if line == \"-----BEGIN RSA PRIVATE KEY-----\":\n    begin = True\n").is_empty());
        let putty = format!("Private-Lines: 1\n{line}\nPrivate-MAC: 1\n");
        assert_eq!(of(&putty), [format!("\n{line}")]);
    }
}
