//! What stops a provider from being opened, or a store from being used. Texts are escaped before they come here.

use std::path::Path;

use crate::escape;

/// An error of this module: something the user set is wrong. What a server does is never one; see
/// [`NoAnswer`](super::NoAnswer).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A name that is no kind.
    #[error("there is no model provider `{name}`; {advice}")]
    UnknownKind {
        /// As written.
        name: String,
        /// The nearest valid ones.
        advice: String,
    },
    /// A kind that needs to know something.
    #[error("the model provider `{kind}` needs {what}")]
    Missing {
        /// The kind.
        kind: &'static str,
        /// What, and how to set it.
        what: String,
    },
    /// An endpoint that cannot be used.
    #[error("`{url}` is no endpoint of a model: {why}")]
    BadUrl {
        /// Without user and password.
        url: String,
        /// What is wrong and what to write.
        why: &'static str,
    },
    /// A key that no header can carry. The value is not repeated.
    #[error("the value of {variable} cannot be sent as a key: it is empty or has spaces or characters outside ASCII")]
    BadKey {
        /// The variable.
        variable: &'static str,
    },
    /// A variable whose value does not fit.
    #[error("the variable {variable} is not usable: {why}")]
    BadVariable {
        /// The variable.
        variable: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A file of certificates.
    #[error("the certificates `{path}` cannot be used: {why}; they are one or more PEM blocks `BEGIN CERTIFICATE`")]
    Certificates {
        /// Which file.
        path: String,
        /// The cause.
        why: String,
    },
    /// A temperature that no service takes.
    #[error("the temperature {0} is not between 0 and 2")]
    BadTemperature(f32),
    /// A folder or file of the cache, the recordings or the queue.
    #[error("`{path}` cannot be used: {source}")]
    Io {
        /// Where.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl Error {
    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: shown(path), source }
    }
}

/// A path of this machine for a message.
pub(super) fn shown(path: &Path) -> String {
    escape::visible(&path.to_string_lossy())
}
