//! The services that speak HTTP: address, key and quirks, a row each.

use super::service::Dialect;
use super::{anthropic, ollama, openai};

/// A service. Whatever differs between two services of one dialect stands here and nowhere else.
pub(super) struct Preset {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) dialect: &'static Dialect,
    pub(super) address: Address,
    /// The first that is set is sent: the first of the list as `auth` says, any other as a bearer token.
    pub(super) key_variables: &'static [&'static str],
    pub(super) auth: Auth,
    /// Whether nothing can be asked without a key.
    pub(super) needs_key: bool,
    /// Further headers that a variable may set: no keys.
    pub(super) header_variables: &'static [(&'static str, &'static str)],
    pub(super) tokens: TokensField,
    /// How to demand a shape, the strictest first; each refusal of the server is a step down.
    pub(super) ladder: &'static [Structure],
    /// `store: false` is understood.
    pub(super) store: bool,
    /// Fields that every request carries, as JSON.
    pub(super) extra: Option<&'static str>,
    /// Most tokens one request may ask for.
    pub(super) largest_answer: u32,
    pub(super) caches_prefixes: bool,
}

/// Where a service is.
pub(super) struct Address {
    /// With `{region}` where the region decides; `None` where only the user knows.
    pub(super) default: Option<&'static str>,
    /// The variable of the service's own SDK, and what that SDK appends to it.
    pub(super) variable: Option<(&'static str, &'static str)>,
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Auth {
    /// `authorization: Bearer …`.
    Bearer,
    /// In this header alone.
    Header(&'static str),
}

/// The name of the field that limits the answer (Chat Completions).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokensField {
    MaxTokens,
    MaxCompletionTokens,
}

/// How the shape of the answer is demanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Structure {
    /// A schema with `strict`.
    Strict,
    /// A schema.
    Schema,
    /// `json_object` with the schema beside it (llama-cpp-python).
    ObjectWithSchema,
    /// Some JSON object; the schema stands in the prompt.
    Object,
    /// Nothing but the prompt.
    Prompt,
}

impl Structure {
    /// Whether the request carries the schema, so that the prompt need not.
    pub(super) const fn carries_schema(self) -> bool {
        matches!(self, Self::Strict | Self::Schema | Self::ObjectWithSchema)
    }
}

const FULL: &[Structure] = &[Structure::Strict, Structure::Schema, Structure::Object, Structure::Prompt];
const OBJECT: &[Structure] = &[Structure::Object, Structure::Prompt];
/// Above this the services' own libraries refuse to ask without streaming.
const ANTHROPIC_UNSTREAMED: u32 = 21_333;

const CHAT: Preset = Preset {
    name: "",
    help: "",
    dialect: &openai::DIALECT,
    address: Address { default: None, variable: None },
    key_variables: &[],
    auth: Auth::Bearer,
    needs_key: true,
    header_variables: &[],
    tokens: TokensField::MaxTokens,
    ladder: FULL,
    store: false,
    extra: None,
    largest_answer: u32::MAX,
    caches_prefixes: false,
};

pub(super) static OPENAI: Preset = Preset {
    name: "openai",
    help: "OpenAI, or any service that speaks Chat Completions (OPENAI_BASE_URL)",
    address: Address { default: Some("https://api.openai.com/v1"), variable: Some(("OPENAI_BASE_URL", "")) },
    key_variables: &["OPENAI_API_KEY"],
    header_variables: &[("OPENAI_ORG_ID", "openai-organization"), ("OPENAI_PROJECT_ID", "openai-project")],
    tokens: TokensField::MaxCompletionTokens,
    store: true,
    caches_prefixes: true,
    ..CHAT
};

pub(super) static AZURE: Preset = Preset {
    name: "azure",
    help: "Azure OpenAI, v1 (AZURE_OPENAI_ENDPOINT; the model is the deployment's name)",
    address: Address { default: None, variable: Some(("AZURE_OPENAI_ENDPOINT", "/openai/v1")) },
    key_variables: &["AZURE_OPENAI_API_KEY"],
    auth: Auth::Header("api-key"),
    tokens: TokensField::MaxCompletionTokens,
    store: true,
    caches_prefixes: true,
    ..CHAT
};

pub(super) static GEMINI: Preset = Preset {
    name: "gemini",
    help: "Google Gemini (its free tier trains on what it is sent)",
    address: Address { default: Some("https://generativelanguage.googleapis.com/v1beta/openai"), variable: None },
    key_variables: &["GOOGLE_API_KEY", "GEMINI_API_KEY"],
    caches_prefixes: true,
    ..CHAT
};

pub(super) static LLAMA_SERVER: Preset = Preset {
    name: "llama-server",
    help: "llama.cpp's own server",
    address: Address { default: Some("http://127.0.0.1:8080/v1"), variable: None },
    key_variables: &["LLAMA_API_KEY"],
    needs_key: false,
    caches_prefixes: true,
    ..CHAT
};

