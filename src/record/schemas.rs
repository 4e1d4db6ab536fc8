//! The JSON schemas of the records (draft 2020-12), for whoever writes cases, answers or decisions with a program of their
//! own. They are made from the types here, by a test.

/// `dataset.json`.
pub const DATASET: &str = include_str!("../../docs/schemas/dataset.json");

/// A line of `cases.jsonl`.
pub const CASE: &str = include_str!("../../docs/schemas/case.json");

/// `run.json`.
pub const RUN: &str = include_str!("../../docs/schemas/run.json");

/// A line of `answers.jsonl`.
pub const ANSWER: &str = include_str!("../../docs/schemas/answer.json");

/// A line of `judgements.jsonl`.
pub const JUDGEMENT: &str = include_str!("../../docs/schemas/judgement.json");

#[cfg(test)]
pub(crate) mod tests {
    use schemars::JsonSchema;
    use schemars::generate::SchemaSettings;
    use serde_json::{Value, json};

    use super::*;
    use crate::record::{Answer, Case, Judgement, Manifest, Run};
    use crate::taxonomy::{CATEGORIES, IMPACTS, SEVERITIES};

    /// The schema of a type is the published one, and describes every key; with `DIFFSIEVE_GENERATE` it becomes that.
    pub(crate) fn is_published<T: JsonSchema>(name: &str, title: &str, published: &str) {
        let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
        schema.insert("$id".to_owned(), format!("urn:diffsieve:{name}:v1").into());
        schema.insert("title".to_owned(), title.into());
        let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
        if std::env::var_os("DIFFSIEVE_GENERATE").is_some() {
            let path = format!("{}/docs/schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, &text).expect("the schema can be written");
            return;
        }
        assert!(text == published, "docs/schemas/{name}.json differs: DIFFSIEVE_GENERATE=1 cargo test --lib schemas");
        let schema = serde_json::to_value(&schema).expect("a schema is JSON");
        jsonschema::meta::validate(&schema).expect("a valid schema");
        let objects = schema["$defs"].as_object().into_iter().flatten().map(|(_, inner)| inner).chain([&schema]);
        for (key, property) in objects.filter_map(|object| object["properties"].as_object()).flatten() {
            assert!(property["description"].is_string(), "{name}: nobody says what `{key}` is");
        }
    }

    /// Whether the published schema takes a document.
    pub(crate) fn takes(published: &str, document: &Value) -> bool {
        let schema: Value = serde_json::from_str(published).expect("JSON");
        jsonschema::validator_for(&schema).expect("a usable schema").is_valid(document)
    }

    #[test]
    fn the_schemas_are_those_of_the_types() {
        is_published::<Manifest>("dataset", "dataset.json of a dataset of diffsieve, version 1", DATASET);
        is_published::<Case>("case", "A line of cases.jsonl of a dataset of diffsieve, version 1", CASE);
        is_published::<Run>("run", "run.json of a run of diffsieve, version 1", RUN);
        is_published::<Answer>("answer", "A line of answers.jsonl of a run of diffsieve, version 1", ANSWER);
        is_published::<Judgement>(
            "judgement",
            "A line of judgements.jsonl of a run of diffsieve, version 1",
            JUDGEMENT,
        );
    }

    #[test]
    fn the_small_dataset_follows_the_schemas() {
        let small = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/measure/small");
        let manifest = std::fs::read_to_string(format!("{small}/dataset.json")).expect("it is there");
        assert!(takes(DATASET, &serde_json::from_str(&manifest).expect("JSON")));
        let cases = std::fs::read_to_string(format!("{small}/cases.jsonl")).expect("it is there");
        for case in cases.lines() {
            assert!(takes(CASE, &serde_json::from_str(case).expect("JSON")), "{case}");
        }
    }

    /// A writer is told the words that the program knows; an import may have others.
    #[test]
    fn known_terms_are_named_and_others_are_taken() {
        let [case, answer] = [CASE, ANSWER].map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
        let kinds = [("category", &CATEGORIES[..]), ("impact", &IMPACTS), ("severity", &SEVERITIES)];
        for (key, terms) in kinds {
            let names = json!(terms.iter().map(|term| term.name).collect::<Vec<_>>());
            for owner in [&case["$defs"]["Bug"], &answer["$defs"]["Comment"]] {
                assert_eq!(owner["properties"][key]["examples"], names, "{key}");
            }
            let bug = json!({"id": "b", "description": "d", key: "a word of their own"});
            let case = json!({"id": "a", "source": {"patch": {"file": "a.patch"}}, "bugs": [bug]});
            assert!(takes(CASE, &case) && serde_json::from_value::<Case>(case).is_ok(), "{key}");
        }
        assert_eq!(
            case["$defs"]["HumanComment"]["properties"]["evidence"]["examples"],
            json!(["type1", "type2", "type3"])
        );
    }

    #[test]
    fn the_schemas_take_what_is_read_and_refuse_what_is_not() {
        let patch = json!({"patch": {"file": "a.patch"}});
        for (source, good) in [(patch.clone(), true), (json!({"patch": {}}), false), (json!({"place": "a"}), false)] {
            let case = json!({"id": "a", "source": source, "bugs": [{"id": "b", "description": "d"}]});
            assert_eq!(takes(CASE, &case), good, "{case}");
            assert_eq!(serde_json::from_value::<Case>(case).is_ok(), good);
        }
        for (answer, good) in [
            (json!({"case": "a", "status": "complete", "comments": [{"id": "c1", "body": "b", "line": 3}]}), true),
            (json!({"case": "a", "status": "silent", "comments": []}), false),
            (json!({"case": "a", "status": "complete", "comments": [], "said": 1}), false),
            (json!({"case": "a", "status": "complete"}), false),
        ] {
            assert_eq!(takes(ANSWER, &answer), good, "{answer}");
            assert_eq!(serde_json::from_value::<Answer>(answer).is_ok(), good);
        }
    }
}
