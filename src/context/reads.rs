//! Which settings a file reads: environment variables and keys of a configuration, with the lines that read them
//! (SWE-PRBench, section 4.3, "behaviour mapping layer").

use std::sync::LazyLock;

use regex::Regex;

use super::base::is_code_at;
use super::hostile::neutral;
use super::part::numbered;
use super::rows::Side;
use crate::syntax::Language;

/// A line that reads a setting.
#[derive(Debug)]
pub(super) struct Read {
    /// `env` or `config`.
    pub(super) kind: &'static str,
    pub(super) key: String,
    pub(super) line: String,
}

/// Most lines of a file.
const MOST: usize = 200;

static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| {
    let key = r#"\s*["'`](?P<k>[A-Za-z_][\w.-]{0,80})["'`]"#;
    Regex::new(&format!(
        concat!(
            r"(?:os\.(?:Getenv|LookupEnv|Setenv|getenv|environ\.get|environ\.setdefault|environ\.pop)\(|",
            r"os\.environ\[|\bgetenv\(|process\.env\[|Deno\.env\.get\(|Bun\.env\[|System\.getenv\(|",
            r"Environment\.GetEnvironmentVariable\(|\benv::var(?:_os)?\(|\benv!\(|\bENV\[|\bENV\.fetch\(|\benv\()",
            "{key}",
            r"|(?:process\.env|import\.meta\.env|Bun\.env)\.(?P<d>[A-Za-z_]\w{{0,80}})"
        ),
        key = key
    ))
    .expect("the pattern is a constant that compiles")
});

// `options` is not among the names: in every language it is what arguments are called that a caller passes.
static CONFIGURATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)\b(?:config|configuration|settings|cfg|conf|viper)(?:\(\))?(?:\.(?:get\w*|fetch|has|value|isset|"#,
        r#"lookup)\(|\[)\s*["'`](?P<k>[A-Za-z_][\w.:-]{0,80})["'`]"#
    ))
    .expect("the pattern is a constant that compiles")
});

/// The reads of a file, in its code alone: what a comment or a docstring says of a setting reads none.
pub(super) fn reads(side: &Side<'_>, language: Option<Language>) -> Vec<Read> {
    let mut reads = Vec::new();
    if language.is_none_or(|language| language == Language::Yaml) {
        return reads;
    }
    for (number, line) in numbered(side.text).filter(|(_, line)| line.len() <= 400) {
        for (kind, pattern) in [("env", &ENVIRONMENT), ("config", &CONFIGURATION)] {
            for captures in pattern.captures_iter(&line) {
                let Some(key) = captures.name("k").or_else(|| captures.name("d")) else { continue };
                let begins = captures.get(0).map_or(0, |whole| whole.start());
                if !is_code_at(side, number, begins) {
                    continue;
                }
                let shown = neutral(line.trim()).0.into_owned();
                reads.push(Read { kind, key: key.as_str().to_owned(), line: shown });
            }
        }
        if reads.len() >= MOST {
            break;
        }
    }
    reads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Text;
    use crate::syntax::{Limits, Parsed};

    fn keys(language: Language, text: &str) -> Vec<(&'static str, String)> {
        let text = Text::whole(text.as_bytes().to_vec());
        let parsed = Parsed::parse(language, text.bytes(), &Limits::default()).ok();
        let side = Side { text: &text, parsed: parsed.as_ref() };
        reads(&side, Some(language)).into_iter().map(|read| (read.kind, read.key)).collect()
    }

    #[test]
    fn settings_of_several_languages() {
        let env = |key: &str| ("env", key.to_owned());
        assert_eq!(
            keys(Language::Go, "x := os.Getenv(\"HOME\")\nv, ok := os.LookupEnv(\"A\")\n"),
            [env("HOME"), env("A")]
        );
        assert_eq!(
            keys(Language::Python, "a = os.environ['A']\nb = os.getenv(\"B\")\nc = config.get('c.d')\n"),
            [env("A"), env("B"), ("config", "c.d".to_owned())]
        );
        assert_eq!(
            keys(Language::TypeScript, "const a = process.env.A ?? process.env['B'];\nimport.meta.env.MODE;\n"),
            [env("A"), env("B"), env("MODE")]
        );
        assert_eq!(keys(Language::Rust, "std::env::var(\"A\")\n"), [env("A")]);
        assert!(keys(Language::Python, "environment = 'x'\n").is_empty());
    }

    #[cfg(feature = "default")]
    #[test]
    fn arguments_and_prose_are_no_settings() {
        let text = "def f(options):\n    \"\"\"Uses app.config['A'].\"\"\"\n    options['loader'] = 1  # config['B']\n    \
                    return app.config['C']\n";
        assert_eq!(keys(Language::Python, text), [("config", "C".to_owned())]);
        let url = "const u = `${process.env.HOST}/process.env.PATH`;\n";
        assert_eq!(keys(Language::TypeScript, url), [("env", "HOST".to_owned())]);
    }
}
