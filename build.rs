//! Embeds the packs of `rules/`: every file there, in the order of its name, as text and, without its examples, as the
//! tree it parses to. A review reads only the tree, which takes a hundredth of the time that the YAML does.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "the modules below are the library's; this program needs a part of them"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "src/document/mod.rs"]
mod document;
#[path = "src/escape/mod.rs"]
mod escape;

use document::{Node, Value};

fn main() {
    println!("cargo::rerun-if-changed=rules");
    println!("cargo::rerun-if-changed=src/document");
    println!("cargo::rerun-if-changed=src/escape");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("rules");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("rules/ is part of the package")
        .map(|entry| entry.expect("rules/ can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yml"))
        .collect();
    files.sort();
    let mut list = String::from("&[\n");
    for path in files {
        let stem = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let name = format!("rules/{stem}.yml");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let node = document::yaml(&name, &text).unwrap_or_else(|problem| panic!("{problem}"));
        let tree = out.join(format!("{stem}.json"));
        fs::write(&tree, document::to_compact(&with_first_shots(node)).to_string()).expect("OUT_DIR can be written");
        let _ = writeln!(
            list,
            "    Pack {{ name: {name:?}, text: include_str!({:?}), tree: include_str!({:?}) }},",
            path.display().to_string(),
            tree.display().to_string()
        );
    }
    list.push(']');
    fs::write(out.join("packs.rs"), list).expect("OUT_DIR can be written");
}

/// Of the examples only what a model is shown of a tag: the first that has something bad, and of that the bad lines.
fn with_first_shots(mut pack: Node) -> Node {
    let Value::Map(keys) = &mut pack.value else { return pack };
    for tags in keys.iter_mut().filter(|entry| entry.key == "tags") {
        let Value::Map(tags) = &mut tags.node.value else { continue };
        for tag in tags {
            if let Value::Map(keys) = &mut tag.node.value {
                for entry in keys.iter_mut().filter(|entry| entry.key == "examples") {
                    if let Value::List(items) = &mut entry.node.value {
                        items.retain(is_shot);
                        items.truncate(1);
                        items.iter_mut().for_each(shorten);
                    }
                }
            }
        }
    }
    pack
}

fn is_shot(example: &Node) -> bool {
    example.get("bad").is_some() || example.get("expect").and_then(Node::text) == Some("keep")
}

fn shorten(example: &mut Node) {
    let Value::Map(keys) = &mut example.value else { return };
    if !keys.iter().any(|entry| entry.key == "bad") {
        return;
    }
    keys.retain(|entry| ["lang", "path", "bad"].contains(&entry.key.as_str()));
    for entry in keys.iter_mut().filter(|entry| entry.key == "bad") {
        if let Value::Text(text) = &mut entry.node.value {
            let is_marked = |line: &&str| line.trim_end().ends_with("#!") || line.trim_end().ends_with("//!");
            *text = text.lines().filter(is_marked).collect::<Vec<_>>().join("\n");
        }
    }
}
