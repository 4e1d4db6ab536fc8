use proptest::prelude::{any, proptest};
use proptest::{prop_assert, prop_assert_eq};

use super::{
    azure, code_block, code_span, html, html_lines, html_prose, is_invisible, json, log_line, markdown, neutral_line,
    sarif_text, shell_word, uri_path, visible, visible_lines, workflow_data, workflow_property, xml,
};

#[test]
fn controls_become_visible() {
    assert_eq!(visible("a\0\u{1b}[31mb\r\n\tc\u{7f}"), "a␀␛[31mb␍␊\tc␡");
    assert_eq!(visible("\u{9b}31m\u{85}"), "<U+009B>31m<U+0085>");
    assert_eq!(visible("\u{202e}\u{2066}\u{200b}\u{feff}"), "<U+202E><U+2066><U+200B><U+FEFF>");
    assert_eq!(visible("\u{e0041}\u{e0100}\u{ad}\u{34f}"), "<U+E0041><U+E0100><U+00AD><U+034F>");
    assert_eq!(visible("ü 日本語 😀"), "ü 日本語 😀");
}

#[test]
fn a_variation_selector_stays_with_its_emoji_only() {
    assert_eq!(visible("❤\u{fe0f}"), "❤\u{fe0f}");
    assert_eq!(visible("#\u{fe0f}#["), "#<U+FE0F>#[");
    assert_eq!(visible("❤\u{fe0f}\u{fe0f}"), "❤\u{fe0f}<U+FE0F>");
}

#[test]
fn a_shell_reads_the_name_back() {
    for (name, word) in [
        ("a/b-1.é", "a/b-1.é"),
        ("my ds", "'my ds'"),
        ("it's $(x) `y`", r"'it'\''s $(x) `y`'"),
        ("-x", "./-x"),
        ("-x y", "'./-x y'"),
        ("~", "'~'"),
        ("", "''"),
        ("a\u{1b}[31m'\\\t\n7", r"$'a\033[31m\'\\\011\0127'"),
        ("a\u{202e}b", r"$'a\342\200\256b'"),
    ] {
        assert_eq!(shell_word(name.as_ref()), word);
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        assert_eq!(shell_word(std::ffi::OsStr::from_bytes(b"a\xff")), r"$'a\377'");
    }
}

#[test]
fn lines_stay_lines_and_a_lone_return_does_not_make_one() {
    assert_eq!(visible_lines("a\r\nb\nc\rd"), "a\nb\nc␍d");
}

#[test]
fn a_log_line_holds_no_command() {
    assert_eq!(log_line("::error::x"), ": :error::x");
    assert_eq!(log_line(" \u{a0}::error::x"), " \u{a0}: :error::x");
    assert_eq!(log_line("say ##[error]x"), "say ## [error]x");
    assert_eq!(log_line("say ##vso[task.complete]x"), "say ## vso[task.complete]x");
    assert_eq!(log_line("a::b"), "a::b");
    assert_eq!(log_line("::::"), ": :::");
}

#[test]
fn our_colours_survive_but_hide_no_command() {
    assert_eq!(neutral_line("\u{1b}[1m::error::x\u{1b}[0m"), "\u{1b}[1m: :error::x\u{1b}[0m");
    assert_eq!(neutral_line("\u{1b}[1;31m \u{1b}[0m ::x"), "\u{1b}[1;31m \u{1b}[0m : :x");
    assert_eq!(neutral_line("\u{1b}[1m plain ::x"), "\u{1b}[1m plain ::x");
}

#[test]
fn workflow_commands_keep_their_data() {
    assert_eq!(workflow_data("50%\nof\r\nit: a, b"), "50%25%0Aof%0Ait: a, b");
    assert_eq!(workflow_data("a\r::error::b"), "a␍::error::b");
    assert_eq!(workflow_data("%0A##[add-mask]x"), "%250A## [add-mask]x");
    assert_eq!(workflow_property("src/a,line=9::b.py"), "src/a%2Cline=9%3A%3Ab.py");
}

#[test]
fn azure_commands_keep_their_data() {
    assert_eq!(azure("50%;\nof] it\r"), "50%AZP25%3B%0Aof%5D it␍");
    assert_eq!(azure("%0A##vso[task.x]y"), "%AZP250A## vso[task.x%5Dy");
}

