//! A private key: the header and at least 40 base64 characters of its body. A header alone is what PEM parsers and
//! docstrings contain.

use crate::detect::columns::LineColumns;
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::diff::{Hunk, trim_ending};
use crate::finding::Line;
use crate::rules::credential::key::{BODY, HEADER, longest_run};

pub(super) const DETECTOR: Builtin = Builtin {
    name: "private_key",
    help: "a PEM private key with a body, on added lines; `{kind}` is the header's kind, `{key}` its first line",
    captures: &["kind", "key"],
    reads_comments: true,
    run: Run::File(run),
};

/// Lines after the header in which they must stand.
const REACH: u32 = 8;

fn run(view: &FileView<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    let near = |hunk: &Hunk| memchr::memmem::find(view.text.bytes_of(hunk.new), b"PRIVATE KEY-----").is_some();
    if !view.change.hunks().iter().any(near) {
        return hits;
    }
    for line in view.change.added() {
        let Some(bytes) = view.text.line(line).map(trim_ending) else { continue };
        let Some(found) = HEADER.captures(bytes) else { continue };
        let whole = found.get(0).expect("group 0 is the whole match");
        let Some(key) = body(view, line, &bytes[whole.end()..]) else { continue };
        let columns = LineColumns::of(bytes).at(whole.range());
        let kind = found.name("kind").map(|kind| String::from_utf8_lossy(kind.as_bytes()).trim().to_lowercase());
        let hit = Hit { line, end_line: line, columns: Some(columns), bytes: None, captures: Default::default() };
        let kind = kind.filter(|kind| !kind.is_empty()).unwrap_or_else(|| "pkcs8".to_owned());
        hits.push(hit.with("kind", kind).with("key", key));
    }
    hits
}

/// The key material on the header's own line (a literal with `\n` escapes) or the lines below: its longest run of base64
/// characters, if that is long enough. Quotes, escapes and PEM headers such as `Proc-Type:` are passed over.
fn body(view: &FileView<'_>, line: Line, rest: &[u8]) -> Option<String> {
    let mut best = longest_run(rest);
    for number in line.get() + 1..=line.get() + REACH {
        let Some(bytes) = Line::new(number).and_then(|line| view.text.line(line)) else { break };
        if bytes.windows(5).any(|window| window == b"-----") && best.len() < BODY {
            break;
        }
        let run = longest_run(trim_ending(bytes));
        if run.len() > best.len() {
            best = run;
        }
    }
    (best.len() >= BODY).then_some(best)
}
