//! No planted value comes out anywhere.

use super::*;
use crate::context::Layers;
use crate::rules::{EMBEDDED, Kind, Source};

/// Values by kind, put together here so that no scanner finds them: as they stand in a file, and the part that is secret.
fn planted() -> Vec<(String, String)> {
    let whole = |parts: &[&str]| (parts.concat(), parts[parts.len() - 1].to_owned());
    let line = |before: &str, value: &str, after: &str| (format!("{before}{value}{after}"), value.to_owned());
    vec![
        whole(&["AK", "IA", "QYLPMN5HFIQR7XYA"]),
        whole(&["gh", "p_", "9aKq3LmZx0RtY7uVbN2cWd8eJf5gHs1iPo4k"]),
        whole(&[
            "gith",
            "ub_pat_",
            "11O68CdHuMPP964RYWGk8I_cyDk2uhSrAMVFrrKmD6XiUiUgGLy3UNVytFMbX2AKwWmhofYDGyj1OLPSHA",
        ]),
        whole(&["gl", "pat-", "WkhAOGXlRhT4Lt4aMdUP"]),
        whole(&["xo", "xb-", "274915836024-381627495012-B2TPcrzm29DPoQchjekMTjSy"]),
        whole(&["sk_", "live_", "xprrzKmITMwjC4SNRl6zRqGk"]),
        whole(&["sk_", "test_", "xprrzKmITMwjC4SNRl6zRqGk"]),
        whole(&["GO", "CSPX-", "J8n2zPS2q0LUIxiwVOfVCywXjHYe"]),
        whole(&["AI", "za", "SyB4kQ9xW2mZr7TnV1cLpE8uYhJd5fGs3oA"]),
        whole(&["np", "m_", "EnW7i1OQspWuWZcGMhMKwpKX6ET6DfEmVaAc"]),
        whole(&["dckr", "_pat_", "uIX5RRrySZzLgdpdyVYGKbddCgf"]),
        whole(&["S", "G.", "H0jQq9TFQf2f2HahKDyfSJ.DExlLciQvCtjqvmLugCfe7ozlFuQ19PC8txVKGO95S5"]),
        whole(&["h", "f_", "skftZoxsB4rETUZEfzFijXDgG5fQcy9Dk2"]),
        whole(&["gs", "k_", "U3HECriijAID5OCspbG4jTJRiNqNIEthcZQuuwYc3jYXtqG0gBi5"]),
        whole(&["da", "pi", "7d19787a1a99065b9b84629afb069de1"]),
        whole(&["sh", "pat_", "67bee7eef8d0c04aed2b2a5309f636b3"]),
        whole(&["NR", "AK-", "P4RF732HUWVURL4RER9DN2UPR40"]),
        whole(&["lin", "_api_", "pu5VC3tfkiFxc6LS5hCoENwFgDZuo6EccmIYQm4C"]),
        whole(
            &["key", "-", "3ax6xnjp29jd6fds4gc373sgvjxteol0"]
                .map(|part| if part.len() > 20 { "3a16f0912bd6fd54c373a9be00317cde" } else { part }),
        ),
        whole(&["S", "K", "5d19787a1a99065b9b84629afb069de1"]),
        whole(&["ya", "29.", "a0AfH6SMBx7Q2kLmN9pRsTuVwXyZ012345"]),
        line("DB = 'postgres://app:", "hunter-zwei", "@db.example.org/app'"),
        line("jdbc = 'Server=db;User=app;Password=", "gEheim99", ";Encrypt=yes'"),
        line("dsn = 'app:", "gEheim98", "@tcp(localhost:3306)/app'"),
        line("headers = {'Authorization': 'Basic ", "YXBwOmdlaGVpbTk5OQ==", "'}"),
        line("curl -H 'Authorization: Bearer ", "abcDEF123456ghiJKL7890", "'"),
        line("url = 'https://x.blob.core.windows.net/c?sv=2020&sig=", "aB3dE5fG7hI9jK1lM3nO5pQ7", "&se=1'"),
        line("aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzz0AB1cd2E", ""),
        line("mysql --password=", "tR0ub4dor", " app"),
        line(
            "jwt = 'eyJhbGciOiJIUzI1NiJ9.",
            "eyJzdWIiOiI0ODEyIiwicm9sZSI6ImFkbWluIn0.eQuCyCUAXPRKSbKkhueNKoHfANDL5bvhhwvMn3wdyXZ",
            "'",
        ),
        line("machine example.org login app password ", "netrcPass1", ""),
        line("//npm.example.org/:_authToken=", "2daba3ff0283560534", ""),
        line("<password>", "xmlPass77", "</password>"),
        line("db_password = \"", "vT9$kQ2mXz7!pLr4", "\""),
        line("api_key: '", "short1X", "'"),
        line("client_secret=\"", "8f2K-qLz91_xVbTm4RwYc7", "\""),
        line("get('https://x.example.org/a?access_token=", "q8Zr2LmV5xKt9NwB", "')"),
        line(
            "key = \"-----BEGIN PRIVATE KEY-----\\n",
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDRndVL",
            "\\n-----END PRIVATE KEY-----\"",
        ),
    ]
}

