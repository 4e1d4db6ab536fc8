//! A pull request on loopback: as much of GitHub's API as publishing uses, with the refusals that its users report, and
//! whatever trouble a test asks for.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use serde_json::{Value, json};

use super::program::list;

pub(crate) const BOT: &str = "github-actions[bot]";

/// A request.
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    query: BTreeMap<String, String>,
    authorization: String,
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn is_write(&self) -> bool {
        let is_query = self.body["query"].as_str().is_some_and(|query| query.starts_with("query"));
        self.method != "GET" && !is_query
    }

    pub(crate) fn is(&self, method: &str, end: &str) -> bool {
        self.method == method && self.path.ends_with(end)
    }
}

/// What goes wrong with a request.
pub(crate) enum Fault {
    /// It is answered with this and not done.
    Refuse(u16, Vec<(&'static str, String)>, Value),
    /// It is done, and then answered with this.
    DoneBut(u16),
    /// It is done, and the connection ends without an answer.
    DoneAndCut,
}

type Trouble = dyn Fn(&Request, &State) -> Option<Fault> + Send + Sync;

/// The pull request.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) head: String,
    pub(crate) merge: String,
    /// Parents of commits.
    pub(crate) commits: BTreeMap<String, Vec<String>>,
    pub(crate) files: Vec<Value>,
    pub(crate) comments: Vec<Value>,
    pub(crate) conversation: Vec<Value>,
    pub(crate) reviews: Vec<Value>,
    /// Numbers of hidden comments with the reason.
    pub(crate) hidden: BTreeMap<u64, String>,
    /// Numbers of the first comments of resolved threads.
    pub(crate) resolved: Vec<u64>,
    /// The token may write to contents too.
    pub(crate) may_resolve: bool,
    /// Every request that changed something, or should have: method, path, body.
    pub(crate) writes: Vec<(String, String, Value)>,
    /// How many requests there were.
    pub(crate) asked: usize,
    /// How many numbers were given away.
    pub(crate) last: u64,
}

pub(crate) struct GitHub {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    trouble: Arc<Mutex<Box<Trouble>>>,
    stopped: Arc<AtomicBool>,
}

impl GitHub {
    pub(crate) fn start(state: State) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        let nothing: Box<Trouble> = Box::new(|_, _| None);
        let github = Self {
            address: listener.local_addr().expect("it is bound"),
            state: Arc::new(Mutex::new(state)),
            trouble: Arc::new(Mutex::new(nothing)),
            stopped: Arc::default(),
        };
        let (state, trouble, stopped) = (github.state.clone(), github.trouble.clone(), github.stopped.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let (state, trouble) = (state.clone(), trouble.clone());
                thread::spawn(move || drop(serve(stream, &state, &trouble)));
            }
        });
        github
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics here")
    }

    /// From now on this goes wrong.
    pub(crate) fn trouble(&self, trouble: impl Fn(&Request, &State) -> Option<Fault> + Send + Sync + 'static) {
        *self.trouble.lock().expect("nobody panics here") = Box::new(trouble);
    }

    /// What was written since the last time somebody asked: method and path.
    pub(crate) fn written(&self) -> Vec<String> {
        let names = |(method, path, body): (String, String, Value)| match body["query"].as_str() {
            Some(query) if query.contains("minimizeComment") => format!("{method} {path} hide"),
            Some(_) => format!("{method} {path} resolve"),
            None => format!("{method} {path}"),
        };
        self.state().writes.drain(..).map(names).collect()
    }
}

impl Drop for GitHub {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>, trouble: &Mutex<Box<Trouble>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (mut length, mut authorization) = (0, String::new());
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "authorization" => value.trim().clone_into(&mut authorization),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let query = query.split('&').filter_map(|pair| pair.split_once('='));
        let request = Request {
            method,
            path: path.to_owned(),
            query: query.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            authorization,
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        };
        let mut state = state.lock().expect("nobody panics here");
        state.asked += 1;
        let fault = (trouble.lock().expect("nobody panics here"))(&request, &state);
        if request.is_write() {
            state.writes.push((request.method.clone(), request.path.clone(), request.body.clone()));
        }
        let (status, headers, answer) = match fault {
            Some(Fault::Refuse(status, headers, body)) => (status, headers, body),
            Some(Fault::DoneBut(status)) => {
                state.act(&request);
                (status, Vec::new(), json!({"message": "Server Error"}))
            }
            Some(Fault::DoneAndCut) => {
                state.act(&request);
                return Ok(());
            }
            None => state.page(&request),
        };
        drop(state);
        let body = answer.to_string();
        let mut head =
            format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    }
}

