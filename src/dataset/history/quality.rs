//! SWE-PRBench, table 2: what a repository is worth as a source of reviews (RQS), of 100 points. The paper gives the five
//! maxima; what earns them between nothing and all is ours. Points that the clone alone cannot tell are named, not guessed.

use serde_json::{Value, json};

use super::changes::{Kind, Landed};
use super::export::{Export, PullRequest};
use super::joined::Joined;
use super::people::is_substantive;
use super::{Error, Past, Sort};
use crate::git::Side;

const DAY: i64 = 86_400;
/// Merged pull requests within 90 days, and in a month, that earn all points (ours).
const RECENT: f64 = 30.0;
const MONTHLY: f64 = 20.0;
/// Pull requests that review culture is read from (paper).
const SAMPLE: usize = 30;
/// Stars that leave half of the points for contamination (ours).
const STARS: f64 = 10_000.0;

/// Points of one component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Points {
    /// As the paper calls it.
    pub name: &'static str,
    /// What it earned; `None` where the clone does not tell.
    pub earned: Option<f64>,
    /// Most that it can earn.
    pub most: f64,
}

/// The five components.
#[derive(Debug, Clone, PartialEq)]
pub struct RepositoryQuality {
    /// In the paper's order.
    pub parts: [Points; 5],
}

impl RepositoryQuality {
    /// At the time of the tip, from the changes that landed and, where there is one, an export.
    pub(super) fn of(past: &Past<'_>, landed: &[Landed], export: Option<&Export>) -> Result<Self, Error> {
        let now = past.repo.told(past.tip)?.seconds;
        let within = |landed: &&Landed, days: i64| landed.told.seconds > now - days * DAY;
        let pulls = || landed.iter().filter(|landed| landed.number.is_some() || landed.kind == Kind::Merge);
        let recent = pulls().filter(|landed| within(landed, 90)).count();
        let monthly = pulls().filter(|landed| within(landed, 182)).count() as f64 / 6.0;
        let joined = Joined::new(past, landed, export);
        let mut newest: Vec<&PullRequest> =
            pulls().rev().filter(|landed| within(landed, 90)).filter_map(|landed| joined.pull(landed)).collect();
        newest.truncate(SAMPLE);
        let notes = || newest.iter().flat_map(|pull| &pull.notes);
        let culture = notes().filter(|note| is_substantive(note)).count() as f64 / notes().count().max(1) as f64;
        let stars = export.and_then(|export| export.stars);
        let part =
            |name, earned: Option<f64>, most: f64| Points { name, earned: earned.map(|share| share * most), most };
        Ok(Self {
            parts: [
                part("review culture", (!newest.is_empty()).then_some(culture), 30.0),
                part("PR recency", Some((recent as f64 / RECENT).min(1.0)), 25.0),
                part("test quality", Some(tests(past)?), 20.0),
                part("PR volume", Some((monthly / MONTHLY).min(1.0)), 15.0),
                part("contamination", stars.map(|stars| 1.0 / (1.0 + stars as f64 / STARS)), 10.0),
            ],
        })
    }

    /// Least and most of the whole.
    pub fn bounds(&self) -> (f64, f64) {
        let least = self.parts.iter().filter_map(|part| part.earned).sum();
        (least, self.parts.iter().map(|part| part.earned.unwrap_or(part.most)).sum())
    }

    /// The points for a manifest.
    pub fn value(&self) -> Value {
        let parts: Vec<Value> = self
            .parts
            .iter()
            .map(|part| json!({"component": part.name, "points": part.earned, "most": part.most}))
            .collect();
        let unknown: Vec<&str> = self.parts.iter().filter(|part| part.earned.is_none()).map(|part| part.name).collect();
        let (least, most) = self.bounds();
        let total = unknown.is_empty().then_some(least);
        json!({"parts": parts, "total": total, "least": least, "most": most, "unknown": unknown, "threshold": 60})
    }

    /// The points for a person.
    pub fn line(&self) -> String {
        let parts: Vec<String> = self
            .parts
            .iter()
            .map(|part| match part.earned {
                Some(earned) => format!("{} {earned:.1} of {}", part.name, part.most),
                None => format!("{} unknown (up to {})", part.name, part.most),
            })
            .collect();
        let (least, most) = self.bounds();
        let total = if least == most { format!("{least:.1}") } else { format!("{least:.1} to {most:.1}") };
        format!("repository quality {total} of 100: {}", parts.join(", "))
    }
}

/// Which of the three are there: tests (half), a service that runs them, a tool that measures what they cover.
fn tests(past: &Past<'_>) -> Result<f64, Error> {
    let tree = past.repo.tree_of(past.tip)?;
    let listed = crate::diff::Plan::between(past.repo, &Side::Empty, &Side::Tree(tree), None)?;
    let any = |is: &dyn Fn(&str) -> bool| listed.files.iter().any(|file| is(file.path.to_text().raw()));
    let tests = listed.files.iter().any(|file| past.sort(&file.path, file.class) == Sort::Test);
    let service = any(&|path| {
        let known =
            [".travis.yml", ".gitlab-ci.yml", "azure-pipelines.yml", "Jenkinsfile", "appveyor.yml", ".cirrus.yml"];
        path.starts_with(".github/workflows/") || path.starts_with(".circleci/") || known.contains(&path)
    });
    let coverage = any(&|path| {
        let known = [
            ".coveragerc",
            "codecov.yml",
            ".codecov.yml",
            "tarpaulin.toml",
            ".nycrc",
            "jacoco.gradle",
            ".coveralls.yml",
        ];
        known.contains(&path.rsplit('/').next().unwrap_or(path))
    });
    let share = |is: bool, share: f64| if is { share } else { 0.0 };
    Ok(share(tests, 0.5) + share(service, 0.25) + share(coverage, 0.25))
}
