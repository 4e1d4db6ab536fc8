//! `diffsieve init`: what a repository needs for its first review. Asks nothing, changes nothing that is there.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use diffsieve::config;
use diffsieve::git::Repository;
use diffsieve::hook;

use super::args::{CiName, HookName, InitArgs};
use super::exit::Exit;
use super::hook::manage;
use super::{Failure, env, output};

/// The configuration: every value is the one that counts without it.
const CONFIG: &str = include_str!("init.toml");

/// A file for a CI service.
struct Service {
    name: CiName,
    /// Where its file lies.
    path: &'static str,
    text: &'static str,
    /// What the address of a remote has in it that is served by it.
    host: &'static str,
    /// What is there where the service is used already.
    sign: &'static str,
    /// What is left to do.
    next: &'static str,
}

const SERVICES: [Service; 4] = [
    Service {
        name: CiName::Github,
        path: ".github/workflows/diffsieve.yml",
        text: include_str!("../../docs/workflows/gate.yml"),
        host: "github",
        sign: ".github",
        next: "name the Action's repository and commit in it (OWNER/diffsieve@…), then make its job a required check",
    },
    Service {
        name: CiName::Gitlab,
        path: ".gitlab-ci.yml",
        text: include_str!("../../docs/workflows/gitlab.yml"),
        host: "gitlab",
        sign: ".gitlab-ci.yml",
        next: "let merge requests need a successful pipeline (Settings, Merge requests, Pipelines must succeed)",
    },
    Service {
        name: CiName::Azure,
        path: "azure-pipelines.yml",
        text: include_str!("../../docs/workflows/azure.yml"),
        host: "dev.azure.com",
        sign: "azure-pipelines.yml",
        next: "add it as a build validation policy of the target branch",
    },
    Service {
        name: CiName::Bitbucket,
        path: "bitbucket-pipelines.yml",
        text: include_str!("../../docs/workflows/bitbucket.yml"),
        host: "bitbucket",
        sign: "bitbucket-pipelines.yml",
        next: "let merges need a successful build (Repository settings, Branch restrictions)",
    },
];

pub(super) fn run(args: &InitArgs) -> Result<Exit, Failure> {
    let dir = args.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let repo = Repository::open(&dir, &env::var)?;
    let root = repo.root().ok_or(diffsieve::git::Error::Bare)?;
    let service = service(args.ci, root, repo.remote_url("origin").as_deref());
    let files = [(config::FILES[0], CONFIG)].into_iter().chain(service.map(|service| (service.path, service.text)));
    if args.print {
        let script = hook::Event::PrePush.script();
        let hook = Some(("the hook pre-push", script)).filter(|_| !args.no_hook);
        let text: String = files.chain(hook).map(|(path, text)| format!("# --- {path}\n{text}\n")).collect();
        return super::print(&text);
    }
    for (path, text) in files {
        // A second configuration would decide in the place of the first.
        let other = config::FILES.into_iter().find(|file| path == config::FILES[0] && root.join(file).exists());
        if let Some(other) = other {
            output::say(&format!("{other} is there already: kept"));
        } else if write_new(&root.join(path), text)? {
            output::say(&format!("{path} written"));
        } else {
            let hint = "`diffsieve init --print` prints what would be added to it";
            output::say(&format!("{path} is there already: kept; {hint}"));
        }
    }
    // Its refusal says what to do instead, and the rest stands without it.
    if !args.no_hook
        && let Err(failure) = manage::install(&[HookName::PrePush], false, false, args.directory.clone())
    {
        failure.lines().iter().for_each(|line| output::say(line));
    }
    if let Some(service) = service {
        output::say(&format!("next: {}", service.next));
    }
    output::say("`diffsieve doctor` looks at what a review needs; `diffsieve` reviews this branch");
    Ok(Exit::Passed)
}

/// The service that is asked for, else the one whose file is there, else the one that serves the remote, else GitHub.
fn service(asked: Option<CiName>, root: &Path, remote: Option<&str>) -> Option<&'static Service> {
    let named = |name| SERVICES.iter().find(|service| service.name == name);
    if let Some(name) = asked {
        return named(name);
    }
    let host = remote.map(str::to_ascii_lowercase).unwrap_or_default();
    let used = SERVICES.iter().find(|service| root.join(service.sign).exists());
    let serves = || SERVICES.iter().find(|service| host.contains(service.host));
    used.or_else(serves).or_else(|| named(CiName::Github))
}

/// Writes a file that is not there yet, and its folders; tells whether it did.
fn write_new(path: &Path, text: &str) -> anyhow::Result<bool> {
    let named = || format!("`{}` cannot be written", super::shown(path));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(named)?;
    }
    // Who else writes it at this moment keeps what he wrote.
    match File::create_new(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true).with_context(named),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).with_context(named),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_init_writes_says_what_counts_without_it() {
        let mut problems = Vec::new();
        let file = config::File { name: "init.toml".to_owned(), text: CONFIG.to_owned(), of_user: false };
        let written = config::Config::of(&[file], &mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        let none = config::Config::of(&[], &mut problems);
        assert_eq!(format!("{written:?}"), format!("{none:?}"));
    }

    #[test]
    fn the_service_that_is_used_or_serves_the_remote() {
        let root = tempfile::tempdir().expect("a folder");
        let name = |asked, remote: Option<&str>| service(asked, root.path(), remote).map(|service| service.name);
        assert_eq!(name(None, None), Some(CiName::Github));
        assert_eq!(name(None, Some("git@gitlab.example.org:a/b.git")), Some(CiName::Gitlab));
        assert_eq!(name(None, Some("https://dev.azure.com/a/_git/b")), Some(CiName::Azure));
        assert_eq!(name(Some(CiName::None), Some("https://github.com/a/b")), None);
        fs::write(root.path().join("bitbucket-pipelines.yml"), "").expect("a file");
        assert_eq!(name(None, Some("https://github.com/a/b")), Some(CiName::Bitbucket));
    }
}
