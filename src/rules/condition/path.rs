use super::{Condition, Known, Subject, Test, Truth};
use crate::diff::Globs;
use crate::document::{Node, Problem};
use crate::rules::class::globs;

pub(super) const CONDITION: Condition =
    Condition { key: "path", help: "the path matches one of these globs (`**`, `*`, `?`, `{a,b}`)", parse };

#[derive(Debug)]
struct Path(Globs);

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    Some(Box::new(Path(globs(node, problems)?)))
}

impl Test for Path {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        self.0.is_match(subject.path).into()
    }
}
