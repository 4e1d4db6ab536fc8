//! The page: one file, which loads and asks for nothing, see [`Page`].

mod cases;
mod overview;
mod run;
mod scored;

use std::io;

use super::Evaluation;
use super::figure::Figure;
use super::words;
use crate::report::html::Page;

/// The style of the page of a review, and what this page has besides.
const STYLE: &str = concat!(include_str!("../../../report/html/style.css"), include_str!("style.css"));
const SCRIPT: &str = include_str!("script.js");

/// Writes the page.
pub(super) fn write(evaluation: &Evaluation, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::default();
    head(&mut page, evaluation);
    page.raw("<body id=top class=evaluation>\n<a class=skip href=#main>Skip to the numbers</a>\n");
    bar(&mut page, evaluation);
    page.raw("<main id=main>\n");
    overview::summary(&mut page, evaluation);
    overview::warnings(&mut page, evaluation);
    overview::scores(&mut page, evaluation);
    overview::precision_recall(&mut page, evaluation);
    overview::cost(&mut page, evaluation);
    for (at, run) in evaluation.runs.iter().enumerate() {
        run::run(&mut page, evaluation, run, at as u64);
    }
    overview::elsewhere(&mut page, evaluation);
    method(&mut page, evaluation);
    page.raw("</main>\n<script>").raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
    out.write_all(page.markup().as_bytes())
}

fn head(page: &mut Page, evaluation: &Evaluation) {
    page.raw("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n").policy(STYLE, SCRIPT);
    page.raw("<meta name=viewport content=\"width=device-width, initial-scale=1\">\n");
    page.raw("<meta name=color-scheme content=\"light dark\">\n<meta name=referrer content=no-referrer>\n");
    page.raw("<meta name=robots content=noindex>\n<meta name=generator content=\"diffsieve ").text(evaluation.version);
    page.raw("\">\n<title>").text(&overview::title(evaluation)).raw(" · diffsieve</title>\n<style>").raw(STYLE);
    page.raw("</style>\n</head>\n");
}

/// The bar that stays: where to go.
fn bar(page: &mut Page, evaluation: &Evaluation) {
    page.raw("<header class=bar>\n<a class=brand href=#top><svg viewBox=\"0 0 16 16\" aria-hidden=true>");
    page.raw("<path d=\"M1 2h14L9.5 8.5V14l-3-1.800V8.500z\"/></svg>diffsieve</a>\n<nav aria-label=Parts>");
    page.raw("<a href=#scores>Scores</a>");
    if overview::has_points(evaluation) {
        page.raw("<a href=#precision-recall>Precision and recall</a>");
    }
    for (at, run) in evaluation.runs.iter().enumerate() {
        page.raw("<a href=#run-").number(at as u64).raw(">").text(&run.name).raw("</a>");
    }
    page.raw("<a href=#method>Method</a></nav>\n<div class=\"tools js\"><button type=button id=theme ");
    page.raw("aria-label=\"Light or dark\" title=\"Light or dark\">◐</button></div>\n</header>\n");
}

/// How the numbers came to be.
fn method(page: &mut Page, evaluation: &Evaluation) {
    let set = evaluation.intervals;
    page.raw("<section class=panel id=method><h2>Method</h2>\n<ul>");
    page.raw(
        "<li>Shares of things that are each one or the other (recall, precision, usefulness, alarms, places) have ",
    );
    page.raw("Wilson’s score interval; all other scores, and shares over several samples of each case, which are no ");
    page.raw("independent evidence, the percentile interval of a bootstrap that draws whole cases again, ");
    page.text(&words::thousands(u64::from(set.resamples))).raw(" times with seed ").number(set.seed);
    page.raw(
        ". Where the draws of a share have no width, or too many have no share, it is Wilson’s of as many cases; of \
             anything else there is no interval where more than one draw in twenty has no score. Level: ",
    )
    .text(&words::level(set.level))
    .raw(".");
    page.raw(
        "<li>Location (same file, ranges at most one line apart) is counted separately and enters no other number.",
    );
    page.raw("<li>Known faults are never all faults: a comment that names none of them is no mistake by that alone.");
    page.raw("<li>Failed and missing reviews are in no number and are named above; they never count as silence.");
    page.raw(
        "<li>Points marked as published were measured by others, on other data, with other judges: they show where ",
    );
    page.raw("reviewers lie, and rank nothing here.</ul></section>\n");
}

/// A number with its interval and what it is made of, as cells of a row.
fn cells(page: &mut Page, figure: &Figure) {
    page.raw("<td class=num><b>").text(&words::value(figure.value)).raw("</b><td class=num>");
    page.text(&words::interval(figure)).raw("<td class=\"num dim\">").text(&words::counts(figure));
}

/// A drawing in the page, with its legend above it.
fn plot(page: &mut Page, legend: &[(&'static str, &str)], svg: String) {
    page.raw("<figure>");
    if !legend.is_empty() {
        page.raw("<figcaption class=legend>");
        for (class, name) in legend {
            page.raw("<span><i class=\"key ").raw(class).raw("\"></i>").text(name).raw("</span> ");
        }
        page.raw("</figcaption>");
    }
    page.raw("<div class=wide role=region tabindex=0 aria-label=Plot>").drawn(&svg).raw("</div></figure>\n");
}

/// The classes of the colours of runs.
const SERIES: [&str; 6] = ["s0", "s1", "s2", "s3", "s4", "s5"];
