//! Whatever a model answers, to the questions and to the second opinions: nothing panics, the funnel balances, and what is
//! shown stands on an added line.
#![no_main]

use std::sync::LazyLock;

use diffsieve::context::{Context, Options};
use diffsieve::diff::{FileChange, Limits, patch};
use diffsieve::finding::Line;
use diffsieve::provider::{Answer, NoAnswer, Prompt, Provider, Usage, Why};
use diffsieve::review::model::{Budget, MayBlock, Model, Names, Strategy};
use diffsieve::review::{Change, Loaded, Settings, review, suppress};
use diffsieve::rules::{Examples, Rules};
use libfuzzer_sys::fuzz_target;

const CHANGE: &[u8] = b"--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,6 @@\n import os\n-def f(x):\n-    check(x)\n+def f(x, y):\n+    key = 'AKIAIOSFODNN7EXAMPLQ'\n+    return x / y\n+    return x / y\n \n--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+\xc3\xbcber\n";

static RULES: LazyLock<Rules> =
    LazyLock::new(|| Rules::load(Examples::Skip, &[], None, None).expect("the shipped packs load"));
static CONTEXT: LazyLock<Context<'static>> =
    LazyLock::new(|| Context::new(&RULES, Options::default()).expect("the options are sound"));

/// Says one thing to questions and another to second opinions.
struct Says<'b>([&'b [u8]; 2]);

impl Provider for Says<'_> {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        let text = String::from_utf8_lossy(self.0[usize::from(prompt.schema.name == "scores")]).into_owned();
        let none = |message: &str| NoAnswer {
            why: Why::Malfunction,
            message: message.to_owned(),
            attempts: 1,
            usage: Usage::default(),
        };
        // As every provider checks before it gives an answer.
        match serde_json::from_str(&text) {
            Ok(serde_json::Value::Object(_)) => Ok(Answer { text, usage: Usage::default(), attempts: 1 }),
            _ => Err(none("no object")),
        }
    }

    fn identity(&self) -> String {
        String::new()
    }

    fn caches_prefixes(&self) -> bool {
        false
    }
}

fuzz_target!(|bytes: &[u8]| {
    let (first, second) = bytes.split_at(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    let says = Says([first, second.get(1..).unwrap_or_default()]);
    let files = || patch::parse(CHANGE, &Limits::default()).expect("a patch");
    let model = Model {
        names: Names::default(),
        context: &CONTEXT,
        collector: &says,
        validator: Some(&says),
        passes: 2,
        strategy: Strategy::Single,
        chunk_tokens: 8_000,
        answer_tokens: 100,
        concurrency: 1,
        budget: Budget { requests: 100, tokens: 1_000_000 },
        may_block: MayBlock::Validated,
        tell: &|_| (),
    };
    let settings = Settings {
        model: Some(&model),
        ..Settings::plain(suppress::Policy { added_ignores: false, unreasoned: false })
    };
    let review = review(&Loaded::new(files()), Change::default(), &RULES, &settings);
    assert!(review.funnel.balances());
    let same = files();
    for finding in &review.findings {
        let at = &finding.claim.location;
        let mut lines = (at.line.get()..=at.end_line.get()).filter_map(Line::new);
        let touches =
            |file: &FileChange| file.path == at.path && lines.any(|line| file.is_added(line) || file.is_beside_deletion(line));
        assert!(same.iter().any(touches), "{at:?}");
    }
});
