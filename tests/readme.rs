//! What README.md and the pages of the book say can be done can be done.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(name: &str) -> String {
    fs::read_to_string(format!("{ROOT}/{name}")).unwrap()
}

/// The fenced blocks of a language in the README.
fn blocks(language: &str) -> Vec<String> {
    blocks_of("README.md", language)
}

/// The fenced blocks of a language in a page.
fn blocks_of(page: &str, language: &str) -> Vec<String> {
    let text = read(page);
    let open = format!("```{language}");
    let (mut found, mut block) = (Vec::new(), None);
    for line in text.lines() {
        match &mut block {
            None if line == open => block = Some(String::new()),
            None => {}
            Some(_) if line == "```" => found.extend(block.take()),
            Some(block) => {
                block.push_str(line);
                block.push('\n');
            }
        }
    }
    assert!(block.is_none(), "{page}: a block of {language} is not closed");
    found
}

/// The repository of the picture.
struct Scratch {
    temp: TempDir,
}

impl Scratch {
    fn new() -> Self {
        let temp = TempDir::new().unwrap();
        let status = Command::new(format!("{ROOT}/.ci/scratch")).arg(temp.path().join("stock")).status().unwrap();
        assert!(status.success());
        Self { temp }
    }

    fn dir(&self) -> PathBuf {
        self.temp.path().join("stock")
    }

    fn run(&self, arguments: &[String]) -> Output {
        run(&self.dir(), self.temp.path(), arguments)
    }
}

fn run(dir: &Path, home: &Path, arguments: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_diffsieve"))
        .current_dir(dir)
        .env_clear()
        .env("HOME", home)
        .args(arguments)
        .output()
        .unwrap()
}