#[test]
fn json_says_the_same_where_nothing_obeys_it() {
    assert_eq!(json("[\"##[error]x\"]"), "[\"##\\u005berror]x\"]");
    assert_eq!(json("\"##vso[a.b]\u{202e}\u{7f}\u{e0041}ü\""), "\"##vso\\u005ba.b]\\u202e\\u007f\\udb40\\udc41ü\"");
}

#[test]
fn xml_keeps_what_it_can_hold() {
    assert_eq!(xml("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    assert_eq!(xml("a\r\n\tb"), "a&#13;&#10;&#9;b");
    assert_eq!(xml("\0\u{1b}\u{fffe}\u{ffff}"), "␀␛\u{fffd}\u{fffd}");
    assert_eq!(xml("\u{85}\u{202e}\u{7f}"), "&#133;&#8238;&#127;");
    assert_eq!(xml("##[error] ##vso[a.b]"), "##&#91;error] ##vso&#91;a.b]");
}

#[test]
fn paths_become_uris() {
    assert_eq!(uri_path("src/über uns.py".as_bytes()), "src/%C3%BCber%20uns.py");
    assert_eq!(uri_path(b"a:b?c#d\\e%zz\xff"), "a%3Ab%3Fc%23d%5Ce%25zz%FF");
}

#[test]
fn sarif_messages_hold_no_placeholder_and_no_link() {
    assert_eq!(sarif_text("use {x} as a[0](y)"), "use {{x}} as a[0] (y)");
}

#[test]
fn markdown_renders_as_the_prose_it_was() {
    assert_eq!(markdown("a *b* [c](d) <e> `f`"), r"a \*b\* \[c\](d) \<e\> `f`");
    assert_eq!(markdown("an odd ` or ``two``"), r"an odd \` or \`\`two\`\`");
    assert_eq!(markdown("`@a` @b `[x](y)` `"), "`@a` @\u{2060}b `[x](y)` \\`");
    assert_eq!(markdown("@team"), "@\u{2060}team");
    assert_eq!(markdown("see #12"), "see \\#\u{2060}12");
    assert_eq!(markdown("see GH-12"), "see GH\u{2060}-12");
    assert_eq!(markdown("https://x www.y.z"), "https:\u{2060}//x www\u{2060}.y.z");
    assert_eq!(markdown("- a\n1. b\n    code\n==="), "\\- a\n1\\. b\ncode\n\\===");
    assert_eq!(markdown("x-y = 1.5"), "x-y = 1.5");
}

#[test]
fn fences_are_longer_than_what_they_hold() {
    assert_eq!(code_block("a", "rust"), "```rust\na\n```");
    assert_eq!(code_block("````\n", "r`\n"), "`````r\n````\n`````");
    assert_eq!(code_span("a"), "`a`");
    assert_eq!(code_span("`"), "`` ` ``");
    assert_eq!(code_span(""), "`  `");
}

/// Everything of these is what an attack is made of.
const PIECES: &str =
    "(::|##\\[|##vso\\[|#|\\[|\\]|:| |\\t|\\r|\\n|%0A|%|error|add-mask|,|=|\u{1b}\\[1m|\u{ad}|a|é){0,24}";

proptest! {
    /// Outside of code spans nothing of Markdown is left without its backslash or joiner.
    #[test]
    fn markdown_leaves_nothing_live(text in "[ab1 @#`*_\\[\\]()<>!|.:/\n-]{0,30}") {
        for line in markdown(&text).lines() {
            let mut rest = line;
            let mut plain = String::new();
            while let Some((before, after)) = rest.split_once('`') {
                plain.push_str(before);
                if before.ends_with('\\') {
                    rest = after;
                } else {
                    let ticks = 1 + after.len() - after.trim_start_matches('`').len();
                    let fence = "`".repeat(ticks);
                    let inner = after.trim_start_matches('`');
                    let (_, tail) = inner.split_once(&fence).expect("a code span is closed");
                    rest = tail;
                }
            }
            plain.push_str(rest);
            let mut previous = ' ';
            for character in plain.chars() {
                prop_assert!(!"*_[]<>!|".contains(character) || previous == '\\', "{:?} in {:?}", character, line);
                prop_assert!(!(previous == '@' && character.is_alphanumeric()), "{:?}", line);
                prop_assert!(!(previous == '#' && character.is_alphanumeric()), "{:?}", line);
                previous = character;
            }
            prop_assert!(!plain.contains("://"), "{:?}", line);
        }
    }

    #[test]
    fn visible_text_has_nothing_invisible(text in any::<String>()) {
        let shown = visible(&text);
        prop_assert!(shown.chars().all(|c| c == '\t' || !c.is_control()));
        let mut previous = 'a';
        for character in shown.chars() {
            let selector = character as u32 == 0xfe0f && !previous.is_ascii();
            prop_assert!(selector || !is_invisible(character));
            previous = character;
        }
    }

    #[test]
    fn visible_twice_is_visible_once(text in any::<String>()) {
        prop_assert_eq!(visible(&visible(&text)), visible(&text));
    }

    #[test]
    fn no_log_line_is_a_command(text in PIECES) {
        for line in [log_line(&text), neutral_line(&visible(&text))] {
            prop_assert!(!line.trim_start().starts_with("::"), "{:?}", line);
            prop_assert!(!line.contains("##[") && !line.contains("##vso["), "{:?}", line);
            prop_assert!(!line.contains(['\r', '\n']));
        }
    }

    #[test]
    fn a_property_cannot_end_itself(text in PIECES) {
        let property = workflow_property(&text);
        prop_assert!(!property.contains([',', ':', '\r', '\n']), "{:?}", property);
        prop_assert!(!workflow_data(&text).contains(['\r', '\n']));
    }

    #[test]
    fn json_reads_back_as_it_was(text in any::<String>(), attack in PIECES) {
        let value = serde_json::json!({ text: attack });
        let written = json(&serde_json::to_string_pretty(&value).expect("JSON"));
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&written).expect("JSON"), value);
        prop_assert!(!written.contains("##[") && !written.contains("##vso["), "{:?}", written);
        prop_assert!(written.chars().all(|c| c == '\n' || !c.is_control() && !is_invisible(c)), "{:?}", written);
    }

    #[test]
    fn xml_is_one_line_without_markup(text in any::<String>(), attack in PIECES) {
        let written = xml(&(text + &attack));
        prop_assert!(!written.contains(['<', '>', '"']) && !written.contains("##[") && !written.contains("##vso["));
        prop_assert!(written.chars().all(|c| !c.is_control() && !is_invisible(c) && (c as u32) & !1 != 0xfffe));
    }

    #[test]
    fn no_code_closes_its_fence(code in "[`~a\n ]{0,40}") {
        let block = code_block(&code, "py");
        let (fence, rest) = block.split_once("py\n").expect("an opening fence");
        let inside = rest.strip_suffix(fence).expect("a closing fence");
        prop_assert!(fence.len() >= 3 && !inside.contains(fence));
        prop_assert_eq!(inside.trim_end_matches('\n'), code.trim_end_matches('\n'));
    }

    #[test]
    fn a_uri_is_ascii_and_reads_back(bytes in any::<Vec<u8>>()) {
        let uri = uri_path(&bytes);
        prop_assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)));
        let mut back = Vec::new();
        let mut rest = uri.as_bytes();
        while let Some((byte, tail)) = rest.split_first() {
            if *byte == b'%' {
                let (digits, tail) = tail.split_at(2);
                back.push(u8::from_str_radix(std::str::from_utf8(digits).expect("ascii"), 16).expect("hex"));
                rest = tail;
            } else {
                back.push(*byte);
                rest = tail;
            }
        }
        prop_assert_eq!(back, bytes);
    }
}

#[test]
fn html_text_stays_text() {
    assert_eq!(html("<b a=\"x\" b='y'>&amp;\n"), "&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;␊");
    assert_eq!(html("\u{202e}\u{0}"), "&lt;U+202E&gt;␀");
    assert_eq!(html("##[error] ::x a::b"), "##&#91;error] ::x a::b");
    assert_eq!(html_lines(" ::error::x\na::b"), " &#58;:error::x\na::b");
    assert_eq!(html_lines("a\r\n<b>\rc"), "a\n&lt;b&gt;␍c");
    assert_eq!(html_prose("a `<b>` `c\n` d"), "a <code>&lt;b&gt;</code> `c\n` d");
}

proptest! {
    #[test]
    fn html_holds_no_markup_of_the_text(text in any::<String>()) {
        for out in [html(&text), html_lines(&text), html_prose(&text).replace("<code>", "").replace("</code>", "")] {
            prop_assert!(!out.contains(['<', '>', '"', '\'']), "{}", out);
            let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#58;", "&#91;"];
            prop_assert!(out.match_indices('&').all(|(at, _)| known.iter().any(|known| out[at..].starts_with(known))));
        }
    }
}
