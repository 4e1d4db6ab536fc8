//! One request and its reply. The only part that knows the HTTP client.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ureq::http::{HeaderMap, Method, Request, Response, Uri};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{AsSendBody, Body};

use super::error::shown;
use super::outcome::{Again, Fault};
use super::preset::Auth;
use super::secret::{Secret, scrub};
use super::settings::{Env, Settings};
use super::{Error, Why, proxy};
use crate::escape;

/// Largest answer that is read. Sixteen thousand tokens are about 64 KiB.
const LARGEST_BODY: u64 = 8 << 20;
/// Of an error only its beginning is read.
const LARGEST_ERROR: u64 = 64 << 10;
/// A host that does not even accept a connection in this time is asked again.
const CONNECT: Duration = Duration::from_secs(10);
/// At least the number of threads that share the client.
const IDLE_CONNECTIONS: usize = 32;

/// An endpoint, the headers it wants and the connections to it.
pub(super) struct Client {
    agent: ureq::Agent,
    url: String,
    headers: Vec<(&'static str, Secret)>,
    secrets: Vec<Secret>,
}

/// What came back, whatever its status.
pub(super) struct Reply {
    pub(super) status: u16,
    headers: HeaderMap,
    /// Without the keys it was sent.
    pub(super) body: Vec<u8>,
}

impl Reply {
    /// A header, if it is ASCII.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A base URL that was checked: scheme and authority in it, nothing else but a path.
pub(super) struct Base {
    url: String,
    host: String,
    https: bool,
}

impl Base {
    /// Refuses what is no plain HTTP address: keys belong into variables, and a query would get lost.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim().trim_end_matches('/');
        let bad = |why| Error::BadUrl { url: without_user(text), why };
        let uri: Uri = text.parse().map_err(|_| bad("it is no URL; write https://host/path"))?;
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(bad("it does not begin with https:// or http://")),
        };
        let authority = uri.authority().ok_or_else(|| bad("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("it holds a user or a password; put the key into its variable"));
        }
        if authority.host().is_empty() {
            return Err(bad("it names no host"));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(bad("it has a query or a fragment, which cannot be kept; leave it out"));
        }
        Ok(Self { url: text.to_owned(), host: authority.host().to_owned(), https })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.url
    }
}

fn without_user(url: &str) -> String {
    let shown = match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => format!("{}://…{}", &url[..scheme], &url[at..]),
        (None, Some(at)) => format!("…{}", &url[at..]),
        _ => url.to_owned(),
    };
    let shown = shown.split(['?', '#']).next().unwrap_or_default();
    escape::visible(shown)
}

impl Client {
    /// A client of one endpoint. Key and headers are sent with every request; no value of either is ever shown.
    pub(super) fn open(
        base: &Base,
        path: &str,
        key: Option<(Auth, Secret)>,
        mut headers: Vec<(&'static str, Secret)>,
        settings: &Settings,
        env: Env<'_>,
    ) -> Result<Self, Error> {
        let found = proxy::find(base.https, &base.host, env)?;
        let mut secrets: Vec<Secret> = key.iter().map(|(_, key)| key.clone()).collect();
        headers.extend(key.map(|(auth, key)| match auth {
            Auth::Bearer => ("authorization", Secret::any(&format!("Bearer {}", key.expose()))),
            Auth::Header(name) => (name, key),
        }));
        let (proxy, password) = found.map_or((None, None), |(proxy, password)| (Some(proxy), password));
        secrets.extend(password);
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy)
            .user_agent(concat!("diffsieve/", env!("CARGO_PKG_VERSION")))
            .max_idle_connections(IDLE_CONNECTIONS)
            .max_idle_connections_per_host(IDLE_CONNECTIONS)
            .tls_config(TlsConfig::builder().root_certs(root_certificates(settings, env)?).build())
            .build()
            .new_agent();
        Ok(Self { agent, url: format!("{}{path}", base.url), headers, secrets })
    }

    /// What must not be repeated.
    pub(super) fn secrets(&self) -> &[Secret] {
        &self.secrets
    }

    /// Sends a JSON body and reads the whole reply within `left`.
    pub(super) fn post(&self, body: &str, left: Duration) -> Result<Reply, Fault> {
        self.send(Method::POST, "", Some(body), LARGEST_BODY, left)
    }

