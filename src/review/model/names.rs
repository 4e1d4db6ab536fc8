//! Names of code that a rationale speaks of as if they were there.

use std::sync::LazyLock;

use regex::Regex;

/// What stands in backticks, one name or a path of names.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    let name = r"[A-Za-z_$][A-Za-z0-9_$]*";
    Regex::new(&format!(r"`({name}(?:(?:\.|::|->){name})*)(?:\([^`]*\))?`"))
        .expect("the pattern is a constant that compiles")
});

/// The first name in backticks that is said to be there and that no text knows. Only names that somebody must have coined
/// count: with an underscore or a capital inside. What a question proposes need not be there, and neither need what is
/// thrown: both come from the language or its library.
pub(super) fn invented(rationale: &str, mut is_known: impl FnMut(&str) -> bool) -> Option<&str> {
    let paths = CODE.captures_iter(rationale).filter_map(|captures| captures.get(1));
    let paths = paths.filter(|path| !is_asked(&rationale[path.end()..]));
    let mut names = paths.flat_map(|path| path.as_str().split(['.', ':', '-', '>'])).filter(|name| is_coined(name));
    names.find(|name| !is_known(name))
}

/// The names in a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_name = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    text.split(move |character| !is_name(character)).filter(|word| word.len() >= 4).map(str::to_owned)
}

/// Whether the sentence that goes on here is a question. `rest` begins inside backticks.
fn is_asked(rest: &str) -> bool {
    let mut in_code = true;
    let mut characters = rest.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '`' => in_code = !in_code,
            '?' if !in_code => return true,
            '.' | '!' | ';' if !in_code && characters.peek().is_none_or(|next| next.is_whitespace()) => return false,
            _ => {}
        }
    }
    false
}

fn is_coined(name: &str) -> bool {
    let inner = name.trim_matches(['_', '$']);
    let is_thrown = ["Error", "Exception", "Warning"].iter().any(|end| inner.ends_with(end));
    inner.len() >= 4
        && !is_thrown
        && (inner.contains('_') || inner.char_indices().any(|(at, character)| at > 0 && character.is_ascii_uppercase()))
        && inner.bytes().any(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_coined_names_that_nobody_knows() {
        let code = "def load_user(name):\n    return store.findUser(name)\n";
        let cases = [
            ("`load_user` may return None", None),
            ("`store.findUser(name)` may fail", None),
            ("`delete_user` is called twice", Some("delete_user")),
            ("`store.dropUser()` loses it", Some("dropUser")),
            ("`user` is `None`; use `get` or `try`", None),
            ("delete_user without backticks", None),
            ("`load_use` is part of another name", Some("load_use")),
            ("`if user is None: return`", None),
            ("It raises `FileNotFoundError`, a `NullPointerException` elsewhere", None),
            ("Could a `ConcurrentHashMap` or `lock_guard` help here?", None),
            ("`dropUser` loses it. Could it be kept?", Some("dropUser")),
        ];
        for (rationale, expected) in cases {
            assert_eq!(invented(rationale, |name| words(code).any(|word| word == name)), expected, "{rationale}");
        }
    }
}
