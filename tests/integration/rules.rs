//! Rule packs: layers, origins, selection, what the loader refuses, what needs and facts decide.

use super::program::{Place, Ran};

/// A place with these packs and this configuration.
fn packs(config: &str, files: &[(&str, &str)]) -> Place {
    let place = Place::repository();
    place.write("diffsieve.toml", config);
    for (name, text) in files {
        place.write(&format!(".diffsieve/rules/{name}.yml"), text);
    }
    place.commit("base");
    place
}

/// `rules show --resolved` of a tag.
fn resolved(place: &Place, tag: &str, more: &[&str]) -> String {
    let ran = place.run([&["rules", "show", tag, "--resolved"], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.text()
}

const A: &str = "pack: a
version: 1.10
tags:
  T:
    title: first
    level: note
    cap: 2
    cwe: [CWE-1, CWE-2]
    drop:
      - {id: one, why: w1, when: {line: x}}
      - {id: two, why: w2, when: {line: y}}
    lang:
      python: {level: warning, score: 3}
";

#[test]
fn later_layers_win_and_every_value_keeps_its_origin() {
    let b = "pack: b\ntags:\n  T:\n    level: warning\n    about: more\n    lang:\n      python: {score: 4}\n";
    let place = packs("packs = [\"a\", \"b\"]\n[tags.T]\ncap = 9\n", &[("1", A), ("2", b)]);
    let text = resolved(&place, "T", &[]);
    for line in [
        "T:  # pack a",
        "  title: \"first\"  # .diffsieve/rules/1.yml:5:12",
        "  level: \"warning\"  # .diffsieve/rules/2.yml:4:12",
        "  about: \"more\"  # .diffsieve/rules/2.yml:5:12",
        "  cap: 9  # diffsieve.toml:3:7",
        "    - \"CWE-1\"  # .diffsieve/rules/1.yml:8:11",
    ] {
        assert!(text.lines().any(|found| found == line), "no `{line}` in {text}");
    }
    // A language beats its tag within one layer, and a later layer's tag beats an earlier layer's language.
    let python = resolved(&place, "T", &["--lang", "python"]);
    assert!(python.contains("  level: \"warning\"  # .diffsieve/rules/2.yml:4:12"), "{python}");
    assert!(python.contains("  score: 4  # .diffsieve/rules/2.yml:7:23"), "{python}");
    let plain = place.run(["rules", "show", "T"]).text();
    assert!(plain.contains("cap: 9\n") && !plain.contains("# .diffsieve"), "{plain}");
}

#[test]
fn a_language_beats_its_tag_within_one_layer() {
    let place = packs("packs = [\"a\"]\n", &[("1", A)]);
    assert!(resolved(&place, "T", &[]).contains("level: \"note\""));
    let python = resolved(&place, "T", &["--lang", "python"]);
    assert!(python.contains("level: \"warning\"  # .diffsieve/rules/1.yml:13:23"), "{python}");
}

#[test]
fn the_order_of_packs_is_that_of_the_configuration() {
    let b = "pack: b\ntags:\n  T: {title: second}\n";
    for (config, title) in [
        ("packs = [\"a\", \"b\"]", "second"),
        ("packs = [\"b\", \"a\"]", "first"),
        ("packs = [\"*\"]", "second"),
        ("packs = [\"b\", \"*\"]", "first"),
        ("", "second"),
    ] {
        let place = packs(config, &[("1", A), ("2", b)]);
        assert!(resolved(&place, "T", &[]).contains(&format!("title: \"{title}\"")), "{config}");
    }
}

#[test]
fn packs_are_chosen_by_glob_each_once() {
    let own = [("1", "pack: own-a\n"), ("2", "pack: own-b\n"), ("3", "pack: core\n")];
    for (config, chosen) in [
        ("packs = [\"core\", \"own-*\"]", &["core", "own-a", "own-b"][..]),
        ("packs = [\"own-b\", \"*\"]", &["own-b", "common"]),
        ("packs = [\"{own-a,core}\", \"core\", \"own-?\"]", &["own-a", "core", "own-b"]),
        ("packs = \"core\"", &["core"]),
    ] {
        let ran = packs(config, &own).run(["rules", "list"]);
        assert_eq!(ran.code, 0, "{config}: {}", ran.stderr);
        let text = ran.text();
        let names: Vec<_> = text.lines().filter(|line| !line.starts_with(' ')).collect();
        let begins: Vec<_> = names.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(begins[..chosen.len()], *chosen, "{config}");
        let mut once = begins.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), begins.len(), "{config}: {begins:?}");
    }
    for (config, parts) in [
        ("packs = [\"secruity\"]", &["diffsieve.toml:1:10: no pack is named `secruity`; did you mean `security`?"][..]),
        ("packs = [\"{\"]", &["diffsieve.toml:1:10: `{` is no glob"]),
        ("packs = [7]", &["diffsieve.toml:1:10: a pack is a name or a glob, not a number"]),
        ("packs = {a = 1}", &["diffsieve.toml:1:9: "]),
    ] {
        packs(config, &[]).run(["rules", "list"]).fails(2, parts);
    }
    // No pack at all is a choice one can make.
    packs("packs = []\n", &[]).run(["rules", "list"]).prints(&[]);
}