fn everything() -> Options {
    Options { layers: Layers::C, expand_function: true, ..Options::default() }
}

fn check(pages: &str, secret: &str, place: &str) {
    assert!(!pages.contains(secret), "{secret} in {place}:\n{pages}");
    // Nor a good part of it.
    let half: String = secret.chars().take(secret.chars().count() * 2 / 3).collect();
    assert!(!pages.contains(&half), "{half} in {place}:\n{pages}");
}

#[test]
fn no_planted_value_comes_out() {
    let context = context(everything());
    assert!(planted().len() >= 30);
    for (text, secret) in planted() {
        for name in ["a.py", "a.go", "a.ts", "notes.txt", "tests/test_a.py", "deploy.yml"] {
            let (comment, quoted) = (format!("# {text}\n"), text.replace('"', "'"));
            let plain = format!("x = 1\n{text}\ny = 2\n");
            let call = format!("def f(a=\"{quoted}\"):\n    return a\n");
            let removed = change(name, &plain, "x = 1\ny = 2\n", vec![hunk((2, 1), (2, 0))]);
            let beside = change(name, &format!("{plain}a\n"), &format!("{plain}b\n"), vec![hunk((4, 1), (4, 1))]);
            let inside = format!("def f():\n    a = 1\n    {text}\n    b = 2\n");
            let function = change(name, &inside, &inside.replace("a = 1", "a = 3"), vec![hunk((2, 1), (2, 1))]);
            let changes = [
                ("an added line", added(name, &plain)),
                ("a comment", added(name, &comment)),
                ("a signature", added(name, &call)),
                ("a removed line", removed),
                ("an unchanged line", beside),
                ("the function around", function),
            ];
            for (place, change) in changes {
                let made = chunks(&[part(&context, &change)], &Budget::of(16_000), Form::Marked, 1);
                let pages: String = made.chunks.iter().map(|chunk| chunk.text.as_str()).collect();
                assert!(!pages.is_empty());
                check(&pages, &secret, place);
                assert!(made.chunks.iter().any(|chunk| chunk.masked > 0), "{place} {name}: {pages}");
            }
        }
    }
}

#[test]
fn the_names_of_files_are_searched_too() {
    for (text, secret) in planted().into_iter().take(20) {
        let mut renamed = added("b.txt", "x\n");
        renamed.old_path = Some(RepoPath::from(text.as_str()));
        renamed.status = Status::Renamed { similarity: 80 };
        let named = added(&format!("config/{text}/x.txt"), "x\n");
        check(&pages(everything(), &[renamed, named]), &secret, "a name");
    }
}

#[test]
fn a_key_is_hidden_line_by_line() {
    let body = "MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB";
    let key: String = (0..30).map(|number| format!("{number:02}{}\n", &body[2..])).collect();
    let text = format!("-----BEGIN RSA PRIVATE {}-----\n{key}Qw==\n-----END RSA PRIVATE KEY-----\n", "KEY");
    // Cut into several chunks, none of which holds the header alone.
    for budget in [800, 4_000] {
        let found = made(Options::default(), budget, &[added("notes.txt", &text)]);
        for chunk in &found.chunks {
            check(&chunk.text, &body[2..], "a key");
            assert!(!chunk.text.contains("Qw=="));
        }
        let lines: u32 = found.chunks.iter().flat_map(|chunk| &chunk.parts[0].added).map(|lines| lines.count).sum();
        assert_eq!(lines, 33);
    }
    // Only the middle of the key changes: the header is outside the hunk.
    let changed = text.replace("07IEow", "08IEow");
    let middle = [change("notes.txt", &text, &changed, vec![hunk((9, 1), (9, 1))])];
    check(&pages(Options::default(), &middle), &body[6..], "the middle of a key");
}

