//! The release workflow's scripts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::runner::{ROOT, Runner, read};

fn run(root: &Path, script: &str, args: &[&str]) -> Output {
    Command::new("bash")
        .arg(root.join(".github/release").join(script))
        .args(args)
        .current_dir(root)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .output()
        .unwrap()
}

#[track_caller]
fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The scripts in a folder whose version, lock file and changelog a test may change.
fn project(version: &str, locked: &str, changelog: &str) -> TempDir {
    let temp = TempDir::new().unwrap();
    for folder in [".github/release", ".github/action", "src", "rules", "hooks", "docs/workflows", "docs/schemas"] {
        fs::create_dir_all(temp.path().join(folder)).unwrap();
    }
    for script in
        ["release/version", "release/prebuilt", "release/sums", "action/build", "action/sources", "action/prebuilt"]
    {
        let script = Path::new(".github").join(script);
        fs::copy(Path::new(ROOT).join(&script), temp.path().join(&script)).unwrap();
    }
    let manifest = format!(
        "[package]\nname = \"diffsieve\"\nversion = \"{version}\"\n[dependencies]\nx = {{\nversion = \"9.9.9\"\n}}\n"
    );
    fs::write(temp.path().join("Cargo.toml"), manifest).unwrap();
    let lock = format!(
        "[[package]]\nname = \"a\"\nversion = \"7.0.0\"\n\n[[package]]\nname = \"diffsieve\"\nversion = \"{locked}\"\n"
    );
    fs::write(temp.path().join("Cargo.lock"), lock).unwrap();
    fs::write(temp.path().join("build.rs"), "").unwrap();
    fs::write(temp.path().join("CHANGELOG.md"), changelog).unwrap();
    temp
}

const CHANGELOG: &str = "# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.2.3] - 2026-11-20\n\n### Added\n\n- This `thing`.\n\n## [1.2.2] - 2026-01-01\n\n- Old.\n\n[1.2.3]: https://example.org\n";

#[test]
fn a_tag_is_that_of_manifest_lock_and_changelog() {
    let good = project("1.2.3", "1.2.3", CHANGELOG);
    assert_eq!(said(&run(good.path(), "version", &["v1.2.3"])), "1.2.3\n");
    assert_eq!(said(&run(good.path(), "version", &["--notes", "v1.2.3"])).trim(), "### Added\n\n- This `thing`.");
    let refused = |project: &TempDir, tag: &str, why: &str| {
        let output = run(project.path(), "version", &[tag]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(why), "{tag}: {error}");
        assert!(output.stdout.is_empty());
    };
    for tag in ["1.2.3", "v1.2", "v1.2.3; id", "v1.2.3\n", "$(id)", "vv1.2.3"] {
        refused(&good, tag, "not of the form");
    }
    refused(&good, "v1.2.4", "Cargo.toml says 1.2.3");
    refused(&project("1.2.3", "1.2.2", CHANGELOG), "v1.2.3", "Cargo.lock says 1.2.2");
    refused(&project("1.2.4", "1.2.4", CHANGELOG), "v1.2.4", "has no section");
    refused(&project("1.2.3", "1.2.3", "## [1.2.3]\n\n- x\n"), "v1.2.3", "has no section");
    refused(&project("1.2.3", "1.2.3", "## [1.2.3] - soon\n\n- x\n"), "v1.2.3", "has no date");
    refused(
        &project("1.2.3", "1.2.3", "## [1.2.3] - 2026-01-01\n\n## [1.2.2] - 2026-01-01\n- x\n"),
        "v1.2.3",
        "lists nothing",
    );
    // Dots are no wildcards.
    refused(&project("1.2.3", "1.2.3", "## [1x2y3] - 2026-01-01\n\n- x\n"), "v1.2.3", "has no section");
}

fn package(runner: &Runner, target: &str, folder: &str) -> PathBuf {
    let folder = runner.path(folder);
    runner.program(
        "program",
        "#!/bin/sh
echo diffsieve packed
",
    );
    let program = runner.path("bin/program");
    let output = run(Path::new(ROOT), "package", &[program.to_str().unwrap(), target, folder.to_str().unwrap()]);
    PathBuf::from(said(&output).trim())
}

