use std::collections::BTreeMap;
use std::io;

use super::{Evaluation, FORMATS, Figure, Funnel, Method, Source};
use crate::eval::PROTOCOLS;
use crate::eval::ablate::Ablation;
use crate::eval::score::{Measure, Row};
use crate::eval::scoring::{self, Choice, Records};
use crate::record::{
    Answer, Bug, Case, Comment, Dataset, Judgement, Manifest, Removed, Run, Source as CaseSource, Spent, Status,
    Verdict,
};
use crate::stats::{Bootstrap, Interval, Spread, wilson};

const FEW: Bootstrap = Bootstrap { resamples: 200, seed: 1, level: 0.95 };

/// Ten cases with one bug each and two clean ones; the reviewer says one thing about every one and takes one thing back.
/// Of the bugs it finds the first four, and would find the fifth, had `validate` not removed it.
struct Stage {
    dataset: Dataset,
    records: Records,
}

fn judged(case: &str, comment: &str, hit: bool) -> Judgement {
    let verdict = Verdict {
        label: Some(if hit { "BUG_HIT" } else { "NOISE" }.to_owned()),
        matched: hit.then(|| "b".to_owned()),
        reason: "because".to_owned(),
        ..Verdict::default()
    };
    Judgement {
        answer: None,
        protocol: "cr-bench".to_owned(),
        case: case.to_owned(),
        about: vec![comment.to_owned()],
        judge: "judge".to_owned(),
        verdict,
        ..Judgement::default()
    }
}

fn comment(id: &str, text: &str, score: i64) -> Comment {
    Comment {
        id: id.to_owned(),
        file: Some("a.py".to_owned()),
        line: Some(3),
        body: format!("{text} body of {id}"),
        tag: Some(format!("Tag{text}")),
        category: Some(format!("cat{text}")),
        score: Some(score),
        ..Comment::default()
    }
}

fn stage(text: &str) -> Stage {
    let (mut cases, mut answers, mut judgements) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..12 {
        let id = format!("case-{number:02}");
        let clean = number >= 10;
        let bug = Bug {
            id: "b".to_owned(),
            description: format!("{text} bug {number}"),
            file: Some("a.py".to_owned()),
            line: Some(3),
            severity: Some(format!("{}{text}", ["low", "high"][number % 2])),
            ..Bug::default()
        };
        cases.push(Case {
            id: id.clone(),
            source: CaseSource::Files { folder: ".".to_owned() },
            title: format!("title {text}"),
            language: Some("python".to_owned()),
            clean,
            bugs: if clean { Vec::new() } else { vec![bug] },
            ..Case::default()
        });
        let removed = Removed {
            comment: comment("r1", text, if number == 4 { 5 } else { 2 }),
            stage: if number < 6 { "validate" } else { "ground" }.to_owned(),
            reason: format!("reason{text}"),
        };
        answers.push(Answer {
            case: id.clone(),
            comments: if number == 11 { Vec::new() } else { vec![comment("c1", text, 8)] },
            removed: vec![removed],
            spent: Spent { requests: 1, prompt_tokens: 100, completion_tokens: 20, dollars: Some(0.5), seconds: 1.0 },
            ..Answer::default()
        });
        judgements.push(judged(&id, "c1", number < 4));
        judgements.push(judged(&id, "r1", number == 4));
    }
    let digest = crate::record::digest(&cases);
    let manifest =
        Manifest { name: format!("set{text}"), cases: cases.len(), digest: digest.clone(), ..Manifest::default() };
    let configuration = BTreeMap::from([(format!("model{text}"), format!("value{text}").into())]);
    let run = Run { dataset: manifest.name.clone(), digest, configuration, ..Run::default() };
    let dataset = Dataset { folder: ".".into(), manifest, cases };
    Stage { dataset, records: Records { run, answers, judgements } }
}

