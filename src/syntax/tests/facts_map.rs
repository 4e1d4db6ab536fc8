//! Reads of maps and what makes their keys sure, in every language in which a missing key fails. The claim is about the
//! lines that end in `¶`.

use super::facts::all;
use crate::syntax::Language::{C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, TypeScript};
use crate::syntax::facts::FactValue::{Bool, Unknown};

#[test]
fn is_map_read() {
    all(
        "is_map_read",
        &Bool(true),
        &[
            (Python, "def f(d):\n    return d['k']¶\n"),
            (Python, "def f(d):\n    d['n'] += 1¶\n"),
            (Python, "def f(d):\n    del d['n']¶\n"),
            (Python, "def f(d: dict, k):\n    return d[k]¶\n"),
            (Python, "def f(d: Dict[str, int], k):\n    return g(d[k])¶\n"),
            (Python, "D = {'a': 1}\ndef f(k):\n    return D[k]¶\n"),
            (Python, "import os\ndef f(k):\n    return os.environ[k]¶\n"),
            (Python, "def f(r):\n    return r.json()['a']['b']¶\n"),
            (Python, "def f(d):\n    d['a']['b'] = 1¶\n"),
            (Python, "def f(d):\n    return d.pop('k')¶\n"),
            (Ruby, "def f(h)\n  h[:k]¶\nend\n"),
            (Ruby, "def f(h)\n  h.fetch(\"k\")¶\nend\n"),
            (Ruby, "def f(k)\n  ENV[k]¶\nend\n"),
            (CSharp, "class A { int F(Dictionary<string, int> d, string k) {\n return d[k];¶\n} }\n"),
            (CSharp, "class A { int F(string k) {\n var d = new Dictionary<string, int>();\n return d[\"k\"];¶\n} }\n"),
            (Java, "class A { int f(Map<String, B> m, String k) {\n return m.get(k).x();¶\n} }\n"),
            (Cpp, "int f(const std::map<int, int>& m, int k) {\n return m.at(k);¶\n}\n"),
            (Cpp, "int f(const T& m) {\n return m.at(\"k\");¶\n}\n"),
            (Rust, "fn f(m: &HashMap<u8, u8>, k: u8) -> u8 {\n m[&k]¶\n}\n"),
            (Rust, "fn f(m: &Value) -> &Value {\n &m[\"k\"]¶\n}\n"),
            (Php, "<?php function f($a) {\n return $a['k'];¶\n}\n"),
        ],
    );
    all(
        "is_map_read",
        &Bool(false),
        &[
            (Python, "def f(d):\n    d['k'] = 1¶\n"),
            (Python, "def f(d):\n    (a, d['k']) = g()¶\n"),
            (Python, "def f(xs):\n    return xs[0] + xs[-1]¶\n"),
            (Python, "def f(xs, i):\n    return xs[i:i + 2]¶\n"),
            (Python, "def f(xs: List[int]) -> Dict[str, int]:¶\n    return g(xs)\n"),
            (Python, "def f(xs: list, i):\n    return xs[i]¶\n"),
            (Python, "def f(line, i):\n    xs = line.split(',')\n    return xs[i]¶\n"),
            (Python, "def f(d):\n    return d.get('k')  # d['k']¶\n"),
            (Python, "def f(d):\n    return \"d['k']\"¶\n"),
            (Ruby, "def f(xs)\n  xs[0] + xs[1..2]¶\nend\n"),
            (Ruby, "def f(h)\n  h[:k] = 1¶\nend\n"),
            (Ruby, "def f(h)\n  h.fetch(:k, 1)¶\nend\n"),
            (Ruby, "def f(h)\n  h.fetch(:k) { 1 }¶\nend\n"),
            (CSharp, "class A { void F(Dictionary<string, int> d, string k) {\n d[k] = 1;¶\n} }\n"),
            (CSharp, "class A { int F(List<int> xs, int i) {\n return xs[i] + xs[0];¶\n} }\n"),
            (CSharp, "class A { int F(int[] xs, int i) {\n return xs[i];¶\n} }\n"),
            (Java, "class A { int f(List<B> xs, int i) {\n return xs.get(i).x();¶\n} }\n"),
            (Java, "class A { int f(int[] xs, int i) {\n return xs[0];¶\n} }\n"),
            (Cpp, "int f(const std::vector<int>& v, int k) {\n return v.at(k) + v[0];¶\n}\n"),
            (Rust, "fn f(xs: &[u8]) -> u8 {\n xs[0] + xs[1..2][0]¶\n}\n"),
            (Rust, "fn f(m: &HashMap<u8, u8>, k: u8) -> Option<&u8> {\n m.get(&k)¶\n}\n"),
            (Php, "<?php function f($a) {\n $a['k'] = $a[0];¶\n}\n"),
            (Php, "<?php function f($a) {\n unset($a['k']);¶\n}\n"),
        ],
    );
    all(
        "is_map_read",
        &Unknown,
        &[
            (Python, "def f(d, k):\n    return d[k]¶\n"),
            (Python, "def f():\n    return Color['RED']¶\n"),
            (Python, "import pandas as pd\ndef f(df):\n    return df['a']¶\n"),
            (Python, "def f(a, i, j):\n    return a[i, j][k]¶\n"),
            (Python, "def f(d):\n    return (d['k']¶\n"),
            (Ruby, "def f(h, k)\n  h[k]¶\nend\n"),
            (CSharp, "class A { int F(T d) {\n return d[\"k\"];¶\n} }\n"),
            (Java, "class A { B f(Map<String, B> m, String k) {\n return m.get(k);¶\n} }\n"),
            (Java, "class A { int f(T m, String k) {\n return m.get(k).x();¶\n} }\n"),
            (Cpp, "int f(const T& m, int k) {\n return m.at(k);¶\n}\n"),
            (Cpp, "int f(std::map<int, int>& m, int k) {\n return m[k];¶\n}\n"),
            (Rust, "fn f(m: &T, k: usize) -> u8 {\n m[k]¶\n}\n"),
            (Rust, "fn f(m: &T, k: usize) {\n println!(\"{}\", m[&k]);¶\n}\n"),
            (Php, "<?php function f($a, $k) {\n return $a[$k];¶\n}\n"),
            (Go, "package p\nfunc f(m map[string]int) int {\n return m[\"k\"]¶\n}\n"),
            (JavaScript, "function f(m) {\n return m['k'];¶\n}\n"),
            (TypeScript, "function f(m: M) {\n return m['k'];¶\n}\n"),
            (C, "int f(int *m) {\n return m[0];¶\n}\n"),
        ],
    );
}