impl State {
    /// As [`Self::act`], lists by pages.
    fn page(&mut self, request: &Request) -> (u16, Vec<(&'static str, String)>, Value) {
        let (status, value) = self.act(request);
        let Value::Array(items) = value else { return (status, Vec::new(), value) };
        let number = |name: &str, or: usize| request.query.get(name).and_then(|value| value.parse().ok()).unwrap_or(or);
        let (per_page, page) = (number("per_page", 30).min(100), number("page", 1));
        let from = (page - 1) * per_page;
        let part: Vec<Value> = items.iter().skip(from).take(per_page).cloned().collect();
        let more = items.len() > from + per_page;
        let link = more.then(|| ("link", format!("<http://elsewhere.example/?page={}>; rel=\"next\"", page + 1)));
        (status, link.into_iter().collect(), part.into())
    }

    fn act(&mut self, request: &Request) -> (u16, Value) {
        if request.authorization != "Bearer ghs_geheim_0123456789" {
            return (401, json!({"message": format!("Bad credentials: {}", request.authorization)}));
        }
        let Request { method, path, body, .. } = request;
        let path = path.strip_prefix("/api/v3").unwrap_or(path);
        let path = path.strip_prefix("/repos/acme/shop").unwrap_or(path);
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match (method.as_str(), &parts[..]) {
            ("GET", ["pulls", "7"]) => (
                200,
                json!({"number": 7, "merge_commit_sha": self.merge,
                "head": {"sha": self.head, "repo": {"id": 1}}, "base": {"repo": {"id": 1}}}),
            ),
            ("GET", ["git", "commits", id]) => match self.commits.get(*id) {
                Some(parents) => {
                    let parents: Vec<Value> = parents.iter().map(|id| json!({"sha": id})).collect();
                    (200, json!({"sha": id, "parents": parents}))
                }
                None => missing(),
            },
            ("GET", ["pulls", "7", "files"]) => (200, self.files.clone().into()),
            ("GET", ["pulls", "7", "comments"]) => (200, self.comments.clone().into()),
            ("GET", ["issues", "7", "comments"]) => (200, self.conversation.clone().into()),
            ("GET", ["pulls", "7", "reviews", id, "comments"]) => {
                let of_review = |comment: &&Value| comment["pull_request_review_id"].as_u64() == id.parse().ok();
                (200, self.comments.iter().filter(of_review).cloned().collect::<Vec<_>>().into())
            }
            ("POST", ["pulls", "7", "reviews"]) => self.review(body),
            ("POST", ["pulls", "7", "comments"]) => self.comment(body),
            ("POST", ["issues", "7", "comments"]) => self.say(body),
            ("PATCH", ["issues", "comments", id]) => self.say_again(id, body),
            ("POST", ["graphql"] | ["api", "graphql"]) => (200, self.graphql(body)),
            _ => missing(),
        }
    }

    fn id(&mut self) -> u64 {
        self.last += 1;
        self.last + 1_000
    }

    /// A review with all of its comments, or none.
    fn review(&mut self, body: &Value) -> (u16, Value) {
        let comments = list(&body["comments"]);
        let wrong: Vec<String> = comments.iter().flat_map(|comment| self.wrong(comment)).collect();
        if body["event"] != "COMMENT" || body["body"].as_str().is_none_or(str::is_empty) || !wrong.is_empty() {
            return refused(&wrong);
        }
        if body["commit_id"] != self.head {
            return refused(&["Variable $commitOID of type GitObjectID was provided invalid value".to_owned()]);
        }
        let review = self.id();
        for comment in comments {
            self.add(comment, "line", Some(review));
        }
        self.reviews.push(json!({"id": review, "body": body["body"], "user": {"login": BOT, "type": "Bot"}}));
        (200, self.reviews.last().cloned().expect("just put"))
    }

    fn comment(&mut self, body: &Value) -> (u16, Value) {
        let is_there = self.files.iter().any(|file| file["filename"] == body["path"]);
        if body["subject_type"] != "file" || body["commit_id"] != self.head || !is_there {
            return refused(&["Pull request review thread path is invalid".to_owned()]);
        }
        if let Some(wrong) = too_long(body) {
            return refused(&[wrong]);
        }
        self.add(body, "file", None);
        (201, self.comments.last().cloned().expect("just put"))
    }

    /// Adds a comment by our own author.
    fn add(&mut self, comment: &Value, subject: &str, review: Option<u64>) {
        let id = self.id();
        self.comments.push(json!({
            "id": id, "node_id": format!("C{id}"), "body": comment["body"], "path": comment["path"], "line": comment["line"],
            "start_line": comment["start_line"], "subject_type": subject, "pull_request_review_id": review,
            "user": {"login": BOT, "type": "Bot"},
        }));
    }

    /// Adds a comment by somebody, in the thread of another one or by itself.
    pub(crate) fn somebody(&mut self, login: &str, text: &str, reply: Option<u64>) {
        let id = self.id();
        let mut comment = json!({"id": id, "node_id": format!("C{id}"), "body": text, "path": "a.py",
                                 "user": {"login": login, "type": "User"}, "subject_type": "line"});
        if let Some(reply) = reply {
            comment["in_reply_to_id"] = reply.into();
        }
        self.comments.push(comment);
    }

    /// What GitHub has against a comment on lines.
    fn wrong(&self, comment: &Value) -> Vec<String> {
        let mut wrong: Vec<String> = too_long(comment).into_iter().collect();
        let Some(file) = self.files.iter().find(|file| file["filename"] == comment["path"]) else {
            wrong.push("Pull request review thread path is invalid".to_owned());
            return wrong;
        };
        let hunks = right_lines(file["patch"].as_str().unwrap_or_default());
        let (line, start) = (comment["line"].as_u64().unwrap_or(0), comment["start_line"].as_u64());
        let Some(hunk) = hunks.iter().find(|hunk| hunk.contains(&line)).filter(|_| comment["side"] == "RIGHT") else {
            wrong.push("Pull request review thread line must be part of the diff".to_owned());
            return wrong;
        };
        if start.is_some_and(|start| start >= line) {
            wrong.push("Pull request review thread start line must precede the end line.".to_owned());
        }
        if start.is_some_and(|start| !hunk.contains(&start)) {
            wrong.push("Pull request review thread start line must be part of the same hunk as the line.".to_owned());
        }
        wrong
    }

    fn say(&mut self, body: &Value) -> (u16, Value) {
        if let Some(wrong) = too_long(body) {
            return refused(&[wrong]);
        }
        let id = self.id();
        self.conversation.push(json!({"id": id, "body": body["body"], "user": {"login": BOT, "type": "Bot"}}));
        (201, self.conversation.last().cloned().expect("just put"))
    }

    fn say_again(&mut self, id: &str, body: &Value) -> (u16, Value) {
        if let Some(wrong) = too_long(body) {
            return refused(&[wrong]);
        }
        let Some(comment) = self.conversation.iter_mut().find(|comment| comment["id"].as_u64() == id.parse().ok())
        else {
            return missing();
        };
        comment["body"] = body["body"].clone();
        (200, comment.clone())
    }

    fn graphql(&mut self, body: &Value) -> Value {
        let query = body["query"].as_str().unwrap_or_default();
        let id = || body["variables"]["id"].as_str().and_then(|id| id.get(1..)?.parse::<u64>().ok()).unwrap_or(0);
        if query.contains("viewer") {
            return json!({"data": {"viewer": {"login": BOT}}});
        }
        if query.contains("minimizeComment") {
            self.hidden.insert(id(), "outdated".to_owned());
            return json!({"data": {"minimizeComment": {"minimizedComment": {"isMinimized": true}}}});
        }
        if query.contains("resolveReviewThread") {
            if !self.may_resolve {
                return json!({"data": {"resolveReviewThread": null},
                              "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]});
            }
            self.resolved.push(id());
            return json!({"data": {"resolveReviewThread": {"thread": {"isResolved": true}}}});
        }
        let firsts: Vec<&Value> = self.comments.iter().filter(|comment| comment["in_reply_to_id"].is_null()).collect();
        let from: usize = body["variables"]["after"].as_str().and_then(|after| after.parse().ok()).unwrap_or(0);
        let nodes: Vec<Value> = firsts.iter().skip(from).take(100).map(|comment| self.thread(comment)).collect();
        let page = json!({"hasNextPage": firsts.len() > from + 100, "endCursor": (from + 100).to_string()});
        json!({"data": {"repository": {"pullRequest": {"reviewThreads": {"pageInfo": page, "nodes": nodes}}}}})
    }

    fn thread(&self, comment: &Value) -> Value {
        let id = comment["id"].as_u64().unwrap_or(0);
        let reason = self.hidden.get(&id);
        json!({"id": format!("T{id}"), "isResolved": self.resolved.contains(&id), "comments": {"nodes": [
            {"databaseId": id, "isMinimized": reason.is_some(), "minimizedReason": reason}]}})
    }
}

fn missing() -> (u16, Value) {
    (404, json!({"message": "Not Found"}))
}

fn refused(errors: &[String]) -> (u16, Value) {
    (422, json!({"message": "Unprocessable Entity", "errors": errors}))
}

fn too_long(comment: &Value) -> Option<String> {
    let length = comment["body"].as_str().map_or(0, |body| body.chars().count());
    (length == 0 || length > 65_536).then(|| "Body is too long (maximum is 65536 characters)".to_owned())
}

/// Numbers of the lines on the right side, by hunk.
fn right_lines(patch: &str) -> Vec<Vec<u64>> {
    let mut hunks = Vec::new();
    let mut next = 0;
    for line in patch.split('\n') {
        if let Some(rest) = line.strip_prefix("@@ -") {
            let first = rest.split(" +").nth(1).unwrap_or_default();
            let digits: String = first.chars().take_while(char::is_ascii_digit).collect();
            next = digits.parse().expect("a patch of a test");
            hunks.push(Vec::new());
        } else if line.starts_with(['+', ' ']) {
            hunks.last_mut().expect("a header comes first").push(next);
            next += 1;
        }
    }
    hunks
}