pub(super) static LLAMA_CPP_PYTHON: Preset = Preset {
    name: "llama-cpp-python",
    help: "the server of llama-cpp-python",
    address: Address { default: Some("http://127.0.0.1:8000/v1"), variable: None },
    key_variables: &["LLAMA_API_KEY"],
    needs_key: false,
    ladder: &[Structure::ObjectWithSchema, Structure::Object, Structure::Prompt],
    ..CHAT
};

pub(super) static VLLM: Preset = Preset {
    name: "vllm",
    help: "vLLM",
    address: Address { default: Some("http://127.0.0.1:8000/v1"), variable: None },
    key_variables: &["VLLM_API_KEY"],
    needs_key: false,
    caches_prefixes: true,
    ..CHAT
};

pub(super) static OPENROUTER: Preset = Preset {
    name: "openrouter",
    help: "OpenRouter, only endpoints that keep nothing and honour every parameter",
    address: Address { default: Some("https://openrouter.ai/api/v1"), variable: None },
    key_variables: &["OPENROUTER_API_KEY"],
    extra: Some(r#"{"provider": {"require_parameters": true, "data_collection": "deny", "zdr": true}}"#),
    ..CHAT
};

pub(super) static MISTRAL: Preset = Preset {
    name: "mistral",
    help: "Mistral",
    address: Address { default: Some("https://api.mistral.ai/v1"), variable: None },
    key_variables: &["MISTRAL_API_KEY"],
    ..CHAT
};

pub(super) static DEEPSEEK: Preset = Preset {
    name: "deepseek",
    help: "DeepSeek (stores what it is sent in China)",
    address: Address { default: Some("https://api.deepseek.com"), variable: None },
    key_variables: &["DEEPSEEK_API_KEY"],
    ladder: OBJECT,
    caches_prefixes: true,
    ..CHAT
};

pub(super) static GROQ: Preset = Preset {
    name: "groq",
    help: "Groq",
    address: Address {
        default: Some("https://api.groq.com/openai/v1"),
        variable: Some(("GROQ_BASE_URL", "/openai/v1")),
    },
    key_variables: &["GROQ_API_KEY"],
    tokens: TokensField::MaxCompletionTokens,
    ..CHAT
};

pub(super) static BEDROCK: Preset = Preset {
    name: "bedrock",
    help: "AWS Bedrock with an API key (AWS_REGION)",
    address: Address { default: Some("https://bedrock-mantle.{region}.api.aws/openai/v1"), variable: None },
    key_variables: &["AWS_BEARER_TOKEN_BEDROCK"],
    tokens: TokensField::MaxCompletionTokens,
    ..CHAT
};

pub(super) static LITELLM: Preset = Preset {
    name: "litellm",
    help: "a LiteLLM proxy (LITELLM_PROXY_API_BASE)",
    address: Address { default: Some("http://127.0.0.1:4000/v1"), variable: Some(("LITELLM_PROXY_API_BASE", "")) },
    key_variables: &["LITELLM_PROXY_API_KEY"],
    needs_key: false,
    ..CHAT
};

pub(super) static ANTHROPIC: Preset = Preset {
    name: "anthropic",
    help: "Anthropic, or any service that speaks Messages (ANTHROPIC_BASE_URL)",
    dialect: &anthropic::DIALECT,
    address: Address { default: Some("https://api.anthropic.com"), variable: Some(("ANTHROPIC_BASE_URL", "")) },
    key_variables: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    auth: Auth::Header("x-api-key"),
    ladder: &[Structure::Schema, Structure::Prompt],
    largest_answer: ANTHROPIC_UNSTREAMED,
    caches_prefixes: true,
    ..CHAT
};

pub(super) static OLLAMA: Preset = Preset {
    name: "ollama",
    help: "Ollama (OLLAMA_HOST); the only service told never to shorten a prompt",
    dialect: &ollama::DIALECT,
    address: Address { default: Some("http://127.0.0.1:11434"), variable: Some(("OLLAMA_HOST", "")) },
    key_variables: &["OLLAMA_API_KEY"],
    needs_key: false,
    ladder: &[Structure::Schema, Structure::Object, Structure::Prompt],
    ..CHAT
};

/// Every service, in the order of `--help`.
#[cfg(test)]
pub(super) static PRESETS: [&Preset; 14] = [
    &OPENAI,
    &ANTHROPIC,
    &OLLAMA,
    &AZURE,
    &GEMINI,
    &LLAMA_SERVER,
    &LLAMA_CPP_PYTHON,
    &VLLM,
    &OPENROUTER,
    &MISTRAL,
    &DEEPSEEK,
    &GROQ,
    &BEDROCK,
    &LITELLM,
];
