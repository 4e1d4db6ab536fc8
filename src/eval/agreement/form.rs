//! A form for people who check a benchmark by hand: twelve statements in three groups, each rated 1 to 5, as in the human
//! verification of Sphinx (appendix E), in words of our own.

/// A statement to rate from 1 (not at all) to 5 (fully).
#[derive(Debug, Clone, Copy)]
pub struct Statement {
    /// Letter of the group and number in it.
    pub id: &'static str,
    /// What its group is about.
    pub aspect: &'static str,
    /// What to agree with or not.
    pub text: &'static str,
}

const fn statement(id: &'static str, aspect: &'static str, text: &'static str) -> Statement {
    Statement { id, aspect, text }
}

/// All twelve.
pub const STATEMENTS: [Statement; 12] = [
    statement("A1", "consistency", "What the review says the change does is what it does."),
    statement("A2", "consistency", "No important part of the diff is left out of the review."),
    statement("A3", "consistency", "Every comment stands at the lines it is about."),
    statement("A4", "consistency", "One could act on each remark in the code as it is now."),
    statement("B1", "checklist", "Whatever a reviewer of this change must look at is on the checklist."),
    statement("B2", "checklist", "Everything on the checklist belongs to this change."),
    statement("B3", "checklist", "Each item can be read in one way only."),
    statement("B4", "checklist", "The items name faults that are really in the diff."),
    statement("C1", "usefulness", "With this review I would get the change merged sooner or in better shape."),
    statement("C2", "usefulness", "The checklist asks what I would ask in a review."),
    statement("C3", "usefulness", "I would rely on such reviews and checklists at work."),
    statement("C4", "usefulness", "Review and checklist together are worth more than a review by hand alone."),
];

/// The form as comma separated values: a row for each statement about each case, an empty column for each rater. Without
/// cases one row a statement, without raters one column `rating`.
pub fn form(cases: &[&str], raters: &[&str]) -> String {
    let raters = if raters.is_empty() { &["rating"] } else { raters };
    let mut form = String::from("case,aspect,statement,text");
    for rater in raters {
        form.push(',');
        form.push_str(&cell(rater));
    }
    form.push('\n');
    for case in if cases.is_empty() { &[""] } else { cases } {
        for statement in STATEMENTS {
            let described = [*case, statement.aspect, statement.id, statement.text].map(cell);
            form.push_str(&described.join(","));
            form.push_str(&",".repeat(raters.len()));
            form.push('\n');
        }
    }
    form
}

/// Quoted where it has to be.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
