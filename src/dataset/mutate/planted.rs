//! Operators that write a statement of their own into a function: what no real code can be turned into by a small edit.

use super::around::{mentions, so_far, with_length};
use super::site::{Edit, Site, parts};
use crate::digest::Hash;
use crate::syntax::Language::{CSharp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript};

/// Where a statement is put: before one that stands on its own, so that nothing between a pair is torn apart.
fn plant(site: &Site<'_, '_>, statement: &str) -> Option<Edit> {
    let kind = site.node.kind();
    let plain = kind.contains("expression_statement")
        || kind.contains("declaration")
        || ["assignment_statement", "if_statement", "for_statement", "assignment", "call", "return_statement"]
            .contains(&&*kind);
    // Before a docstring a statement would take away what makes it one.
    let is_text = parts(site.node).iter().all(|part| part.kind() == "string") && kind.contains("expression_statement");
    (plain && !is_text && site.function().is_some()).then(|| site.insert_before(statement))?
}

/// A value that somebody's generator could have made: the same for the same place.
fn secret(site: &Site<'_, '_>) -> String {
    // With few digits it would be taken for words.
    const LETTERS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut hash = Hash::new();
    hash.part(site.own().as_bytes());
    hash.part(&site.node.range().start.to_le_bytes());
    let digits = hash.digits();
    let bytes = digits.as_bytes().chunks(2).take(28);
    bytes
        .map(|pair| {
            let value = pair.iter().fold(0, |value, digit| value * 16 + (*digit as char).to_digit(16).unwrap_or(0));
            char::from(LETTERS[value as usize % LETTERS.len()])
        })
        .collect()
}

pub(super) fn hard_coded(site: &Site<'_, '_>) -> Option<Edit> {
    let value = secret(site);
    let statement = match site.language() {
        Python | Ruby => format!("api_token = \"{value}\""),
        JavaScript | TypeScript | Tsx => format!("const apiToken = \"{value}\";"),
        Java => format!("String apiToken = \"{value}\";"),
        CSharp => format!("var apiToken = \"{value}\";"),
        // A variable that nobody uses is refused there.
        Go => format!("const apiToken = \"{value}\""),
        Rust => format!("let api_token = \"{value}\";"),
        Php => format!("$apiToken = \"{value}\";"),
        _ => format!("const char *api_token = \"{value}\";"),
    };
    plant(site, &statement)
}

pub(super) fn debugger(site: &Site<'_, '_>) -> Option<Edit> {
    let statement = match site.language() {
        Python => "breakpoint()".to_owned(),
        JavaScript | TypeScript | Tsx => "debugger;".to_owned(),
        Ruby => "binding.pry".to_owned(),
        CSharp => "Debugger.Break();".to_owned(),
        Rust => format!("dbg!(&{});", site.some_parameter()?),
        Php => format!("var_dump({});", site.some_parameter()?),
        _ => return None,
    };
    plant(site, &statement)
}

/// A parameter that is no name of a table, column or other part of a statement, which cannot be passed as a value.
fn some_value<'p>(site: &Site<'_, 'p>) -> Option<&'p str> {
    const PARTS: [&str; 32] = [
        "table", "col", "field", "schema", "where", "order", "sort", "limit", "offset", "db", "index", "sql", "quer",
        "cond", "filter", "select", "join", "type", "name", "key", "model", "version", "class", "entity", "view",
        "prefix", "suffix", "meta", "bind", "mark", "clause", "function",
    ];
    let is_part = |name: &str| PARTS.iter().any(|part| name.to_ascii_lowercase().contains(part));
    site.parameters().into_iter().map(|(name, _)| name).find(|name| !is_part(name))
}

pub(super) fn sql(site: &Site<'_, '_>) -> Option<Edit> {
    let value = some_value(site)?;
    let select = "SELECT id FROM accounts WHERE name = ";
    let statement = match site.language() {
        Python => format!("cursor.execute(\"{select}'\" + {value} + \"'\")"),
        JavaScript | TypeScript | Tsx => format!("db.query(`{select}'${{{value}}}'`);"),
        Java => format!("statement.executeQuery(\"{select}'\" + {value} + \"'\");"),
        CSharp => format!("var command = new SqlCommand(\"{select}'\" + {value} + \"'\", connection);"),
        Go => format!("db.Query(\"{select}'\" + {value} + \"'\")"),
        Php => format!("$pdo->query(\"{select}'\" . {value} . \"'\");"),
        Ruby => format!("connection.execute(\"{select}'#{{{value}}}'\")"),
        _ => return None,
    };
    plant(site, &statement)
}

pub(super) fn shell(site: &Site<'_, '_>) -> Option<Edit> {
    let value = site.some_parameter()?;
    let statement = match site.language() {
        Python => format!("subprocess.run(\"du -s \" + {value}, shell=True)"),
        JavaScript | TypeScript | Tsx => format!("child_process.execSync(\"du -s \" + {value});"),
        Java => format!("Runtime.getRuntime().exec(new String[]{{\"sh\", \"-c\", \"du -s \" + {value}}});"),
        Go => format!("exec.Command(\"sh\", \"-c\", \"du -s \"+{value}).Run()"),
        Php => format!("shell_exec(\"du -s \" . {value});"),
        Ruby => format!("system(\"du -s #{{{value}}}\")"),
        _ => return None,
    };
    plant(site, &statement)
}

pub(super) fn certificates(site: &Site<'_, '_>) -> Option<Edit> {
    let statement = match site.language() {
        Python => "ssl._create_default_https_context = ssl._create_unverified_context",
        JavaScript | TypeScript | Tsx => "process.env.NODE_TLS_REJECT_UNAUTHORIZED = \"0\";",
        Java => "HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> true);",
        CSharp => "ServicePointManager.ServerCertificateValidationCallback += delegate { return true; };",
        Go => "http.DefaultTransport.(*http.Transport).TLSClientConfig.InsecureSkipVerify = true",
        Php => "curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false);",
        Ruby => "http.verify_mode = OpenSSL::SSL::VERIFY_NONE",
        _ => return None,
    };
    // Under a condition it is an option that somebody chooses.
    let chosen = site.is_in(&["if_statement", "if"]);
    (!chosen).then(|| plant(site, statement))?
}

pub(super) fn evaluated(site: &Site<'_, '_>) -> Option<Edit> {
    let statement = match site.language() {
        Python => "eval(request.args[\"code\"])",
        Ruby => "eval(params[:code])",
        JavaScript | TypeScript | Tsx => "eval(req.query.code);",
        Php => "eval($_GET[\"code\"]);",
        _ => return None,
    };
    plant(site, statement)
}

/// Nothing near the place may be about the parameter: what is may be the test that the divisor needs.
pub(super) fn mean(site: &Site<'_, '_>) -> Option<Edit> {
    let said = so_far(site)?;
    let value = with_length(site).into_iter().find(|name| !mentions(said, name))?;
    let statement = match site.language() {
        Python => format!("share = 100 / len({value})"),
        // A variable that nobody uses is refused there.
        Go => format!("_ = 100 / len({value})"),
        _ => return None,
    };
    plant(site, &statement)
}

pub(super) fn unfinished(site: &Site<'_, '_>) -> Option<Edit> {
    (site.language() == Rust).then(|| plant(site, "todo!();"))?
}