#[test]
fn maps_merge_deeply_and_lists_by_id_or_by_edit() {
    let b = "pack: b
tags:
  T:
    cwe: {add: [CWE-3, CWE-1], remove: [CWE-2]}
    drop:
      - {id: one, remove: true}
      - {id: two, why: changed}
      - {id: three, why: w3, when: {line: z}}
";
    let place = packs("packs = [\"a\", \"b\"]\n", &[("1", A), ("2", b)]);
    let text = resolved(&place, "T", &[]);
    let cwe: Vec<_> = text.lines().filter(|line| line.contains("CWE-")).map(str::trim).collect();
    assert_eq!(cwe, ["- \"CWE-1\"  # .diffsieve/rules/1.yml:8:11", "- \"CWE-3\"  # .diffsieve/rules/2.yml:4:17"]);
    let ids: Vec<_> = text.lines().filter(|line| line.contains(" id: ")).map(str::trim).collect();
    assert_eq!(ids.len(), 2, "{text}");
    assert!(ids[0].contains("\"two\"") && ids[1].contains("\"three\""), "{ids:?}");
    assert!(text.contains("why: \"changed\"  # .diffsieve/rules/2.yml:7:24"), "{text}");
    assert!(text.contains("line: \"y\"  # .diffsieve/rules/1.yml:11:41"), "the rest of it stays: {text}");

    let replaced = "pack: b\ntags:\n  T:\n    cwe: [CWE-9]\n";
    let text = resolved(&packs("packs = [\"a\", \"b\"]\n", &[("1", A), ("2", replaced)]), "T", &[]);
    assert!(text.contains("CWE-9") && !text.contains("CWE-1"), "a plain list replaces: {text}");
}

#[test]
fn what_is_removed_must_be_there() {
    let b = "pack: b\ntags:\n  T:\n    cwe: {remove: [CWE-7]}\n    drop: [{id: seven, remove: true}]\n";
    let place = packs("packs = [\"a\", \"b\"]\n", &[("1", A), ("2", b)]);
    let parts = ["2.yml:4:20: this is removed, but no earlier layer has it", "2.yml:5:12: `seven` is removed"];
    place.run(["rules", "list"]).fails(2, &parts);
}

