//! How far the model is: a bar on a terminal, one quiet line anywhere else.

use std::io::IsTerminal as _;

use diffsieve::review::model::{Plan, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use super::output;

/// Tells how it goes, on standard error.
pub(super) struct Teller {
    bar: Option<ProgressBar>,
    quiet: bool,
    name: String,
}

impl Teller {
    /// Tells of a model by its name; of nothing where it is to be `quiet`.
    pub(super) fn new(name: String, quiet: bool) -> Self {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        let style = ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {msg} {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = is_shown.then(|| ProgressBar::new(0).with_style(style).with_prefix("diffsieve:"));
        Self { bar, quiet, name }
    }

    pub(super) fn tell(&self, progress: Progress) {
        let step = |done: usize, all: usize, what: &'static str| {
            if let Some(bar) = &self.bar {
                bar.set_length(all as u64);
                bar.set_message(what);
                bar.set_position(done as u64);
            }
        };
        match progress {
            Progress::Planned(plan) if !self.quiet && self.bar.is_none() => output::say(&self.planned(&plan)),
            Progress::Planned(plan) => step(0, plan.questions as usize, "chunks read by the model"),
            Progress::Collected(done, all) => step(done, all, "chunks read by the model"),
            Progress::Validated(done, all) => step(done, all, "second opinions"),
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn planned(&self, plan: &Plan) -> String {
        let Plan { chunks, questions, opinions, .. } = plan;
        let tokens = plan.prompt_tokens;
        format!(
            "asking {}: {chunks} chunks, {questions} questions of about {tokens} tokens, about {opinions} second opinions",
            self.name
        )
    }
}
