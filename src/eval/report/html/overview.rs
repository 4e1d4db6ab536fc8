//! What stands above the runs: all of them side by side.

use super::super::plot::{Bar, Mark, Reference, bars, scatter};
use super::super::protocol::ProtocolReport;
use super::super::words;
use super::super::{Evaluation, RunReport};
use super::{SERIES, plot};
use crate::eval::published;
use crate::report::html::Page;

/// What the page is about.
pub(super) fn title(evaluation: &Evaluation) -> String {
    match evaluation.runs.as_slice() {
        [] => "No run".to_owned(),
        [run] => format!("{} on {}", run.name, run.dataset),
        [first, rest @ ..] if rest.iter().all(|run| run.digest == first.digest) => {
            format!("{} reviewers on {}", evaluation.runs.len(), first.dataset)
        }
        runs => format!("{} runs", runs.len()),
    }
}

pub(super) fn summary(page: &mut Page, evaluation: &Evaluation) {
    page.raw("<section class=\"summary pass\">\n<p class=dim>Measurement of a reviewer</p><h1>")
        .text(&title(evaluation));
    page.raw("</h1>\n<ul class=facts>");
    if let Some(run) = evaluation.runs.first() {
        page.raw("<li>dataset ").text(&run.dataset).raw(", digest <code>");
        page.text(&run.digest.chars().take(12).collect::<String>()).raw("</code>");
    }
    page.raw("<li>diffsieve ").text(evaluation.version);
    page.raw("<li>intervals of ").text(&words::level(evaluation.intervals.level)).raw("</ul>\n");
    if let [run] = evaluation.runs.as_slice() {
        page.raw("<div class=tiles>");
        run.protocols.iter().for_each(|scored| tile(page, scored));
        if let Some(scored) = run.protocols.first() {
            alarms(page, scored);
        }
        page.raw("</div>\n");
    }
    page.raw("</section>\n");
}

/// The number that a protocol is about, large.
fn tile(page: &mut Page, scored: &ProtocolReport) {
    let Some((name, figure)) = scored.headline() else { return };
    page.raw("<a class=tile href=#").raw(words::anchor(&scored.protocol)).raw("><span>").text(&scored.protocol);
    page.raw("</span><b>").text(&words::value(figure.value)).raw("</b><span>").text(words::title(name));
    if figure.interval.is_some() || figure.undefined > 0 {
        page.raw(" ").text(&words::interval(figure));
    }
    page.raw("</span><span class=dim>silent reviewer: ");
    page.text(&words::value(scored.silent.get(name).and_then(|measure| measure.value))).raw("</span></a>");
}

fn alarms(page: &mut Page, scored: &ProtocolReport) {
    if scored.alarms.under.is_none_or(|under| under.get() == 0.0) {
        return;
    }
    page.raw("<div class=tile><span>clean cases</span><b>").text(&words::value(scored.alarms.value));
    page.raw("</b><span>false alarms ").text(&words::interval(&scored.alarms)).raw("</span><span class=dim>");
    page.text(&words::counts(&scored.alarms)).raw(" reviews say something</span></div>");
}

/// What a reader must know first.
pub(super) fn warnings(page: &mut Page, evaluation: &Evaluation) {
    if evaluation.warnings.is_empty() {
        return;
    }
    page.raw("<section class=unread aria-labelledby=warnings><h2 id=warnings>Before reading the numbers</h2><ul>");
    for warning in &evaluation.warnings {
        page.raw("<li>").prose(warning);
    }
    page.raw("</ul></section>\n");
}

fn each(evaluation: &Evaluation) -> impl Iterator<Item = (usize, &RunReport, &ProtocolReport)> {
    let runs = evaluation.runs.iter().enumerate();
    runs.flat_map(|(at, run)| run.protocols.iter().map(move |scored| (at, run, scored)))
}

