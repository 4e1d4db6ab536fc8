//! Every input of tests/vectors with its expected values, to ten decimals. A part of a file that nothing here knows fails.

use std::fs;

use serde_json::{Map, Value};

use crate::eval::golden::Detection;
use crate::eval::score::{Compat, Hits, Matching, Measures, Number, Pairing, Variants};
use crate::eval::{cqs, cr_bench, input, sphinx, swe_prbench};

/// The vectors of a file without the parts that another test walks or that are prose.
fn parts(name: &str, elsewhere: &[&str]) -> Map<String, Value> {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    let Value::Object(mut parts) = serde_json::from_slice(&fs::read(path).unwrap()).unwrap() else { panic!("{name}") };
    for part in elsewhere {
        assert!(parts.remove(*part).is_some(), "{name} has no part {part}");
    }
    parts
}

fn list(value: &Value) -> &[Value] {
    let list = value.as_array().unwrap();
    assert!(!list.is_empty());
    list
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

/// Equal after rounding to ten decimals; `null` and `"inf"` are themselves.
fn assert_equal(real: &Value, expected: &Value, at: &str) {
    match (real, expected) {
        (Value::Number(_), Value::Number(_)) => {
            let rounded = |value: &Value| Number::new(number(value)).unwrap().rounded();
            assert_eq!(rounded(real), rounded(expected), "{at}");
        }
        (Value::Array(real), Value::Array(expected)) => {
            assert_eq!(real.len(), expected.len(), "{at}: {real:?} {expected:?}");
            real.iter().zip(expected).for_each(|(real, expected)| assert_equal(real, expected, at));
        }
        (Value::Object(real), Value::Object(expected)) => {
            for (key, expected) in expected {
                assert_equal(
                    real.get(key).unwrap_or_else(|| panic!("{at}: no {key}")),
                    expected,
                    &format!("{at}.{key}"),
                );
            }
        }
        _ => assert_eq!(real, expected, "{at}"),
    }
}

fn assert_number(real: Option<Number>, expected: &Value, at: &str) {
    assert_equal(&serde_json::to_value(real).unwrap(), expected, at);
}

fn assert_close(real: f64, expected: &Value, decimals: i32, at: &str) {
    let expected = number(expected);
    let most = 0.5 * 10_f64.powi(-decimals) * 1.000_001;
    assert!((real - expected).abs() <= most, "{at}: {real} is not {expected} to {decimals} decimals");
}

fn of(measures: &Measures, name: &str) -> Option<Number> {
    measures[name].value
}

fn scored(protocol: &str, case: &Value, variants: &Variants) -> Value {
    input::score(protocol, case.to_string().as_bytes(), variants).unwrap()
}

#[test]
fn cr_bench_counts() {
    for (part, value) in parts("crbench_metrics.json", &["spec", "published_table4", "corpus_aggregation"]) {
        assert_eq!(part, "cases");
        for case in list(&value) {
            let scores = scored("cr-bench", &case["input"], &Variants::default());
            assert_equal(&scores, &case["expected"], text(&case["name"]));
            assert_eq!(scores["hits"], "per-bug");
            let variants = Variants { hits: Some(Hits::PerComment), ..Variants::default() };
            assert_eq!(scored("cr-bench", &case["input"], &variants)["hits"], "per-comment");
        }
    }
}

/// Table 4 has one count of hits in recall and precision, and its SNR is the one that its usefulness implies.
#[test]
fn cr_bench_table_4() {
    let elsewhere = ["spec", "cases", "corpus_aggregation"];
    for (part, value) in parts("crbench_metrics.json", &elsewhere) {
        assert_eq!(part, "published_table4");
        for row in list(&value) {
            let at = format!("{} {}", row["agent"], row["model"]);
            let counted = &row["reconstructed"];
            let hits = count(&counted["bug_hits"]);
            // 74.29 % of 912 comments are no whole number of them (677.5), so everything is counted in ten thousandths.
            let hits = hits * 10_000;
            let comments = count(&counted["total_reviews"]) * 10_000;
            let share = number(&row["published"]["usefulness"]) / 100.0;
            let useful = (share * comments as f64).round() as u64;
            let counts = cr_bench::Counts {
                bugs: count(&counted["total_bugs"]) * 10_000,
                comments,
                hit_comments: hits,
                hit_bugs: hits,
                valid: useful - hits,
                noise: comments - useful,
            };
            let measures = counts.measures(Hits::PerBug);
            let percent = |name: &str| of(&measures, name).unwrap().get() * 100.0;
            assert_close(percent("recall"), &row["recall_pct"], 2, &at);
            assert_close(percent("precision"), &row["precision_pct"], 2, &at);
            assert_close(percent("f1"), &row["f1_pct"], 2, &at);
            assert_close(percent("recall"), &row["published"]["recall"], 2, &at);
            assert_close(percent("precision"), &row["published"]["precision"], 2, &at);
            // 6.30 and 8.83 are printed where 6.29 and 8.82 come out: the paper computed F1 from rounded percentages.
            assert!((percent("f1") - number(&row["published"]["f1"])).abs() < 0.015, "{at}");
            assert_close(share / (1.0 - share), &row["snr_from_usefulness"], 2, &at);
            assert_close(of(&measures, "snr").unwrap().get(), &row["published"]["snr"], 2, &at);
        }
    }
}

#[test]
fn swe_prbench() {
    // Agreement of judges is measured with the intervals.
    for (part, value) in parts("sweprbench_score.json", &["spec", "kappa"]) {
        match part.as_str() {
            "formula" => list(&value).iter().for_each(formula),
            "end_to_end" => list(&value).iter().for_each(end_to_end),
            "aggregate" => list(&value).iter().for_each(aggregate),
            "affinity" => list(&value).iter().for_each(affinity),
            "constants" => constants(&value),
            "fpr" => {
                let rates = list(&value["example"]["per_pr"]).iter().map(number);
                assert_number(swe_prbench::mean(rates), &value["example"]["expected"], "fpr");
            }
            "rvs" => {
                for case in list(&value) {
                    let parts: swe_prbench::ReviewValue = serde_json::from_value(case["input"].clone()).unwrap();
                    assert_number(Number::new(parts.score()), &case["expected"], "rvs");
                }
            }
            "cross_judge_proxy" => {
                for case in list(&value) {
                    let labels: Vec<swe_prbench::Label> = serde_json::from_value(case["input"].clone()).unwrap();
                    assert_number(swe_prbench::cross_judge_proxy(&labels), &case["expected"], "cross_judge_proxy");
                }
            }
            other => panic!("nothing walks {other}"),
        }
    }
}

fn formula(case: &Value) {
    let terms: swe_prbench::Terms = serde_json::from_value(case["input"].clone()).unwrap();
    assert_number(Number::new(terms.overall()), &case["expected"], text(&case["name"]));
}

fn end_to_end(case: &Value) {
    let name = text(&case["name"]);
    let under = |compat: Compat| {
        let variants = Variants { compat: Some(compat), ..Variants::default() };
        scored("swe-prbench", &case["input"], &variants)
    };
    let (paper, released) = (under(Compat::Paper), under(Compat::V041));
    assert_equal(&paper, &case["expected_paper"], &format!("{name}, paper"));
    assert_equal(&released, &case["expected_repo"], &format!("{name}, released"));
    assert_eq!((&paper["compat"], &released["compat"]), (&"paper".into(), &"v0.4.1".into()));
    assert_eq!(case["differs"].as_bool().unwrap(), paper["overall"] != released["overall"], "{name}");
}

fn aggregate(case: &Value) {
    let at = text(&case["name"]);
    let changes: Vec<(f64, u64)> = list(&case["input"])
        .iter()
        .map(|change| (number(&change["score"]), count(&change["human_comments"])))
        .collect();
    for ((_, humans), expected) in changes.iter().zip(list(&case["weights"])) {
        assert_number(Number::new(swe_prbench::weight(*humans)), expected, at);
    }
    assert_number(swe_prbench::aggregate(&changes), &case["expected_weighted"], at);
    assert_number(swe_prbench::mean(changes.iter().map(|(score, _)| *score)), &case["expected_mean"], at);
}

fn affinity(case: &Value) {
    let input = &case["input"];
    let spot = |file: &str, line: &str| swe_prbench::Spot {
        file: input[file].as_str(),
        line: input[line].as_u64().map(|line| u32::try_from(line).unwrap()),
    };
    let affinity = swe_prbench::affinity(
        number(&input["similarity"]),
        spot("agent_file", "agent_line"),
        spot("human_file", "human_line"),
    );
    assert_number(Number::new(affinity), &case["expected"], &input.to_string());
    assert_eq!(Value::Bool(swe_prbench::is_kept(affinity, None)), case["kept"], "{input}");
}

/// Each constant by what it does to a score.
fn constants(constants: &Value) {
    let one = |set: fn(&mut swe_prbench::Terms)| {
        // Enough credit that no penalty meets the clamp.
        let mut terms = swe_prbench::Terms { p: 1.0, a: 1.0, r: 1.0, confirmed: 1, ..Default::default() };
        let before = terms.overall();
        set(&mut terms);
        terms.overall() - before
    };
    let weights = &constants["weights"];
    let equal = |real: f64, expected: &Value, at: &str| assert_number(Number::new(real), expected, at);
    equal(-one(|terms| terms.r = 0.0), &weights["recall"], "recall");
    equal(-one(|terms| terms.p = 0.0), &weights["precision"], "precision");
    equal(-one(|terms| terms.a = 0.0), &weights["semantic_alignment"], "alignment");
    equal(one(|terms| terms.q = 1.0), &weights["actionability"], "actionability");
    equal(one(|terms| terms.e = 1.0), &weights["efficiency"], "efficiency");
    equal(one(|terms| terms.h = 1.0), &weights["hallucination"], "hallucination");
    equal(one(|terms| terms.rho = 1.0), &weights["redundancy"], "redundancy");
    equal(one(|terms| terms.phi = 1.0), &weights["plausible_excess"], "excess");
    let unconfirmed = swe_prbench::Terms { q: 1.0, ..Default::default() }.overall() / 0.1;
    equal(unconfirmed, &constants["actionability_discount_without_confirmed"], "discount");
    let halved = swe_prbench::Terms { r: 1.0, judge_fallback: true, ..Default::default() }.overall() / 0.4;
    equal(halved, &constants["judge_fallback_factor"], "fallback");

    let at = |line: u32| {
        let spot = |line| swe_prbench::Spot { file: Some("a"), line: Some(line) };
        swe_prbench::affinity(0.0, spot(1), spot(1 + line))
    };
    equal(at(1000), &constants["same_file_bonus"], "same file");
    for bonus in list(&constants["line_bonus"]) {
        let most = u32::try_from(count(&bonus["max_distance"])).unwrap();
        equal(at(most) - at(1000), &bonus["bonus"], "line bonus");
        assert!(at(most + 1) < at(most), "line bonus beyond {most}");
    }
    let threshold = number(&constants["affinity_threshold"]);
    assert!(swe_prbench::is_kept(threshold, None) && !swe_prbench::is_kept(threshold - 1e-9, None));

    let plausible = |comments: u64, compat| {
        let comment = |id| serde_json::json!({"id": format!("a{id}"), "label": "PLAUSIBLE"});
        let comments: Vec<Value> = (0..comments).map(comment).collect();
        let input = serde_json::json!({"agent_comments": comments, "human_comments": []});
        let input: swe_prbench::Input = serde_json::from_value(input).unwrap();
        input.score(compat, Pairing::Greedy).unwrap()
    };
    let excess = plausible(1, Compat::Paper).plausible_penalty.get();
    equal(1.0 - excess, &constants["tau"], "tau");
    let few = count(&constants["min_comments_for_plausible_penalty"]["value"]);
    assert_eq!(plausible(few - 1, Compat::V041).plausible_penalty.get(), 0.0);
    assert!(plausible(few, Compat::V041).plausible_penalty.get() > 0.0);
    equal(1.0 + 4.0 * plausible(1, Compat::Paper).actionability.get(), &constants["default_actionability"], "action");

    let same = number(&constants["redundancy_cluster_similarity"]["value"]);
    for (similarity, redundancy) in [(same, 0.5), (same - 1e-9, 0.0)] {
        let input = serde_json::json!({
            "agent_comments": [{"id": "a", "label": "PLAUSIBLE"}, {"id": "b", "label": "PLAUSIBLE"}],
            "human_comments": [], "agent_similarity": {"b|a": similarity},
        });
        let input: swe_prbench::Input = serde_json::from_value(input).unwrap();
        assert_eq!(input.score(Compat::Paper, Pairing::Greedy).unwrap().redundancy.get(), redundancy);
    }
    // Of the run and of the judge's prompt, which are not scored here.
    assert_eq!((&constants["max_agent_comments"], &constants["judge_diff_chars"]), (&30.into(), &12000.into()));
    assert_eq!(constants.as_object().unwrap().len(), 12);
}

#[test]
fn sphinx() {
    for (part, value) in parts("sphinx_checklist.json", &["spec"]) {
        match part.as_str() {
            "coverage" => {
                for case in list(&value) {
                    let scores = scored("sphinx", &case["input"], &Variants::default());
                    let name = text(&case["name"]);
                    assert_equal(&scores["score"], &case["expected"], name);
                    assert_equal(&scores["percent"], &case["expected_percent"], name);
                    assert_equal(&scores["lambda"], &case["input"]["lambda_"], name);
                }
            }
            "length_penalty_ramp" => list(&value).iter().for_each(|case| {
                penalty(case, |input| sphinx::Penalty::Ramp {
                    start: number(&input["M"]),
                    end: number(&input["N"]),
                    cap: number(&input["cap"]),
                })
            }),
            "length_penalty_literal" => {
                list(&value).iter().for_each(|case| {
                    penalty(case, |input| sphinx::Penalty::Literal {
                        end: number(&input["N"]),
                        least: number(&input["gamma_min"]),
                    })
                });
            }
            "reward" => {
                for case in list(&value) {
                    let input = &case["input"];
                    let real = sphinx::reward(number(&input["checklist_coverage"]), number(&input["gamma"]));
                    assert_number(Number::new(real), &case["expected"], "reward");
                }
            }
            "judge_count_parsing" => {
                for case in list(&value) {
                    let input = &case["input"];
                    let real = sphinx::parse_count(text(&input["raw"]), count(&input["items"]));
                    assert_eq!(real, count(&case["expected"]), "{input}");
                }
            }
            "per_language_then_average" => {
                let average = sphinx::average(list(&value["example"]["input"]).iter().map(number));
                assert_close(average.unwrap().get(), &value["example"]["published"], 2, "average");
                assert_eq!(value["example"]["expected"], value["example"]["published"]);
            }
            "published_inconsistencies" => {
                assert_eq!(value.as_object().unwrap().len(), 4);
                for (row, average, printed) in
                    [("LLama3.3-70B", "llama_row_avg", "llama_published"), ("GPT4.1", "gpt41_avg", "gpt41_published")]
                {
                    let published = crate::eval::published::SPHINX.iter().find(|other| other.name == row).unwrap();
                    assert_close(sphinx::average(published.languages).unwrap().get(), &value[average], 2, row);
                    assert_eq!(published.average, number(&value[printed]));
                }
            }
            other => panic!("nothing walks {other}"),
        }
    }
}

fn penalty(case: &Value, of: impl Fn(&Value) -> sphinx::Penalty) {
    let input = &case["input"];
    let penalty = of(input);
    penalty.check().unwrap();
    let factor = penalty.factor(count(&input["pred_len"]), count(&input["ref_len"]));
    assert_number(Number::new(factor), &case["expected"], &input.to_string());
}

#[test]
fn cqs() {
    for (part, value) in parts("cqs.json", &["spec"]) {
        match part.as_str() {
            "matching" => {
                for case in list(&value) {
                    for (matching, key) in
                        [(Matching::OneToOne, "expected_one_to_one"), (Matching::ManyToOne, "expected_many_to_one")]
                    {
                        let variants = Variants { matching: Some(matching), ..Variants::default() };
                        let scores = scored("cqs", &case["input"], &variants);
                        assert_equal(&scores, &case[key], &format!("{} {key}", case["name"]));
                        assert_eq!(scores["match"], serde_json::to_value(matching).unwrap());
                    }
                }
            }
            "preference_pairs" => list(&value).iter().for_each(preference),
            "judge_accuracy" => list(&value).iter().for_each(judge_accuracy),
            "helpfulness" => {
                for case in list(&value) {
                    let input = &case["input"];
                    let real = cqs::helpfulness(count(&input["up"]), count(&input["down"]));
                    assert_number(real, &case["expected"], &input.to_string());
                }
            }
            "dpo_loss" => {
                for case in list(&value) {
                    let of = |name: &str| number(&case["input"][name]);
                    let loss =
                        cqs::dpo_loss(of("beta"), of("logp_w"), of("ref_logp_w"), of("logp_l"), of("ref_logp_l"));
                    assert_number(Number::new(loss), &case["expected"], "dpo_loss");
                }
            }
            "filters" => {
                for case in list(&value) {
                    let filter: cqs::Filter = serde_json::from_value(case["input"].clone()).unwrap();
                    let kept: Vec<Value> = list(&case["input"]["issues"])
                        .iter()
                        .filter(|issue| filter.keeps(&serde_json::from_value((*issue).clone()).unwrap()))
                        .map(|issue| issue["id"].clone())
                        .collect();
                    assert_eq!(Value::Array(kept), case["expected_kept"]);
                }
            }
            "published_consistency" => list(&value).iter().for_each(table_1),
            other => panic!("nothing walks {other}"),
        }
    }
}

fn preference(case: &Value) {
    let graded = |issue: &Value| cqs::Graded {
        id: text(&issue["id"]).to_owned(),
        tag: text(&issue["tag"]).to_owned(),
        score: number(&issue["score"]),
    };
    let reviews: Vec<Vec<cqs::Graded>> =
        list(&case["input"]["reviews"]).iter().map(|review| list(review).iter().map(graded).collect()).collect();
    let delta = number(&case["input"]["delta"]);
    let pairs = |pairs: Vec<cqs::Pair<'_>>| -> Value {
        let pair = |pair: &cqs::Pair<'_>| serde_json::json!({"chosen": pair.chosen.id, "rejected": pair.rejected.id});
        pairs.iter().map(pair).collect()
    };
    assert_eq!(pairs(cqs::oriented_pairs(&reviews, delta)), case["expected_oriented"], "delta {delta}");
    assert_eq!(pairs(cqs::literal_pairs(&reviews, delta)), case["expected_literal"], "delta {delta}");
}

