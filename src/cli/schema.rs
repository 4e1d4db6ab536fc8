//! `diffsieve schema`.

use diffsieve::eval::score;
use diffsieve::record::schemas;
use diffsieve::report::json;
use diffsieve::{baseline, config, rules};

use super::args::SchemaName;

pub(super) fn text(name: SchemaName) -> String {
    let schema = match name {
        SchemaName::Report => return json::SCHEMA_TEXT.to_owned(),
        SchemaName::Dataset => return schemas::DATASET.to_owned(),
        SchemaName::Case => return schemas::CASE.to_owned(),
        SchemaName::Run => return schemas::RUN.to_owned(),
        SchemaName::Answer => return schemas::ANSWER.to_owned(),
        SchemaName::Judgement => return schemas::JUDGEMENT.to_owned(),
        SchemaName::Scores => return score::SCHEMA.to_owned(),
        SchemaName::Pack => rules::schema(),
        SchemaName::Config => config::schema(),
        SchemaName::Baseline => baseline::schema(),
    };
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
