//! Requests as files that somebody answers with files: a person, or an agent that has no endpoint.

use std::path::PathBuf;

use serde_json::json;

use super::error::shown;
use super::settings::Settings;
use super::{Answer, Error, NoAnswer, Prompt, Provider, Usage, Why, digest, extract, outcome, store};

/// Writes `DIGEST.request.json` and reads `DIGEST.answer.json`, which holds the object alone or with prose around it.
pub(super) struct Queue {
    folder: PathBuf,
}

impl Queue {
    pub(super) fn open(settings: &Settings) -> Result<Self, Error> {
        let what = || "the folder of the queue, `[model] folder` of your own configuration".to_owned();
        let folder = settings.folder.clone().ok_or_else(|| Error::Missing { kind: "queue", what: what() })?;
        std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
        Ok(Self { folder })
    }
}

impl Provider for Queue {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        let name = digest::of_prompt(prompt);
        let request = self.folder.join(format!("{name}.request.json"));
        let answer = self.folder.join(format!("{name}.answer.json"));
        let no = |why, text: String| NoAnswer {
            why,
            message: outcome::message(&text),
            attempts: 0,
            usage: Usage::default(),
        };
        let bad = |error: std::io::Error| no(Why::Rejected, format!("the queue cannot be used: {error}"));
        if let Some(text) = store::read(&answer).map_err(bad)? {
            let object = extract::object(&text)
                .map_err(|why| no(Why::NoObject, format!("`{}` is no answer: {why}", shown(&answer))))?;
            return Ok(Answer { text: object.to_owned(), usage: Usage::default(), attempts: 0 });
        }
        if !request.exists() {
            let file = json!({
                "format": "diffsieve.request/v1",
                "answer_file": format!("{name}.answer.json"),
                "system": prompt.system,
                "user": prompt.user,
                "schema": prompt.schema.json,
            });
            store::write(&request, format!("{file:#}\n").as_bytes()).map_err(bad)?;
        }
        Err(no(Why::Waiting, format!("`{}` waits for `{}`", shown(&request), shown(&answer))))
    }

    fn identity(&self) -> String {
        "queue".to_owned()
    }

    fn caches_prefixes(&self) -> bool {
        false
    }
}
