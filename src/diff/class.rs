//! What a path and the attributes of the base tip say of a file: generated, vendored, a lock file. Names follow
//! GitHub's linguist where it lists them (`generated.rb`, `vendor.yml`), reduced to those that cannot be mistaken.

use super::PathClass;
use crate::finding::RepoPath;
use crate::git::Flags;

/// Lock files by full name.
const LOCKS: &[&str] = &[
    "Cargo.lock",
    "Gemfile.lock",
    "MODULE.bazel.lock",
    "Package.resolved",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "bun.lockb",
    "buf.lock",
    "cabal.project.freeze",
    "composer.lock",
    "conan.lock",
    "deno.lock",
    "devbox.lock",
    "flake.lock",
    "go.sum",
    "go.work.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "paket.lock",
    "pdm.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "pylock.toml",
    "uv.lock",
    "yarn.lock",
    ".terraform.lock.hcl",
];

/// Endings of generated files.
const GENERATED: &[&str] = &[
    ".designer.cs",
    ".Designer.cs",
    ".css.map",
    ".freezed.dart",
    ".g.cs",
    ".g.dart",
    ".gr.dart",
    ".js.map",
    ".min.css",
    ".min.js",
    ".min.mjs",
    ".mocks.dart",
    ".pb.cc",
    ".pb.go",
    ".pb.gw.go",
    ".pb.h",
    ".pb.swift",
    ".pbobjc.h",
    ".pbobjc.m",
    ".snap",
    ".snap.new",
    "_generated.go",
    "_grpc.pb.go",
    "_pb.js",
    "_pb.d.ts",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
    "_string.go",
    ".xcworkspacedata",
    ".pbxproj",
];

/// Folders of generated files.
const GENERATED_FOLDERS: &[&str] = &["__generated__", "__snapshots__"];

/// Folders of other people's code, at any depth.
const VENDORED: &[&str] =
    &["bower_components", "node_modules", "third_party", "third-party", "vendor", "vendored", "Pods", "Carthage"];

/// Folders of other people's code by the folder around them: what Yarn puts into a repository of itself.
const VENDORED_PAIRS: &[(&str, &str)] = &[(".yarn", "releases"), (".yarn", "plugins")];

/// The class of a path; what the attributes say beats the name, in both directions.
pub fn classify(path: &RepoPath, flags: Flags) -> PathClass {
    let bytes = path.bytes();
    let name = path.file_name();
    let folders = bytes.strip_suffix(name).unwrap_or_default();
    let in_folder = |known: &[&str]| {
        folders.split(|byte| *byte == b'/').any(|part| known.iter().any(|name| name.as_bytes() == part))
    };
    let in_pair = || {
        let parts: Vec<_> = folders.split(|byte| *byte == b'/').collect();
        let is_known = |outer: &[u8], inner: &[u8]| {
            VENDORED_PAIRS.iter().any(|(a, b)| a.as_bytes() == outer && b.as_bytes() == inner)
        };
        parts.windows(2).any(|pair| is_known(pair[0], pair[1]))
    };
    let generated = || GENERATED.iter().any(|end| ends(name, end)) || in_folder(GENERATED_FOLDERS);
    PathClass {
        generated: flags.generated.unwrap_or_else(generated),
        vendored: flags.vendored.unwrap_or_else(|| in_folder(VENDORED) || in_pair()),
        lock: LOCKS.iter().any(|lock| lock.as_bytes() == name),
        diff_off: flags.diff_off,
    }
}

/// Whether a runner of GitHub reads the file as a workflow or as an action. The class `workflow` of the packs.
pub fn is_workflow(path: &RepoPath) -> bool {
    let name = path.file_name();
    let folder = path.bytes().strip_suffix(name).unwrap_or_default();
    let in_folder = folder == b".github/workflows/" || folder.ends_with(b"/.github/workflows/");
    matches!(name, b"action.yml" | b"action.yaml") || (in_folder && (ends(name, ".yml") || ends(name, ".yaml")))
}

/// Whether a name has more than this ending.
fn ends(name: &[u8], end: &str) -> bool {
    name.len() > end.len() && name.ends_with(end.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(path: &str) -> PathClass {
        classify(&RepoPath::from(path), Flags::default())
    }

    #[test]
    fn names_classify() {
        assert!(class("a/b/api.pb.go").generated);
        assert!(class("x_pb2.py").generated);
        assert!(class("web/__snapshots__/a.test.js").generated);
        assert!(!class("min.js").generated && !class(".min.js").generated);
        assert!(class("vendor/github.com/x/y.go").vendored);
        assert!(class("web/node_modules/x/index.js").vendored);
        assert!(class(".yarn/releases/yarn-4.1.0.cjs").vendored && class("web/.yarn/plugins/@yarnpkg/a.cjs").vendored);
        assert!(!class(".yarn/patches/a.patch").vendored && !class("releases/a.js").vendored);
        assert!(!class("vendor").vendored && !class("src/vendor.rs").vendored);
        assert!(class("a/Cargo.lock").lock && class("go.sum").lock);
        assert!(!class("src/lock.rs").lock);
    }

    #[test]
    fn workflows_stand_in_their_folder() {
        for path in [".github/workflows/a.yml", "sub/.github/workflows/a.yaml", "action.yml", "actions/x/action.yaml"] {
            assert!(is_workflow(&RepoPath::from(path)), "{path}");
        }
        for path in [
            ".github/dependabot.yml",
            "x.github/workflows/a.yml",
            ".github/workflows/a/b.yml",
            "my-action.yml",
            "a.yml",
        ] {
            assert!(!is_workflow(&RepoPath::from(path)), "{path}");
        }
    }

    #[test]
    fn attributes_beat_names() {
        let flags = Flags { generated: Some(false), vendored: Some(true), diff_off: true };
        let class = classify(&RepoPath::from("a.pb.go"), flags);
        assert!(!class.generated && class.vendored && class.diff_off);
    }
}