#[test]
fn an_archive_is_the_same_bytes_every_time_and_runs() {
    let runner = Runner::empty();
    let target = "x86_64-unknown-linux-musl";
    let first = package(&runner, target, "one");
    let version = env!("CARGO_PKG_VERSION");
    assert!(first.ends_with(format!("one/diffsieve-{version}-{target}.tar.gz")), "{}", first.display());
    let second = package(&runner, target, "two");
    assert!(fs::read(&first).unwrap() == fs::read(&second).unwrap(), "two runs differ");
    let listed = Command::new("tar").args(["--utc", "-tvzf"]).arg(&first).output().unwrap();
    let listed = said(&listed);
    let rows: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    let names: Vec<_> = rows.iter().map(|row| *row.last().unwrap()).collect();
    assert_eq!(names, ["diffsieve", "LICENSE-APACHE", "LICENSE-MIT", "README.md"]);
    for row in rows {
        let mode = if *row.last().unwrap() == "diffsieve" { "-rwxr-xr-x" } else { "-rw-r--r--" };
        assert_eq!((row[0], row[1], row[3]), (mode, "0/0", "1980-01-01"), "{listed}");
    }
    // What the Action does with it.
    let status =
        Command::new("tar").arg("-xzf").arg(&first).arg("-C").arg(runner.path("temp")).arg("diffsieve").status();
    assert!(status.unwrap().success());
    let output = Command::new(runner.path("temp/diffsieve")).arg("--version").output().unwrap();
    assert_eq!(said(&output), "diffsieve packed\n");
    let windows = package(&runner, "x86_64-pc-windows-msvc", "one");
    let listed = Command::new("tar").arg("-tzf").arg(windows).output().unwrap();
    assert!(said(&listed).starts_with("diffsieve.exe\n"));
}

#[test]
fn sums_and_the_list_of_released_binaries() {
    let project = project("1.2.3", "1.2.3", CHANGELOG);
    let dist = project.path().join("dist");
    fs::create_dir(&dist).unwrap();
    let dist_name = dist.to_str().unwrap();
    assert!(!run(project.path(), "sums", &[dist_name]).status.success(), "an empty folder has no sums");
    let targets = [
        "x86_64-unknown-linux-musl",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
    ];
    for target in targets {
        fs::write(dist.join(format!("diffsieve-1.2.3-{target}.tar.gz")), target).unwrap();
    }
    fs::write(dist.join("diffsieve-1.2.3-py3-none-win_amd64.whl"), "w").unwrap();
    fs::write(dist.join("notes.txt"), "n").unwrap();
    said(&run(project.path(), "sums", &[dist_name]));
    let sums = fs::read_to_string(dist.join("SHA256SUMS")).unwrap();
    assert_eq!(sums.lines().count(), 6);
    let checked = Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&dist).output();
    said(&checked.unwrap());

    let list = project.path().join(".github/action/prebuilt");
    let comments = fs::read_to_string(&list).unwrap();
    let old = "1.2.2 x86_64-apple-darwin 00 aa\n";
    fs::write(&list, format!("{comments}{old}1.2.3 x86_64-apple-darwin 11 bb\n")).unwrap();
    let sums_name = dist.join("SHA256SUMS");
    let sums_name = sums_name.to_str().unwrap();
    let made = said(&run(project.path(), "prebuilt", &[sums_name]));
    let sources = Command::new("bash").arg(project.path().join(".github/action/sources")).output().unwrap();
    let sources = said(&sources);
    let mut wanted = format!("{comments}{old}");
    for target in targets {
        let sum = sums.lines().find(|line| line.ends_with(&format!("-{target}.tar.gz"))).unwrap();
        wanted.push_str(&format!("1.2.3 {target} {} {}\n", &sum[..64], sources.trim()));
    }
    assert_eq!(made, wanted);
    // A second time changes nothing.
    fs::write(&list, &made).unwrap();
    assert_eq!(said(&run(project.path(), "prebuilt", &[sums_name])), made);
    // A target without an archive is an error, not a gap.
    fs::write(
        dist.join("SHA256SUMS"),
        sums.lines().filter(|line| !line.contains("windows")).fold(String::new(), |all, line| all + line + "\n"),
    )
    .unwrap();
    let output = run(project.path(), "prebuilt", &[sums_name]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("x86_64-pc-windows-msvc"));
}

