//! Programs as models: `command` and its presets. Each runs without tools, in an empty folder, with few variables, since
//! the prompt quotes code that strangers wrote.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::outcome::{Again, Fault};
use super::process::{self, Failure, Job, Output};
use super::retry::{self, Limits, Reading, Turn};
use super::secret::{Secret, scrub};
use super::service::with_schema;
use super::settings::{Clock, Env, Settings};
use super::{Answer, Error, NoAnswer, Prompt, Provider, Why, transcript};

/// Most bytes of output that are kept; more is no answer.
const LARGEST_OUTPUT: u64 = 8 << 20;

/// Where programs keep their log-in and what they need to run at all.
const ALWAYS: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "SystemRoot",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PATHEXT",
    "ComSpec",
    "TEMP",
    "TMP",
];

/// A program that is known.
pub(super) struct Agent {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    /// Empty where the user names it.
    pub(super) program: &'static str,
    /// Variables it may see, the keys first; the values of all are kept out of every text.
    pub(super) variables: &'static [&'static str],
    /// Set for it.
    pub(super) fixed: &'static [(&'static str, &'static str)],
    /// Whether it has an argument for the system text; else that comes first on standard input.
    system_argument: bool,
    /// Whether it takes the schema; else that is spelt out in the prompt.
    takes_schema: bool,
    arguments: fn(&Call<'_>) -> Vec<OsString>,
    read: fn(&str) -> Result<Reading, Fault>,
}

/// What the arguments are made from.
struct Call<'a> {
    model: &'a str,
    system: &'a str,
    schema: String,
    schema_file: &'a Path,
}

const PLAIN: Agent = Agent {
    name: "command",
    help: "any program that reads a prompt and writes one JSON object",
    program: "",
    variables: &[],
    fixed: &[],
    system_argument: false,
    takes_schema: false,
    arguments: |_| Vec::new(),
    read: transcript::plain,
};

pub(super) static COMMAND: Agent = PLAIN;

