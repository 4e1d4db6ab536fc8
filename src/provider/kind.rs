//! The list of providers: one line each, and nothing else names them.

use super::agent::{self, Agent, Program};
use super::preset::{self, Preset};
use super::queue::Queue;
use super::record::Replay;
use super::service::Service;
use super::settings::{Env, Settings};
use super::{Error, Provider};
use crate::document;

/// A way to get answers.
#[derive(Clone, Copy)]
pub struct Kind {
    /// What the user writes.
    pub name: &'static str,
    /// One line.
    pub help: &'static str,
    /// Variables that hold its key, the first that is set counts; those of a program are passed on to it.
    pub key_variables: &'static [&'static str],
    /// Whether it is a service: it runs no program of this machine and uses no folder.
    pub is_service: bool,
    /// Whether it answers nobody without a key.
    pub needs_key: bool,
    /// Checks the settings and makes the provider. No request is sent.
    pub open: Open,
}

/// Opens a provider of one kind.
pub type Open = fn(&Settings, Env<'_>) -> Result<Box<dyn Provider>, Error>;

/// Every kind, in the order of `--help`.
pub static KINDS: [Kind; 22] = [
    service(&preset::OPENAI, |settings, env| open(&preset::OPENAI, settings, env)),
    service(&preset::ANTHROPIC, |settings, env| open(&preset::ANTHROPIC, settings, env)),
    service(&preset::OLLAMA, |settings, env| open(&preset::OLLAMA, settings, env)),
    service(&preset::AZURE, |settings, env| open(&preset::AZURE, settings, env)),
    service(&preset::GEMINI, |settings, env| open(&preset::GEMINI, settings, env)),
    service(&preset::LLAMA_SERVER, |settings, env| open(&preset::LLAMA_SERVER, settings, env)),
    service(&preset::LLAMA_CPP_PYTHON, |settings, env| open(&preset::LLAMA_CPP_PYTHON, settings, env)),
    service(&preset::VLLM, |settings, env| open(&preset::VLLM, settings, env)),
    service(&preset::OPENROUTER, |settings, env| open(&preset::OPENROUTER, settings, env)),
    service(&preset::MISTRAL, |settings, env| open(&preset::MISTRAL, settings, env)),
    service(&preset::DEEPSEEK, |settings, env| open(&preset::DEEPSEEK, settings, env)),
    service(&preset::GROQ, |settings, env| open(&preset::GROQ, settings, env)),
    service(&preset::BEDROCK, |settings, env| open(&preset::BEDROCK, settings, env)),
    service(&preset::LITELLM, |settings, env| open(&preset::LITELLM, settings, env)),
    program(&agent::COMMAND, |settings, env| run(&agent::COMMAND, settings, env)),
    program(&agent::CLAUDE, |settings, env| run(&agent::CLAUDE, settings, env)),
    program(&agent::CODEX, |settings, env| run(&agent::CODEX, settings, env)),
    program(&agent::GEMINI_CLI, |settings, env| run(&agent::GEMINI_CLI, settings, env)),
    program(&agent::COPILOT, |settings, env| run(&agent::COPILOT, settings, env)),
    program(&agent::LLM, |settings, env| run(&agent::LLM, settings, env)),
    Kind {
        name: "replay",
        help: "recorded answers of a folder, and no others",
        key_variables: &[],
        is_service: false,
        needs_key: false,
        open: |settings, _| Ok(Box::new(Replay::open(settings)?)),
    },
    Kind {
        name: "queue",
        help: "request files in a folder that somebody answers with files",
        key_variables: &[],
        is_service: false,
        needs_key: false,
        open: |settings, _| Ok(Box::new(Queue::open(settings)?)),
    },
];

/// The kind of this name.
pub fn find(name: &str) -> Result<&'static Kind, Error> {
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
        let names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
        Error::UnknownKind { name: crate::escape::visible(name), advice: document::nearest(name, &names) }
    })
}

const fn service(preset: &'static Preset, open: Open) -> Kind {
    Kind {
        name: preset.name,
        help: preset.help,
        key_variables: preset.key_variables,
        is_service: true,
        needs_key: preset.needs_key,
        open,
    }
}

const fn program(agent: &'static Agent, open: Open) -> Kind {
    Kind {
        name: agent.name,
        help: agent.help,
        key_variables: agent.variables,
        is_service: false,
        needs_key: false,
        open,
    }
}

fn open(preset: &'static Preset, settings: &Settings, env: Env<'_>) -> Result<Box<dyn Provider>, Error> {
    Ok(Box::new(Service::open(preset, settings, env)?))
}

fn run(agent: &'static Agent, settings: &Settings, env: Env<'_>) -> Result<Box<dyn Provider>, Error> {
    Ok(Box::new(Program::open(agent, settings, env)?))
}
