//! A literal that looks generated under a name that says secret. The name alone is no evidence: of the literals under
//! such names in mature code one in eighty is a credential, so the value must be mixed, unordered and no known form of
//! something public.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use crate::detect::columns::LineColumns;
use crate::detect::{Builtin, FileView, Hit, LINE_HITS, Run};
use crate::diff::trim_ending;
use crate::finding::RepoPath;
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
        let mut found = QUOTED.captures_iter(bytes).peekable();
        let alone = if found.peek().is_none() && bare { BARE.captures(bytes) } else { None };
        let mut columns = None;
        let of_line = found.chain(alone).filter_map(|found| secret(bytes, &found)).take(LINE_HITS);
        hits.extend(of_line.map(|(name, value, at)| {
            let columns = columns.get_or_insert_with(|| LineColumns::of(bytes)).at(at);
            let hit = Hit { line, end_line: line, columns: Some(columns), bytes: None, captures: Default::default() };
            hit.with("name", name).with("t", value).with("0", value)
        }));
    }
    hits
}

/// The name, the value and where that stands, if it looks like a secret.
fn secret<'l>(line: &'l [u8], found: &Captures<'l>) -> Option<(&'l str, &'l str, Range<usize>)> {
    let value = ["a", "b", "c"].iter().find_map(|group| found.name(group))?;
    let name = found.name("name")?;
    let (named, text) = (std::str::from_utf8(name.as_bytes()).ok()?, std::str::from_utf8(value.as_bytes()).ok()?);
    // `"Vendor::Secret":` is a name of a type.
    let typed = line[..name.start()].ends_with(b"::");
    let harmless = typed || HARMLESS_NAME.is_match(name.as_bytes()) || is_hash_of(named, text);
    (!harmless && looks_generated(text)).then_some((named, text, value.range()))
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
    use crate::diff::FileChange;
    use crate::finding::Columns;

    #[test]
    fn generated_values_are_told_from_names() {
        assert!(looks_generated("vT9$kQ2mXz7!pLr4"));
        assert!(looks_generated("8f2K-qLz91_xVbTm4RwYc7"));
        for value in ["oauth2-access-token-v1", "settings.security.password_v2.label1", "hunterhunterhunter"] {
            assert!(!looks_generated(value), "{value}");
        }
    }

    #[test]
    fn every_value_of_a_line_is_looked_at() {
        // In two pieces, so that no scanner takes this file for a leak.
        let secret = ["vT9$kQ2m", "Xz7!pLr4"].concat();
        let line = format!("{{\"token_hint\": \"{}\", \"password\": \"{secret}\"}}\n", "a".repeat(20));
        let change = FileChange::new_file("a.json".into(), line.clone().into_bytes());
        let hits = run(&FileView::of(&change).expect("a text"));
        let captured: Vec<_> = hits.iter().map(|hit| (&*hit.captures["name"], &*hit.captures["t"])).collect();
        assert_eq!(captured, [("password", &*secret)]);
        let start = line.find(&secret).expect("it stands there") as u32 + 1;
        assert_eq!(hits[0].columns, Some(Columns { start, end: start + secret.len() as u32 }));
        let many = FileChange::new_file("a.json".into(), line.repeat(1_000).replace('\n', " ").into_bytes());
        assert_eq!(run(&FileView::of(&many).expect("a text")).len(), LINE_HITS);
    }
}
