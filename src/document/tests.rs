use super::*;

fn at(node: &Node) -> (u32, u32) {
    (node.at.line, node.at.column)
}

fn read(text: &str) -> Node {
    yaml("t.yml", text).expect("the test's own YAML")
}

fn refused(text: &str) -> String {
    yaml("t.yml", text).expect_err("this must be refused").to_string()
}

#[test]
fn yaml_keeps_places_and_spellings() {
    let node = read("a: 1.10\nb:\n  - y\n  - {c: off, d: 'x'}\n");
    let version = node.get("a").expect("a");
    assert_eq!((&version.value, at(version)), (&Value::Number("1.10".to_owned()), (1, 4)));
    let list = node.get("b").expect("b").items();
    assert_eq!((&list[0].value, at(&list[0])), (&Value::Text("y".to_owned()), (3, 5)));
    let off = list[1].get("c").expect("c");
    assert_eq!((off.text(), at(off)), (Some("off"), (4, 9)));
    assert_eq!(node.entries()[1].at.line, 2);
}

#[test]
fn yaml_refuses_what_misleads() {
    assert!(refused("a: 1\nb: 2\na: 3\n").starts_with("t.yml:3:1: "), "{}", refused("a: 1\nb: 2\na: 3\n"));
    assert!(refused("a: [1, 2\n").starts_with("t.yml:"));
    assert!(refused("--- 1\n--- 2\n").starts_with("t.yml:"));
    let bomb = "a: &a [x, x]\n".to_owned()
        + &(0..30)
            .map(|n| {
                format!("b{n}: &b{n} [*{p}, *{p}]\n", p = if n == 0 { "a".to_owned() } else { format!("b{}", n - 1) })
            })
            .collect::<String>();
    assert!(refused(&bomb).starts_with("t.yml:"));
    assert!(refused(&"[".repeat(100_000)).starts_with("t.yml:"));
}

#[test]
fn yaml_accepts_a_byte_order_mark_and_carriage_returns() {
    assert_eq!(read("\u{feff}a: b\r\nc: d\r\n").get("c").and_then(Node::text), Some("d"));
}

#[test]
fn toml_keeps_places_and_order() {
    let node = toml("t.toml", "b = 1_000\n[z]\nx = 'q'\n[a]\ny = [1, 2.50]\n").expect("the test's own TOML");
    let keys: Vec<_> = node.entries().iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["b", "z", "a"]);
    assert_eq!(node.get("b").map(|node| &node.value), Some(&Value::Number("1000".to_owned())));
    let x = node.get("z").and_then(|z| z.get("x")).expect("z.x");
    assert_eq!((x.text(), at(x)), (Some("q"), (3, 5)));
    let error = toml("t.toml", "a = 1\nb = = 2\n").expect_err("no TOML").to_string();
    assert!(error.starts_with("t.toml:2:"), "{error}");
}

#[test]
fn layers_merge() {
    let mut problems = Vec::new();
    let under = read("m: {a: 1, b: 2}\nl: [x, y]\nd: [{id: one, v: 1}, {id: two, v: 2}]\n");
    let over =
        read("m: {b: 3, c: 4}\nl: {add: [z], remove: [x]}\nd: [{id: two, v: 9}, {id: one, remove: true}, {id: new}]\n");
    let merged = merge(under, over, &mut problems).to_json();
    assert_eq!(
        merged,
        serde_json::json!({
            "m": {"a": 1, "b": 3, "c": 4},
            "l": ["y", "z"],
            "d": [{"id": "two", "v": 9}, {"id": "new"}],
        })
    );
    assert_eq!(problems, []);
}

#[test]
fn removing_what_is_not_there_is_a_problem() {
    let mut problems = Vec::new();
    merge(read("l: [a]\nd: [{id: a}]\n"), read("l: {remove: [b]}\nd: [{id: b, remove: true}]\n"), &mut problems);
    let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "t.yml:1:14: this is removed, but no earlier layer has it",
            "t.yml:2:5: `b` is removed, but no earlier layer has it",
        ]
    );
}

#[test]
fn every_misfit_is_reported_at_once_with_the_nearest_key() {
    let node = read("titel: x\nlevel: off\nscore: 11\nflag: yes\n");
    let mut problems = Vec::new();
    let mut fields = Fields::of(&node, "a tag", &mut problems).expect("a map");
    fields.text("title");
    fields.word("level", &["error", "skip"]);
    fields.number("score", 0.0, 10.0);
    fields.bool("flag");
    fields.finish();
    let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "t.yml:2:8: `off` is no valid `level`; write `skip` to switch it off",
            "t.yml:3:8: `score` is a number from 0 to 10",
            "t.yml:4:7: `flag` is `true` or `false`, not a text",
            "t.yml:1:1: a tag has no key `titel`; did you mean `title`?",
        ]
    );
}

#[test]
fn what_is_compact_is_read_back() {
    let node = read("a: [1.10, ~, true, 'x: y', {}]\nb: {c: {d: \"\\u202e\"}}\n");
    assert_eq!(from_compact(&"t.yml".into(), to_compact(&node)), Some(node));
    for bad in [serde_json::json!([1, 2]), serde_json::json!([1, -2, null]), serde_json::json!([1, 1, {"map": [[1]]}])]
    {
        assert_eq!(from_compact(&"t.yml".into(), bad), None);
    }
}
