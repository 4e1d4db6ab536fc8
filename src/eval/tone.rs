//! How comments speak. Code Quality Score asks for rationales that are polite and put as a question with a suggestion
//! (section 3.2, A.1); commands and praise are what its people complained about.

use std::sync::LazyLock;

use regex::Regex;

/// How a comment speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// It asks.
    Question,
    /// It states or suggests.
    Plain,
    /// It orders, shouts or blames.
    Command,
    /// It praises, and leaves nothing to do.
    Praise,
}

impl Tone {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Question, Self::Plain, Self::Command, Self::Praise];

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Plain => "plain",
            Self::Command => "command",
            Self::Praise => "praise",
        }
    }

    /// The tone of a comment, by its words: code and a suggested replacement say nothing.
    pub fn of(body: &str) -> Self {
        static PRAISE: LazyLock<Regex> = LazyLock::new(|| {
            expression(
                r"(?i)\b(?:lgtm|looks good|good (?:job|work|catch)|nice(?:ly)?|great|excellent|well done|thanks?|love (?:it|this))\b",
            )
        });
        static ORDER: LazyLock<Regex> = LazyLock::new(|| {
            expression(
                r"(?i)(?:^|[.!:;]\s+)(?:do(?:n't| not)|never|always|fix|remove|delete|add|change|use|rename|move|replace|rewrite|refactor|revert|stop|make|check|handle|avoid)\b|\byou (?:must|have to|need to|forgot|failed)\b",
            )
        });
        static LOUD: LazyLock<Regex> = LazyLock::new(|| expression(r"!\s*(?:$|\s)"));
        let words = without_code(body);
        if words.contains('?') {
            return Self::Question;
        }
        if ORDER.is_match(words.trim()) {
            return Self::Command;
        }
        // Who praises may be loud.
        match (PRAISE.is_match(&words), LOUD.is_match(&words) || is_shouted(&words)) {
            (true, _) => Self::Praise,
            (false, true) => Self::Command,
            (false, false) => Self::Plain,
        }
    }
}

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("the expressions of this file are tested")
}

/// The text before a suggested replacement, without what stands in backticks.
fn without_code(body: &str) -> String {
    let prose = body.split("\n\nSuggestion:\n").next().unwrap_or_default();
    prose.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// At least three words in capitals, and no others.
fn is_shouted(words: &str) -> bool {
    let mut letters = words.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
    let count = letters.clone().count();
    count >= 3 && letters.all(|word| !word.chars().any(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tones_are_told_apart() {
        for (body, tone) in [
            ("Could an empty list get here? `len(v)` would be 0.", Tone::Question),
            ("An empty list makes this divide by zero.", Tone::Plain),
            ("Fix this.", Tone::Command),
            ("An empty list gets here. Use a guard.", Tone::Command),
            ("You must not do that", Tone::Command),
            ("THIS IS WRONG", Tone::Command),
            ("Wrong!", Tone::Command),
            ("Nicely done, I like the names.", Tone::Praise),
            ("Nice work on this function!", Tone::Praise),
            ("GREAT WORK HERE!", Tone::Praise),
            ("Nice work! Remove the second call.", Tone::Command),
            ("Nice names, but you must close the file.", Tone::Command),
            ("This is wrong! It divides by zero.", Tone::Command),
            ("`fix()` is called twice", Tone::Plain),
            ("It may be shared by calls\n\nSuggestion:\nuse(x)!", Tone::Plain),
            ("", Tone::Plain),
        ] {
            assert_eq!(Tone::of(body), tone, "{body}");
        }
    }
}