#[test]
fn guarded() {
    all(
        "key_guarded",
        &Bool(true),
        &[
            (Python, "def f(d):\n    if 'k' in d:\n        return d['k']¶\n"),
            (Python, "def f(d):\n    if 'k' not in d:\n        return 0\n    return d['k']¶\n"),
            (Python, "def f(d):\n    if 'k' not in d:\n        d['k'] = 0\n    d['k'] += 1¶\n"),
            (Python, "def f(d):\n    return d['k'] if 'k' in d else 0¶\n"),
            (Python, "def f(d):\n    return 'k' in d and d['k']¶\n"),
            (Python, "def f(d):\n    if d.get('k'):\n        return d['k']¶\n"),
            (Python, "def f(d):\n    if d.get('k') is None:\n        return 0\n    return d['k']¶\n"),
            (Python, "def f(d):\n    try:\n        return d['k']¶\n    except KeyError:\n        return 0\n"),
            (Python, "def f(d):\n    d.setdefault('k', [])\n    return d['k']¶\n"),
            (Python, "def f(d: dict):\n    for k in sorted(d):\n        print(d[k])¶\n"),
            (Python, "def f(d: dict):\n    for k in d.keys():\n        print(d[k])¶\n"),
            (Python, "def f(d: dict):\n    return [d[k] for k in d]¶\n"),
            (Python, "def f(d):\n    d['k'] = 1\n    return d['k']¶\n"),
            (Python, "def f():\n    d = {'k': 1, 'l': 2}\n    return d['k']¶\n"),
            (Python, "D = {\n    'k': 1,\n    'l': (2, 3),\n}\ndef f():\n    return D['l']¶\n"),
            (Python, "def f(xs):\n    d = defaultdict(int)\n    for x in xs:\n        d['k'] += x¶\n"),
            (
                Python,
                "class A:\n    def __init__(self):\n        self.d = collections.Counter()\n    def f(self):\n        return self.d['k']¶\n",
            ),
            (Ruby, "def f(h)\n  return 0 unless h.key?(:k)\n  h[:k]¶\nend\n"),
            (Ruby, "def f(h)\n  h[:k] || 0¶\nend\n"),
            (Ruby, "def f(h)\n  begin\n    h.fetch(:k)¶\n  rescue KeyError\n    0\n  end\nend\n"),
            (
                CSharp,
                "class A { int F(Dictionary<string, int> d, string k) {\n if (!d.ContainsKey(k)) { return 0; }\n return d[k];¶\n} }\n",
            ),
            (
                CSharp,
                "class A { void F(Dictionary<string, int> d) {\n foreach (var k in d.Keys) {\n G(d[k]);¶\n }\n} }\n",
            ),
            (
                CSharp,
                "class A { int F(Dictionary<string, int> d, string k) {\n try { return d[k]; }¶\n catch (KeyNotFoundException) { return 0; }\n} }\n",
            ),
            (
                Java,
                "class A { int f(Map<String, B> m, String k) {\n if (m.containsKey(k)) {\n return m.get(k).x();¶\n }\n return 0;\n} }\n",
            ),
            (
                Java,
                "class A { int f(Map<String, B> m, String k) {\n if (m.get(k) == null) { return 0; }\n return m.get(k).x();¶\n} }\n",
            ),
            (Java, "class A { void f(Map<String, B> m) {\n for (String k : m.keySet()) {\n m.get(k).x();¶\n }\n} }\n"),
            (Java, "class A { void f(Map<String, B> m, String k) {\n m.putIfAbsent(k, b);\n m.get(k).x();¶\n} }\n"),
            (
                Cpp,
                "int f(const std::map<int, int>& m, int k) {\n if (m.count(k)) { return m.at(k); }¶\n return 0;\n}\n",
            ),
            (
                Cpp,
                "int f(const std::map<int, int>& m, int k) {\n if (m.find(k) == m.end()) return 0;\n return m.at(k);¶\n}\n",
            ),
            (
                Cpp,
                "int f(const std::map<int, int>& m, int k) {\n try { return m.at(k); }¶\n catch (const std::out_of_range& e) { return 0; }\n}\n",
            ),
            (Rust, "fn f(m: &HashMap<u8, u8>, k: u8) -> u8 {\n if !m.contains_key(&k) { return 0; }\n m[&k]¶\n}\n"),
            (Rust, "fn f(m: &mut HashMap<u8, u8>, k: u8) -> u8 {\n m.insert(k, 1);\n m[&k]¶\n}\n"),
            (Php, "<?php function f($a) {\n return $a['k'] ?? 0;¶\n}\n"),
            (Php, "<?php function f($a) {\n if (!isset($a['k'])) { return 0; }\n return $a['k'];¶\n}\n"),
            (Php, "<?php function f($a) {\n return isset($a['k']);¶\n}\n"),
            (Php, "<?php function f($a) {\n if (array_key_exists('k', $a)) { return $a['k']; }¶\n}\n"),
        ],
    );
}

