//! `diffsieve context`: what would leave the machine, byte for byte.

use super::program::Place;

/// A change of a Python file with a credential, of a file that is never shown, and of a lock file.
fn place() -> Place {
    let place = Place::with(&[("app.py", "import os\n\ndef fetch(name):\n    return name\n"), (".env", "A=1\n")]);
    // In two pieces, so that no scanner takes this file for a leak.
    let token = ["gh", "p_9Xk2LmQ7vR4tY8wZ1aBcD3eFgH5jKnP6sTuV"].concat();
    let code = format!(
        "import os\n\ndef fetch(name, mode):\n    key = '{token}'\n    # ##[error]x\n    return name, mode, key\n"
    );
    place.write("app.py", code);
    place.write(".env", "A=2\n");
    place.write("yarn.lock", "x\n");
    place.commit("topic");
    place
}

#[test]
fn the_page_is_on_standard_output_and_the_rest_is_said() {
    let place = place();
    let ran = place.run(["context"]);
    ran.fails(
        0,
        &[
            "main...HEAD",
            "1 chunks, about ",
            "chunk 1 of 1, about ",
            "1 hunks in app.py, id ",
            "1 values hidden",
            "not shown: .env (denied)",
            "not shown: yarn.lock (lock)",
        ],
    );
    let page = &ran.text();
    assert!(page.contains("3+ def fetch(name, mode):\n4+     key = 'ghp_‹secret:1›'\n"), "{page}");
    assert!(page.contains("- def fetch(name):\n") && page.contains("##[error]x"), "{page}");
    assert!(page.contains("| ~ def fetch(name) -> def fetch(name, mode)\n"), "{page}");
    assert!(!page.contains("9Xk2") && !page.contains("A=2"), "{page}");
    assert_eq!(place.run(["context"]).text(), *page, "the same change makes the same bytes");
    let patch = place.git(["diff", "main...HEAD"]) + "\n";
    assert_eq!(place.program(["context", "--patch", "-"]).fed(patch).run().text(), *page, "from a patch too");
}

#[test]
fn layers_forms_and_budgets() {
    let place = place();
    let inside = |line: &str| {
        let lines: String = (0..30).map(|n| format!("    x = x + {n}\n")).collect();
        format!("def g(x):\n{lines}{line}{lines}    return x\n")
    };
    let long = Place::with(&[("g.py", &inside("    pass\n"))]);
    long.write("g.py", inside("    x = 1 / x\n"));
    long.commit("topic");
    let base = |layers: &str| long.run(["context", "--context", layers]).text().contains(" BASE");
    assert_eq!((base("A"), base("b")), (false, true));
    assert!(!place.run(["context", "--context", "none"]).text().contains(" KEY changes"));
    let numbered = place.run(["context", "--format", "cqs", "--context", "none"]).text();
    assert!(numbered.contains("3 +def fetch(name, mode):\n") && !numbered.contains("<<"), "{numbered}");
    place.run(["context", "--tokens", "799"]).fails(2, &["799 is not in 800..=1000000"]);
    let long: String = (0..400).map(|n| format!("def f{n}(a, b):\n    return a + b * {n}\n\n")).collect();
    place.write("long.py", long);
    place.commit("long");
    let ran = place.run(["context", "--tokens", "1000"]);
    assert!(ran.stderr.matches("diffsieve: chunk ").count() > 5, "{}", ran.stderr);
    for n in 0..400 {
        assert!(ran.text().contains(&format!("def f{n}(a, b):")), "f{n} is in no chunk");
    }
}

#[test]
fn a_ci_log_gets_no_commands() {
    let page = place().program(["context"]).env("GITHUB_ACTIONS", "true").run().text();
    assert!(!page.contains("##[") && page.contains("## [error]x"), "{page}");
}