fn source(stage: &Stage, name: &str) -> Source {
    let Stage { dataset, records } = stage;
    let choice = Choice { allow_failed: true, ..Choice::default() };
    Source {
        name: name.to_owned(),
        run: Some(records.run.clone()),
        answers: records.answers.clone(),
        judgements: records.judgements.clone(),
        scores: vec![scoring::scores("cr-bench", dataset, records, &choice).unwrap()],
        ablations: vec![Ablation::of_run("cr-bench", dataset, records, &choice).unwrap()],
        cases: dataset.cases.clone(),
    }
}

fn evaluation(sources: &[Source]) -> Evaluation {
    Evaluation::new("1.2.3", sources, &FEW)
}

fn written(evaluation: &Evaluation, format: &str) -> String {
    let mut out = Vec::new();
    let format = FORMATS.iter().find(|known| known.name == format).unwrap();
    (format.write)(evaluation, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn numbers_have_the_intervals_of_their_kind() {
    let evaluation = evaluation(&[source(&stage(""), "run")]);
    let scored = &evaluation.runs[0].protocols[0];
    let recall = scored.measure("recall").unwrap();
    assert_eq!((recall.get(), recall.interval, recall.method), (Some(0.4), wilson(4, 10, 0.95), Some(Method::Wilson)));
    let f1 = scored.measure("f1").unwrap();
    assert_eq!(f1.method, Some(Method::Bootstrap));
    let interval = f1.interval.unwrap();
    assert!(interval.low < f1.get().unwrap() && f1.get().unwrap() < interval.high, "{interval:?}");
    assert_eq!(scored.alarms.get(), Some(0.5), "one of two clean cases");
    assert_eq!(scored.silent["recall"].value.map(|value| value.get()), Some(0.0));
    assert_eq!((scored.found, scored.tokens_each.unwrap().get(), scored.dollars_each.unwrap().get()), (4, 360.0, 1.5));
    let severities: Vec<_> = scored.by["severity"].iter().map(|(name, figure)| (name.as_str(), figure.get())).collect();
    assert_eq!(severities, [("high", Some(0.4)), ("low", Some(0.4))]);
    assert_eq!(scored.tags[0].precision.get(), Some(4.0 / 11.0));
    // Only the axes that comments have.
    assert_eq!(scored.kinds.keys().collect::<Vec<_>>(), [&"category"]);
    assert_eq!(scored.kinds["category"][0].precision.get(), Some(4.0 / 11.0));
}

/// The quick way to draw a quotient again gives what the whole formula gives.
#[test]
fn quotients_are_drawn_as_the_whole_formula_is() {
    let source = source(&stage(""), "run");
    let scores = &source.scores[0];
    let rows: Vec<_> = scores.rows.iter().collect();
    let evaluation = evaluation(std::slice::from_ref(&source));
    for name in ["f1", "snr"] {
        let whole = FEW.of(rows.len(), |places| {
            let drawn: Vec<_> = places.iter().map(|at| rows[*at]).collect();
            scoring::measures("cr-bench", &scores.variants, &drawn)[name].value.map(|value| value.get())
        });
        assert_eq!(evaluation.runs[0].protocols[0].measures[name].interval, whole.interval, "{name}");
    }
}

/// The same answers given ten times are no more evidence than once.
#[test]
fn samples_of_a_case_make_no_interval_narrower() {
    let stage = |samples: u32| {
        let mut stage = stage("");
        let Records { answers, judgements, .. } = &mut stage.records;
        let all = |sample: u32| answers.iter().map(move |answer| Answer { sample, ..answer.clone() });
        let again = (0..samples).flat_map(all).collect();
        *answers = again;
        let all = |sample: u32| judgements.iter().map(move |one| Judgement { sample, ..one.clone() });
        let again = (0..samples).flat_map(all).collect();
        *judgements = again;
        stage
    };
    let of = |samples: u32| evaluation(&[source(&stage(samples), "run")]);
    let (one, ten) = (of(1), of(10));
    let (one, ten) = (&one.runs[0].protocols[0], &ten.runs[0].protocols[0]);
    let width = |figure: &Figure| figure.interval.map(|interval| interval.high - interval.low).unwrap();
    for (what, one, ten) in [
        ("recall", &one.measures["recall"], &ten.measures["recall"]),
        ("precision", &one.measures["precision"], &ten.measures["precision"]),
        ("alarms", &one.alarms, &ten.alarms),
        ("reached", &one.reached, &ten.reached),
        ("matched", &one.matched, &ten.matched),
        ("tag", &one.tags[0].precision, &ten.tags[0].precision),
        ("severity", &one.by["severity"]["high"], &ten.by["severity"]["high"]),
    ] {
        assert_eq!(one.method, Some(Method::Wilson), "{what}");
        assert_eq!(one.value, ten.value, "{what}");
        // Of the same cases; pooled it would be a third.
        assert!(width(ten) > 0.85 * width(one), "{what}: {:?} {:?}", one.interval, ten.interval);
        let is_certain = matches!(one.get(), Some(0.0 | 1.0));
        assert_eq!(ten.method, Some(if is_certain { Method::Wilson } else { Method::Bootstrap }), "{what}");
    }
    assert_eq!(ten.reached.interval, wilson(10, 10, 0.95), "ten cases, though 100 answers");
    assert_eq!(one.alarm_comments.interval, ten.alarm_comments.interval);
    let markdown = written(&of(10), "markdown");
    assert!(markdown.contains("10 samples of a case: all its answers are drawn together"), "{markdown}");
    assert!(!written(&of(1), "markdown").contains("samples of a case"));
}

/// Scores of Sphinx over so many times twelve cases in three languages, a quarter of them clean.
fn checklists(times: usize) -> Source {
    let mut scores = source(&stage(""), "run").scores.remove(0);
    scores.protocol = "sphinx".to_owned();
    scores.variants.lambda = Some(0.9);
    for (row, at) in scores.rows.iter_mut().zip(0_u32..) {
        row.language = Some(["c", "go", "java"][at as usize % 3].to_owned());
        row.clean = at % 4 == 3;
        let number = |value: u32| crate::eval::score::Number::count(value.into());
        let values = [("known", 3), ("found", at % 4), ("silent", at % 2)];
        row.values = values.map(|(name, value)| (name.to_owned(), number(value))).into();
    }
    let name = |case: &str, number: usize| if number == 0 { case.to_owned() } else { format!("{case} {number}") };
    let copy = |row: &Row, number: usize| Row { case: name(&row.case, number), ..row.clone() };
    scores.rows = (0..times).flat_map(|number| scores.rows.iter().map(move |row| copy(row, number))).collect();
    scores.measures = scoring::measures("sphinx", &scores.variants, &scores.rows.iter().collect::<Vec<_>>());
    Source { name: "run".to_owned(), scores: vec![scores], ..Source::default() }
}

/// Of a measure of the report and of the whole formula.
fn drawn_both_ways(source: &Source, name: &str) -> (Figure, Spread) {
    let scores = &source.scores[0];
    let mut rows: Vec<_> = scores.rows.iter().collect();
    // The order of the report.
    rows.sort_by_key(|row| &row.case);
    let whole = FEW.of(rows.len(), |places| {
        let drawn: Vec<_> = places.iter().map(|at| rows[*at]).collect();
        scoring::measures("sphinx", &scores.variants, &drawn)[name].value.map(|value| value.get())
    });
    (evaluation(std::slice::from_ref(source)).runs[0].protocols[0].measures[name], whole)
}

/// Sphinx's scores of a draw from the sums of its cases are those of the whole formula.
#[test]
fn checklists_are_drawn_as_the_whole_formula_is() {
    let source = checklists(6);
    for name in ["score", "score_over_languages", "coverage"] {
        let (figure, whole) = drawn_both_ways(&source, name);
        let (drawn, ends) = (figure.interval.unwrap(), whole.interval.unwrap());
        let is_near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(is_near(ends.low, drawn.low) && is_near(ends.high, drawn.high), "{name}: {ends:?} {drawn:?}");
        assert!(ends.low < ends.high);
        assert_eq!(figure.undefined, whole.undefined, "{name}");
    }
}

/// With few cases most draws lack the clean or the faulty ones of some language, and the rest is no sample of anything.
#[test]
fn an_interval_of_few_draws_is_none_and_the_others_are_counted() {
    let source = checklists(1);
    let (figure, whole) = drawn_both_ways(&source, "score_over_languages");
    assert!(whole.undefined > 100 && whole.interval.is_some(), "{whole:?}");
    assert_eq!((figure.undefined, figure.interval, figure.method), (whole.undefined, None, None));
    assert!(figure.get().is_some());
    let (score, whole) = drawn_both_ways(&source, "score");
    assert!((1..=10).contains(&score.undefined) && score.interval.is_some(), "{score:?}");
    assert_eq!((score.undefined, score.interval), (whole.undefined, whole.interval));
    let evaluation = evaluation(&[source]);
    let note = |figure: &Figure| format!("({} of 200 draws undefined)", figure.undefined);
    for format in ["markdown", "html"] {
        let text = written(&evaluation, format).replace('\\', "");
        for note in [format!("– {}", note(&figure)), format!("] {}", note(&score))] {
            assert!(text.contains(&note), "{format}: {note}: {text}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&written(&evaluation, "json")).unwrap();
    let measures = &json["runs"][0]["protocols"][0]["measures"];
    assert_eq!(measures["score_over_languages"]["undefined"], figure.undefined);
    assert_eq!(measures["score_over_languages"]["interval"], serde_json::Value::Null);
    assert_eq!(measures["coverage"].get("undefined"), None, "every draw has one");
}

#[test]
fn one_undefined_draw_in_twenty_is_the_most() {
    let (measure, interval) = (Measure::ratio(1.0, 2.0), Some(Interval { low: 0.25, high: 0.75 }));
    let of = |undefined: u32| Spread { interval, resamples: 200, undefined };
    let drawn = |undefined: u32| Figure::drawn(&measure, Some(of(undefined)));
    assert_eq!((drawn(10).interval, drawn(10).undefined), (interval, 10));
    assert_eq!((drawn(11).interval, drawn(11).undefined), (None, 11));
    // A share has another interval left, and that is of no draws.
    let share = Figure::of_cases(&measure, Some(of(11)), 10, 0.95);
    assert_eq!((share.interval, share.method, share.undefined), (wilson(5, 10, 0.95), Some(Method::Wilson), 0));
}

/// What says nothing about single comments has no precision of their tags, and not one of nothing either.
#[test]
fn a_protocol_that_decides_about_an_answer_as_a_whole_has_no_tags() {
    let stage = stage("");
    let of = |protocol: &str| {
        let mut source = Source { answers: stage.records.answers.clone(), ..checklists(1) };
        source.scores[0].protocol = protocol.to_owned();
        evaluation(&[source])
    };
    let titles = ["| tag |", "of the comment", "Right, by tag"];
    for protocol in PROTOCOLS {
        let evaluation = of(protocol.name);
        let scored = &evaluation.runs[0].protocols[0];
        let is_whole = protocol.name == "sphinx";
        assert_eq!((scored.tags.is_empty(), scored.kinds.is_empty()), (is_whole, is_whole), "{}", protocol.name);
        let text = written(&evaluation, "markdown") + &written(&evaluation, "html");
        for title in titles {
            assert_eq!(text.contains(title), !is_whole, "{}: {title}", protocol.name);
        }
    }
}

/// No level but 1 is all of it.
#[test]
fn the_level_is_printed_with_its_digits() {
    let evaluation = Evaluation::new("1.2.3", &[source(&stage(""), "run")], &Bootstrap { level: 0.9999, ..FEW });
    for (format, times) in [("markdown", 1), ("html", 2)] {
        let text = written(&evaluation, format);
        assert_eq!((text.matches("99.99 %").count(), text.contains("100 %")), (times, false), "{format}");
    }
}

/// Scores that are beside other answers or decisions are none of theirs; what changes no score is no difference.
#[test]
fn scores_of_other_records_are_stale() {
    let fresh = source(&stage(""), "run");
    assert_eq!(fresh.stale(), Vec::<String>::new());
    let changed = |change: fn(&mut Source)| {
        let mut source = fresh.clone();
        change(&mut source);
        source.stale()
    };
    let (scores, stages) = ("scores of cr-bench".to_owned(), "stages of cr-bench (`eval ablate`)".to_owned());
    let both = vec![scores, stages.clone()];
    assert_eq!(changed(|source| source.answers[0].comments[0].body.push('!')), both);
    assert_eq!(changed(|source| source.answers[0].status = Status::Failed), both);
    assert_eq!(changed(|source| source.judgements[0].verdict.label = Some("NOISE".to_owned())), both);
    assert_eq!(changed(|source| source.scores[0].records = None), both[..1]);
    // What was removed is in no score.
    assert_eq!(changed(|source| source.answers[0].removed.clear()), std::slice::from_ref(&stages));
    assert_eq!(changed(|source| source.judgements[1].verdict.label = Some("BUG_HIT".to_owned())), [stages]);
    assert_eq!(changed(|source| source.answers[0].spent.seconds = 9.0), Vec::<String>::new());
    assert_eq!(changed(|source| source.answers.reverse()), Vec::<String>::new());
    assert_eq!(changed(|source| source.judgements.reverse()), Vec::<String>::new());
    let other = |source: &mut Source| {
        source.judgements.push(Judgement { judge: "other".to_owned(), ..judged("case-00", "c1", false) })
    };
    assert_eq!(changed(other), Vec::<String>::new());
    let alone = Source { scores: fresh.scores, ..Source::default() };
    assert_eq!(alone.stale(), Vec::<String>::new());
}

/// One case with a fault is no sample, however many clean ones stand beside it.
#[test]
fn a_single_case_has_no_interval() {
    let mut stage = stage("");
    for case in &mut stage.dataset.cases[1..] {
        case.bugs.clear();
        case.clean = true;
    }
    stage.records.judgements.retain(|judged| judged.case == "case-00");
    let mut source = source(&stage, "run");
    source.scores[0].protocol = "sphinx".to_owned();
    source.scores[0].measures =
        scoring::measures("sphinx", &source.scores[0].variants, &source.scores[0].rows.iter().collect::<Vec<_>>());
    let evaluation = evaluation(&[source]);
    let score = evaluation.runs[0].protocols[0].measure("score").unwrap();
    assert_eq!((score.value.is_some(), score.interval), (true, None));
}

#[test]
fn the_funnel_balances_and_counts_an_answer_given_again_once() {
    let stage = stage("");
    let funnel = Funnel::of(&stage.records.answers);
    assert_eq!((funnel.raised, funnel.shown), (23, 11));
    let counts: Vec<_> = funnel.removed.iter().map(|removal| (removal.stage.as_str(), removal.count)).collect();
    let none = ["evidence", "filter", "suppress", "merge", "rank"];
    assert!(counts.contains(&("ground", 6)) && counts.contains(&("validate", 6)), "{counts:?}");
    assert!(none.iter().all(|stage| counts.contains(&(stage, 0))), "{counts:?}");
    let twice = [stage.records.answers.clone(), stage.records.answers].concat();
    assert_eq!(Funnel::of(&twice), funnel);
}

#[test]
fn stages_come_one_by_one_and_end_in_what_was_shown() {
    let stage = stage("");
    let source = source(&stage, "run");
    let ablation = &source.ablations[0];
    let row = |step: &crate::eval::ablate::Step| {
        let value = |name: &str| step.measures[name].value.map(|value| value.get());
        (step.name.clone(), step.comments, value("recall"), value("precision"))
    };
    let stages: Vec<_> = ablation.stages.iter().map(row).collect();
    assert_eq!(stages[0], ("collect".to_owned(), 23, Some(0.5), Some(5.0 / 23.0)));
    assert_eq!(stages[1], ("ground".to_owned(), 17, Some(0.5), Some(5.0 / 17.0)));
    assert_eq!(stages[3], ("validate".to_owned(), 11, Some(0.4), Some(4.0 / 11.0)));
    assert_eq!(stages.len(), 8);
    assert_eq!(ablation.stages[7].measures, source.scores[0].measures, "the last stage is the run as it was");
    let thresholds: Vec<_> = ablation.thresholds.iter().map(|step| step.comments).collect();
    // What ground removed stays removed: 11 shown with score 8, one removed with 5, five with 2.
    assert_eq!(thresholds, [17, 17, 12, 12, 12, 11, 11, 11, 0, 0]);
    let text = ablation.text();
    assert!(text.starts_with("Stages up to") && text.contains("\nscore at least 5 "), "{text}");
}

#[test]
fn a_removed_comment_that_nobody_judged_is_missing() {
    let mut stage = stage("");
    stage.records.judgements.retain(|judged| judged.about[0] != "r1" || judged.case != "case-03");
    let error = Ablation::of_run("cr-bench", &stage.dataset, &stage.records, &Choice::default()).unwrap_err();
    assert!(error.is_incomplete() && error.to_string().contains("missing: 1"), "{error}");
    let error = Ablation::of_run("sphinx", &stage.dataset, &stage.records, &Choice::default()).unwrap_err();
    assert!(!error.is_incomplete() && error.to_string().contains("as a whole"), "{error}");
}

#[test]
fn cases_say_what_was_found_by_which_comment() {
    let evaluation = evaluation(&[source(&stage(""), "run")]);
    let cases = &evaluation.runs[0].protocols[0].cases;
    let found = &cases[0];
    assert_eq!((found.faults[0].found, found.faults[0].by.clone()), (true, vec!["c1".to_owned()]));
    assert_eq!((found.faults[0].text.as_str(), found.comments[0].label.as_deref()), (" bug 0", Some("BUG_HIT")));
    assert_eq!((found.worth.hits, found.worth.noise), (1.0, 0.0));
    let missed = &cases[9];
    assert_eq!((missed.faults[0].found, missed.worth.noise, missed.worth.open), (false, 1.0, 0.0));
    assert_eq!((cases[10].clean, cases[10].worth.noise, cases[11].worth.noise), (true, 1.0, 0.0));
}

#[test]
fn what_is_left_out_is_said_first() {
    let mut stage = stage("");
    stage.records.answers[0].status = Status::Failed;
    stage.records.answers[1].status = Status::Incomplete;
    stage.records.answers[2].status = Status::Unparsable;
    stage.records.answers.remove(5);
    let evaluation = evaluation(&[source(&stage, "mine")]);
    let said = evaluation.warnings.join("\n");
    for what in ["1 answer failed", "1 answer missing", "1 answer unparsable", "1 answer incomplete"] {
        assert!(said.contains(what) && said.contains("`mine`"), "{what}: {said}");
    }
    let page = written(&evaluation, "html");
    assert!(page.find("1 answer failed").unwrap() < page.find("id=scores").unwrap());
    assert!(page.contains("case-00") && written(&evaluation, "markdown").contains("1 answer failed"));
}

#[test]
fn runs_over_other_cases_or_by_another_judge_are_not_compared_in_silence() {
    let one = source(&stage(""), "one");
    let other = source(&stage("x"), "other");
    assert!(evaluation(&[one.clone(), other]).warnings[0].contains("cannot be compared"));
    let mut same = one.clone();
    same.scores[0].variants.judge = Some("somebody else".to_owned());
    let warnings = evaluation(&[one.clone(), same]).warnings;
    assert!(warnings.iter().any(|warning| warning.contains("another judge")), "{warnings:?}");
    assert_eq!(evaluation(&[one.clone(), one]).warnings, Vec::<String>::new());
}

#[test]
fn an_unknown_price_is_said_and_never_zero() {
    let mut stage = stage("");
    stage.records.answers[3].spent.dollars = None;
    let evaluation = evaluation(&[source(&stage, "run")]);
    let cost = evaluation.runs[0].cost.unwrap();
    assert_eq!((cost.dollars, cost.unpriced), (None, 1));
    assert_eq!(evaluation.runs[0].protocols[0].dollars_each, None);
    for format in ["html", "markdown"] {
        assert!(written(&evaluation, format).contains("unknown price"), "{format}");
    }
}

/// Scores alone are enough; what is not at hand is not made up.
#[test]
fn scores_alone_have_no_funnel_and_no_cost() {
    let whole = source(&stage(""), "run");
    let alone = Source { name: "run".to_owned(), scores: whole.scores, ..Source::default() };
    let evaluation = evaluation(&[alone]);
    let run = &evaluation.runs[0];
    assert!(run.funnel.is_none() && run.cost.is_none() && run.protocols[0].tags.is_empty());
    let page = written(&evaluation, "html");
    assert!(page.contains("made from scores alone") && !page.contains("<h3>Funnel</h3>"));
}

#[test]
fn the_same_source_gives_the_same_bytes() {
    let one = source(&stage("x"), "run");
    for format in FORMATS {
        let first = written(&evaluation(std::slice::from_ref(&one)), format.name);
        assert_eq!(first, written(&evaluation(std::slice::from_ref(&one)), format.name), "{}", format.name);
    }
}

#[test]
fn no_text_of_a_run_becomes_markup_or_a_command() {
    const TEXT: &str =
        "<img src=x onerror=y>\"'`|]]>--><script>z()</script>\u{202e}\u{1b}[31m\n::error::x\n##[error]x @who";
    let evaluation = evaluation(&[source(&stage(TEXT), TEXT)]);
    let page = written(&evaluation, "html");
    assert!(page.contains("&lt;img src=x"), "it is there as text");
    assert_eq!(page.matches("<script").count(), 1, "our own");
    for never in ["<img", "\u{202e}", "\u{1b}", "##[", " style=\""] {
        assert!(!page.contains(never), "{never:?}");
    }
    let policy = "http-equiv=Content-Security-Policy content=\"default-src 'none';";
    assert!(page.find(policy).unwrap() < page.find("<title>").unwrap());
    let markdown = written(&evaluation, "markdown");
    for (text, what) in [(&markdown, "markdown"), (&written(&evaluation, "json"), "json"), (&page, "html")] {
        for line in text.lines() {
            assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{what}: {line}");
        }
    }
    let live = markdown.replace("\\\\", "").replace("\\<", "");
    assert!(!live.contains("<img") && !live.contains("@who"), "{markdown}");
    let wide = markdown.lines().filter(|line| line.starts_with('|')).map(|line| line.replace("\\|", ""));
    assert!(wide.into_iter().all(|line| line.ends_with('|')), "no name ends a row: {markdown}");
}

/// Every plot has a name and a description, every table column its scope, and every number of a plot a table.
#[test]
fn plots_are_named_for_those_who_do_not_see_them() {
    let page = written(&evaluation(&[source(&stage(""), "run")]), "html");
    let plots = page.matches("<svg class=plot").count();
    assert!(plots >= 6, "{plots} plots");
    assert_eq!(page.matches("role=img aria-labelledby=").count(), plots);
    let mut ids: Vec<&str> = page.split("<title id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(ids.len(), plots);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), plots, "ids differ");
}

#[test]
fn the_json_is_whole_and_readable() {
    let text = written(&evaluation(&[source(&stage(""), "run")]), "json");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["format"], super::FORMAT);
    assert_eq!(value["intervals"], serde_json::json!({"level": 0.95, "resamples": 200, "seed": 1}));
    let scored = &value["runs"][0]["protocols"][0];
    assert_eq!(scored["measures"]["recall"]["over"], 4.0);
    assert_eq!(scored["cases"].as_array().unwrap().len(), 12);
    assert_eq!(value["published"][0]["protocol"], "cr-bench");
}

/// A writer that is full says so.
#[test]
fn a_failed_write_is_an_error() {
    struct Full;
    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let evaluation = evaluation(&[source(&stage(""), "run")]);
    for format in FORMATS {
        assert!((format.write)(&evaluation, &mut Full).is_err(), "{}", format.name);
    }
}