    /// Sends a request to what `path` names below the endpoint and reads the whole reply, of a success at most
    /// `largest` bytes, within `left`.
    pub(super) fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&str>,
        largest: u64,
        left: Duration,
    ) -> Result<Reply, Fault> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in &self.headers {
            request = request.header(*name, value.expose());
        }
        let answer = match body {
            Some(body) => request
                .header("content-type", "application/json")
                .body(body)
                .map_err(ureq::Error::from)
                .and_then(|request| self.run(request, left)),
            None => request.body(()).map_err(ureq::Error::from).and_then(|request| self.run(request, left)),
        };
        let (parts, mut body) = answer.map_err(|error| fault(&error))?.into_parts();
        let status = parts.status.as_u16();
        let success = parts.status.is_success();
        let largest = if success { largest } else { LARGEST_ERROR };
        let mut bytes = Vec::new();
        let read = body.as_reader().take(largest + 1).read_to_end(&mut bytes);
        if success {
            read.map_err(|error| fault(&ureq::Error::from(error)))?;
            if bytes.len() as u64 > largest {
                let why = format!("the answer has more than {largest} bytes");
                return Err(Fault::new(Why::Malfunction, Again::Never, why));
            }
        }
        let reply = Reply { status, headers: parts.headers, body: self.clean(bytes) };
        match reply.header("content-encoding").filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            Some(_) if success => {
                let why = "the answer is compressed, which nobody asked for";
                Err(Fault::new(Why::Malfunction, Again::Once, why))
            }
            _ => Ok(reply),
        }
    }

    fn run(&self, request: Request<impl AsSendBody>, left: Duration) -> Result<Response<Body>, ureq::Error> {
        let request = self.agent.configure_request(request);
        self.agent.run(request.timeout_global(Some(left)).timeout_connect(Some(left.min(CONNECT))).build())
    }

    fn clean(&self, bytes: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(bytes) {
            Ok(text) => scrub(text, &self.secrets).into_bytes(),
            // No JSON, so no answer; what an error quotes of it is cleaned again.
            Err(error) => error.into_bytes(),
        }
    }
}

/// The system's certificates, or those of a file that replaces them.
fn root_certificates(settings: &Settings, env: Env<'_>) -> Result<RootCerts, Error> {
    let named =
        || ["DIFFSIEVE_CA", "SSL_CERT_FILE"].iter().find_map(|name| env(name).filter(|value| !value.is_empty()));
    let Some(path) = settings.ca_file.clone().or_else(|| named().map(Into::into)) else {
        return Ok(RootCerts::PlatformVerifier);
    };
    Ok(RootCerts::Specific(Arc::new(read_certificates(&path)?)))
}

fn read_certificates(path: &Path) -> Result<Vec<Certificate<'static>>, Error> {
    let bad = |why: String| Error::Certificates { path: shown(path), why };
    let pem = fs::read(path).map_err(|error| bad(error.to_string()))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|_| bad("it is no PEM file".to_owned()))? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(bad("it has no certificate".to_owned()));
    }
    Ok(certificates)
}

/// What went wrong below HTTP. The client's own words are not repeated where they could quote an address of the proxy.
fn fault(error: &ureq::Error) -> Fault {
    use ureq::Error as Problem;
    let later = |text: String| Fault::new(Why::Unavailable, Again::Later(None), text);
    let garbage = |text: &str| Fault::new(Why::Malfunction, Again::Once, text);
    match error {
        Problem::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            later("the server does not accept a connection".to_owned())
        }
        Problem::Timeout(_) => Fault::new(Why::Deadline, Again::Never, "the time was up before the answer was there"),
        Problem::Tls(_) | Problem::Rustls(_) | Problem::Pem(_) => untrusted_server(&error.to_string()),
        Problem::Io(io) if io.kind() == std::io::ErrorKind::InvalidData => untrusted_server(&io.to_string()),
        Problem::Io(io) => later(format!("the connection failed: {io}")),
        Problem::HostNotFound => later("the host is not found".to_owned()),
        Problem::ConnectionFailed => later("the connection failed".to_owned()),
        Problem::ConnectProxyFailed(_) => later("the proxy refused the connection".to_owned()),
        Problem::Protocol(_) | Problem::Http(_) => garbage("what the server sent is no HTTP"),
        Problem::LargeResponseHeader(..) => garbage("the headers of the answer are too large"),
        Problem::BodyExceedsLimit(_) | Problem::BodyStalled => garbage("the answer is cut off"),
        _ => Fault::new(Why::Rejected, Again::Never, "the request cannot be sent"),
    }
}

fn untrusted_server(why: &str) -> Fault {
    let advice = "name the authority's certificate with DIFFSIEVE_CA if it is your own";
    Fault::new(Why::Rejected, Again::Never, format!("no trusted connection: {why}; {advice}"))
}
