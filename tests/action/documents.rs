//! What action.yml, its scripts, the documents and the workflows say of one another.

use crate::runner::read;

/// What is declared is set, and what is set is declared.
#[test]
fn action_yml_and_its_scripts_agree() {
    let action = read("action.yml");
    let review = read(".github/action/review");
    let build = read(".github/action/build");
    let declared: Vec<&str> = words(&action, "steps.review.outputs.").filter(|name| *name != "exit-code").collect();
    for name in &declared {
        assert!(review.contains(&format!("'{name}=%s\\n'")), "{name} is declared but never set");
    }
    for name in words(&review, "printf '").filter(|name| review.contains(&format!("'{name}=%s\\n'"))) {
        assert!(name == "exit-code" || declared.contains(&name), "{name} is set but not declared");
    }
    for name in words(&action, "inputs.") {
        let variable = format!("DIFFSIEVE_ACTION_{}", name.to_uppercase().replace('-', "_"));
        assert!(
            action.contains(&format!("{variable}: ${{{{ inputs.{name} }}}}")),
            "{name} is not passed as {variable}"
        );
        assert!(review.contains(&variable) || build.contains(&variable), "{variable} is not read");
    }
}

#[test]
fn the_publishing_action_and_its_script_agree() {
    let action = read("publish/action.yml");
    let scripts = [read(".github/action/publish"), read(".github/action/build")].concat();
    let inputs: Vec<&str> = words(&action, "inputs.").collect();
    assert_eq!(inputs, ["version", "report", "pr", "max-comments"]);
    for name in inputs {
        let variable = format!("DIFFSIEVE_ACTION_{}", name.to_uppercase().replace('-', "_"));
        assert!(action.contains(&format!("{variable}: ${{{{ inputs.{name} }}}}")), "{name} is not passed");
        assert!(scripts.contains(&variable), "{variable} is not read");
    }
    // Both provide the program in the same way.
    let step = |text: &str| {
        let begin = text.find("    - name: Provide diffsieve").unwrap();
        let end = begin + text[begin..].find("      run:").unwrap();
        text[begin..end].to_owned()
    };
    assert_eq!(step(&action), step(&read("action.yml")));
}

/// The digest covers whatever is compiled in: the folders and files that the package includes.
#[test]
fn the_digest_covers_what_the_program_is_made_of() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let script = read(".github/action/sources");
    let covered = script.split("find ").nth(1).unwrap().split(" -type f").next().unwrap();
    for pattern in manifest["package"]["include"].as_array().unwrap() {
        let root = pattern
            .as_str()
            .unwrap()
            .trim_end_matches("/**")
            .trim_end_matches("/*.yml")
            .trim_end_matches("/report.json");
        let is_paper = root.ends_with(".md") || root.starts_with("LICENSE");
        assert!(is_paper || covered.split(' ').any(|name| name == root), "{root} is not covered");
    }
}

/// Expressions are put into a script's text before a shell reads it, whatever they hold.
#[test]
fn no_script_holds_an_expression() {
    let mut files = vec!["action.yml".to_owned(), "publish/action.yml".to_owned()];
    for folder in [".github/workflows", "docs/workflows"] {
        for entry in std::fs::read_dir(format!("{}/{folder}", crate::runner::ROOT)).unwrap() {
            files.push(format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap()));
        }
    }
    assert!(files.len() > 9);
    for file in files {
        let text = read(&file);
        let mut inside: Option<usize> = None;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let depth = line.len() - line.trim_start_matches([' ', '-']).len();
            if inside.is_some_and(|start| depth <= start) {
                inside = None;
            }
            if line.trim_start_matches([' ', '-']).starts_with("run:") && !line.trim_end().ends_with("run:") {
                inside = Some(depth);
            }
            assert!(inside.is_none() || !line.contains("${{"), "{file}: {line}");
        }
    }
}

/// Every example is complete: least privilege, pinned, one run a pull request, no credentials left in the checkout.
#[test]
fn the_example_workflows_keep_the_rules_they_teach() {
    let mut seen = 0;
    for entry in std::fs::read_dir(format!("{}/docs/workflows", crate::runner::ROOT)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let text = read(&format!("docs/workflows/{name}"));
        if !text.contains("\non:") {
            continue; // of another service
        }
        assert!(text.starts_with("# "), "{name} does not say what it is for");
        assert!(text.contains("\npermissions: {}\n"), "{name}: permissions");
        assert!(text.contains("\nconcurrency:\n"), "{name}: concurrency");
        assert_eq!(
            text.matches("uses: actions/checkout@").count(),
            text.matches("persist-credentials: false").count(),
            "{name}"
        );
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            let (_, pin) = line.split_once('@').unwrap_or_else(|| panic!("{name}: {line}"));
            let (commit, version) = pin.split_once(" # v").unwrap_or_else(|| panic!("{name}: {line}"));
            assert!(commit.len() == 40 && commit.bytes().all(|c| c.is_ascii_hexdigit()), "{name}: {line}");
            assert!(!version.is_empty());
        }
        for line in text.lines().filter(|line| line.trim_end().contains(": write")) {
            assert!(line.contains(" # "), "{name}: `{line}` does not say what for");
        }
        // Only inputs that there are.
        let inputs = [read("action.yml"), read("publish/action.yml")].concat();
        for block in text.split("uses: OWNER/diffsieve").skip(1) {
            let with = block.split("        with:\n").nth(1).unwrap_or_default();
            for line in with.lines().take_while(|line| line.starts_with("          ")) {
                let key = line.trim().split(':').next().unwrap();
                assert!(key.starts_with('#') || inputs.contains(&format!("\n  {key}:\n")), "{name}: {key}");
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 7);
    // Who writes comments never has the change on its disk.
    let publish = read("docs/workflows/publish.yml");
    assert!(!publish.contains("actions/checkout") && !publish.contains("contents: write"));
    assert!(!read("docs/workflows/review.yml").contains(": write"));
}

/// The names that follow `prefix`.
fn words<'t>(text: &'t str, prefix: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(prefix).skip(1).map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(rest.len());
        &rest[..end]
    })
}