#[test]
fn defaults_count_only_for_tags_that_a_pack_introduces() {
    let a = "pack: a\ndefaults: {level: note, cap: 3}\ntags:\n  T: {title: t}\n  U: {title: u, level: error}\n";
    let b = "pack: b\ndefaults: {level: error, cap: 4}\ntags:\n  T: {title: tt}\n  V: {title: v}\n";
    let place = packs("packs = [\"a\", \"b\"]\n", &[("1", a), ("2", b)]);
    for (tag, level, cap) in [("T", "note", 3), ("U", "error", 3), ("V", "error", 4)] {
        let text = resolved(&place, tag, &[]);
        assert!(text.contains(&format!("level: \"{level}\"")) && text.contains(&format!("cap: {cap} ")), "{text}");
    }
}

#[test]
fn a_pack_extends_others_or_parts_of_them() {
    let base =
        "pack: base\ndefaults: {level: note}\nclasses: {odd: ['odd/**']}\ntags:\n  T: {title: base, about: base}\n";
    let other = "pack: other\ntags:\n  T: {title: other}\n";
    let child = "pack: child\nextends: [base, other]\ntags:\n  T: {cap: 1}\n";
    let place = packs("packs = [\"child\"]\n", &[("1", base), ("2", other), ("3", child)]);
    let text = resolved(&place, "T", &[]);
    for part in ["T:  # pack child", "title: \"other\"", "about: \"base\"", "level: \"note\"", "cap: 1"] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    let reversed = child.replace("[base, other]", "[other, base]");
    let place = packs("packs = [\"child\"]\n", &[("1", base), ("2", other), ("3", &reversed)]);
    assert!(resolved(&place, "T", &[]).contains("title: \"base\""), "the rightmost wins");

    let part = "pack: child\nextends: ['base#classes']\ntags:\n  U: {drop: [{id: odd, why: w, when: {class: odd}}]}\n";
    let place = packs("packs = [\"child\"]\n", &[("1", base), ("3", part)]);
    resolved(&place, "U", &[]);
    place.run(["rules", "show", "T"]).fails(2, &["no loaded pack has the tag `T`"]);
}

#[test]
fn extends_that_leads_nowhere() {
    for (files, parts) in [
        (
            &[("1", "pack: a\nextends: [b]\n"), ("2", "pack: b\nextends: [a]\n")][..],
            &["`extends` goes in a circle: a → b → a"][..],
        ),
        (&[("1", "pack: a\nextends: [a]\n")], &["1.yml:2:11: `extends` goes in a circle: a → a"]),
        (
            &[("1", "pack: a\nextends: [secruity]\n")],
            &["1.yml:2:11: there is no pack `secruity`; did you mean `security`?"],
        ),
        (
            &[("1", "pack: a\nextends: ['text#clases']\n")],
            &["1.yml:2:11: a pack has no part `clases`; did you mean `classes`?"],
        ),
        (&[("1", "pack: a\nextends: {a: b}\n")], &["1.yml:2:10: "]),
        (&[("1", "pack: a\nextends: [[text]]\n")], &["1.yml:2:11: "]),
        (
            &[("1", "pack: a\n"), ("2", "pack: a\n")],
            &["2.yml:1:1: the pack name `a` is taken by .diffsieve/rules/1.yml", "extends"],
        ),
        (&[("1", "pack: text\n")], &["the pack name `text` is taken by rules/text.yml"]),
        (&[("1", "pack: a\nrequires: '>=99.1'\n")], &["1.yml:", "this pack requires diffsieve >=99.1"]),
        (&[("1", "pack: a\nrequires: soon\n")], &["1.yml:", "requires"]),
        (&[("1", "tags: {}\n")], &["1.yml:1:1: a rule pack needs `pack`"]),
        (&[("1", "pack: [a]\n")], &["1.yml:1:7: "]),
        (&[("1", "pack: ''\n")], &["1.yml:1:7: "]),
    ] {
        packs("", files).run(["rules", "list"]).fails(2, parts);
    }
    packs("", &[("1", "pack: a\nrequires: '>=0.0.1'\n")]).run(["rules", "list"]).prints(&["a 0 ("]);
}

