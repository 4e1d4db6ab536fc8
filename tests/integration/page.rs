//! The page of `--format html`: its diff is git's own, and no other report changes because of it.

use super::program::Place;

/// A line of a diff: its numbers on both sides, its sign, its text.
type Row = (String, String, char, String);

/// The lines of `git diff`, the oracle.
fn of_git(diff: &str) -> Vec<Row> {
    let (mut rows, mut old, mut new, mut inside) = (Vec::new(), 0_u32, 0_u32, false);
    // Not `lines()`: a carriage return before the line feed is part of the line's ending on the page, and of nothing here.
    for line in diff.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
        if let Some(head) = line.strip_prefix("@@ -") {
            let number = |text: &str| text.split([',', ' ']).next().unwrap().parse::<u32>().unwrap();
            (old, new) = (number(head), number(head.split_once(" +").unwrap().1));
            inside = true;
            continue;
        }
        inside &= !line.starts_with("diff --git ");
        let Some(sign) = line.chars().next().filter(|sign| inside && matches!(sign, '+' | '-' | ' ')) else { continue };
        let side = |is: bool, number: u32| if is { number.to_string() } else { String::new() };
        rows.push((side(sign != '+', old), side(sign != '-', new), sign, line[1..].to_owned()));
        old += u32::from(sign != '+');
        new += u32::from(sign != '-');
    }
    rows
}

/// The lines of the page's diff.
fn of_page(page: &str) -> Vec<Row> {
    let plain = |text: &str| {
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
        text.replace("&amp;", "&")
    };
    let rows = page.lines().filter(|line| line.contains("<tr") && line.matches("<td>").count() == 4);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split("<td>").skip(1).collect();
        let sign = if cells[2] == "−" { '-' } else { cells[2].chars().next().unwrap() };
        (cells[0].to_owned(), cells[1].to_owned(), sign, plain(cells[3]))
    };
    rows.map(row).collect()
}

fn numbered(count: u32) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

/// A branch that changes text files in many ways; nothing in them is a finding.
fn branch() -> Place {
    let place = Place::repository();
    for (name, text) in [
        ("deleted.txt", "one\ntwo\n".to_owned()),
        ("edges.txt", numbered(40)),
        ("moved.txt", numbered(30)),
        ("no-end.txt", "one\ntwo".to_owned()),
        ("returns.txt", "one\r\ntwo\r\nthree\r\n".to_owned()),
        ("markup.txt", "<b>\n&amp;\n'\"\n\tx\n".to_owned()),
        ("close.txt", numbered(30)),
    ] {
        place.write(name, text);
    }
    place.commit("base");
    place.git(["switch", "-q", "-c", "topic"]);
    place.git(["rm", "-q", "deleted.txt"]);
    place.git(["mv", "moved.txt", "renamed.txt"]);
    place.write("renamed.txt", numbered(30).replace("line 15\n", "line fifteen\nand more\n"));
    place.write("edges.txt", format!("first\n{}last\n", numbered(40).replace("line 20\n", "")));
    place.write("no-end.txt", "one\ntwo\nthree");
    place.write("returns.txt", "one\r\n2\r\nthree\r\n");
    place.write("markup.txt", "<b>\n&lt;\n'\"</td>\n\t\ty\n");
    // Seven unchanged lines between two hunks part them, six do not.
    place.write(
        "close.txt",
        numbered(30).replace("line 2\n", "x\n").replace("line 9\n", "x\n").replace("line 17\n", "x\n"),
    );
    place.write("new.txt", "a\n\nb\n");
    place.commit("topic");
    place
}

#[test]
fn the_diff_of_the_page_is_gits() {
    let place = branch();
    let page = place.run(["--format", "html"]).text();
    assert!(!page.contains("<article"), "nothing here is a finding");
    let diff = place.git(["diff", "-U3", "-M", "--no-color", "--no-ext-diff", "main...topic"]);
    let wanted = of_git(&diff);
    assert!(wanted.len() > 60, "{diff}");
    assert_eq!(of_page(&page), wanted);
    assert_eq!(page.matches("<p class=gap>").count(), diff.matches("\n@@ ").count());
}

#[test]
fn a_patch_shows_what_it_has() {
    let place = branch();
    let diff = place.git(["diff", "-U1", "--no-color", "--no-ext-diff", "main...topic"]);
    let elsewhere = Place::new();
    elsewhere.write("x.patch", &diff);
    let page = elsewhere.run(["--patch", "x.patch", "--format", "html"]).text();
    assert_eq!(of_page(&page), of_git(&diff));
}

#[test]
fn a_page_changes_no_other_report() {
    let place = Place::house(&[("notes.txt", "one\ntwo\n")]);
    place.write("notes.txt", "one\nMARK-1 <here>\ntwo\n");
    place.commit("topic");
    place.run(["--format", "json=without.json"]);
    place.run(["--format", "json=with.json", "--format", "html=page.html"]);
    place.run(["--format", "html=again.html"]);
    assert_eq!(place.read("without.json"), place.read("with.json"));
    let page = place.read("page.html");
    assert_eq!(page, place.read("again.html"), "the same bytes");
    let line = page.find("<mark>MARK-1</mark> &lt;here&gt;").unwrap();
    assert!(page.find("<article").is_some_and(|card| line < card));
}