#[test]
fn not_guarded() {
    all(
        "key_guarded",
        &Bool(false),
        &[
            (Python, "def f(d):\n    return d['k']¶\n"),
            (Python, "def f(d):\n    d = g(d)\n    return d['k']¶\n"),
            (Python, "import os\ndef f():\n    return os.environ['K']¶\n"),
            (Python, "def f(r):\n    return r.json()['k']¶\n"),
            (Ruby, "def f(h)\n  h.fetch(:k)¶\nend\n"),
            (CSharp, "class A { int F(Dictionary<string, int> d, string k) {\n return d[k];¶\n} }\n"),
            (Java, "class A { int f(Map<String, B> m, String k) {\n return m.get(k).x();¶\n} }\n"),
            (Cpp, "int f(const std::map<int, int>& m, int k) {\n return m.at(k);¶\n}\n"),
            (Rust, "fn f(m: &HashMap<u8, u8>, k: u8) -> u8 {\n m[&k]¶\n}\n"),
            (Php, "<?php function f($a) {\n return $a['k'];¶\n}\n"),
        ],
    );
}

#[test]
fn perhaps_guarded() {
    all(
        "key_guarded",
        &Unknown,
        &[
            (Python, "def f(d):\n    if 'other' in d:\n        return d['k']¶\n"),
            (Python, "def f(d):\n    if 'k' in d:\n        log(d)\n    return d['k']¶\n"),
            (Python, "def f(d):\n    validate(d)\n    return d['k']¶\n"),
            (Python, "def f(d: dict, k):\n    if k in ALLOWED:\n        return d[k]¶\n"),
            (Python, "def f(d):\n    if 'k' in d:\n        d = g()\n        return d['k']¶\n"),
            (Python, "def f(d):\n    try:\n        return d['k']¶\n    except Exception:\n        return 0\n"),
            (Python, "class A:\n    def f(self):\n        return self.d['k']¶\n"),
            (Python, "def f(d, k):\n    return d.get(k)¶\n"),
            (Ruby, "def f(h)\n  h[:k] if h¶\nend\n"),
            (CSharp, "class A { int F(T d) {\n return d[\"k\"];¶\n} }\n"),
            (
                Java,
                "class A { int f(Map<String, B> m, String k) {\n if (m.isEmpty()) return 0;\n return m.get(k).x();¶\n} }\n",
            ),
            (Cpp, "int f(const std::map<int, int>& m, int k) {\n if (m.empty()) return 0;\n return m.at(k);¶\n}\n"),
            (Rust, "fn f(m: &HashMap<u8, u8>, k: u8) -> u8 {\n for k in keys { m[&k]; }¶\n}\n"),
            (Php, "<?php function f($a) {\n check($a);\n return $a['k'];¶\n}\n"),
            (Go, "package p\nfunc f(m map[string]int) int {\n return m[\"k\"]¶\n}\n"),
        ],
    );
}