/// Lints one pack.
fn lint(text: &str) -> Ran {
    packs("", &[("own", text)]).run(["rules", "lint"])
}

#[test]
fn every_key_and_value_is_checked_with_its_place() {
    let tag = |lines: &str| {
        format!("pack: own\ntags:\n  T:\n{}", lines.lines().map(|line| format!("    {line}\n")).collect::<String>())
    };
    for (text, parts) in [
        ("pack: own\ntgas: {}\n".to_owned(), &["own.yml:2:1: a rule pack has no key `tgas`; did you mean `tags`?"][..]),
        ("pack: own\ntags: [T]\n".to_owned(), &["own.yml:2:7: `tags` is a map, not a list"]),
        ("pack: own\ntags:\n  7up: {}\n".to_owned(), &["own.yml:3:3: `7up` is no tag name"]),
        ("pack: own\ntags:\n  T: 1\n".to_owned(), &["own.yml:3:6: a tag is a map, not a number"]),
        ("pack: own\nclasses: [a]\n".to_owned(), &["own.yml:2:10: `classes` is a map"]),
        ("pack: own\nclasses: {a: '['}\n".to_owned(), &["own.yml:2:14: ", "glob"]),
        ("pack: own\nclasses: {a: {b: c}}\n".to_owned(), &["own.yml:2:14: a glob is a text, not a map"]),
        (
            "pack: own\ndefaults: {levl: note}\ntags: {T: {}}\n".to_owned(),
            &["own.yml:2:12: a tag has no key `levl`; did you mean `level`?"],
        ),
        (tag("levle: note"), &["own.yml:4:5: a tag has no key `levle`; did you mean `level`?"]),
        (tag("level: eror"), &["own.yml:4:12: `eror` is no valid `level`; did you mean `error`?"]),
        (tag("level: off"), &["own.yml:4:12: ", "write `skip` to switch it off"]),
        (tag("level: no"), &["own.yml:4:12: ", "write `skip` to switch it off"]),
        (tag("level: yes"), &["own.yml:4:12: "]),
        (tag("level: true"), &["own.yml:4:12: the level of `T` is true or false"]),
        (tag("level:"), &["own.yml:4:", "the level of `T` is nothing"]),
        (tag("level: note\nlevel: error"), &["own.yml:5:5", "duplicate"]),
        (tag("anchor: deleted"), &["own.yml:4:13: `deleted` is no valid `anchor`; did you mean `deletion`?"]),
        (tag("category: speed"), &["own.yml:4:15: `speed` is no valid `category`"]),
        (tag("impact: beauty"), &["own.yml:4:13: `beauty` is no valid `impact`"]),
        (tag("severity: hihg"), &["own.yml:4:15: `hihg` is no valid `severity`; did you mean `high`?"]),
        (
            tag("lang: {python: {severity: low}}"),
            &["own.yml:4:21: `severity` is the same in all languages of a tag; it belongs to the tag"],
        ),
        (tag("cwe: [79]"), &["`79` is no weakness id; write one such as `CWE-772`"]),
        (tag("security-severity: 11"), &["own.yml:4:24: `security-severity` is a number from 0.1 to 10"]),
        (tag("score: high"), &["own.yml:4:12: `score` is a number from 0 to 10"]),
        (tag("score: .nan"), &["own.yml:4:12: non-finite"]),
        (tag("votes: 0"), &["own.yml:4:12: `votes` is a whole number from 1 to 99"]),
        (tag("cap: 1.5"), &["own.yml:4:10: `cap` is a whole number"]),
        (tag("title: [a]"), &["own.yml:4:12: `title` is a text, not a list"]),
        (tag("lang: [python]"), &["own.yml:4:11: `lang` is a map of languages, not a list"]),
        (tag("lang: {pyhton: {}}"), &["own.yml:4:12: there is no language `pyhton`; did you mean `python`?"]),
        (tag("lang: {python: {levle: note}}"), &["own.yml:4:21: a tag has no key `levle`"]),
        (
            tag("lang: {python: {lang: {ruby: {}}}}"),
            &["own.yml:4:21: a language of a tag has no key `lang`; it belongs to the tag"],
        ),
        (tag("needs: [{fcat: {}}]"), &["own.yml:4:14: a condition has no key `fcat`; did you mean `fact`?"]),
        (
            tag("needs: [{fact: {is_nwe_symbol: true}}]"),
            &["own.yml:4:21: there is no fact `is_nwe_symbol`; did you mean `is_new_symbol`?"],
        ),
        (tag("needs: [{fact: {function_lines: '>=many'}}]"), &["own.yml:4:37: "]),
        (tag("needs: [{}]"), &["own.yml:4:13: an empty condition would always hold"]),
        (tag("needs: [text]"), &["own.yml:4:13: a condition is a map, not a text"]),
        (tag("drop: [{why: w, when: {line: x}}]"), &["own.yml:4:12: a drop needs `id`"]),
        (tag("drop: [{id: a, when: {line: x}}]"), &["own.yml:4:12: a drop needs `why`"]),
        (tag("drop: [{id: a, why: w}]"), &["own.yml:4:12: a drop needs `when`"]),
        (
            tag("drop: [{id: a, why: w, when: {line: x}}, {id: a, why: w, when: {line: x}}]"),
            &["the id `a` is used twice"],
        ),
        (tag("drop: [{id: a, why: w, when: {class: tset}}]"), &["own.yml:4:42: ", "did you mean `test`?"]),
        (tag("drop: [{id: a, why: w, when: {lang: pyhton}}]"), &["did you mean `python`?"]),
        (tag("drop: [{id: a, why: w, when: {source: human}}]"), &["there is no source `human`"]),
        (
            tag("drop: [{id: a, why: w, when: {near: {regx: x}}}]"),
            &["`near` needs `regex`", "`near` has no key `regx`"],
        ),
        (tag("drop: [{id: a, why: w, when: {line: '('}}]"), &["own.yml:4:41: this is no regular expression"]),
        (tag("drop: [{id: a, why: w, when: {rule: {kind: call}}}]"), &["does not say for which language"]),
        (
            tag("detect: [{id: a, message: m}]"),
            &["own.yml:4:14: a detector has exactly one of `regex`, `rule` and `builtin`"],
        ),
        (tag("detect: [{id: a, message: m, regex: x, builtin: private_key, in: any}]"), &["exactly one of"]),
        (tag("detect: [{message: m, regex: x, in: any}]"), &["a detector needs `id`"]),
        (tag("detect: [{id: a, regex: x, in: any}]"), &["a detector needs `message`"]),
        (tag("detect: [{id: a, message: m, regex: x}]"), &["a detector for every language needs `in: any`"]),
        (tag("detect: [{id: a, message: m, regex: x, in: anywhere}]"), &["`anywhere` is no valid `in`"]),
        (tag("detect: [{id: a, message: '{0', regex: x, in: any}]"), &["a `{` without its `}`"]),
        (
            tag("detect: [{id: a, message: '{0|upper}', regex: x, in: any}]"),
            &["there is no way `upper` to show a capture"],
        ),
        (tag("detect: [{id: a, message: m, level: shadow, regex: x, in: any}]"), &["`shadow` is no valid `level`"]),
        (tag("detect: [{id: a, message: m, rule: {kind: call}}]"), &["a rule needs `lang`"]),
        (tag("detect: [{id: a, message: m, lang: cobol, rule: {kind: call}}]"), &["there is no language `cobol`"]),
        (
            tag("detect: [{id: a, message: m, lang: python, rule: {knid: call}}]"),
            &["an ast-grep rule has no key `knid`; did you mean `kind`?"],
        ),
        (
            tag("detect: [{id: a, message: m, lang: python, rule: {kind: call, has: {all: [{kidn: x}]}}}]"),
            &["an ast-grep rule has no key `kidn`"],
        ),
        (
            tag("detect: [{id: a, message: m, lang: python, rule: {pattern: {contxt: x, selector: y}}}]"),
            &["there is no key `contxt` here; did you mean `context`?"],
        ),
        (
            tag("detect: [{id: a, message: m, lang: python, rule: {kind: no_such_kind}}]"),
            &["this rule does not fit python"],
        ),
        (tag("detect: [{id: a, message: m, lang: python, rule: kind}]"), &["an ast-grep rule is a map, not a text"]),
        (
            tag("detect: [{id: a, message: m, regex: x, in: any}, {id: a, message: m, regex: x, in: any}]"),
            &["is used twice"],
        ),
        (tag("examples: [{bda: x}]"), &["own.yml:4:17: an example has no key `bda`; did you mean `bad`?"]),
        (tag("examples: [{code: x, claim: {line: 0, quote: x}, expect: keep}]"), &["`line` is a whole number from 1"]),
        (tag("examples: [{code: x, claim: {line: 1, quote: x}, expect: drop}]"), &["`drop` is no expectation"]),
        (tag("<<: {level: note}"), &["own.yml:4:5: a tag has no key `<<`"]),
    ] {
        let ran = lint(&text);
        assert_eq!(ran.code, 2, "accepted: {text}");
        ran.fails(2, parts);
    }
}