/// Splits at blanks outside of double quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The pages that people write, by their paths.
fn pages() -> Vec<String> {
    let generated = ["cli.md", "rules.md", "faults.md"];
    let files = fs::read_dir(format!("{ROOT}/docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let pages = files.map(|name| name.into_string().unwrap());
    let mut pages: Vec<String> = pages
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md" && !generated.contains(&name.as_str()))
        .map(|name| format!("docs/{name}"))
        .collect();
    pages.push("README.md".to_owned());
    pages.sort();
    pages
}

/// Nobody is asked in a test: what would ask a model says what it would ask.
fn asking_nobody(mut arguments: Vec<String>) -> Vec<String> {
    if arguments.iter().any(|argument| argument == "--model") && !arguments.contains(&"--dry-run".to_owned()) {
        arguments.push("--dry-run".to_owned());
    }
    arguments
}

#[test]
fn every_command_of_the_pages_works() {
    let mut commands = 0;
    for page in pages() {
        for block in blocks_of(&page, "console") {
            let scratch = Scratch::new();
            for line in block.lines() {
                let Some(arguments) = line.strip_prefix("$ diffsieve") else {
                    panic!("{page}: `{line}` is no command of diffsieve")
                };
                let arguments = arguments.split("  #").next().unwrap();
                let output = scratch.run(&asking_nobody(words(arguments)));
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(matches!(output.status.code(), Some(0 | 1)), "{page}: `{line}`: {:?}: {said}", output.status);
                commands += 1;
            }
        }
    }
    assert!(commands > 40, "only {commands} commands found");
}

/// Every page is in the book, and every link of a page leads somewhere.
#[test]
fn the_book_is_whole() {
    let summary = read("docs/SUMMARY.md");
    for page in pages().iter().filter_map(|page| page.strip_prefix("docs/")) {
        assert!(summary.contains(&format!("({page})")), "{page} is not in docs/SUMMARY.md");
    }
    for page in pages().into_iter().chain(["docs/SUMMARY.md".to_owned()]) {
        let folder = Path::new(ROOT).join(&page).parent().unwrap().to_owned();
        let text = read(&page);
        for target in text.split("](").skip(1).map(|part| part.split(')').next().unwrap()) {
            let file = target.split('#').next().unwrap();
            let is_elsewhere = target.starts_with("https://") || file.is_empty();
            assert!(is_elsewhere || folder.join(file).exists(), "{page}: {target} is missing");
        }
    }
}

/// Configuration that a page shows is valid.
#[test]
fn the_settings_of_the_pages_are_valid() {
    for page in pages() {
        for block in blocks_of(&page, "toml") {
            let scratch = Scratch::new();
            let path = scratch.temp.path().join(".config/diffsieve/config.toml");
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &block).unwrap();
            let output = scratch.run(&["rules".to_owned(), "list".to_owned()]);
            assert!(output.status.success(), "{page}:\n{block}\n{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn the_configuration_of_the_readme_is_valid_and_lowers_the_tag() {
    let [config] = blocks("toml").try_into().unwrap();
    let scratch = Scratch::new();
    fs::write(scratch.dir().join("diffsieve.toml"), config).unwrap();
    let output = scratch.run(&["--format".to_owned(), "text".to_owned()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("warning[IsLiteral]"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_pack_of_the_readme_is_valid_and_fires() {
    let pack = blocks("yaml").into_iter().find(|block| block.starts_with("pack:")).unwrap();
    let scratch = Scratch::new();
    let folder = scratch.dir().join(".diffsieve/rules");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("ours.yml"), pack).unwrap();
    for subcommand in ["test", "lint"] {
        let output = scratch.run(&["rules".to_owned(), subcommand.to_owned()]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{subcommand}: {text}{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(scratch.run(&[]).stdout).unwrap();
    assert!(text.contains("warning[NoTimeout]"), "{text}");
}

/// The finding that the README explains is the one that the program prints.
#[test]
fn the_finding_of_the_readme_is_real() {
    let shown = blocks("text").into_iter().find(|block| block.starts_with("error[")).unwrap();
    let real = String::from_utf8(Scratch::new().run(&[]).stdout).unwrap();
    for line in shown.lines().filter(|line| *line != "...") {
        // The explanation stands to the right, after many blanks.
        let printed = line.split("      ").next().filter(|part| !part.trim().is_empty()).unwrap_or(line).trim_end();
        assert!(real.contains(printed) || real.contains(line), "`{printed}` is not printed:\n{real}");
    }
}

/// The picture shows what the program prints now.
#[test]
fn the_picture_is_up_to_date() {
    let picture = read("docs/review.svg").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let real = String::from_utf8(Scratch::new().run(&[]).stdout).unwrap();
    for line in real.lines().filter(|line| {
        let text = line.trim_start();
        line.starts_with("error[")
            || line.starts_with("warning[")
            || text.starts_with("= ")
            || text.starts_with("accept ")
    }) {
        for part in line.split(": ").map(str::trim) {
            assert!(picture.contains(part), "run docs/picture.py: `{part}` is not in docs/review.svg");
        }
    }
}

#[test]
fn the_exit_codes_are_those_of_the_program() {
    let readme = read("README.md");
    let help = String::from_utf8(run(Path::new(ROOT), Path::new("/"), &["--help".to_owned()]).stdout).unwrap();
    let table: Vec<_> = help.lines().skip_while(|line| *line != "Exit codes:").skip(1).map(str::trim).collect();
    assert!(table.len() >= 4);
    for line in table {
        let (code, meaning) = line.split_once("  ").unwrap();
        let row = readme.lines().find(|row| row.starts_with(&format!("| {code} |"))).unwrap_or_default();
        let begin = meaning.split([';', ':']).next().unwrap();
        assert!(row.contains(begin), "exit code {code}: `{begin}` is not in `{row}`");
    }
}

#[test]
fn the_oldest_rust_is_the_one_of_the_readme() {
    let readme = read("README.md");
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let oldest = manifest["package"]["rust-version"].as_str().unwrap();
    assert!(readme.contains(&format!("Rust {oldest} or newer")), "the oldest Rust is {oldest}");
}
