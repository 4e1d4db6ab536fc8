//! Literals, lines, blocks, names and words, in every language. The claim is about the lines that end in `¶`.

use super::facts::{Case, all, marked};
use crate::syntax::Language::{
    self, C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript, Yaml,
};
use crate::syntax::facts::FactValue::{Bool, Number, Unknown};

#[test]
fn literal_repeats() {
    let thrice: [(Language, &str); 13] = [
        (Python, "a('abc')¶\nb(\"abc\")\nc('abc')\n"),
        (JavaScript, "a('abc');¶\nb(\"abc\", `abc`);\n"),
        (TypeScript, "a('abc');¶\nb('abc', 'abc');\ntype T = 'abc';\n"),
        (Tsx, "a('abc');¶\nb('abc', 'abc', <p>abc</p>);\n"),
        (Java, "class A { void f() {\n a(\"abc\");¶\n b(\"abc\", \"abc\");\n} }\n"),
        (C, "void f(void) {\n a(512);¶\n b(512, 512);\n}\n"),
        (Cpp, "void f() {\n a(\"abc\");¶\n b(\"abc\", \"abc\");\n}\n"),
        (CSharp, "class A { void F() {\n a(3.5);¶\n b(3.5, 3.5);\n} }\n"),
        (Go, "package p\nfunc f() {\n a(\"abc\")¶\n b(\"abc\", `abc`)\n}\n"),
        (Rust, "fn f() {\n a(\"abc\");¶\n println!(\"abc\");\n b(\"abc\");\n}\n"),
        (Php, "<?php a('abc');¶\nb('abc', \"abc\");\n"),
        (Ruby, "a('abc')¶\nb('abc', \"abc\")\n"),
        (Python, "a(1_000)¶\nb(1000)\nc(1000, -1000, [1000])\n"),
    ];
    for (language, source) in &thrice[..12] {
        assert_eq!(marked(*language, source, "literal_repeats"), Number(3.0), "{source}");
    }
    assert_eq!(marked(thrice[12].0, thrice[12].1, "literal_repeats"), Number(4.0), "a sign is none of the literal's");
    // The definition of a constant, a row of a table, a docstring, an import, an annotation: the one use is left.
    all(
        "literal_repeats",
        &Number(1.0),
        &[
            (
                Python,
                "NAME = 'abc'\nROWS = ['abc', 'abc', {'abc': ('abc',)}]\ndef f():\n    'abc'\n    a('abc')  # abc¶\n",
            ),
            (JavaScript, "import x from 'abc';\nconst NAME = 'abc', rows = ['abc', {k: 'abc'}];\na('abc');¶\n"),
            (TypeScript, "const name = 'abc' as const;\nlet r: string[] = ['abc'];\na('abc');¶\n"),
            (
                Java,
                "class A { static final String N = \"abc\"; String[] r = {\"abc\"};\n @B(\"abc\") void f() {\n a(\"abc\");¶\n} }\n",
            ),
            (
                C,
                "#define N 512\nstatic const int M = 512; enum { K = 512 }; int r[] = {512, 512};\nvoid f(void) {\n a(512);¶\n}\n",
            ),
            (Cpp, "#include \"abc\"\nconstexpr auto N = \"abc\"; auto r = {\"abc\"};\nvoid f() {\n a(\"abc\");¶\n}\n"),
            (
                CSharp,
                "class A { const string N = \"abc\"; static readonly string M = \"abc\"; string[] r = {\"abc\"};\n [B(\"abc\")] void F() {\n a(\"abc\");¶\n} }\n",
            ),
            (
                Go,
                "package p\nimport \"abc\"\nconst N = \"abc\"\nvar r = []string{\"abc\"}\nfunc f() {\n a(\"abc\")¶\n}\n",
            ),
            (
                Rust,
                "const N: &str = \"abc\"; static M: &str = \"abc\";\nfn f() {\n let r = [\"abc\"];\n a(\"abc\");¶\n}\n",
            ),
            (Php, "<?php const N = 'abc'; define('M', 'abc'); $r = ['abc'];\na('abc');¶\n"),
            (Ruby, "NAME = 'abc'\nROWS = ['abc', { k: 'abc' }, %w(abc)]\na('abc')¶\n"),
        ],
    );
    all(
        "literal_repeats",
        &Number(0.0),
        &[
            (Python, "a(0, 1, -1, 2, 10, 100, 1.0, '')¶\na(0, 1, -1, 2, 10, 100, 1.0, '')\na(0, 1, 2, 10, 100)\n"),
            (Python, "a(b)  # 'abc'¶\n"),
            (Java, "class A { void f() {\n a(10L, 1.0d);¶\n a(10L);\n a(10L);\n} }\n"),
            (C, "void f(void) {\n a(100u, 1.0f);¶\n}\n"),
        ],
    );
    all(
        "literal_repeats",
        &Unknown,
        &[
            (Python, "a(f'abc{b}')¶\n"),
            (Python, "a(('abc')¶\n"),
            (JavaScript, "a(`abc${b}`);¶\n"),
            (Yaml, "a: 'abc'¶\n"),
        ],
    );
}