#[test]
fn misfits_of_one_pack_are_told_at_once() {
    let text = "pack: own\nversoin: 1\ntags:\n  T:\n    level: off\n    cap: -1\n    detect:\n      - {id: a, in: any, regex: '(', message: m}\n      - {id: b, in: any, regex: x, mesage: m}\n";
    lint(text).fails(
        2,
        &[
            ":2:1:",
            ":5:12:",
            ":6:10:",
            ":8:33: this is no regular expression",
            ":9:9: a detector needs `message`",
            "did you mean `message`?",
        ],
    );
}

#[test]
fn a_message_names_captures_its_detector_has() {
    let ran = lint(
        "pack: own\ntags:\n  T:\n    detect: [{id: a, in: any, regex: '(?P<who>x)', message: '{who} {1} {hwo}'}]\n",
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.text().contains("`{hwo}` is no capture of this detector; did you mean `who`?"), "{}", ran.text());
}

#[test]
fn a_tag_says_what_kind_of_fault_it_is_about() {
    const TAGS: &str = "pack: own\ntags:\n  A: {category: memory, severity: low}\n  B: {security-severity: 9.5}\n  \
                        C: {category: test, lang: {python: {level: note}}}\n  D: {}\n";
    let place = packs("", &[("own", TAGS)]);
    let kinds =
        ["memory, reliability, low)", "(no detector; critical)", "test, maintainability, low)", "D (no detector)"];
    place.run(["rules", "list"]).prints(&kinds);
    place.run(["rules", "show", "A"]).prints(&["A:  # pack own; category memory; impact reliability; severity low"]);
    let of_language = place.run(["rules", "show", "C", "--resolved", "--lang", "python"]);
    of_language.prints(&["C:  # pack own; category test; impact maintainability; severity low"]);
    place.run(["rules", "show", "D"]).prints(&["D:  # pack own\n"]);
}

