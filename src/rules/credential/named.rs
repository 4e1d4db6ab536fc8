//! A literal under a name that says secret. The name alone is no evidence: of the literals under such names in mature
//! code one in eighty is a credential, so to be reported the value must be mixed, unordered and no known form of something
//! public. To be hidden from a model it need only not be a name, a word or code.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use crate::finding::RepoPath;
use crate::rules::is_placeholder;

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

/// As [`QUOTED`], shorter.
static LIKELY_QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    let value = r#"(?-u)["'\]]{0,2}\s*(?::\s*(?:str|String|string|&str)\s*=|:=|=>|==|!=|=|:|,|\()\s*(?:[A-Za-z]{0,2}"(?P<a>[^"\s]{6,})"|[A-Za-z]{0,2}'(?P<b>[^'\s]{6,})'|`(?P<c>[^`\s]{6,})`)"#;
    Regex::new(&format!("{NAME}{value}")).expect("the pattern is a constant that compiles")
});

/// As [`BARE`], shorter, and with more of the line around it.
static LIKELY_BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r#"{NAME}(?-u)\s*[:=]\s*(?P<a>[^\s"'#;,]{{6,}})"#))
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

/// A value under a telling name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The value, without quotes.
    pub value: String,
    /// Where in the line the value stands, in bytes.
    pub bytes: Range<usize>,
}

/// The values of a line that look generated. `bare`: a value may stand without quotes.
pub fn generated(line: &[u8], bare: bool) -> impl Iterator<Item = Named> {
    let mut quoted = QUOTED.captures_iter(line).peekable();
    let alone = if quoted.peek().is_none() && bare { BARE.captures(line) } else { None };
    quoted.chain(alone).filter_map(|captures| {
        let (named, at) = named(&captures)?;
        // `"Vendor::Secret":` is a name of a type.
        let typed = line[..at].ends_with(b"::");
        let harmless = typed || HARMLESS_NAME.is_match(named.name.as_bytes()) || is_hash_of(&named.name, &named.value);
        (!harmless && looks_generated(&named.value)).then_some(named)
    })
}

/// Where in a line values stand that may be credentials: everything that [`generated`] finds, and much that is none.
pub fn likely(line: &[u8], bare: bool) -> Vec<Range<usize>> {
    let quoted = LIKELY_QUOTED.captures_iter(line);
    let bare = bare.then(|| LIKELY_BARE.captures(line)).flatten();
    let values = quoted.chain(bare).filter_map(|captures| named(&captures));
    let certain = generated(line, true).map(|named| named.bytes);
    let likely = values.map(|(named, _)| named).filter(|named| may_be_secret(&named.value)).map(|named| named.bytes);
    likely.chain(certain).collect()
}

/// The value of a match, and where its name starts.
fn named(captures: &Captures<'_>) -> Option<(Named, usize)> {
    let value = ["a", "b", "c"].iter().find_map(|group| captures.name(group))?;
    let name = captures.name("name")?;
    let text = std::str::from_utf8(value.as_bytes()).ok()?.to_owned();
    let at = name.start();
    let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
    Some((Named { name, value: text, bytes: value.range() }, at))
}

/// Whether a file is one in which values stand without quotes.
pub fn takes_bare_values(path: &RepoPath) -> bool {
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    let ends = [".env", ".properties", ".ini", ".cfg", ".conf", ".yml", ".yaml"];
    name.starts_with(".env") || ends.iter().any(|end| name.ends_with(end))
}

/// Not a name, a word, a place or code. Passwords are short and need no digits: `hunter2` alone is let go as a word.
fn may_be_secret(value: &str) -> bool {
    let code = value.starts_with(['$', '@', '#', '&', '%', '/', '.', '~'])
        || value.contains(['{', '}', '<', '>', '(', ')', '[', ']', '\\', '|'])
        || value.contains("::")
        || value.contains("://");
    !code && !is_wordy(value)
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