#[test]
fn one_value_has_one_marker_and_can_be_matched() {
    let text = "password = 'vT9$kQ2mXz7!pLr4'\nother_secret = 'k8ZpQ1rT5wXv'\nuse('vT9$kQ2mXz7!pLr4')\n";
    let found = made(Options::default(), 4_000, &[added("a.py", text), added("b.py", text)]);
    let chunk = &found.chunks[0];
    assert_eq!(chunk.masked, 2);
    assert_eq!(chunk.text.matches("password = '‹secret:1›'").count(), 2, "{}", chunk.text);
    assert!(chunk.text.contains("use('‹secret:1›')") && chunk.text.contains("other_secret = '‹secret:2›'"));
    assert!(chunk.lines.iter().any(|line| line.text == "password = '‹secret:1›'"));
    assert!(!format!("{chunk:?}").contains("vT9$kQ2mXz7"));
}

#[test]
fn names_words_and_code_stay() {
    for line in [
        "password = getpass.getpass()",
        "token = request.headers['X-Token']",
        "secret_name = \"database-password\"",
        "API_KEY = os.environ[\"API_KEY\"]",
        "if password == confirm_password:",
        "TOKEN_URL = \"https://auth.example.com/oauth2/token\"",
        "const { accessToken } = await login(user, password);",
        "tokens = tokenize(\"some text\")",
        "uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1",
        "sha256 = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
        "url = 'http://localhost:8080/path@version'",
        "key = \"name\"",
    ] {
        let page = pages(Options::default(), &[added("a.py", &format!("{line}\n"))]);
        assert!(page.contains(&format!("1+ {line}\n")), "{page}");
    }
}

#[test]
fn what_the_pack_calls_good_is_shown() {
    let rules = Rules::load(Examples::Read, &[], None, None).expect("the embedded packs are sound");
    let tag = rules.tags.get("LikelyCredential").expect("it is shipped");
    assert!(!tag.examples.is_empty());
    for example in &tag.examples {
        let Kind::Detector { good: Some(good), .. } = &example.kind else { panic!("only good ones") };
        let page = pages(Options::default(), &[added("a.txt", good)]);
        let (_, diff) = page.split_once("FILE").expect("a file");
        assert!(!diff.contains('‹'), "{diff}");
    }
}

#[test]
fn a_project_adds_patterns_and_cannot_remove_ours() {
    let pack = Source {
        name: ".diffsieve/rules/ours.yml".to_owned(),
        text: "pack: ours\nversion: 1.0.0\ntags:\n  Badge:\n    title: Badge\n    level: skip\n    detect:\n      - \
               {id: badge, in: any, regex: 'BADGE-(?P<t>[0-9]{6})', message: 'a badge ({t|mask})'}\n"
            .to_owned(),
    };
    let rules = Rules::load_files(&[pack]).expect("the pack is sound");
    let options = Options { secrets: vec!["ZZ[0-9]+".to_owned()], ..Options::default() };
    let context = Context::new(&rules, options).expect("the options are sound");
    let text = "BADGE-271828 ZZ31415 gh\u{70}_9aKq3LmZx0RtY7uVbN2cWd8eJf5gHs1iPo4k\n";
    let found = chunks(&[part(&context, &added("a.txt", text))], &Budget::of(4_000), Form::Marked, 1);
    assert!(
        found.chunks[0].text.contains("1+ BADGE-‹secret:1› ‹secret:2› ghp_‹secret:3›\n"),
        "{}",
        found.chunks[0].text
    );
    assert!(EMBEDDED.iter().any(|pack| pack.name == "rules/secrets.yml"));
}

/// A pattern that does not compile would let its values through without a word.
#[test]
fn every_pattern_compiles() {
    let mut problems = Vec::new();
    let masking = RULES.detectors().filter(|detector| detector.message.masks());
    assert!(masking.inspect(|detector| detector.check(&mut problems)).count() > 60);
    assert_eq!(problems, []);
}
