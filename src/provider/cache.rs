//! Complete answers, kept by what was asked of whom. Several processes may share the folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::{Answer, Error, NoAnswer, Prompt, Provider, Usage, digest, extract, store};

const FORMAT: &str = "diffsieve.answer/v1";
/// What is left of the limit after the oldest entries were removed, in parts of ten: room for a while.
const KEPT_TENTHS: u64 = 9;

/// A folder of answers, bounded in size.
pub struct Cache {
    folder: PathBuf,
    largest: u64,
    /// Bytes there as far as this process knows; counted anew before anything is removed.
    bytes: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// What a cache holds and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Answers in the folder.
    pub entries: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// Answers given by this process.
    pub hits: u64,
    /// Prompts it had no answer to.
    pub misses: u64,
}

/// One file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    format: String,
    key: String,
    answer: String,
    /// SHA-256 over the key and the answer: a torn or edited file is no answer.
    sum: String,
}

fn sum(key: &str, answer: &str) -> String {
    digest::digest(&[FORMAT, key, answer])
}

/// A file of the folder, for counting and removing.
struct Kept {
    written: SystemTime,
    path: PathBuf,
    bytes: u64,
}

impl Cache {
    /// Opens or makes the folder. Over `largest` bytes the oldest answers go.
    pub fn open(folder: impl Into<PathBuf>, largest: u64) -> Result<Self, Error> {
        let folder = folder.into();
        fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
        let kept = list(&folder).map_err(|error| Error::io(&folder, error))?;
        let bytes = AtomicU64::new(kept.iter().map(|file| file.bytes).sum());
        Ok(Self { folder, largest, bytes, hits: AtomicU64::new(0), misses: AtomicU64::new(0) })
    }

    /// What is there now.
    pub fn stats(&self) -> Result<Stats, Error> {
        let kept = list(&self.folder).map_err(|error| Error::io(&self.folder, error))?;
        Ok(Stats {
            entries: kept.iter().filter(|file| is_entry(&file.path)).count() as u64,
            bytes: kept.iter().map(|file| file.bytes).sum(),
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        })
    }

    /// Removes every answer. Files of others in the folder stay.
    pub fn clear(&self) -> Result<(), Error> {
        let kept = list(&self.folder).map_err(|error| Error::io(&self.folder, error))?;
        for file in kept {
            store::remove(&file.path).map_err(|error| Error::io(&file.path, error))?;
        }
        self.bytes.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// A damaged entry counts as none and goes.
    fn get(&self, key: &str) -> Option<String> {
        let path = self.path(key);
        let found = match store::read(&path) {
            Ok(None) => None,
            Ok(Some(text)) => valid(&text, key).or_else(|| self.drop_damaged(&path)),
            Err(_) => self.drop_damaged(&path),
        };
        let count = if found.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn drop_damaged(&self, path: &Path) -> Option<String> {
        // What cannot be removed is found damaged again.
        drop(store::remove(path));
        None
    }

    /// Keeps an answer. A cache that cannot be written is slower, not wrong, so the caller need not care.
    fn put(&self, key: &str, answer: &str) -> io::Result<()> {
        let entry =
            Entry { format: FORMAT.to_owned(), key: key.to_owned(), answer: answer.to_owned(), sum: sum(key, answer) };
        let json = serde_json::to_vec(&entry)?;
        store::write(&self.path(key), &json)?;
        let bytes = self.bytes.fetch_add(json.len() as u64, Ordering::Relaxed) + json.len() as u64;
        if bytes > self.largest { self.make_room() } else { Ok(()) }
    }

    fn make_room(&self) -> io::Result<()> {
        let mut kept = list(&self.folder)?;
        let mut bytes: u64 = kept.iter().map(|file| file.bytes).sum();
        if bytes > self.largest {
            kept.sort_by(|one, other| (one.written, &one.path).cmp(&(other.written, &other.path)));
            for file in kept {
                if bytes <= self.largest / 10 * KEPT_TENTHS {
                    break;
                }
                store::remove(&file.path)?;
                bytes -= file.bytes;
            }
        }
        self.bytes.store(bytes, Ordering::Relaxed);
        Ok(())
    }
}

/// The answer of an entry that is whole and stands under its own name.
fn valid(text: &str, key: &str) -> Option<String> {
    let entry: Entry = serde_json::from_str(text).ok()?;
    let sound = entry.format == FORMAT && entry.key == key && entry.sum == sum(key, &entry.answer);
    (sound && extract::object(&entry.answer) == Ok(entry.answer.as_str())).then_some(entry.answer)
}

fn is_entry(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(".json").is_some_and(|key| key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The entries, and what processes that were killed left half written.
fn list(folder: &Path) -> io::Result<Vec<Kept>> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let unfinished = entry.file_name().to_string_lossy().starts_with(".new-");
        // Another process may remove it between the two calls.
        let Ok(data) = entry.metadata() else { continue };
        if data.is_file() && (unfinished || is_entry(&entry.path())) {
            kept.push(Kept { written: data.modified()?, path: entry.path(), bytes: data.len() });
        }
    }
    Ok(kept)
}

/// Another provider, asked only for what is not in the cache.
pub struct Cached<P> {
    inner: P,
    cache: Arc<Cache>,
    version: String,
}

impl<P: Provider> Cached<P> {
    /// `version` names what else decides the answer: the version of the prompts and the packs they were made from.
    pub fn new(inner: P, cache: Arc<Cache>, version: impl Into<String>) -> Self {
        Self { inner, cache, version: version.into() }
    }

    fn key(&self, prompt: &Prompt) -> String {
        digest::digest(&["diffsieve/cache/v1", &digest::of_prompt(prompt), &self.inner.identity(), &self.version])
    }
}

impl<P: Provider> Provider for Cached<P> {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        let key = self.key(prompt);
        if let Some(text) = self.cache.get(&key) {
            return Ok(Answer { text, usage: Usage::default(), attempts: 0 });
        }
        let answer = self.inner.ask(prompt)?;
        // A full or read-only disk costs the next run a request and nothing else.
        drop(self.cache.put(&key, &answer.text));
        Ok(answer)
    }

    fn identity(&self) -> String {
        self.inner.identity()
    }

    fn caches_prefixes(&self) -> bool {
        self.inner.caches_prefixes()
    }

    fn forget(&self, prompt: &Prompt) {
        // What cannot be removed is asked for and found unusable again.
        drop(store::remove(&self.cache.path(&self.key(prompt))));
        self.inner.forget(prompt);
    }
}