#[test]
fn byte_order_marks_and_line_endings_do_not_matter() {
    let text = "pack: own\nversion: 1.0.0\ntags:\n  T:\n    detect: [{id: a, in: any, regex: x, message: m}]\n    examples: [{bad: \"x #!\\n\", good: \"y\\n\"}]\n";
    for text in
        [text.replace('\n', "\r\n"), format!("\u{feff}{text}"), format!("\u{feff}{}", text.replace('\n', "\r\n"))]
    {
        let place = packs("", &[("own", &text)]);
        place.run(["rules", "list"]).prints(&["own 1.0.0", "T"]);
        place.run(["rules", "test"]).prints(&[" 0 failed"]);
    }
    let wrong = format!("\u{feff}{}", "pack: own\r\ntgas: {}\r\n");
    lint(&wrong).fails(2, &["own.yml:2:1: a rule pack has no key `tgas`"]);
    let config = "\u{feff}packs = [\"text\"]\r\n[gate]\r\nfail_no = \"note\"\r\n";
    packs(config, &[]).run::<&str>([]).fails(2, &["diffsieve.toml:3:1: `[gate]` has no key `fail_no`"]);
}

#[test]
fn yaml_is_read_as_yaml_1_2() {
    // A version keeps its spelling, and only `true` and `false` are booleans.
    packs("", &[("a", A)]).run(["rules", "list"]).prints(&["a 1.10 ("]);
    let aliases = format!("pack: own\nabout: &a x\nextends: [{}]\n", "*a, ".repeat(150));
    lint(&aliases).fails(2, &["own.yml:", "alias"]);
    let few = "pack: own\ndefaults: &d {level: note}\ntags:\n  T: *d\n";
    lint(few).prints(&["0 problems"]);
}

