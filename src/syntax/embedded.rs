//! PHP inside a page. The grammar that ast-grep compiles in reads code only, so the HTML around it is blanked before
//! parsing: same length, same lines.

use std::ops::Range;

use super::Region;

/// The code of a page, and where its text was.
pub(super) struct Masked {
    /// As long as the source; text and tags are spaces, a closing tag ends the statement as it does in PHP.
    pub(super) code: Vec<u8>,
    /// The HTML, and the line comments that end at a closing tag: to the parser the line would go on.
    pub(super) regions: Vec<(Range<usize>, Region)>,
}

/// Blanks the text of a page. `None` where the source is code only: it starts with its only opening tag and never
/// closes it, or has no tag at all, as in the examples of a rule pack.
pub(super) fn php(source: &str) -> Option<Masked> {
    let bytes = source.as_bytes();
    let first = opening_tag(bytes, 0)?;
    if first.start == 0 && !source.contains("?>") && opening_tag(bytes, first.end).is_none() {
        return None;
    }
    let mut masked = Masked { code: bytes.to_vec(), regions: Vec::new() };
    let mut at = 0;
    while let Some(tag) = opening_tag(bytes, at) {
        masked.blank_text(at..tag.start);
        masked.blank(tag.clone());
        let Some((close, comment)) = closing_tag(bytes, tag.end) else { return Some(masked) };
        masked.blank(close..close + 2);
        if let Some(comment) = comment {
            masked.blank(comment..close);
            masked.regions.push((comment..close, Region::Comment));
        }
        let needs_end = |byte: &u8| !matches!(byte, b';' | b'{' | b'}' | b':');
        if masked.code[tag.end..close].iter().rfind(|byte| !byte.is_ascii_whitespace()).is_some_and(needs_end) {
            masked.code[close] = b';';
        }
        at = close + 2;
    }
    masked.blank_text(at..bytes.len());
    Some(masked)
}

impl Masked {
    fn blank(&mut self, range: Range<usize>) {
        for byte in &mut self.code[range] {
            if *byte != b'\n' && *byte != b'\r' {
                *byte = b' ';
            }
        }
    }

    fn blank_text(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.blank(range.clone());
            self.regions.push((range, Region::String));
        }
    }
}

/// The next `<?php`, `<?=` or `<?`; `<?xml` is text.
fn opening_tag(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    memchr::memmem::find_iter(&bytes[from..], b"<?").find_map(|offset| {
        let start = from + offset;
        let after = &bytes[start + 2..];
        if after.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"php")) {
            Some(start..start + 5)
        } else if after.first() == Some(&b'=') {
            Some(start..start + 3)
        } else if after.first().is_some_and(u8::is_ascii_alphabetic) {
            None
        } else {
            Some(start..start + 2)
        }
    })
}

/// The next `?>` outside strings, heredocs and block comments, and the start of the line comment that it ends.
fn closing_tag(bytes: &[u8], from: usize) -> Option<(usize, Option<usize>)> {
    let mut at = from;
    let mut comment = None;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let start = at;
        at += match rest {
            [b'?', b'>', ..] => return Some((at, comment)),
            [quote @ (b'\'' | b'"' | b'`'), ..] => quoted(rest, *quote),
            [b'/', b'*', ..] => memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4),
            [b'#', b'[', ..] => 2,
            [b'/', b'/', ..] | [b'#', ..] => {
                comment = Some(start);
                line_comment(rest)
            }
            [b'<', b'<', b'<', ..] => heredoc(rest),
            _ => 1,
        };
        // Only a comment that reaches the tag is cut by it.
        comment = comment.filter(|comment| *comment == start);
    }
    None
}

/// The length of a quoted string.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a comment up to the end of its line or to a closing tag.
fn line_comment(rest: &[u8]) -> usize {
    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    memchr::memmem::find(&rest[..line], b"?>").unwrap_or(line).max(1)
}

/// The length of a heredoc or nowdoc: to the line that starts with its label.
fn heredoc(rest: &[u8]) -> usize {
    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let label = rest[3..line].trim_ascii();
    let label = label.strip_prefix(b"\"").or_else(|| label.strip_prefix(b"'")).unwrap_or(label);
    let length = label.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let label = &label[..length];
    if label.is_empty() {
        return 3;
    }
    let mut at = line;
    while at < rest.len() {
        let next = memchr::memchr(b'\n', &rest[at + 1..]).map_or(rest.len(), |end| at + 1 + end);
        let text = rest[at + 1..next].trim_ascii_start();
        if text.starts_with(label) && !text.get(label.len()).is_some_and(u8::is_ascii_alphanumeric) {
            return next;
        }
        at = next;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::{Region, php};

    fn code(source: &str) -> Option<String> {
        php(source).map(|masked| String::from_utf8(masked.code).expect("blanking keeps UTF-8"))
    }

    #[test]
    fn code_alone_is_left_as_it_is() {
        assert_eq!(code("<?php\nf();\n"), None);
        assert_eq!(code("f();\n"), None);
        assert_eq!(code(""), None);
    }

    #[test]
    fn pages() {
        assert_eq!(code("<p>é\n<?= $a ?>\n</p>").as_deref(), Some("     \n    $a ; \n    "));
        assert_eq!(code("<?php if ($a): ?>x<?php endif; ?>").as_deref(), Some("      if ($a):          endif;   "));
        assert_eq!(code("<?xml v=\"1\"?>\n<?php f();").as_deref(), Some("             \n      f();"));
    }

    #[test]
    fn a_closing_tag_inside_a_string_is_text() {
        for source in
            ["<?php f('?>');", "<?php /* ?> */ f();", "<?php $a = <<<EOT\n?>\nEOT;\nf();", "<?php \"\\\"?>\";"]
        {
            let masked = php(source).expect("has a closing tag somewhere");
            assert!(masked.regions.is_empty(), "{source}");
        }
        let expected = vec![(6..11, Region::Comment), (13..15, Region::String)];
        assert_eq!(php("<?php // a ?> b").map(|masked| masked.regions), Some(expected));
    }

    #[test]
    fn cut_off_sources_do_not_panic() {
        let source = "é<?php <<<'A'\n'\\\"?> A<?= `/* # // ?><?";
        for end in (0..source.len()).filter(|end| source.is_char_boundary(*end)) {
            let _ = php(&source[..end]);
        }
    }
}
