//! The mask of comments and strings.

use super::{line, parse};
use crate::syntax::Language::{
    self, C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript, Yaml,
};
use crate::syntax::Region;

/// The source with code as it is, strings as `s` and comments as `c`, a letter a byte.
fn masked(language: Language, source: &str) -> String {
    let parsed = parse(language, source);
    let mark = |(index, byte): (usize, u8)| match (byte, parsed.region(index)) {
        (b'\n', _) => '\n',
        (_, Region::String) => 's',
        (_, Region::Comment) => 'c',
        (byte, Region::Code) => byte as char,
    };
    source.bytes().enumerate().map(mark).collect()
}

#[test]
fn strings_and_comments_of_every_language() {
    let cases = [
        (Python, "x = '#' # '\ny = r\"\"\"a\n#\"\"\"", "x = sss ccc\ny = sssss\nssss"),
        (JavaScript, "a = '//' // '\nb = /[/\"]/g /* \" */", "a = ssss cccc\nb = sssssss ccccccc"),
        (TypeScript, "let a: 'x' = `y`; // z", "let a: sss = sss; cccc"),
        (Tsx, "<p>it's // text</p>", "<p>ssssssssssss</p>"),
        (Java, "char c = '\"'; /* \" */ String s = \"//\";", "char c = sss; ccccccc String s = ssss;"),
        (C, "char c = '\"'; // \"\n#include <a.h>\n", "char c = sss; cccc\n#include sssss\n"),
        (Cpp, "auto s = R\"x(\" // )x\"; /* ' */", "auto s = ssssssssssss; ccccccc"),
        (CSharp, "var s = @\"c:\\\"; // x", "var s = ssssss; cccc"),
        (Go, "var s = `\"//`; var r = '\"' // x", "var s = sssss; var r = sss cccc"),
        (Rust, "const S: &str = r#\"\"//\"#; /* /* */ */", "const S: &str = ssssssss; ccccccccccc"),
        (Php, "<?php $a = '#'; # '\n", "<?php $a = sss; ccc\n"),
        (Ruby, "x = '#' # '\ny = %w[a b]\n", "x = sss ccc\ny = sssssss\n"),
        (Yaml, "a: \"#\" # b\nc: d\n", "a: sss ccc\nc: d\n"),
    ];
    for (language, source, expected) in cases {
        assert_eq!(masked(language, source), expected, "{}", language.name());
    }
}

#[test]
fn interpolations_are_code_and_strings_inside_them_are_strings() {
    assert_eq!(masked(Python, "f'a{b[\"c\"]}d'"), "sss{b[sss]}ss");
    assert_eq!(masked(JavaScript, "`a${b + 'c' /* d */}e`"), "ss${b + sss ccccccc}ss");
    assert_eq!(masked(Ruby, "\"a#{b + 'c'}d\"\n"), "ss#{b + sss}ss\n");
    assert_eq!(masked(CSharp, "var s = $\"a{b + \"c\"}d\";"), "var s = sss{b + sss}ss;");
    assert_eq!(masked(Php, "<?php $a = \"b $c d\";"), "<?php $a = sss$csss;");
}

#[test]
fn heredocs() {
    assert_eq!(masked(Ruby, "f(<<~A, b)\n  # c\nA\ng # h\n"), "f(<<~A, b)\nsssss\ns\ng ccc\n");
    let php = masked(Php, "<?php $a = <<<E\n  // c $d\n  E;\n");
    assert_eq!(php, "<?php $a = ssss\nsssssss$d\nsss;\n");
}

#[test]
fn the_page_around_php_is_text() {
    assert_eq!(masked(Php, "<p>'\n<?= $a // b ?>\n"), "ssss\n<?= $a ccccc?>\n");
    assert_eq!(masked(Php, "<?php f(); # a ?>it's<?= $b ?>"), "<?php f(); cccc?>ssss<?= $b ?>");
}

#[test]
fn regions_are_sorted_and_apart() {
    let source = "f'a{b}c' # d\n# e\n'f' 'g'\n";
    let parsed = parse(Python, source);
    let mut end = 0;
    for (range, region) in parsed.regions() {
        assert!(range.start >= end && range.end > range.start, "{range:?}");
        assert_ne!(*region, Region::Code);
        end = range.end;
    }
    assert_eq!(parsed.region(10_000), Region::Code);
}

#[test]
fn outside_comments_gives_the_rest() {
    let source = "a /* b */ c // d\ne";
    let parsed = parse(C, source);
    let parts = |range: std::ops::Range<usize>| -> Vec<&str> {
        parsed.outside_comments(range).filter_map(|part| source.get(part)).collect()
    };
    assert_eq!(parts(0..source.len()), ["a ", " c ", "\ne"]);
    assert_eq!(parts(4..7), [""; 0]);
    assert_eq!(parts(1..1), [""; 0]);
}

#[test]
fn lines() {
    let parsed = parse(Python, "a\r\nbb\n\nc");
    assert_eq!(parsed.line_count(), 4);
    assert_eq!(parsed.line_range(line(1)), 0..3);
    assert_eq!(parsed.line_range(line(4)), 7..8);
    assert_eq!(parsed.line_range(line(5)), 8..8);
    assert_eq!(parsed.line_of(2), line(1));
    assert_eq!(parsed.line_of(3), line(2));
    assert_eq!(parsed.line_of(99), line(4));
    assert_eq!(parsed.lines_of(0..3), (line(1), line(1)), "an end at a line's start is the line before");
    let ended = parse(Python, "a\n");
    assert_eq!((ended.line_count(), ended.line_of(2)), (1, line(1)));
    let empty = parse(Python, "");
    assert_eq!((empty.line_count(), empty.line_of(0), empty.line_range(line(1))), (1, line(1), 0..0));
}