/// A `gh` that keeps what it is told in files.
const GH: &str = r#"#!/bin/sh
echo "$*" >>"$GH_STATE/calls"
case "$1 $2" in
"release create") shift 2; while [ "$1" != -- ]; do shift; done; shift; printf '%s\n' "$@" >"$GH_STATE/assets" ;;
"release view") cat "$GH_STATE/assets"; [ -z "$GH_MORE" ] || echo more ;;
esac
"#;

#[test]
fn a_release_is_public_only_when_every_file_is_there() {
    let runner = Runner::empty();
    let project = project("1.2.3", "1.2.3", CHANGELOG);
    let script = ".github/release/publish";
    fs::copy(Path::new(ROOT).join(script), project.path().join(script)).unwrap();
    let dist = project.path().join("dist");
    fs::create_dir(&dist).unwrap();
    for name in ["a.tar.gz", "b.whl"] {
        fs::write(dist.join(name), name).unwrap();
    }
    said(&run(project.path(), "sums", &[dist.to_str().unwrap()]));
    runner.program("gh", GH);
    let publish = |more: &str| {
        drop(fs::remove_file(runner.path("temp/calls")));
        let path = format!("{}:{}", runner.path("bin").display(), std::env::var("PATH").unwrap());
        let output = Command::new("bash")
            .arg(project.path().join(script))
            .args(["v1.2.3", "dist"])
            .current_dir(project.path())
            .env_clear()
            .env("PATH", path)
            .env("GH_STATE", runner.path("temp"))
            .env("GH_MORE", more)
            .output()
            .unwrap();
        (output, fs::read_to_string(runner.path("temp/calls")).unwrap_or_default())
    };
    let (output, calls) = publish("");
    said(&output);
    let calls: Vec<&str> = calls.lines().collect();
    assert!(calls[0].starts_with("release create v1.2.3 --draft --verify-tag "), "{calls:?}");
    assert!(calls[0].ends_with(" -- a.tar.gz b.whl SHA256SUMS"), "{calls:?}");
    assert_eq!(*calls.last().unwrap(), "release edit v1.2.3 --draft=false");
    let (output, calls) = publish("x");
    assert!(!output.status.success() && !calls.contains("release edit"), "{calls}");
    fs::write(dist.join("a.tar.gz"), "changed on the way").unwrap();
    let (output, calls) = publish("");
    assert!(!output.status.success() && calls.is_empty(), "{calls}");
}

/// The names that the archive gets are those that the Action and cargo-binstall ask for.
#[test]
fn one_name_for_an_archive() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let archive = "/releases/download/v{ version }/diffsieve-{ version }-{ target }.tar.gz";
    assert_eq!(binstall["pkg-url"].as_str(), Some(format!("{{ repo }}{archive}").as_str()));
    assert_eq!(binstall["bin-dir"].as_str(), Some("{ bin }{ binary-ext }"));
    assert!(read(".github/action/build").contains("/releases/download/v$1/diffsieve-$1-$target.tar.gz"));
    assert!(read(".github/release/package").contains("diffsieve-$version-$target.tar.gz"));
    // The matrix builds what the Action knows.
    let (build, workflow) = (read(".github/action/build"), read(".github/workflows/release.yml"));
    let known: Vec<&str> = build
        .split(" target=")
        .skip(1)
        .filter_map(|rest| rest.split(" ;;").next())
        .filter(|name| !name.is_empty())
        .collect();
    let known: Vec<&str> = known.into_iter().filter(|name| name.contains('-') && !name.contains('\n')).collect();
    assert_eq!(known.len(), 5, "{known:?}");
    for target in known {
        assert!(workflow.contains(&format!("{{target: {target}, os: ")), "{target} is not built");
    }
    // The wheel's words are Cargo.toml's.
    let project: toml::Table = read("pyproject.toml").parse().unwrap();
    for key in ["name", "description", "license", "keywords"] {
        assert_eq!(project["project"][key], manifest["package"][key], "{key}");
    }
}