/// The table of everything.
pub(super) fn scores(page: &mut Page, evaluation: &Evaluation) {
    page.raw(
        "<section class=panel id=scores><h2>Scores</h2>\n<p>Each beside what a reviewer scores who never says a word.",
    );
    page.raw(
        "</p>\n<div class=wide role=region tabindex=0 aria-label=Scores>\n<table class=\"grid figures\"><thead><tr>",
    );
    page.raw(
        "<th scope=col>Run<th scope=col>Protocol<th scope=col>Main number<th scope=col>Interval<th scope=col>Silent",
    );
    page.raw("<th scope=col>False alarms<th scope=col>At the place<th scope=col>Answers<th scope=col>Failed, missing");
    page.raw("<th scope=col>Incomplete<th scope=col>Unparsable<th scope=col class=who>Judge, similarity</thead>\n");
    for (_, run, scored) in each(evaluation) {
        page.raw("<tr><th scope=row>").text(&run.name).raw("<td>").text(&scored.protocol).raw("<td class=num>");
        let (name, figure) = scored.headline().unzip();
        let (name, figure) = (name.unwrap_or_default(), figure.copied().unwrap_or_default());
        page.text(words::title(name)).raw(" <b>").text(&words::value(figure.value)).raw("</b><td class=num>");
        page.text(&words::interval(&figure)).raw("<td class=num>");
        page.text(&words::value(scored.silent.get(name).and_then(|measure| measure.value))).raw("<td class=num>");
        page.text(&words::value(scored.alarms.value)).raw("<td class=num>").text(&words::value(scored.reached.value));
        let answers = &scored.answers;
        let counts = [
            answers.scored,
            (answers.failed.len() + answers.missing.len()) as u64,
            answers.incomplete,
            answers.unparsable,
        ];
        for (at, count) in counts.into_iter().enumerate() {
            page.raw(if at > 0 && count > 0 { "<td class=\"num missed\">" } else { "<td class=num>" }).number(count);
        }
        page.raw("<td class=who>").text(scored.variants.judge.as_deref().unwrap_or("none needed"));
        if let Some(similarity) = &scored.variants.similarity {
            page.raw(", ").text(similarity);
        }
        page.raw("\n");
    }
    page.raw("</table></div></section>\n");
}

/// Whether anything can be put into the plane of precision and recall.
pub(super) fn has_points(evaluation: &Evaluation) -> bool {
    !marks(evaluation).is_empty()
}

fn marks(evaluation: &Evaluation) -> Vec<Mark> {
    let several = evaluation.runs.len() > 1;
    let mark = |(at, run, scored): (usize, &RunReport, &ProtocolReport)| {
        let (recall, precision) = (scored.measure("recall")?, scored.measure("precision")?);
        let place = run.protocols.iter().position(|other| other.protocol == scored.protocol);
        Some(Mark {
            name: if several { format!("{} ({})", run.name, scored.protocol) } else { scored.protocol.clone() },
            legend: if several { run.name.clone() } else { scored.protocol.clone() },
            recall: recall.get()?,
            precision: precision.get()?,
            spread: (recall.interval, precision.interval),
            series: if several { at } else { place.unwrap_or_default() },
        })
    };
    each(evaluation).filter_map(mark).collect()
}

/// What others published, in the order of their sources.
fn references() -> Vec<(Reference, &'static str)> {
    let reference = |name: &str, recall: f64, precision: f64, source: usize| Reference {
        name: name.to_owned(),
        recall,
        precision,
        source,
    };
    let mut list = Vec::new();
    for row in &published::CR_BENCH {
        list.push((reference(row.name, row.recall / 100.0, row.precision / 100.0, 0), published::CR_BENCH_SOURCE));
    }
    for row in &published::CQS {
        list.push((reference(row.name, row.recall / 100.0, row.precision / 100.0, 1), published::CQS_SOURCE));
    }
    for row in &published::GOLDEN {
        let measures = row.counts.measures();
        let of = |name: &str| measures.get(name).and_then(|measure| measure.value).map(|value| value.get());
        if let (Some(recall), Some(precision)) = (of("recall"), of("precision")) {
            list.push((reference(row.name, recall, precision, 2), published::GOLDEN_SOURCE));
        }
    }
    list
}