#[test]
fn literals_without_end() {
    let source = format!("a('abc')¶\n{}", "b('abc')\n".repeat(500));
    assert_eq!(marked(Python, &source, "literal_repeats"), Number(100.0));
}

#[test]
fn dup_lines() {
    let body = |indent: &str| (1..=7).map(|n| format!("{indent}step{n}(a, {n});\n")).collect::<String>();
    let twice = |open: &str, close: &str, indent: &str| {
        let (first, second) = (open.replace('#', "f"), open.replace('#', "g"));
        format!("{first}{}{close}{second}{}{close}", body(indent).replacen(";\n", ";¶\n", 1), body(indent))
    };
    let cases = [
        (C, twice("void #(int a) {\n", "}\n", "  ")),
        (Cpp, twice("void #(int a) {\n", "}\n", "\t")),
        (JavaScript, twice("function #(a) {\n", "}\n", "  ")),
        (TypeScript, twice("function #(a: A) {\n", "}\n", "  ")),
        (Rust, twice("fn #(a: u8) {\n", "}\n", "    ")),
        (Python, twice("def #(a):\n", "", "    ")),
        (Ruby, twice("def #(a)\n", "end\n", "  ")),
        (Php, format!("<?php\n{}", twice("function #($a) {\n", "}\n", "  "))),
        (Java, format!("class A {{\n{}}}\n", twice("void #(int a) {\n", "}\n", "  "))),
        (CSharp, format!("class A {{\n{}}}\n", twice("void #(int a) {\n", "}\n", "  "))),
        (Go, format!("package p\n{}", twice("func #(a int) {\n", "}\n", "\t"))),
    ];
    for (language, source) in &cases {
        // Ruby's `end` is a word, as are the brackets of others not.
        let lines = if *language == Ruby { 8.0 } else { 7.0 };
        assert_eq!(marked(*language, source, "dup_lines"), Number(lines), "{}: {source}", language.name());
    }
    let fetch = "  auto& ad = getAd(request);\n  const auto& c = getContainer(ad, adToAugment);\n  use(c);\n";
    let source = format!(
        "void a() {{\n{fetch}  x(1);\n}}\nvoid b() {{\n  const auto& c = getContainer(ad, adToAugment);¶\n}}\nvoid c() {{\n{fetch}  x(2);\n}}\n"
    );
    assert_eq!(marked(Cpp, &source, "dup_lines"), Number(1.0), "one line of the fetch");
    let logs = "def f(a):\n    logger.info('a')¶\n    self.log.debug(a)\n    print(a)\n    x(1)\ndef g(a):\n    logger.info('a')\n    self.log.debug(a)\n    print(a)\n    x(2)\n";
    assert_eq!(marked(Python, logs, "dup_lines"), Number(0.0), "logging is no logic");
    let white = "def f(a):\n    x(1)  # one¶\n\n    y(2)\n    z(3)\ndef g(a):\n        x(1)\n        # two\n        y(2)\n        z(3)\n";
    assert_eq!(marked(Python, white, "dup_lines"), Number(3.0));
    let text = "def f(a):\n    '''one two\n    three four\n    five six\n    '''\n    x(1)¶\ndef g(a):\n    '''one two\n    three four\n    five six\n    '''\n    x(2)\n";
    assert_eq!(marked(Python, text, "dup_lines"), Number(0.0), "the lines of a text");
    let outside = "a = 1¶\nb = 2\nc(a)\na = 1\nb = 2\nd(a)\n";
    assert_eq!(marked(Python, outside, "dup_lines"), Number(2.0));
    all("dup_lines", &Unknown, &[(Python, "def f(:\n    x(1)¶\n"), (Yaml, "a: 1¶\nb: 1\n")]);
}

#[test]
fn block_lines() {
    all(
        "block_lines",
        &Number(3.0),
        &[
            (Python, "def f(a):\n    x(1)\n    if a:¶\n        x(2)\n        x(3)\n"),
            (Python, "def f(a):\n    x(1)\n    x(2)¶\n    x(3)\n    x(4)\n"),
            (Python, "def f(a):\n    x(1)¶\n    x(2)¶\n    x(3)¶\n"),
            (JavaScript, "function f(a) {\n for (;;) {¶\n  x(2);\n }}\n"),
            (C, "void f(int a) {\n x(1);\n while (a) {¶\n  x(2);\n }}\n"),
            (Go, "package p\nfunc f(a int) {¶\n x(1)\n}\n"),
            (Rust, "fn f(a: u8) {\n if a {¶\n  x(2);\n }}\n"),
            (Java, "class A { void f() {\n x(1);¶\n x(2);\n } }\n"),
            (Ruby, "def f(a)\n  if a¶\n    x(1)\n  end\nend\n"),
        ],
    );
    all("block_lines", &Unknown, &[(Python, "x = 1¶\n"), (Python, "def f():\n    x(¶\n"), (Yaml, "a: 1¶\n")]);
}

