//! From nodes to types: asks a map for its keys and reports every misfit, unknown keys included.

use super::{At, Entry, Node, Problem, Value, nearest};

/// The keys of one map. Ask for each key that may be there, then call [`Self::finish`], which reports the others.
pub struct Fields<'n, 'p> {
    what: &'static str,
    at: At,
    entries: &'n [Entry],
    asked: Vec<&'static str>,
    /// Where misfits go.
    pub problems: &'p mut Vec<Problem>,
}

impl<'n, 'p> Fields<'n, 'p> {
    /// Starts on a node that should be a map; `what` names it in messages, such as `a tag`.
    pub fn of(node: &'n Node, what: &'static str, problems: &'p mut Vec<Problem>) -> Option<Self> {
        match &node.value {
            Value::Map(entries) => Some(Self { what, at: node.at.clone(), entries, asked: Vec::new(), problems }),
            other => {
                problems.push(Problem::at(&node.at, format!("{what} is a map, not {}", other.kind())));
                None
            }
        }
    }

    /// Where the map stands.
    pub fn at(&self) -> &At {
        &self.at
    }

    /// The value of a key, whatever it is.
    pub fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.asked.push(key);
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The value of a key that must be there.
    pub fn required(&mut self, key: &'static str) -> Option<&'n Node> {
        let node = self.node(key);
        if node.is_none() {
            self.problems.push(Problem::at(&self.at, format!("{} needs `{key}`", self.what)));
        }
        node
    }

    /// A text.
    pub fn text(&mut self, key: &'static str) -> Option<String> {
        let node = self.node(key)?;
        text(node, key, self.problems)
    }

    /// `true` or `false`.
    pub fn bool(&mut self, key: &'static str) -> Option<bool> {
        let node = self.node(key)?;
        match node.value {
            Value::Bool(value) => Some(value),
            ref other => {
                self.problems
                    .push(Problem::at(&node.at, format!("`{key}` is `true` or `false`, not {}", other.kind())));
                None
            }
        }
    }

    /// A number within bounds.
    pub fn number(&mut self, key: &'static str, low: f64, high: f64) -> Option<f64> {
        let node = self.node(key)?;
        let number = match &node.value {
            Value::Number(digits) => digits.parse::<f64>().ok().filter(|number| (low..=high).contains(number)),
            _ => None,
        };
        if number.is_none() {
            self.problems.push(Problem::at(&node.at, format!("`{key}` is a number from {low} to {high}")));
        }
        number
    }

    /// A whole number within bounds.
    pub fn integer(&mut self, key: &'static str, low: u64, high: u64) -> Option<u64> {
        let node = self.node(key)?;
        let number = match &node.value {
            Value::Number(digits) => digits.parse::<u64>().ok().filter(|number| (low..=high).contains(number)),
            _ => None,
        };
        if number.is_none() {
            self.problems.push(Problem::at(&node.at, format!("`{key}` is a whole number from {low} to {high}")));
        }
        number
    }

    /// One of several words.
    pub fn word(&mut self, key: &'static str, valid: &[&str]) -> Option<String> {
        self.word_by(key, valid, |word| valid.contains(&word).then(|| word.to_owned()))
    }

    /// What a word stands for, of several; `find` may know more spellings of these.
    pub fn word_by<T>(&mut self, key: &'static str, valid: &[&str], find: impl Fn(&str) -> Option<T>) -> Option<T> {
        let node = self.node(key)?;
        match &node.value {
            Value::Text(word) => {
                let found = find(word);
                if found.is_none() {
                    let problem = Problem::at(&node.at, format!("`{word}` is no valid `{key}`"));
                    self.problems.push(problem.help(word_help(word, valid)));
                }
                found
            }
            other => {
                let problem = Problem::at(&node.at, format!("`{key}` is a word, not {}", other.kind()));
                self.problems.push(problem.help(nearest("", valid)));
                None
            }
        }
    }

    /// One text or a list of texts.
    pub fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let node = self.node(key)?;
        Some(node.items().iter().filter_map(|item| text(item, key, self.problems)).collect())
    }

    /// Reports every key that was not asked for.
    pub fn finish(self) {
        for entry in self.entries {
            if !self.asked.contains(&entry.key.as_str()) {
                let problem = Problem::at(&entry.at, format!("{} has no key `{}`", self.what, entry.key));
                self.problems.push(problem.help(nearest(&entry.key, &self.asked)));
            }
        }
    }
}

fn text(node: &Node, key: &str, problems: &mut Vec<Problem>) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(text.clone()),
        Value::Number(digits) => Some(digits.clone()),
        other => {
            problems.push(Problem::at(&node.at, format!("`{key}` is a text, not {}", other.kind())));
            None
        }
    }
}

/// YAML 1.1 read these words as booleans; whoever writes one means the state they stand for.
fn word_help(word: &str, valid: &[&str]) -> String {
    let lower = word.to_ascii_lowercase();
    if ["off", "no", "n"].contains(&lower.as_str()) && valid.contains(&"skip") {
        return "write `skip` to switch it off".to_owned();
    }
    nearest(word, valid)
}