#[test]
fn map_is_local() {
    all(
        "map_is_local",
        &Bool(true),
        &[
            (Python, "def f(xs):\n    d = {}\n    for x in xs:\n        d[x] = 1\n    return d['k']¶\n"),
            (Java, "class A { int f(String k) {\n Map<String, B> m = new HashMap<>();\n return m.get(k).x();¶\n} }\n"),
            (Cpp, "int f(int k) {\n std::map<int, int> m;\n return m.at(k);¶\n}\n"),
            (CSharp, "class A { int F(string k) {\n var d = new Dictionary<string, int>();\n return d[k];¶\n} }\n"),
            (Rust, "fn f(k: u8) -> u8 {\n let mut m = HashMap::new();\n m[&k]¶\n}\n"),
            (Ruby, "def f\n  h = {}\n  h[:k]¶\nend\n"),
            (Php, "<?php function f() {\n $a = [];\n return $a['k'];¶\n}\n"),
        ],
    );
    all(
        "map_is_local",
        &Bool(false),
        &[
            (Python, "D = {}\ndef f(d):\n    return d['k'] + D['l']¶\n"),
            (Python, "def f(d):\n    if d == {}:\n        return 0\n    return d['k']¶\n"),
            (Java, "class A { int f(Map<String, B> m, String k) {\n return m.get(k).x();¶\n} }\n"),
        ],
    );
    all(
        "map_is_local",
        &Unknown,
        &[(Python, "def f(d):\n    return d¶\n"), (Python, "def f(d):\n    return d['k'¶\n")],
    );
}
