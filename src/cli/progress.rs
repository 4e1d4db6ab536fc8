//! How far the model is: a bar on a terminal, one quiet line anywhere else.

use std::io::IsTerminal as _;

use diffsieve::review::model::{Plan, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use super::output;

/// A bar on standard error, where that is a terminal.
pub(super) struct Bar(Option<ProgressBar>);

impl Bar {
    /// None where it is to be `quiet`.
    pub(super) fn new(quiet: bool) -> Self {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        let style = ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {msg} {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(is_shown.then(|| ProgressBar::new(0).with_style(style).with_prefix("diffsieve:")))
    }

    /// Whether anybody sees it.
    pub(super) const fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// So many of them are done.
    pub(super) fn step(&self, done: usize, all: usize, what: &'static str) {
        if let Some(bar) = &self.0 {
            bar.set_length(all as u64);
            bar.set_message(what);
            bar.set_position(done as u64);
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Tells how it goes, on standard error.
pub(super) struct Teller {
    bar: Bar,
    quiet: bool,
    name: String,
}

impl Teller {
    /// Tells of a model by its name; of nothing where it is to be `quiet`.
    pub(super) fn new(name: String, quiet: bool) -> Self {
        Self { bar: Bar::new(quiet), quiet, name }
    }

    pub(super) fn tell(&self, progress: Progress) {
        match progress {
            Progress::Planned(plan) if !self.quiet && !self.bar.is_shown() => output::say(&self.planned(&plan)),
            Progress::Planned(plan) => self.bar.step(0, plan.questions as usize, "chunks read by the model"),
            Progress::Collected(done, all) => self.bar.step(done, all, "chunks read by the model"),
            Progress::Validated(done, all) => self.bar.step(done, all, "second opinions"),
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish();
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
