//! The proxy for one endpoint, from the usual variables with curl's meaning.

use super::Error;
use super::secret::Secret;
use super::settings::Env;

/// The proxy and the password in its address, or `None` where the endpoint is asked directly. For `https` the first of
/// `HTTPS_PROXY`, `https_proxy`, `ALL_PROXY`, `all_proxy` counts, for `http` that of `http_proxy` (in capitals it may be
/// a header of a CGI request) and `ALL_PROXY`; loopback is never proxied unless `NO_PROXY` is set and leaves it out.
pub(super) fn find(https: bool, host: &str, env: Env<'_>) -> Result<Option<(ureq::Proxy, Option<Secret>)>, Error> {
    let names: &[&'static str] = if https {
        &["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
    } else {
        &["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"]
    };
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let Some((name, value)) = names.iter().find_map(|name| set(name).map(|value| (*name, value))) else {
        return Ok(None);
    };
    let excluded = set("NO_PROXY").or_else(|| set("no_proxy"));
    let direct = match excluded.as_ref().map(|list| list.to_string_lossy()) {
        Some(list) => is_excluded(host, &list),
        None => is_loopback(host),
    };
    if direct {
        return Ok(None);
    }
    let bad = || Error::BadVariable {
        variable: name.to_owned(),
        why: "it is no address of an HTTP proxy, such as http://proxy.example.com:8080",
    };
    let proxy = ureq::Proxy::new(value.to_string_lossy().trim()).map_err(|_| bad())?;
    let password = proxy.password().map(Secret::any);
    Ok(Some((proxy, password)))
}

/// Whether `NO_PROXY` names the host: `*`, the name itself, or a domain above it, with or without a leading dot.
fn is_excluded(host: &str, list: &str) -> bool {
    let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
    list.split(',').map(|entry| entry.trim().trim_matches(['[', ']']).to_ascii_lowercase()).any(|entry| {
        let name = entry.strip_prefix("*.").or_else(|| entry.strip_prefix('.')).unwrap_or(&entry);
        let name = name.rsplit_once(':').filter(|(name, _)| !name.contains(':')).map_or(name, |(name, _)| name);
        entry == "*"
            || (!name.is_empty() && (host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'))))
    })
}

pub(super) fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    #[test]
    fn the_list_of_exceptions_is_read_as_curl_reads_it() {
        for (host, list, excluded) in [
            ("localhost", "a, localhost", true),
            ("api.example.com", "example.com", true),
            ("api.example.com", " .example.com ,", true),
            ("api.example.com", "*.example.com", true),
            ("badexample.com", "example.com", false),
            ("example.com", "example.com:8080", true),
            ("API.example.com", "api.EXAMPLE.com", true),
            ("[::1]", "::1", true),
            ("a", "", false),
            ("a", ",", false),
            ("a", "*", true),
        ] {
            assert_eq!(is_excluded(host, list), excluded, "{host}: {list}");
        }
    }

    #[test]
    fn the_scheme_chooses_the_variable_and_loopback_is_direct() {
        let env = |name: &str| match name {
            "HTTPS_PROXY" => Some(OsString::from("http://u:geheim@one.example:1")),
            "http_proxy" => Some(OsString::from("two.example:2")),
            _ => None,
        };
        let host = |https, name| {
            find(https, name, &env).expect("both are addresses").map(|(proxy, _)| proxy.host().to_owned())
        };
        assert_eq!(host(true, "api.example.com").as_deref(), Some("one.example"));
        assert_eq!(host(false, "api.example.com").as_deref(), Some("two.example"));
        assert_eq!(host(false, "127.0.0.1"), None);
        let (_, password) = find(true, "api.example.com", &env).expect("an address").expect("a proxy");
        assert_eq!(password.expect("a password").expose(), "geheim");
        let bad = |name: &str| (name == "ALL_PROXY").then(|| OsString::from("geheim://[[["));
        let error = find(true, "api.example.com", &bad).expect_err("no address").to_string();
        assert!(error.contains("ALL_PROXY") && !error.contains("geheim"), "{error}");
    }
}
