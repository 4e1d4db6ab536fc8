use std::collections::BTreeMap;

use proptest::prelude::{any, prop_assert, proptest};

use super::page::hash;
use super::{SCRIPT, STYLE, write};
use crate::finding::{Columns, Finding, Level, Line, Stage, Untrusted};
use crate::report::fixture::{self, Fixture};
use crate::review::{Excerpt, Row};

fn page(fixture: &Fixture) -> String {
    fixture.written(write)
}

/// A start tag: its name and its attributes as the page has them.
#[derive(Debug, PartialEq, Eq)]
struct Tag<'p> {
    name: &'p str,
    attributes: Vec<(&'p str, &'p str)>,
}

/// The start tags of a page, read as the tokenizer of the HTML standard does (13.2.5), as far as our pages go: names,
/// attributes quoted or not, comments none, and text without markup in `script`, `style` and `title`.
fn tags(page: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if rest.starts_with(|first: char| !first.is_ascii_alphabetic()) {
            assert!(rest.starts_with(['/', '!']), "a lone < before {:?}", rest.chars().take(40).collect::<String>());
            continue;
        }
        let end = rest.find([' ', '>', '/', '\n']).expect("a tag ends");
        let mut tag = Tag { name: &rest[..end], attributes: Vec::new() };
        rest = &rest[end..];
        loop {
            rest = rest.trim_start_matches([' ', '\n', '/']);
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            let end = rest.find(['=', ' ', '>']).expect("an attribute ends");
            let name = &rest[..end];
            let value;
            (value, rest) = match rest[end..].strip_prefix('=') {
                None => ("", &rest[end..]),
                Some(quoted) if quoted.starts_with('"') => quoted[1..].split_once('"').expect("a quote ends"),
                Some(bare) => bare.split_at(bare.find([' ', '>']).expect("a value ends")),
            };
            tag.attributes.push((name, value));
        }
        if matches!(tag.name, "script" | "style" | "title") {
            let close = format!("</{}>", tag.name);
            rest = rest.split_once(&close).expect("it is closed").1;
        }
        tags.push(tag);
    }
    tags
}

fn of_class<'p, 't>(tags: &'t [Tag<'p>], name: &'static str, class: &'static str) -> Vec<&'t Tag<'p>> {
    let has = |tag: &&Tag<'_>| {
        let mut classes = tag.attributes.iter().filter(|(name, _)| *name == "class");
        tag.name == name && classes.any(|(_, value)| value.split(' ').any(|found| found == class))
    };
    tags.iter().filter(has).collect()
}

/// Names of elements and attributes with how often each is there: what no text may change.
fn shape(page: &str) -> BTreeMap<String, usize> {
    let mut shape = BTreeMap::new();
    for tag in tags(page) {
        *shape.entry(tag.name.to_owned()).or_default() += 1;
        for (name, _) in tag.attributes {
            *shape.entry(format!("{} {name}", tag.name)).or_default() += 1;
        }
    }
    // A code span is the one element that a text makes.
    shape.remove("code");
    shape
}

fn line(number: u32) -> Option<Line> {
    Line::new(number)
}

fn row(old: u32, new: u32, text: &str) -> Row {
    Row { old: line(old), new: line(new), text: Untrusted::new(text), is_cut: false }
}

/// The plain review with the diff of its first file: line 12 is shown, line 30 is not.
fn with_diff() -> Fixture {
    let mut found = fixture::plain();
    let rows = vec![
        row(11, 11, ""),
        row(12, 0, "def add(item):"),
        row(0, 12, "def add(item, cache=[]):"),
        row(13, 13, "    cache.append(item)"),
        row(20, 20, "x = 1"),
        row(0, 21, "y = 2"),
    ];
    let left_out = Some((9, "the page holds 128 KiB of a file".to_owned()));
    found.review.change.files[0].excerpt = Some(Excerpt { rows, left_out });
    found
}

fn fixtures() -> Vec<Fixture> {
    vec![fixture::plain(), fixture::empty(), fixture::incomplete(), fixture::hostile(), fixture::many(60), with_diff()]
}

#[test]
fn every_shown_finding_is_there_exactly_once() {
    for fixture in fixtures() {
        let page = page(&fixture);
        let tags = tags(&page);
        let cards = of_class(&tags, "article", "finding");
        let mut ids: Vec<&str> = cards
            .iter()
            .flat_map(|card| &card.attributes)
            .filter(|(name, _)| *name == "id")
            .map(|(_, id)| *id)
            .collect();
        ids.sort_unstable();
        let mut wanted: Vec<String> =
            (1..=fixture.review.findings.len()).map(|rank| format!("finding-{rank}")).collect();
        wanted.sort_unstable();
        assert_eq!(ids, wanted);
        for finding in &fixture.review.findings {
            let printed = format!("<code>{}</code>", finding.fingerprint);
            assert!(page.contains(&printed), "{printed}");
        }
        let mut all: Vec<&str> =
            tags.iter().flat_map(|tag| &tag.attributes).filter(|(name, _)| *name == "id").map(|(_, id)| *id).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "an id stands twice");
        let ids: Vec<String> = all.iter().map(|id| format!("#{id}")).collect();
        for (_, target) in tags.iter().flat_map(|tag| &tag.attributes).filter(|(name, _)| *name == "href") {
            assert!(ids.iter().any(|id| id == target), "{target} leads nowhere");
        }
    }
}