fn judge_accuracy(case: &Value) {
    let input = &case["input"];
    let real = if input["scores"].is_array() {
        let thumbs: Vec<cqs::Thumb> = serde_json::from_value(input["thumbs"].clone()).unwrap();
        let votes: Vec<(f64, cqs::Thumb)> = list(&input["scores"]).iter().map(number).zip(thumbs).collect();
        cqs::agreement(&votes)
    } else {
        let votes = count(&input["thumbs_up"]) + count(&input["thumbs_down"]);
        cqs::accuracy(count(&input["true_positive"]), count(&input["true_negative"]), votes)
    };
    assert_number(real, &case["expected"], &input.to_string());
}

/// Every row of Table 1 implies about the same number of known issues, if precision and recall share one count.
fn table_1(row: &Value) {
    let model = text(&row["model"]);
    let issues = count(&row["issues"]);
    let matched = number(&row["precision"]) / 100.0 * issues as f64;
    assert_close(matched, &row["matched"], 2, model);
    let known = matched / (number(&row["recall"]) / 100.0);
    assert_close(known, &row["implied_gt"], 1, model);
    // The measure gives the published precision back from the published count, and from those known issues the recall.
    let counts = cqs::Counts {
        predicted: issues * 10_000,
        matched: (matched * 10_000.0).round() as u64,
        known: (known * 10_000.0).round() as u64,
        found: (matched * 10_000.0).round() as u64,
    };
    let measures = counts.measures();
    assert_close(of(&measures, "precision").unwrap().get() * 100.0, &row["precision"], 2, model);
    assert_close(of(&measures, "recall").unwrap().get() * 100.0, &row["recall"], 2, model);
    let published = crate::eval::published::CQS.iter().filter(|other| other.issues == Some(issues));
    let published = published.filter(|other| other.precision == number(&row["precision"])).count();
    assert_eq!(published, 1, "{model}");
}