pub(super) static CLAUDE: Agent = Agent {
    name: "claude",
    help: "Claude Code, with an API key",
    program: "claude",
    variables: &["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
    fixed: &[
        ("CLAUDE_CODE_MAX_RETRIES", "2"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ],
    system_argument: true,
    takes_schema: true,
    arguments: |call| {
        let flags = ["-p", "--bare", "--output-format", "json", "--tools=", "--no-session-persistence", "--model"];
        words(&[&flags, &[call.model, "--system-prompt", call.system, "--json-schema", &call.schema]])
    },
    read: transcript::claude,
};

pub(super) static CODEX: Agent = Agent {
    name: "codex",
    help: "Codex CLI",
    program: "codex",
    variables: &["CODEX_API_KEY", "OPENAI_API_KEY", "CODEX_HOME"],
    takes_schema: true,
    arguments: |call| {
        let flags = ["exec", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config", "--ignore-rules"];
        let more = ["-s", "read-only", "--color", "never", "--json", "-m", call.model, "--output-schema"];
        let mut arguments = words(&[&flags, &more]);
        arguments.extend([call.schema_file.into(), "-".into()]);
        arguments
    },
    read: transcript::codex,
    ..PLAIN
};

pub(super) static GEMINI_CLI: Agent = Agent {
    name: "gemini-cli",
    help: "Gemini CLI",
    program: "gemini",
    variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    arguments: |call| {
        let task = "Answer the request above.";
        words(&[&["-p", task, "-o", "json", "--approval-mode", "plan", "--skip-trust", "-m", call.model]])
    },
    read: transcript::gemini,
    ..PLAIN
};

pub(super) static COPILOT: Agent = Agent {
    name: "copilot",
    help: "Copilot CLI; in a GitHub Action it needs no secret",
    program: "copilot",
    variables: &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"],
    arguments: |call| {
        let flags = ["-s", "--no-auto-update", "--disable-builtin-mcps", "--no-custom-instructions", "--no-color"];
        words(&[&flags, &["--output-format", "json", "--model", call.model]])
    },
    read: transcript::copilot,
    ..PLAIN
};

pub(super) static LLM: Agent = Agent {
    name: "llm",
    help: "the llm program; it does not tell a cut answer from a whole one",
    program: "llm",
    variables: &["OPENAI_API_KEY", "LLM_USER_PATH"],
    system_argument: true,
    takes_schema: true,
    arguments: |call| {
        let mut arguments = words(&[&["-m", call.model, "-n", "--no-stream", "-s", call.system, "--schema"]]);
        arguments.push(call.schema_file.into());
        arguments
    },
    ..PLAIN
};

fn words(lists: &[&[&str]]) -> Vec<OsString> {
    lists.concat().into_iter().map(OsString::from).collect()
}

/// A program, ready to be asked.
pub(super) struct Program {
    agent: &'static Agent,
    program: PathBuf,
    more: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    secrets: Vec<Secret>,
    /// What tells this program from another one under its name.
    stamp: String,
    model: String,
    deadline: Instant,
    clock: Clock,
}

impl Program {
    pub(super) fn open(agent: &'static Agent, settings: &Settings, env: Env<'_>) -> Result<Self, Error> {
        let missing = |what: &str| Error::Missing { kind: agent.name, what: what.to_owned() };
        let program = match &settings.program {
            Some(program) => program.clone(),
            None if agent.program.is_empty() => return Err(missing("the program to run")),
            None => PathBuf::from(agent.program),
        };
        // Relative to where? Not to the empty folder it runs in, and never to the repository.
        if program.components().count() > 1 && program.is_relative() {
            return Err(missing("a program by its bare name or its absolute path"));
        }
        if !agent.program.is_empty() && settings.model.trim().is_empty() {
            return Err(missing("the name of a model"));
        }
        // It becomes an argument, and may come from a file of the repository.
        if settings.model.starts_with('-') || settings.model.contains(char::is_control) {
            return Err(missing("a model whose name is no option"));
        }
        let secret_names = agent.variables.iter().copied().chain(settings.variables.iter().map(String::as_str));
        let secret: Vec<(OsString, OsString)> =
            secret_names.filter_map(|name| Some((name.into(), env(name)?))).collect();
        let secrets = secret.iter().filter(|(name, _)| holds_key(name)).map(|(_, value)| value.to_string_lossy());
        let secrets = secrets.map(|value| Secret::any(value.trim())).collect();
        let open = secret.iter().filter(|(name, _)| !holds_key(name));
        let open = open.map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
        let stamp = format!("{} {}", stamp(&program, env), Value::from_iter(open));
        let mut variables: Vec<_> = ALWAYS.iter().filter_map(|name| Some(((*name).into(), env(name)?))).collect();
        variables.extend(secret);
        variables.extend(agent.fixed.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        Ok(Self {
            agent,
            program,
            more: settings.arguments.clone(),
            variables,
            secrets,
            stamp,
            model: settings.model.clone(),
            deadline: settings.deadline,
            clock: settings.clock.clone(),
        })
    }

    fn attempt(&self, prompt: &Prompt, turn: Turn) -> Result<Reading, Fault> {
        let folder = tempfile::tempdir().map_err(|error| cannot("no temporary folder", &error))?;
        let (work, schema_file) = (folder.path().join("empty"), folder.path().join("schema.json"));
        let schema = prompt.schema.json.to_string();
        fs::create_dir(&work)
            .and_then(|()| fs::write(&schema_file, &schema))
            .map_err(|error| cannot("the temporary folder cannot be used", &error))?;
        let explain = turn.explain || !self.agent.takes_schema;
        let system = if explain { with_schema(&prompt.system, &prompt.schema) } else { prompt.system.clone() };
        let input =
            if self.agent.system_argument { prompt.user.clone() } else { format!("{system}\n\n{}", prompt.user) };
        let call = Call { model: &self.model, system: &system, schema, schema_file: &schema_file };
        let mut arguments = (self.agent.arguments)(&call);
        // Codex reads standard input where its last argument says so.
        let last = arguments.pop_if(|last| last == "-");
        arguments.extend(self.more.iter().cloned().chain(last));
        let job = Job {
            program: &self.program,
            arguments,
            variables: self.variables.clone(),
            input,
            folder: work,
            largest: LARGEST_OUTPUT,
        };
        let output = process::run(job, &self.clock, self.deadline).map_err(|failure| match failure {
            Failure::Start(error) => cannot("the program cannot be run", &error),
            Failure::Deadline => {
                Fault::new(Why::Deadline, Again::Never, "the time was up before the program had answered")
            }
        })?;
        self.read(&output)
    }

    /// The output first: some programs fail with a good reason in it, others succeed without an answer.
    fn read(&self, output: &Output) -> Result<Reading, Fault> {
        if output.flooded {
            return Err(Fault::new(Why::Malfunction, Again::Never, "the program wrote more than an answer can be"));
        }
        let text = scrub(output.text.clone(), &self.secrets);
        let errors = output.errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        let tell = |mut fault: Fault| {
            if !errors.is_empty() {
                fault.message = format!("{}: {errors}", fault.message);
            }
            fault
        };
        let reading = (self.agent.read)(&text);
        if output.success {
            return reading.map_err(tell);
        }
        match reading {
            Err(fault) if fault.again == Again::Never => Err(tell(fault)),
            _ => Err(tell(Fault::new(Why::Unavailable, Again::Never, "the program failed"))),
        }
    }
}

/// Size and date of a program, so that a new version is somebody else.
fn stamp(program: &Path, env: Env<'_>) -> String {
    let path = env("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).map(|folder| folder.join(program));
    let found = std::iter::once(program.to_owned()).filter(|program| program.is_absolute()).chain(folders);
    let data = found.filter_map(|program| fs::metadata(program).ok()).find(fs::Metadata::is_file);
    let age = data.as_ref().and_then(|data| data.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok());
    format!("{} {}", data.map_or(0, |data| data.len()), age.map_or(0, |age| age.as_nanos()))
}

/// Values of such variables must not be repeated; those of others, such as a folder, may.
fn holds_key(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|part| name.contains(part))
}

fn cannot(what: &str, error: &std::io::Error) -> Fault {
    Fault::new(Why::Rejected, Again::Never, format!("{what}: {error}"))
}

impl Provider for Program {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        let limits =
            Limits { clock: &self.clock, deadline: self.deadline, largest_answer: u32::MAX, secrets: &self.secrets };
        retry::run(&limits, prompt, |turn, _: Duration| self.attempt(prompt, turn))
    }

    fn identity(&self) -> String {
        let arguments: Vec<_> = self.more.iter().map(|argument| argument.to_string_lossy()).collect();
        // Quoted as JSON, so that two lists of arguments are never the same text.
        let arguments = Value::from_iter(arguments.iter().map(|argument| argument.as_ref()));
        format!("{} {} {} {arguments} {}", self.agent.name, self.program.display(), self.model, self.stamp)
    }

    fn caches_prefixes(&self) -> bool {
        false
    }
}
