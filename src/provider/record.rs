//! Answers kept in a folder, a file a prompt: written by [`Recorded`], read by `replay`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::shown;
use super::settings::Settings;
use super::{Answer, Error, NoAnswer, Prompt, Provider, Usage, Why, digest, extract, outcome, store};

const FORMAT: &str = "diffsieve.recorded/v1";

/// One file. The prompt is there for people; the name of the file, its digest, is what it is found by.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recording {
    format: String,
    /// Who answered.
    identity: String,
    system: String,
    user: String,
    schema_name: String,
    schema: serde_json::Value,
    answer: String,
    /// What it cost then.
    usage: Usage,
}

fn file(folder: &Path, prompt: &Prompt) -> PathBuf {
    folder.join(format!("{}.json", digest::of_prompt(prompt)))
}

/// Writes every answer of another provider into a folder. What had no answer is not recorded: replayed, it is missing
/// and has none again.
pub struct Recorded<P> {
    inner: P,
    folder: PathBuf,
}

impl<P: Provider> Recorded<P> {
    /// Records into a folder, which is made now if it is missing.
    pub fn new(inner: P, folder: impl Into<PathBuf>) -> Result<Self, Error> {
        let folder = folder.into();
        std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
        Ok(Self { inner, folder })
    }
}

impl<P: Provider> Provider for Recorded<P> {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        let answer = self.inner.ask(prompt)?;
        let recording = Recording {
            format: FORMAT.to_owned(),
            identity: self.inner.identity(),
            system: prompt.system.clone(),
            user: prompt.user.clone(),
            schema_name: prompt.schema.name.to_owned(),
            schema: prompt.schema.json.clone(),
            answer: answer.text.clone(),
            usage: answer.usage,
        };
        let path = file(&self.folder, prompt);
        let written =
            serde_json::to_vec_pretty(&recording).map_err(Into::into).and_then(|json| store::write(&path, &json));
        // A gap in a recording would show only when it is replayed.
        written.map_err(|error: std::io::Error| NoAnswer {
            why: Why::Rejected,
            message: outcome::message(&format!("the answer cannot be recorded as `{}`: {error}", path.display())),
            attempts: answer.attempts,
            usage: answer.usage,
        })?;
        Ok(answer)
    }

    fn identity(&self) -> String {
        self.inner.identity()
    }

    fn caches_prefixes(&self) -> bool {
        self.inner.caches_prefixes()
    }

    fn forget(&self, prompt: &Prompt) {
        self.inner.forget(prompt);
    }
}

/// Answers from a folder and from nowhere else.
pub(super) struct Replay {
    folder: PathBuf,
}

impl Replay {
    pub(super) fn open(settings: &Settings) -> Result<Self, Error> {
        let what = "the folder of the recorded answers";
        let folder = settings.folder.clone().ok_or_else(|| Error::Missing { kind: "replay", what: what.to_owned() })?;
        if !folder.is_dir() {
            let what = format!("{what}; `{}` is none", shown(&folder));
            return Err(Error::Missing { kind: "replay", what });
        }
        Ok(Self { folder })
    }
}

impl Provider for Replay {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        let path = file(&self.folder, prompt);
        let no = |why, text: &str| {
            let message = outcome::message(&format!("`{}` {text}", path.display()));
            NoAnswer { why, message, attempts: 0, usage: Usage::default() }
        };
        let text = store::read(&path)
            .map_err(|error| no(Why::Malfunction, &format!("cannot be read: {error}")))?
            .ok_or_else(|| no(Why::NotRecorded, "is not there: this prompt was not recorded"))?;
        let recording: Recording =
            serde_json::from_str(&text).map_err(|error| no(Why::Malfunction, &format!("is damaged: {error}")))?;
        if recording.format != FORMAT {
            return Err(no(Why::Malfunction, &format!("is no {FORMAT}")));
        }
        let object = extract::object(&recording.answer).map_err(|why| no(Why::Malfunction, why))?;
        Ok(Answer { text: object.to_owned(), usage: Usage::default(), attempts: 0 })
    }

    fn identity(&self) -> String {
        "replay".to_owned()
    }

    fn caches_prefixes(&self) -> bool {
        false
    }
}
