//! The language of a case that does not say it.

use crate::diff::{Body, FileChange, Globs};
use crate::finding::Line;
use crate::git::Env;
use crate::record::Dataset;
use crate::review::case;
use crate::syntax::Language;

/// Gives each case that says no language that of most of the lines which its change adds, by the paths of its files; of as
/// many lines the first by name. Cases on disk stay as they are, and so does their digest. A change without a file of a known
/// language leaves its case as it is. Gives back the names of the cases whose change cannot be read.
pub fn fill(dataset: &mut Dataset, env: Env<'_>) -> Vec<String> {
    let silent: Vec<usize> = (0..dataset.cases.len()).filter(|at| dataset.cases[*at].language.is_none()).collect();
    let mut unread = Vec::new();
    for at in silent {
        match case::load(dataset, &dataset.cases[at], &Globs::default(), env) {
            Ok(files) => dataset.cases[at].language = of(&files).map(|language| language.name().to_owned()),
            Err(_) => unread.push(dataset.cases[at].id.clone()),
        }
    }
    unread
}

/// The language of most added lines.
fn of(files: &[FileChange]) -> Option<Language> {
    Language::of_most(files.iter().filter_map(|file| {
        let Body::Text { new, .. } = &file.body else { return None };
        Some((Language::of_path(&file.path, new.line(Line::from_index(0)))?, file.added_count()))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::RepoPath;

    fn new(path: &str, text: &str) -> FileChange {
        FileChange::new_file(RepoPath::from(path), text.as_bytes().to_vec())
    }

    #[test]
    fn most_added_lines_decide_and_then_the_name() {
        let name = |files: &[FileChange]| of(files).map(Language::name);
        assert_eq!(name(&[new("a.py", "x\n"), new("b.go", "x\ny\n")]), Some("go"));
        assert_eq!(name(&[new("a.py", "x\n"), new("b.go", "x\ny\n"), new("c.py", "x\ny\n")]), Some("python"));
        assert_eq!(name(&[new("a.rb", "x\n"), new("b.java", "x\n")]), Some("java"));
        assert_eq!(name(&[new("run", "#!/bin/env ruby\nx\n"), new("README", "a\nb\nc\n")]), Some("ruby"));
        assert_eq!(name(&[new("README", "a\n")]), None);
    }

    #[test]
    fn what_cannot_be_read_is_not_told() {
        let mut file = new("a.py", "x\n");
        file.body = Body::Unread(crate::diff::Unread::LongLine);
        assert_eq!(of(&[file]), None);
    }
}