#[test]
fn golden_comments() {
    // Agreement of judges is measured with the intervals.
    for (part, value) in parts("martian_real_outputs.json", &["source", "definition", "judge_agreement"]) {
        assert_eq!(part, "tools");
        for row in list(&value) {
            let measures = Detection {
                true_positives: count(&row["tp"]),
                false_positives: count(&row["fp"]),
                false_negatives: count(&row["fn"]),
            }
            .measures();
            for name in ["precision", "recall", "f1"] {
                let at = format!("{} {} {name}", row["judge"], row["tool"]);
                assert_close(of(&measures, name).unwrap().get(), &row[name], 6, &at);
            }
        }
        assert_eq!(value.as_array().unwrap().len(), 36);
        let published = crate::eval::published::GOLDEN.iter();
        for tool in published {
            let row = list(&value)
                .iter()
                .find(|row| row["tool"] == tool.name && row["judge"] == "openai_gpt-5.2")
                .unwrap_or_else(|| panic!("{}", tool.name));
            let Detection { true_positives, false_positives, false_negatives } = tool.counts;
            let counts = [count(&row["tp"]), count(&row["fp"]), count(&row["fn"])];
            assert_eq!(counts, [true_positives, false_positives, false_negatives], "{}", tool.name);
        }
    }
}
