//! Which change of a history is which pull request of an export. A number alone does not tell: a merge that was made in a
//! fork bears the fork's number, and a port bears that of the change it repeats.

use std::collections::{BTreeMap, HashMap};

use super::Past;
use super::changes::Landed;
use super::export::{Export, PullRequest};
use crate::git::Oid;

/// The pull requests of an export by the change that brought them.
pub(super) struct Joined<'a> {
    export: Option<&'a Export>,
    pulls: HashMap<Oid, &'a PullRequest>,
}

impl<'a> Joined<'a> {
    /// Gives each pull request to one change with its number, at most: to the commit that the export names, if this
    /// history has it; else to the only change of the same title; without a title to the only change of the number.
    pub(super) fn new(past: &Past<'_>, landed: &[Landed], export: Option<&'a Export>) -> Self {
        let mut claims: BTreeMap<u64, Vec<&Landed>> = BTreeMap::new();
        for landed in landed {
            if let Some(number) = landed.number {
                claims.entry(number).or_default().push(landed);
            }
        }
        let mut pulls = HashMap::new();
        for (number, mut claims) in claims {
            let Some(pull) = export.and_then(|export| export.pull_requests.get(&number)) else { continue };
            let merge = pull.merge_commit.as_deref().and_then(Oid::from_hex);
            match merge.filter(|merge| past.ancestry.contains(*merge)) {
                Some(merge) => claims.retain(|landed| landed.head() == merge),
                None => claims.retain(|landed| agrees(&pull.title, landed)),
            }
            if let [landed] = claims.as_slice() {
                pulls.insert(landed.head(), pull);
            }
        }
        Self { export, pulls }
    }

    /// What the export has of this change.
    pub(super) fn pull(&self, landed: &Landed) -> Option<&'a PullRequest> {
        self.pulls.get(&landed.head()).copied()
    }

    /// Whether the export has the change's number, and nothing tells that it is this change.
    pub(super) fn is_ambiguous(&self, landed: &Landed) -> bool {
        let number = landed.number.filter(|_| self.pull(landed).is_none());
        number.is_some_and(|number| self.export.is_some_and(|export| export.pull_requests.contains_key(&number)))
    }
}

/// Whether the title is that of the change: the same letters and digits, up to where a forge cut the subject. An export
/// without a title does not disagree.
fn agrees(title: &str, landed: &Landed) -> bool {
    let letters =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    let own = landed.title();
    let digits = landed.number.map(|number| number.to_string()).unwrap_or_default();
    let ends = [format!("(#{digits})"), format!("(!{digits})")];
    let own = ends.iter().find_map(|end| own.rfind(end.as_str())).map_or(own, |end| &own[..end]);
    let (title, cut) =
        (letters(title), own.trim_end().strip_suffix('…').or_else(|| own.trim_end().strip_suffix("...")));
    let own = letters(own);
    title.is_empty() || title == own || (cut.is_some() && !own.is_empty() && title.starts_with(&own))
}