#[test]
fn a_finding_stands_under_its_line_and_brings_its_own_where_that_is_not_shown() {
    let page = page(&with_diff());
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not in the page"));
    let first = at("<article class=\"finding error\"");
    let added = at("<td>12<td>+<td>def add(item, <mark>cache=[]</mark>):");
    assert!(at("<td>12<td><td>−<td>def add(item):") < added && added < first, "the line, then the finding");
    assert!(first < at("<td>13<td>13<td> <td>    cache.append(item)"), "then the next line");
    assert!(at("@@ −11,3 +11,3 @@") < first && at("@@ −20,1 +20,2 @@") > first, "two hunks");
    // The frame of the first is the diff; that of line 30 is its own, after what is left out.
    assert_eq!(page.matches("cache.append(item)").count(), 1);
    assert!(at("9 changed lines are not on this page: the page holds 128 KiB of a file.") < at("def checkout(cart):"));
    // A file without a diff shows what its findings show.
    assert!(page.contains("FILE *f = fopen"), "the frame of the other file");
}

#[test]
fn a_cut_line_and_a_finding_over_several_lines() {
    let mut fixture = with_diff();
    let excerpt = fixture.review.change.files[0].excerpt.as_mut().expect("it was put there");
    excerpt.rows[2].is_cut = true;
    fixture.review.findings[0].claim.location.end_line = line(13).expect("a line");
    fixture.review.findings[0].claim.location.columns = None;
    let page = page(&fixture);
    assert!(page.contains("def add(item, cache=[]):<i>… cut</i>"));
    let card = page.find("<article class=\"finding error\"").expect("a card");
    assert!(page.find("<td>13<td>13<td> <td>    cache.append(item)").is_some_and(|line| line < card));
    assert!(page[card..].contains("<div class=\"hunk own\">"), "of a cut line the finding's own frame is shown");
    assert_eq!(page.matches("lines 12–13</a>").count(), 1);
}

#[test]
fn columns_that_point_nowhere_mark_nothing() {
    for (start, end) in [(0, 0), (9_000, 9_001), (5, 2), (1, u32::MAX), (u32::MAX, u32::MAX)] {
        let mut fixture = with_diff();
        fixture.review.findings[0].claim.location.columns = Some(Columns { start, end });
        let excerpt = fixture.review.change.files[0].excerpt.as_mut().expect("it was put there");
        excerpt.rows[2].text = Untrusted::new("déf 日本 <b>");
        let page = page(&fixture);
        assert!(
            page.replace("<mark>", "").replace("</mark>", "").contains("<td>+<td>déf 日本 &lt;b&gt;"),
            "{start} {end}"
        );
    }
}

#[test]
fn no_text_changes_the_shape_of_the_page() {
    let shape_of = |text: &str| {
        let mut fixture = fixture::with_text(text);
        add_diff(&mut fixture, text);
        shape(&page(&fixture))
    };
    let attacks = [
        "</style></script></title></textarea><script>alert(1)</script>",
        "\" onload=\"alert(1)",
        "' onload='alert(1)' x='",
        "<img src=x onerror=alert(1)>",
        "--><!--<![CDATA[",
        "&lt;script&gt;&#60;b&#62;",
        "javascript:alert(1)",
        "`<b>` `</code><i>`",
    ];
    for text in fixture::HOSTILE.into_iter().chain(attacks) {
        // As long, in as many lines: columns and suggestions depend on that.
        let plain =
            text.chars().map(|c| if matches!(c, '\n' | '\r') { c.to_string() } else { "x".repeat(c.len_utf8()) });
        assert_eq!(shape_of(text), shape_of(&plain.collect::<String>()), "{text:?}");
    }
}

fn add_diff(fixture: &mut Fixture, text: &str) {
    let rows = vec![row(0, 1, text), row(2, 0, text), row(3, 2, text)];
    fixture.review.change.files[0].excerpt = Some(Excerpt { rows, left_out: Some((1, text.to_owned())) });
}

