//! docs/dependencies.md names every direct dependency, and no banned crate is in the lock file.
#![expect(clippy::unwrap_used, reason = "a test that cannot read the package fails")]

use std::fs;

use toml::{Table, Value};

fn read(name: &str) -> String {
    fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn table(name: &str) -> Table {
    read(name).parse().unwrap()
}

/// The names in the manifest, and the crate's own name where it is renamed.
fn direct() -> Vec<String> {
    let manifest = table("Cargo.toml");
    let mut names = Vec::new();
    // Those of one platform stand below `target`.
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    for section in platforms.filter_map(Value::as_table).chain([&manifest]) {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(Value::Table(list)) = section.get(kind) else { continue };
            for (name, value) in list {
                names.push(name.clone());
                names.extend(value.get("package").and_then(Value::as_str).map(str::to_owned));
            }
        }
    }
    names
}

#[test]
fn every_direct_dependency_is_argued() {
    let page = read("docs/dependencies.md");
    let missing: Vec<_> = direct().into_iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "docs/dependencies.md does not speak of {missing:?}");
}

#[test]
fn every_argued_dependency_is_there() {
    let direct = direct();
    let page = read("docs/dependencies.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    for row in rows {
        let cell = row.split('|').nth(1).unwrap();
        for name in cell.split('`').skip(1).step_by(2) {
            assert!(direct.iter().any(|known| known == name), "{name} is argued but is no dependency");
        }
    }
}

#[test]
fn no_banned_crate_is_locked() {
    let lock = table("Cargo.lock");
    let packages = lock["package"].as_array().unwrap();
    let policy = table("deny.toml");
    for ban in policy["bans"]["deny"].as_array().unwrap() {
        let name = ban["crate"].as_str().unwrap();
        assert!(!packages.iter().any(|package| package["name"].as_str() == Some(name)), "{name} is banned");
    }
    for package in packages {
        let source = package.get("source").and_then(Value::as_str);
        assert!(source.is_none_or(|source| !source.starts_with("git+")), "{} comes from git", package["name"]);
    }
}
