//! The plots of a page: SVG by plotters, whose text is text of the page. Colours are those of the page's light scheme; its
//! style sheet names each of them again for dark. A plot never stands alone: the numbers are in a table beside it.

mod bars;
mod funnel;
mod plane;
mod scatter;
mod signal;

use std::fmt::Write as _;

use crate::escape;

pub(super) use bars::{Bar, bars};
pub(super) use funnel::{Step, funnel};
pub(super) use scatter::{Mark, Path, Reference, scatter};
pub(super) use signal::{Heap, signal};

/// Makes a drawing part of a page: it has a name and a description, and the width of where it stands.
fn figure(id: &str, title: &str, description: &str, (width, height): (u32, u32), drawn: &str) -> String {
    // What plotters writes begins with an element of fixed size; only what is in it is wanted.
    let content = drawn.split_once('>').and_then(|(_, rest)| rest.rsplit_once("</svg>"));
    let content = content.map_or("", |(content, _)| content);
    let mut svg = format!(
        "<svg class=plot viewBox=\"0 0 {width} {height}\" role=img aria-labelledby=\"{id}-title {id}-desc\">\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-desc\">{}</desc>",
        escape::html(title),
        escape::html(description)
    );
    // One line, in which no agent of a CI service finds a command; what is the same everywhere is left out.
    let content = content.replace('\n', "").replace("##[", "##&#91;").replace("##vso[", "##vso&#91;");
    let content = content.replace(" opacity=\"1\"", "").replace(" font-family=\"sans-serif\"", "");
    let _ = write!(svg, "{content}</svg>");
    svg
}

/// A text that fits: at most so many characters.
fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests;