proptest! {
    #[test]
    fn any_text_is_text(text in any::<String>()) {
        let mut fixture = fixture::with_text(&text);
        add_diff(&mut fixture, &text);
        let page = page(&fixture);
        let known = ["article", "a", "b", "body", "button", "code", "dd", "details", "dialog", "div", "dl", "dt", "fieldset",
            "form", "h1", "h2", "h3", "head", "header", "html", "i", "input", "kbd", "label", "legend", "li", "main", "mark",
            "meta", "nav", "ol", "option", "output", "p", "path", "pre", "rect", "script", "section", "select", "span",
            "strong", "style", "summary", "svg", "table", "td", "th", "thead", "title", "tr", "ul"];
        for tag in tags(&page) {
            prop_assert!(known.contains(&tag.name), "{:?}", tag);
            for (name, _) in tag.attributes {
                prop_assert!(!name.starts_with("on") && name != "style" && name != "src", "{}", name);
            }
        }
        prop_assert!(!page.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')));
    }
}

#[test]
fn the_policy_names_the_style_and_the_script_and_nothing_else() {
    // FIPS 180-4's examples, as openssl prints them in base64.
    assert_eq!(hash("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    let page = page(&fixture::hostile());
    let policy = format!(
        "content=\"default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\"",
        hash(STYLE),
        hash(SCRIPT)
    );
    assert_eq!(page.matches(&policy).count(), 1);
    // What stands between the tags is what is hashed, and the policy stands before it.
    for (open, text, close) in [("<style>", STYLE, "</style>"), ("<script>", SCRIPT, "</script>")] {
        assert_eq!(page.matches(open).count(), 1);
        let (before, rest) = page.split_once(open).expect("it is there once");
        assert_eq!(rest.split_once(close).map(|(inside, _)| inside), Some(text));
        assert!(before.contains(&policy));
    }
}

#[test]
fn what_runs_and_looks_is_small_and_asks_for_nothing() {
    assert!(STYLE.len() + SCRIPT.len() < 25_000, "{} bytes", STYLE.len() + SCRIPT.len());
    for text in [STYLE, SCRIPT] {
        for word in [
            "url(",
            "@import",
            "http:",
            "https:",
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "Function(",
            "fetch(",
            "XMLHttp",
            "import(",
            "</",
        ] {
            assert!(!text.contains(word), "{word}");
        }
    }
}

#[test]
fn the_page_tells_what_was_read_and_what_was_not() {
    let unread = page(&fixture::incomplete());
    let at = |text: &str| unread.find(text).unwrap_or_else(|| panic!("{text} is not in the page"));
    assert!(at("<h1>Incomplete: no findings</h1>") < at("Not read, so the review is incomplete (2)"));
    assert!(at("an object is missing") < at("<section id=diff"), "what is unread stands above the diff");
    let table = &unread[at("id=coverage")..];
    let row = |text: &str| table.find(text).unwrap_or_else(|| panic!("{text} is not in the table"));
    assert!(row("over 1 MiB") < row("<b>basket.py</b>") || row("<b>lost.rs</b>") < row("<b>basket.py</b>"));
    let plain = page(&fixture::plain());
    for text in [
        "<tr class=raised><th scope=row>raised<td>5",
        "<span class=dim>evidence</span> refuted:is_closed<td>1",
        "<span class=dim>suppress</span> baseline<td>1",
        "<tr class=shown><th scope=row>shown<td>3",
        "2 claims not shown",
        "accepted on 2026-01-01: legacy module",
        "openai/some-model",
        "anthropic/other-model, degraded",
        "4 prompts for 2 chunks; about 9100 tokens read, 650 written",
        "built-in defaults",
        "security 1 (built in)",
        "score 8.5 of 10",
        "also <span class=path><span>shop/</span><b>über uns.py</b></span>:3",
        "<option value=\"MutableDefault\">MutableDefault (1)",
        "an ignore of ResourceLeak in src/io.c:9 matches nothing",
    ] {
        assert!(plain.contains(text), "{text}");
    }
    // What differs between two runs with the same answers is in no page.
    let plain = plain.replace(STYLE, "");
    assert!(!plain.contains("0.0125") && !plain.contains("9000") && !plain.contains("3.5"));
}

#[test]
fn a_cap_does_not_look_like_an_end() {
    let mut fixture = fixture::plain();
    assert!(!page(&fixture).contains("over a cap"));
    fixture.review.dropped[0].drop_at(Stage::Rank, "cap:ResourceLeak", "five are shown");
    assert!(page(&fixture).contains("1 more</a> below error, over a cap and not shown"));
}

/// A deletion's findings are found among the old lines; nothing of the new side is there to be confused with them.
#[test]
fn a_finding_of_a_deleted_file_stands_under_its_old_line() {
    let mut fixture = with_diff();
    let file = &mut fixture.review.change.files[0];
    file.status = crate::diff::Status::Deleted;
    file.excerpt = Some(Excerpt { rows: vec![row(12, 0, "first gone"), row(13, 0, "second gone")], left_out: None });
    let page = page(&fixture);
    let card = page.find("<article class=\"finding error\"").expect("a card");
    assert!(
        page.find("first gone").is_some_and(|line| line < card)
            && page.find("second gone").is_some_and(|line| line > card)
    );
}

#[test]
fn many_findings_on_one_line_and_none_lost() {
    let mut fixture = with_diff();
    let template: Finding = fixture.review.findings[0].clone();
    fixture.review.findings = (0..40)
        .map(|index| {
            let mut finding = template.clone();
            finding.level = if index % 2 == 0 { Level::Note } else { Level::Warning };
            finding.claim.location.columns = Some(Columns { start: 1 + index, end: 5 + index * 2 });
            finding
        })
        .collect();
    let page = page(&fixture);
    assert_eq!(page.matches("<article ").count(), 40);
    assert_eq!(page.matches("<tr class=\"a warning\">").count(), 1, "the highest level marks the line");
}