#[test]
fn declares_name() {
    all(
        "name_length",
        &Number(2.0),
        &[
            (Python, "def f():\n    ab = g()¶\n"),
            (Python, "def f():\n    abc, de = g()¶\n"),
            (Python, "def f(ab, *cde, f_=1):¶\n    pass\n"),
            (Python, "def f():\n    if (ab := g()):¶\n        pass\n"),
            (JavaScript, "const ab = g();¶\n"),
            (JavaScript, "const {k: ab} = g();¶\n"),
            (JavaScript, "g((ab) => 1);¶\n"),
            (TypeScript, "function f(ab: number) {}¶\n"),
            (Java, "class A { void f() {\n int ab = g();¶\n} }\n"),
            (Java, "class A { void f(int ab) {¶\n} }\n"),
            (C, "void f(void) {\n int *ab = g();¶\n}\n"),
            (C, "void f(int ab) {¶\n}\n"),
            (Cpp, "void f() {\n auto& ab = g();¶\n}\n"),
            (CSharp, "class A { void F() {\n var ab = G();¶\n} }\n"),
            (Go, "package p\nfunc f() {\n ab, cde := g()¶\n}\n"),
            (Go, "package p\nfunc f(ab int) {¶\n}\n"),
            (Rust, "fn f() {\n let ab = g();¶\n}\n"),
            (Rust, "fn f() {\n let (abc, mut de) = g();¶\n}\n"),
            (Php, "<?php function f() {\n $ab = g();¶\n}\n"),
            (Ruby, "def f\n  ab = g\n  xy = ab¶\nend\n"),
        ],
    );
    all(
        "declares_name",
        &Bool(false),
        &[
            (Python, "def f(xs):\n    for i in xs:¶\n        pass\n"),
            (Python, "def f(xs):\n    return [x for x in xs]¶\n"),
            (Python, "def f(p):\n    with open(p) as q:¶\n        pass\n"),
            (Python, "def f():\n    try:\n        g()\n    except E as e:¶\n        pass\n"),
            (Python, "def f():\n    ab = g()\n    ab = h()¶\n"),
            (Python, "def f(self):\n    self.ab = g()\n    ab[0] = g()¶\n"),
            (Python, "def f():\n    _ = g()¶\n"),
            (Python, "def f(ab):\n    g(ab)  # ab = 1¶\n"),
            (JavaScript, "for (let i = 0; i < 3; i++) {¶\n}\n"),
            (JavaScript, "for (const x of xs) {¶\n}\n"),
            (JavaScript, "try { g(); } catch (e) {¶\n}\n"),
            (Java, "class A { void f() {\n for (int i : xs) {¶\n }\n} }\n"),
            (C, "void f(void) {\n for (int i = 0; i < 3; i++) {¶\n }\n}\n"),
            (C, "int f(void);¶\n"),
            (Cpp, "void f() {\n for (auto& x : xs) {¶\n }\n}\n"),
            (CSharp, "class A { void F() {\n foreach (var x in xs) {¶\n }\n} }\n"),
            (Go, "package p\nfunc f() {\n for i, v := range xs {¶\n }\n}\n"),
            (Go, "package p\nfunc (t *T) f() {¶\n}\n"),
            (Rust, "fn f() {\n for i in 0..3 {¶\n }\n}\n"),
            (Php, "<?php foreach ($xs as $k => $v) {¶\n}\n"),
            (Ruby, "def f(xs)\n  for i in xs do¶\n  end\nend\n"),
        ],
    );
    all("name_length", &Unknown, &[(Python, "def f(xs):\n    for i in xs:¶\n        pass\n"), (Python, "ab = (¶\n")]);
    all("declares_name", &Unknown, &[(Python, "ab = (¶\n"), (Yaml, "ab: 1¶\n")]);
    let old = Case { language: Python, old: None, new: "ab = g()\n", lines: (1, 1), added: |_| false };
    assert_eq!(old.value("declares_name"), Bool(false), "the line was there before");
}

#[test]
fn has_misspelling() {
    all(
        "has_misspelling",
        &Bool(true),
        &[
            (Python, "x = 1  # the lenght¶\n"),
            (Python, "def recieve(x):¶\n    pass\n"),
            (Java, "class A { void getSeperator() { } }¶\n"),
        ],
    );
    all(
        "has_misspelling",
        &Bool(false),
        &[(Python, "x = recieve(1)  # the length¶\n"), (Python, "x = 'lenght'¶\n"), (C, "int widht;  // the width¶\n")],
    );
    all("has_misspelling", &Unknown, &[(Python, "x = (  # the lenght¶\n"), (Yaml, "a: 1 # the lenght¶\n")]);
    let old = Case { language: Python, old: None, new: "x = 1  # the lenght\n", lines: (1, 1), added: |_| false };
    assert_eq!(old.value("has_misspelling"), Bool(false), "the line was there before");
}