/// Precision against recall, with what others published.
pub(super) fn precision_recall(page: &mut Page, evaluation: &Evaluation) {
    let marks = marks(evaluation);
    if marks.is_empty() {
        return;
    }
    page.raw("<section class=panel id=precision-recall><h2>Precision and recall</h2>\n<p>Filled: measured here, with ");
    page.raw("intervals. Outlined: published by others on other data. Grey lines: the same F1.</p>\n");
    let (references, sources): (Vec<_>, Vec<_>) = references().into_iter().unzip();
    let says: Vec<String> = marks
        .iter()
        .map(|mark| format!("{}: recall {:.3}, precision {:.3}", mark.name, mark.recall, mark.precision))
        .collect();
    let svg =
        scatter("plot-precision-recall", ("Precision against recall", &says.join("; ")), &marks, &references, &[]);
    let mut legend: Vec<(&'static str, &str)> = Vec::new();
    for mark in &marks {
        let entry = (SERIES[mark.series % SERIES.len()], &*mark.legend);
        if !legend.contains(&entry) {
            legend.push(entry);
        }
    }
    legend.extend([
        ("open square", "CR-Bench, Table 4"),
        ("open triangle", "Code Quality Score, Tables 1 and 2"),
        ("open", "withmartian benchmark"),
    ]);
    plot(page, &legend, svg);
    page.raw(
        "<details><summary>The points as a table</summary>\n<div class=wide role=region tabindex=0 aria-label=Points>",
    );
    page.raw(
        "<table class=\"grid figures\"><thead><tr><th scope=col>Reviewer<th scope=col>Recall<th scope=col>Precision",
    );
    page.raw("<th scope=col>F1<th scope=col class=who>Source</thead>\n");
    for mark in &marks {
        point(page, (&mark.name, mark.recall, mark.precision), "measured here");
    }
    for (reference, source) in references.iter().zip(sources) {
        point(page, (&reference.name, reference.recall, reference.precision), source);
    }
    page.raw("</table></div></details></section>\n");
}

fn point(page: &mut Page, (name, recall, precision): (&str, f64, f64), source: &str) {
    let f1 = if recall + precision > 0.0 { 2.0 * recall * precision / (recall + precision) } else { 0.0 };
    page.raw("<tr><th scope=row>").text(name);
    for number in [recall, precision, f1] {
        page.raw("<td class=num>").text(&words::number(number, 3));
    }
    page.raw("<td class=\"dim who\">").text(source).raw("\n");
}

/// What a true finding costs.
pub(super) fn cost(page: &mut Page, evaluation: &Evaluation) {
    let costs = || each(evaluation).filter_map(|(at, run, scored)| Some((at, run, scored, run.cost?)));
    if costs().next().is_none() {
        return;
    }
    page.raw(
        "<section class=panel id=cost><h2>Cost of a true finding</h2>\n<p>What all answers took, failed ones too, by ",
    );
    page.raw("the known faults that were found.</p>\n");
    // Dollars where every price is known, else what can be counted.
    let priced = costs().all(|(.., cost)| cost.dollars.is_some())
        && costs().any(|(_, _, scored, _)| scored.dollars_each.is_some());
    let asked = costs().any(|(.., cost)| cost.tokens() > 0);
    let each_of = |scored: &ProtocolReport| if priced { scored.dollars_each } else { scored.tokens_each };
    let value = |scored: &ProtocolReport| each_of(scored).map(|value| value.get());
    if asked {
        let list = costs().map(|(at, run, scored, _)| Bar {
            name: if evaluation.runs.len() > 1 {
                format!("{} ({})", run.name, scored.protocol)
            } else {
                scored.protocol.clone()
            },
            value: value(scored),
            spread: None,
            note: value(scored).map_or("nothing found".to_owned(), |value| {
                if priced { words::dollars(value) } else { format!("{} tokens", words::number(value, 0)) }
            }),
            series: at,
        });
        let list: Vec<Bar> = list.collect();
        let most = list.iter().filter_map(|bar| bar.value).fold(0.0, f64::max);
        let title = if priced { "US dollars a true finding" } else { "Tokens a true finding" };
        let ticks: fn(f64) -> String =
            if priced { |number| format!("${}", words::number(number, 4)) } else { |number| words::number(number, 0) };
        let says: Vec<String> = list.iter().map(|bar| format!("{}: {}", bar.name, bar.note)).collect();
        plot(page, &[], bars("plot-cost", (title, &says.join("; ")), &[(title.to_owned(), list)], most, ticks));
    }
    page.raw("<div class=wide role=region tabindex=0 aria-label=Cost><table class=\"grid figures\"><thead><tr>");
    page.raw(
        "<th scope=col>Run<th scope=col>Protocol<th scope=col>True findings<th scope=col>Dollars each<th scope=col>",
    );
    page.raw(
        "Tokens each<th scope=col>Dollars<th scope=col>Requests<th scope=col>Tokens read<th scope=col>Tokens written",
    );
    page.raw("<th scope=col>Seconds</thead>\n");
    for (_, run, scored, cost) in costs() {
        let dollars = |dollars: Option<f64>| match (cost.dollars, dollars) {
            (None, _) => "unknown price".to_owned(),
            (_, None) => "undefined".to_owned(),
            (_, Some(value)) => words::dollars(value),
        };
        page.raw("<tr><th scope=row>").text(&run.name).raw("<td>").text(&scored.protocol).raw("<td class=num>");
        page.number(scored.found).raw("<td class=num>").text(&dollars(scored.dollars_each.map(|each| each.get())));
        page.raw("<td class=num>").text(&words::value(scored.tokens_each)).raw("<td class=num>");
        page.text(&dollars(cost.dollars));
        for count in [cost.requests, cost.prompt_tokens, cost.completion_tokens] {
            page.raw("<td class=num>").text(&words::thousands(count));
        }
        page.raw("<td class=num>").text(&words::number(cost.seconds, 1)).raw("\n");
    }
    page.raw("</table></div>");
    for run in &evaluation.runs {
        if let Some(cost) = run.cost.filter(|cost| cost.unpriced > 0) {
            page.raw("<p class=dim>").text(&run.name).raw(": ").number(cost.unpriced).raw(" of ").number(cost.answers);
            page.raw(" answers asked a model whose price is unknown.</p>");
        }
    }
    page.raw("</section>\n");
}

/// What others published under the protocols of this page.
pub(super) fn elsewhere(page: &mut Page, evaluation: &Evaluation) {
    if evaluation.published.is_empty() {
        return;
    }
    page.raw(
        "<section class=panel id=published><h2>Published by others</h2>\n<p>Under the same protocols, on other data, ",
    );
    page.raw("with other judges and prompts: points of reference, no ranks.</p>\n");
    for table in &evaluation.published {
        page.raw("<details><summary>").text(table.source).raw("</summary>\n<div class=wide role=region tabindex=0 ");
        page.raw("aria-label=Published><table class=\"grid figures\"><thead><tr>");
        for column in &table.columns {
            page.raw("<th scope=col>").text(column);
        }
        page.raw("</thead>\n");
        for row in &table.rows {
            for (at, cell) in row.iter().enumerate() {
                page.raw(if at == 0 { "<tr><th scope=row>" } else { "<td class=num>" }).text(cell);
            }
            page.raw("\n");
        }
        page.raw("</table></div></details>\n");
    }
    page.raw("</section>\n");
}