const PYTHON: &str = "def old():\n    pass\n";

/// Reviews a change to `a.py` with a tag that needs something of the code around it.
fn needing(needs: &str, path: &str, text: &str) -> super::program::Reviewed {
    let pack = format!(
        "pack: own\ntags:\n  T:\n    level: error\n    needs: {needs}\n    detect: [{{id: a, in: any, regex: 'MARK', message: m}}]\n"
    );
    let place = packs("packs = [\"own\"]\n", &[("own", &pack)]);
    place.write(path, PYTHON);
    place.commit("before");
    place.git(["switch", "-q", "-c", "topic"]);
    place.write(path, format!("{PYTHON}{text}"));
    place.commit("topic");
    place.review(["--fail-on", "error"])
}

#[test]
fn needs_prove_refute_or_lower() {
    let new = "\n\ndef new():\n    return 'MARK'\n";
    let needs = "[{fact: {is_new_symbol: true}}]";
    let proved = needing(needs, "a.py", new);
    assert_eq!((proved.code, proved.shown().len()), (1, 1), "{:?}", proved.removed());
    assert_eq!(proved.findings()[0]["evidence"]["status"], "proved");
    assert_eq!(proved.findings()[0]["level"], "error");

    let refuted = needing("[{fact: {is_new_symbol: false}}]", "a.py", new);
    assert_eq!(refuted.removed(), ["T a.py:6 refuted:is_new_symbol"]);
    assert_eq!(refuted.code, 0);

    // Nobody parses a text file, so the fact is unknown: never a block.
    let unknown = needing(needs, "a.txt", new);
    assert_eq!((unknown.code, unknown.shown().len()), (0, 1));
    assert_eq!(unknown.findings()[0]["evidence"]["status"], "unknown");
    assert_eq!(unknown.findings()[0]["level"], "note");

    // A parse error in the touched function makes its facts unknown, not wrong.
    let broken = needing(needs, "a.py", "\n\ndef new(:\n    return 'MARK' (\n");
    let levels: Vec<_> = broken.findings().iter().map(|finding| finding["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["note"], "{:?}", broken.removed());
}

#[test]
fn conditions_look_at_what_they_say() {
    let text = "# above\nx = 'MARK'\n# below\n";
    for (condition, holds) in [
        ("{line: MARK}", true),
        ("{line: above}", false),
        ("{near: {regex: above}}", true),
        ("{near: {regex: above, lines: 0}}", false),
        ("{path: '*.py'}", true),
        ("{path: ['*.rs', 'b/**']}", false),
        ("{lang: python}", true),
        ("{lang: [rust, go]}", false),
        ("{source: detector}", true),
        ("{source: model}", false),
        ("{rationale: '^m$'}", true),
        ("{class: test}", false),
        ("{class: lock}", false),
        ("{lang: python, rule: {kind: string}}", true),
        ("{lang: python, rule: {kind: call}}", false),
        ("{not: {line: above}}", true),
        ("{any: [{line: above}, {line: MARK}]}", true),
        ("{all: [{line: above}, {line: MARK}]}", false),
        ("[{line: above}, {line: MARK}]", true),
        ("{line: MARK, path: '*.rs'}", false),
        ("{not: {any: [{line: above}, {not: {lang: python}}]}}", true),
    ] {
        let pack = format!(
            "pack: own\nclasses: {{test: ['t/**']}}\ntags:\n  T:\n    drop: [{{id: it, why: w, when: {condition}}}]\n    detect: [{{id: a, in: any, regex: 'MARK', message: m}}]\n"
        );
        let place = packs("packs = [\"own\"]\n", &[("own", &pack)]);
        place.git(["switch", "-q", "-c", "topic"]);
        place.write("a.py", text);
        place.commit("topic");
        let review = place.review::<&str>([]);
        assert_eq!(review.removed() == ["T a.py:2 drop:it"], holds, "{condition}: {:?}", review.shown());
        assert_eq!(review.shown() == ["T a.py:2"], !holds, "{condition}: {:?}", review.removed());
    }
}

#[test]
fn a_file_of_packs_can_be_tested_alone() {
    let place = Place::new();
    let good = "pack: own\ntags:\n  T:\n    detect: [{id: a, in: any, regex: x, message: m}]\n    examples: [{bad: \"x #!\\n\", good: \"y\\n\"}]\n";
    place.write("own.yml", good);
    place.run(["rules", "test", "own.yml"]).prints(&["1 examples, 1 ok, 0 failed"]);
    place.run(["rules", "lint", "own.yml"]).prints(&["0 problems"]);
    place.write("own.yml", good.replace("y\\n", "x\\n"));
    let ran = place.run(["rules", "test", "own.yml"]);
    assert_eq!(ran.code, 1);
    assert!(ran.text().contains("FAILED  T (own.yml:5:16): noisy: a finding on line 1 of `good`"), "{}", ran.text());
    // A marker where nothing is expected would be taken for code.
    place.write("own.yml", good.replace("y\\n", "y #!\\n"));
    let ran = place.run(["rules", "test", "own.yml"]);
    assert_eq!(ran.code, 1);
    assert!(ran.text().contains("own.yml:5:16): `good` marks line 1"), "{}", ran.text());
    // Whoever works on a shipped pack tests the file at hand, not the one inside the program.
    let shipped = include_str!("../../rules/text.yml").replace("conflict marker was left", "{nothing} was left");
    place.write("rules/text.yml", &shipped);
    place.run(["rules", "test", "rules/text.yml"]).prints(&[" 0 failed"]);
    assert_eq!(place.run(["rules", "lint", "rules/text.yml"]).code, 1);
}

/// A detector's fix stands in the report only where it applies and the file parses no worse.
#[test]
fn fixes_are_whole_lines_that_parse() {
    let pack = "pack: own\ntags:\n  T:\n    detect:\n      - {id: good, lang: python, rule: {pattern: old($A)}, message: m, fix: 'new({A})'}\n  U:\n    detect:\n      - {id: bad, lang: python, rule: {pattern: wrong($A)}, message: m, fix: 'new({A}'}\n";
    let place = packs("packs = [\"own\"]\n", &[("own", pack)]);
    place.git(["switch", "-q", "-c", "topic"]);
    place.write("a.py", "x = old(1) + 2\ny = wrong(1)\n");
    place.commit("topic");
    let review = place.review::<&str>([]);
    assert_eq!(review.shown(), ["T a.py:1", "U a.py:2"]);
    assert_eq!(review.findings()[0]["suggestion"]["text"], "x = new(1) + 2\n");
    assert!(review.findings()[1]["suggestion"].is_null());
}
