//! `diffsieve init`: what a repository needs for its first review. Asks nothing, changes nothing that is there.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use diffsieve::config;
use diffsieve::git::Repository;
use diffsieve::hook;

use super::args::{CiName, HookName, InitArgs};
use super::exit::Exit;
use super::hook::manage;
use super::{Failure, env, output};

/// The configuration: every value is the one that counts without it.
const CONFIG: &str = include_str!("init.toml");

/// Where the workflow of GitHub lies.
pub(super) const WORKFLOW: &str = ".github/workflows/diffsieve.yml";

/// A file for a CI service.
struct Service {
    name: CiName,
    /// Where its file lies.
    path: &'static str,
    text: &'static str,
    /// What the host of a remote has in its name that is served by it.
    hosts: &'static [&'static str],
    /// What is there where the service is used already.
    sign: &'static str,
    /// What is left to do.
    next: &'static str,
}

const SERVICES: [Service; 4] = [
    Service {
        name: CiName::Github,
        path: WORKFLOW,
        text: include_str!("../../docs/workflows/gate.yml"),
        hosts: &["github"],
        sign: ".github",
        next: "name the Action's repository and commit in it (OWNER/diffsieve@…), then make its job a required check",
    },
    Service {
        name: CiName::Gitlab,
        path: ".gitlab-ci.yml",
        text: include_str!("../../docs/workflows/gitlab.yml"),
        hosts: &["gitlab"],
        sign: ".gitlab-ci.yml",
        next: "let merge requests need a successful pipeline (Settings, Merge requests, Pipelines must succeed)",
    },
    Service {
        name: CiName::Azure,
        path: "azure-pipelines.yml",
        text: include_str!("../../docs/workflows/azure.yml"),
        hosts: &["dev.azure.com", "visualstudio.com"],
        sign: "azure-pipelines.yml",
        next: "add it as a build validation policy of the target branch",
    },
    Service {
        name: CiName::Bitbucket,
        path: "bitbucket-pipelines.yml",
        text: include_str!("../../docs/workflows/bitbucket.yml"),
        hosts: &["bitbucket"],
        sign: "bitbucket-pipelines.yml",
        next: "let merges need a successful build (Repository settings, Branch restrictions)",
    },
];

pub(super) fn run(args: &InitArgs) -> Result<Exit, Failure> {
    let repo = Repository::open(super::start(args.directory.as_deref()), &env::var)?;
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
        } else if write_new(root, path, text)? {
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
    if service.is_none() && args.ci != Some(CiName::None) {
        output::say("no CI file: the remote's host is none that is known; --ci names a service");
    }
    if let Some(service) = service {
        output::say(&format!("next: {}", service.next));
    }
    output::say("`diffsieve doctor` looks at what a review needs; `diffsieve` reviews this branch");
    Ok(Exit::Passed)
}

/// The service that is asked for, else the one whose file is there, else the one that serves the remote; GitHub where there is
/// no remote.
fn service(asked: Option<CiName>, root: &Path, remote: Option<&str>) -> Option<&'static Service> {
    let named = |name| SERVICES.iter().find(|service| service.name == name);
    if let Some(name) = asked {
        return named(name);
    }
    let used = SERVICES.iter().find(|service| root.join(service.sign).exists());
    let Some(host) = remote.map(host) else { return used.or_else(|| named(CiName::Github)) };
    let serves = |service: &&Service| service.hosts.iter().any(|name| host.contains(name));
    used.or_else(|| SERVICES.iter().find(serves))
}

/// The host of an address, `https://user@host:1/path` or `user@host:path`.
fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = rest[..end].rsplit_once('@').map_or(&rest[..end], |(_, host)| host);
    authority.split(':').next().unwrap_or_default().to_ascii_lowercase()
}

/// Writes a file that is not there yet, and its folders; tells whether it did. No link is followed: one that the repository
/// brings along may lead anywhere.
fn write_new(root: &Path, path: &str, text: &str) -> anyhow::Result<bool> {
    let file = root.join(path);
    let named = || format!("`{path}` cannot be written; `diffsieve init --print` prints what belongs there");
    let mut folder = root.to_owned();
    let parts: Vec<&str> = path.split('/').collect();
    for part in &parts[..parts.len() - 1] {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(anyhow!("`{}` is no folder", super::shown(&folder))).with_context(named),
            Err(_) => fs::create_dir(&folder).with_context(named)?,
        }
    }
    // Who else writes it at this moment keeps what he wrote.
    match File::create_new(&file) {
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
        assert_eq!(name(None, Some("https://gitlab.com/acme/github-mirror.git")), Some(CiName::Gitlab));
        assert_eq!(name(None, Some("git@ssh.dev.azure.com:v3/github/p/r")), Some(CiName::Azure));
        assert_eq!(name(None, Some("https://me:secret@acme.visualstudio.com/p/_git/r")), Some(CiName::Azure));
        assert_eq!(name(None, Some("ssh://git@code.example.org:7999/github/r.git")), None);
        fs::write(root.path().join("bitbucket-pipelines.yml"), "").expect("a file");
        assert_eq!(name(None, Some("https://github.com/a/b")), Some(CiName::Bitbucket));
    }
}
