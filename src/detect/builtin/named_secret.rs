//! A literal that looks generated under a name that says secret. The name alone is no evidence: of the literals under
//! such names in mature code one in eighty is a credential, so the value must be mixed, unordered and no known form of
//! something public.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::detect::{Builtin, FileView, Hit, Run};
use crate::diff::trim_ending;
use crate::finding::{Columns, RepoPath};
use crate::rules::is_placeholder;

pub(super) const DETECTOR: Builtin = Builtin {
    name: "named_secret",
    help: "a generated-looking literal under a name such as `password`; `{name}`, and `{t}` for the value",
    captures: &["name", "t"],
    reads_comments: true,
    run: Run::File(run),
};

/// Longest value that is looked at, in bytes.
const MAX_VALUE: usize = 256;
/// Least entropy in bits a character (Shannon, over the value's own characters): words and dates stay below.
const ENTROPY: f64 = 3.5;

/// Bytes, not characters: a generated value is ASCII, and classes of characters would cost a hundred times the states.
const NAME: &str = r"(?i-u)(?P<name>[a-z0-9_.$-]*(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?key|account[_-]?key|encryption[_-]?key|token|credentials?)[a-z0-9_-]*)";

static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    let value = r#"(?-u)["'\]]{0,2}\s*(?::\s*(?:str|String|string|&str)\s*=|:=|=>|=|:)\s*(?:"(?P<a>[^"\s]{16,})"|'(?P<b>[^'\s]{16,})'|`(?P<c>[^`\s]{16,})`)"#;
    Regex::new(&format!("{NAME}{value}")).expect("the pattern is a constant that compiles")
});

/// In files where a value needs no quotes.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r#"(?-u)^\s*(?:-\s+|export\s+|ENV\s+)?{NAME}(?-u)\s*[:=]\s*(?P<a>[^\s"'#;]{{16,}})\s*$"#))
        .expect("the pattern is a constant that compiles")
});

/// What is told by the rest of the name: a name, a place or a public counterpart of a secret.
static HARMLESS_NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:public|hash|digest|sha\d|md5|checksum|fingerprint|salt|csrf|xsrf|cursor|pagination|next_?page|",
        r"(?:^|[_.-])(?:id|ids|name|names|url|uri|path|file|dir|header|headers|field|label|title|hint|text|message|",
        r"msg|error|type|kind|format|pattern|regex|prefix|suffix|len|length|size|param|parameter|arn|ref|version|",
        r"endpoint|host|scope|env|var|input|selector|class|style|icon|placeholder|example|sample|test|dummy|mock|fake)",
        r"s?$|tokeniz|(?-i:(?:Id|Name|Url|Uri|Path|File|Header|Field|Label|Type|Format|Pattern|Regex|Prefix|Suffix|",
        r"Length|Param|Arn|Ref|Version|Endpoint|Env|Var|Input|Selector|Message|Error|Text|Hash)$))"
    ))
    .expect("the pattern is a constant that compiles")
});

fn run(view: &FileView<'_>) -> Vec<Hit> {
    let bare = takes_bare_values(&view.change.path);
    let mut hits = Vec::new();
    for line in view.change.added() {
        let Some(bytes) = view.text.line(line).map(trim_ending) else { continue };
        let found = QUOTED.captures(bytes).or_else(|| BARE.captures(bytes).filter(|_| bare));
        let Some(found) = found else { continue };
        let Some(value) = ["a", "b", "c"].iter().find_map(|group| found.name(group)) else { continue };
        let Some(name) = found.name("name").map(|name| String::from_utf8_lossy(name.as_bytes())) else { continue };
        let Ok(text) = std::str::from_utf8(value.as_bytes()) else { continue };
        // `"Vendor::Secret":` is a name of a type.
        let typed = found.name("name").is_some_and(|name| bytes[..name.start()].ends_with(b"::"));
        if typed || HARMLESS_NAME.is_match(name.as_bytes()) || !looks_generated(text) || is_hash_of(&name, text) {
            continue;
        }
        let column = |offset: usize| String::from_utf8_lossy(&bytes[..offset]).len() as u32 + 1;
        let columns = Columns { start: column(value.start()), end: column(value.end()) };
        let hit = Hit { line, end_line: line, columns: Some(columns), bytes: None, captures: Default::default() };
        hits.push(hit.with("name", name).with("t", text).with("0", text));
    }
    hits
}

fn takes_bare_values(path: &RepoPath) -> bool {
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    let ends = [".env", ".properties", ".ini", ".cfg", ".conf", ".yml", ".yaml"];
    name.starts_with(".env") || ends.iter().any(|end| name.ends_with(end))
}

fn looks_generated(value: &str) -> bool {
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() <= MAX_VALUE
        && value.is_ascii()
        && letters
        && digits > 0
        && entropy(value.as_bytes()) >= ENTROPY
        && changes(value.as_bytes()) >= 4
        && !is_expression(value)
        && !is_uuid(value)
        && !is_wordy(value)
        && !is_placeholder(value)
}

/// How often letters and digits take turns: `oauth2-access-token` does it twice, a generated value all the time.
fn changes(bytes: &[u8]) -> usize {
    let mixed: Vec<bool> = bytes.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::is_ascii_digit).collect();
    mixed.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let total = bytes.len() as f64;
    let share = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total);
    share.map(|share| -share * share.log2()).sum()
}

/// Code, a template, a pattern, an address or a path.
fn is_expression(value: &str) -> bool {
    let path = value.starts_with(['/', '.', '~', '@', '#', '&']) || value.matches('/').count() > 2;
    path || value.contains("://")
        || value.contains(['{', '}', '<', '>', '(', ')', '[', ']', '\\', ',', '|', '\u{7f}'])
        || value.starts_with('$')
        || value.contains("::")
}

fn is_uuid(value: &str) -> bool {
    let parts: Vec<_> = value.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && value.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// A name made of words: an i18n key, a header, a slug.
fn is_wordy(value: &str) -> bool {
    let mut parts = value.split(['.', '-', '_', '/', ':', '@', '+', '=']).filter(|part| !part.is_empty());
    parts.all(|part| {
        let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
        (stem.is_empty() && part.len() <= 6)
            || (stem.len() >= part.len().saturating_sub(4) && stem.bytes().all(|byte| byte.is_ascii_alphabetic()))
    })
}

/// Hexadecimal of the length of a hash, under a name that does not promise a password or a key.
fn is_hash_of(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let promises = ["passw", "secret", "api_key", "apikey", "api-key"].iter().any(|word| name.contains(word));
    !promises && value.len() >= 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_values_are_told_from_names() {
        assert!(looks_generated("vT9$kQ2mXz7!pLr4"));
        assert!(looks_generated("8f2K-qLz91_xVbTm4RwYc7"));
        for value in ["oauth2-access-token-v1", "settings.security.password_v2.label1", "hunterhunterhunter"] {
            assert!(!looks_generated(value), "{value}");
        }
    }
}
