//! What a trained reviewer reads. The tasks are those of Sphinx (appendix F, evaluation prompt) and CQS (A.1); the words
//! are our own.

use serde_json::{Value, json};

use super::Rejected;
use crate::context::Context;
use crate::dataset::page;
use crate::diff::Globs;
use crate::git::Env;
use crate::record::{Case, Dataset};
use crate::review::case as source;

/// Comments in free words.
pub(super) const COMMENTS: &str = "\
You review a change to a program before it is merged. Comment on what its added lines do wrong, leave out or should do \
otherwise; each comment names one thing and what to do about it. Answer with a JSON list of objects with the keys file, \
line and comment. Where nothing is to be said, answer `No comment.`.
";

/// Issues with a tag.
pub(in crate::dataset) const ISSUES: &str = "\
You review a change to a program before it is merged. Name the issues of its added lines. Answer with a JSON list of objects \
with the keys file, line, function (null outside of functions), tag and rationale; the rationale is polite and suggests. \
Where there is none, answer `No comment.`.
";

/// System and user message.
pub(in crate::dataset) fn messages(system: &str, user: &str) -> Value {
    json!([{"role": "system", "content": system}, {"role": "user", "content": user}])
}

/// An issue as it is answered.
pub(in crate::dataset) fn issue_of(
    file: Option<&str>,
    line: Option<u32>,
    function: Option<&str>,
    tag: &str,
    rationale: &str,
) -> Value {
    json!({"file": file, "line": line, "function": function, "tag": tag, "rationale": rationale})
}

/// Title, description and diff of a case.
pub(super) fn change(dataset: &Dataset, case: &Case, context: &Context<'_>, env: Env<'_>) -> Result<String, Rejected> {
    let files = source::load(dataset, case, &Globs::default(), env)
        .map_err(|error| Rejected::new(&case.id, "unreadable", error.to_string()))?;
    let (diff, skipped) = page::diff(context, &files);
    if diff.is_empty() {
        return Err(Rejected::new(&case.id, "not-shown", skipped.join(", ")));
    }
    let change = page::fenced("CHANGE", &page::about(&case.title, &case.description));
    Ok(format!("{change}\n{}", page::fenced("DIFF", &diff)))
}
