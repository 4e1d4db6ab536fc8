//! The change of a case as a model or a trainer reads it: whole files or a diff, without the values that must not leave
//! the machine.

use crate::context::Context;
use crate::diff::{Body, FileChange, Text, patch, trim_ending};

/// Stands where a value was. Both sides of a file lose the same values, so that no difference comes of it.
const HIDDEN: &str = "<hidden>";

/// Lines around each hunk of a diff.
const AROUND: u32 = 3;

/// The change with every value hidden that a model is not shown. Lines keep their numbers.
///
/// # Errors
/// Nothing of the file is shown; the name of the reason.
pub(super) fn masked(context: &Context<'_>, change: &FileChange) -> Result<FileChange, &'static str> {
    let values = context.values(change).map_err(|reason| reason.name())?;
    let Body::Text { hunks, old, new } = &change.body else { return Err("not_code") };
    let side = |text: &Text, values: &crate::context::Values| {
        let lines: Vec<_> = text
            .lines()
            .map(|(number, raw)| {
                let ending = &raw[trim_ending(raw).len()..];
                let Some((shown, spans)) = values.line(number) else { return (number, raw.to_vec()) };
                let mut line = String::with_capacity(shown.len());
                let mut at = 0;
                for span in spans {
                    line.push_str(&shown[at..span.start]);
                    line.push_str(HIDDEN);
                    at = span.end;
                }
                line.push_str(&shown[at..]);
                (number, [line.as_bytes(), ending].concat())
            })
            .collect();
        if text.is_whole() {
            Text::whole(lines.into_iter().flat_map(|(_, line)| line).collect())
        } else {
            Text::parts(lines.iter().map(|(number, line)| (*number, line.as_slice())))
        }
    };
    let [old_values, new_values] = &values;
    let body = Body::Text { hunks: hunks.clone(), old: side(old, old_values), new: side(new, new_values) };
    Ok(FileChange {
        path: change.path.clone(),
        old_path: change.old_path.clone(),
        status: change.status,
        old_kind: change.old_kind,
        new_kind: change.new_kind,
        class: change.class,
        body,
        old_id: None,
    })
}

/// The files as a unified diff, each with its values hidden; the names and reasons of those that are not shown.
pub(super) fn diff(context: &Context<'_>, files: &[FileChange]) -> (String, Vec<String>) {
    let (mut text, mut skipped) = (String::new(), Vec::new());
    for file in files {
        match masked(context, file) {
            Ok(file) => text.push_str(&of(&file)),
            Err(reason) => skipped.push(format!("{} ({reason})", file.path.visible())),
        }
    }
    (text, skipped)
}

/// One file as a unified diff.
pub(super) fn of(file: &FileChange) -> String {
    String::from_utf8_lossy(&patch::to_patch(file, AROUND)).into_owned()
}

/// Title and description of a change, for a prompt.
pub(super) fn about(title: &str, description: &str) -> String {
    let title = if title.trim().is_empty() { "(none)" } else { title.trim() };
    let description = if description.trim().is_empty() { "(none)" } else { description.trim() };
    format!("Title: {title}\nDescription:\n{description}\n")
}

/// A text between two marks that it does not hold itself, so that nothing in it ends it.
pub(super) fn fenced(name: &str, text: &str) -> String {
    let mut fence = "====".to_owned();
    while text.contains(&fence) {
        fence.push('=');
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence} {name}\n{text}{end}{fence} end of {name}\n")
}
