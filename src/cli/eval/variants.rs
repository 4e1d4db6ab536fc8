//! What a person chooses where a paper, or a run, leaves open how answers are scored, for every command that scores.

use anyhow::bail;
use clap::{Args, ValueEnum};
use diffsieve::eval::score::{Compat, Hits, Matching, Pairing, Variants};
use diffsieve::eval::scoring::Choice;

/// How answers are scored.
#[derive(Debug, Args)]
pub(super) struct VariantArgs {
    /// cr-bench: count a hit bug once, or every comment that hits one [default: per-bug]
    #[arg(long, value_enum, value_name = "WAY")]
    hits: Option<HitsName>,
    /// swe-prbench: the rules of a released scorer, where they differ from the paper
    #[arg(long, value_enum, value_name = "VERSION")]
    compat: Option<CompatName>,
    /// swe-prbench: how comments that the judge left over are matched by their likeness [default: greedy]
    #[arg(long, value_enum, value_name = "WAY")]
    pairing: Option<PairingName>,
    /// sphinx: weight of the cases with a checklist, 0 to 1 [default: 0.9, or what the input says]
    #[arg(long, value_name = "NUMBER")]
    lambda: Option<f64>,
    /// cqs: whether a known issue is matched once, or by any number of comments [default: one-to-one]
    #[arg(long = "match", value_enum, value_name = "WAY")]
    matching: Option<MatchName>,
    /// Whose decisions count, where several judges decided
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// swe-prbench: whose similarities count, where there are several: a program's (`program NAME`), or what needs none:
    /// lexical (words, the default) or chars (characters, with a cut of its own)
    #[arg(long, value_name = "NAME")]
    similarity: Option<String>,
    /// Score the other cases where some have no review
    #[arg(long)]
    allow_failed: bool,
    /// sphinx: BLEU-1 and ROUGE-L against the checklist too
    #[arg(long)]
    text_metrics: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HitsName {
    /// A bug once
    PerBug,
    /// Every comment
    PerComment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompatName {
    /// SWE-PRBench v0.4.1
    #[value(name = "v0.4.1")]
    V041,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PairingName {
    /// The most alike pair first
    Greedy,
    /// The pairs that are most alike together
    Optimal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MatchName {
    /// Once
    OneToOne,
    /// By any number
    ManyToOne,
}

impl VariantArgs {
    /// The options that were given, each with the protocol it is about; `None`: about all.
    fn given(&self) -> Vec<(&'static str, Option<&'static str>)> {
        let all = [
            ("--hits", self.hits.is_some(), Some("cr-bench")),
            ("--compat", self.compat.is_some(), Some("swe-prbench")),
            ("--pairing", self.pairing.is_some(), Some("swe-prbench")),
            ("--similarity", self.similarity.is_some(), Some("swe-prbench")),
            ("--lambda", self.lambda.is_some(), Some("sphinx")),
            ("--text-metrics", self.text_metrics, Some("sphinx")),
            ("--match", self.matching.is_some(), Some("cqs")),
            ("--judge", self.judge.is_some(), None),
            ("--allow-failed", self.allow_failed, None),
        ];
        all.into_iter().filter(|(_, is_given, _)| *is_given).map(|(option, _, about)| (option, about)).collect()
    }

    /// The first option that was given.
    pub(super) fn first(&self) -> Option<&'static str> {
        self.given().first().map(|(option, _)| *option)
    }

    /// What is about another protocol is refused, not left out.
    pub(super) fn check(&self, protocol: &str) -> anyhow::Result<()> {
        for (option, about) in self.given() {
            if let Some(about) = about.filter(|about| *about != protocol) {
                bail!("{option} is about {about} and changes no score of {protocol}");
            }
        }
        Ok(())
    }

    /// As the scores of a run take it.
    pub(super) fn choice(&self) -> Choice {
        Choice {
            hits: self.hits(),
            compat: self.compat(),
            pairing: self.pairing(),
            lambda: self.lambda,
            matching: self.matching(),
            judge: self.judge.clone(),
            similarity: self.similarity.clone(),
            allow_failed: self.allow_failed,
            text_metrics: self.text_metrics,
            crossed: Vec::new(),
        }
    }

    /// As the scores of a bare input take it.
    pub(super) fn variants(&self) -> Variants {
        Variants {
            hits: Some(self.hits()),
            compat: Some(self.compat()),
            pairing: Some(self.pairing()),
            lambda: self.lambda,
            matching: Some(self.matching()),
            ..Variants::default()
        }
    }

    const fn hits(&self) -> Hits {
        match self.hits {
            Some(HitsName::PerComment) => Hits::PerComment,
            Some(HitsName::PerBug) | None => Hits::PerBug,
        }
    }

    const fn compat(&self) -> Compat {
        match self.compat {
            Some(CompatName::V041) => Compat::V041,
            None => Compat::Paper,
        }
    }

    const fn pairing(&self) -> Pairing {
        match self.pairing {
            Some(PairingName::Optimal) => Pairing::Optimal,
            Some(PairingName::Greedy) | None => Pairing::Greedy,
        }
    }

    const fn matching(&self) -> Matching {
        match self.matching {
            Some(MatchName::ManyToOne) => Matching::ManyToOne,
            Some(MatchName::OneToOne) | None => Matching::OneToOne,
        }
    }
}
