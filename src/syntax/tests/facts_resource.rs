//! What is acquired, and whether it is given back, in every language. The claim is about the lines that end in `¶`.

use super::facts::{all, marked};
use crate::syntax::Language::{self, C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, TypeScript, Yaml};
use crate::syntax::facts::FactValue::{Bool, Text, Unknown};

#[test]
fn kinds() {
    let cases: [(Language, &str, &str); 38] = [
        (Python, "f = open(p)¶\n", "open"),
        (Python, "f = path.open('rb')¶\n", "open"),
        (Python, "s = socket.socket(socket.AF_INET)¶\n", "socket"),
        (Python, "c = sqlite3.connect(p)¶\n", "connection"),
        (Python, "r = urllib.request.urlopen(u)¶\n", "connection"),
        (Python, "self._lock.acquire()¶\n", "lock"),
        (Ruby, "f = File.open(p)¶\n", "open"),
        (Ruby, "s = TCPSocket.new(h, 1)¶\n", "socket"),
        (Ruby, "@mutex.lock¶\n", "lock"),
        (Php, "<?php $f = fopen($p, 'r');¶\n", "open"),
        (Php, "<?php $c = new PDO($dsn);¶\n", "connection"),
        (Php, "<?php $s = fsockopen($h);¶\n", "socket"),
        (Java, "class A { void f() {\n var i = new FileInputStream(p);¶\n} }\n", "open"),
        (Java, "class A { void f() {\n var i = Files.newBufferedReader(p);¶\n} }\n", "open"),
        (Java, "class A { void f() {\n Socket s = new Socket(h, 1);¶\n} }\n", "socket"),
        (Java, "class A { void f() {\n Connection c = source.getConnection();¶\n} }\n", "connection"),
        (Java, "class A { void f() {\n lock.lock();¶\n} }\n", "lock"),
        (C, "void f(void) {\n FILE *h = fopen(p, \"r\");¶\n}\n", "open"),
        (C, "void f(void) {\n int s = socket(AF_INET, 1, 0);¶\n}\n", "socket"),
        (C, "void f(void) {\n char *b = (char *) malloc(3);¶\n}\n", "alloc"),
        (C, "void f(void) {\n pthread_mutex_lock(&m);¶\n}\n", "lock"),
        (Cpp, "void f() {\n auto* p = new T[3];¶\n}\n", "alloc"),
        (Cpp, "void f() {\n auto* p = new (std::nothrow) T;¶\n}\n", "alloc"),
        (Cpp, "void f() {\n buffers = new(buffer.data()) EndToEndBuffers;¶\n}\n", "placement"),
        (Cpp, "void f() {\n ::new (static_cast<void*>(p)) T(x);¶\n}\n", "placement"),
        (Cpp, "void f() {\n std::ifstream in(path);¶\n}\n", "open"),
        (Cpp, "void f() {\n std::lock_guard<std::mutex> l(m);¶\n}\n", "lock"),
        (Cpp, "void f() {\n mutex_.lock();¶\n}\n", "lock"),
        (CSharp, "class A { void F() {\n var f = File.OpenRead(p);¶\n} }\n", "open"),
        (CSharp, "class A { void F() {\n var c = new SqlConnection(s);¶\n} }\n", "connection"),
        (CSharp, "class A { void F() {\n Monitor.Enter(x);¶\n} }\n", "lock"),
        (Go, "package p\nfunc f() {\n h, err := os.Open(p)¶\n}\n", "open"),
        (Go, "package p\nfunc f() {\n c, err := net.Dial(n, a)¶\n}\n", "socket"),
        (Go, "package p\nfunc f() {\n s.mu.Lock()¶\n}\n", "lock"),
        (Rust, "fn f() {\n let h = File::open(p)?;¶\n}\n", "open"),
        (Rust, "fn f() {\n let s = TcpStream::connect(a)?;¶\n}\n", "socket"),
        (JavaScript, "function f() {\n const h = fs.openSync(p);¶\n}\n", "open"),
        (TypeScript, "function f() {\n const h: W = new WebSocket(u);¶\n}\n", "connection"),
    ];
    for (language, source, kind) in cases {
        assert_eq!(marked(language, source, "resource_kind"), Text(kind.to_owned()), "{source}");
    }
    all(
        "resource_kind",
        &Unknown,
        &[
            (Python, "f = reopen(p)  # open(p)¶\n"),
            (Python, "webbrowser.open('open(p)')¶\n"),
            (Python, "f = (open(p)¶\n"),
            (JavaScript, "window.open(u);¶\n"),
            (Cpp, "void f() {\n auto p = weak.lock();¶\n}\n"),
            (Cpp, "void f() {\n auto p = new_thing();¶\n}\n"),
            (Java, "class A { void f() {\n var i = new B(p);¶\n} }\n"),
            (C, "void f(void) {\n reopen(p);¶\n}\n"),
            (CSharp, "class A { void F() {\n var f = new List<int>();¶\n} }\n"),
            (Go, "package p\nfunc f() {\n x := g(p)¶\n}\n"),
            (Ruby, "x = open_it(p)¶\n"),
            (Php, "<?php $x = reopen($p);¶\n"),
            (Rust, "fn f() {\n let x = g(p);¶\n}\n"),
            (Yaml, "a: open(p)¶\n"),
        ],
    );
}

#[test]
fn released() {
    all(
        "released",
        &Bool(true),
        &[
            (Python, "def f(p):\n    with open(p) as h:¶\n        return h.read()\n"),
            (Python, "def f(p):\n    with closing(sqlite3.connect(p)) as c:¶\n        c.x()\n"),
            (Python, "def f(p, stack):\n    h = stack.enter_context(open(p))¶\n    return h.read()\n"),
            (
                Python,
                "def f(p):\n    h = open(p)¶\n    try:\n        return h.read()\n    finally:\n        h.close()\n",
            ),
            (Python, "def f(p):\n    h = open(p)¶\n    with h:\n        return h.read()\n"),
            (
                Python,
                "def f(self):\n    self.lock.acquire()¶\n    try:\n        g()\n    finally:\n        self.lock.release()\n",
            ),
            (Ruby, "def f(p)\n  File.open(p) do |h|¶\n    h.read\n  end\nend\n"),
            (Ruby, "def f(p)\n  h = File.open(p)¶\n  h.read\nensure\n  h.close\nend\n"),
            (
                Java,
                "class A { void f() {\n try (var r = new BufferedReader(new FileReader(p))) {¶\n r.readLine();\n }\n} }\n",
            ),
            (
                Java,
                "class A { void f() {\n FileReader r = new FileReader(p);¶\n try { r.read(); } finally { r.close(); }\n} }\n",
            ),
            (Java, "class A { void f() {\n lock.lock();¶\n try { g(); } finally { lock.unlock(); }\n} }\n"),
            (
                C,
                "int f(void) {\n FILE *h = fopen(p, \"r\");¶\n if (!h) return -1;\n fread(b, 1, 2, h);\n fclose(h);\n return 0;\n}\n",
            ),
            (C, "int f(void) {\n char *b = malloc(3);¶\n strcpy(b, s);\n free(b);\n return 0;\n}\n"),
            (C, "void f(void) {\n pthread_mutex_lock(&m);¶\n x++;\n pthread_mutex_unlock(&m);\n}\n"),
            (Cpp, "void f() {\n auto p = std::make_unique<A>(1);¶\n}\n"),
            (Cpp, "void f() {\n std::unique_ptr<A> p(new A());¶\n}\n"),
            (Cpp, "void f() {\n p_.reset(new A());¶\n}\n"),
            (Cpp, "void f() {\n g(std::shared_ptr<A>(new A()));¶\n}\n"),
            (Cpp, "void f() {\n std::lock_guard<std::mutex> l(m);¶\n}\n"),
            (Cpp, "void f() {\n std::ifstream in(path);¶\n}\n"),
            (CSharp, "class A { void F() {\n using var f = File.OpenRead(p);¶\n} }\n"),
            (CSharp, "class A { void F() {\n using (var f = new StreamReader(p)) {¶\n }\n} }\n"),
            (
                CSharp,
                "class A { void F() {\n var f = File.OpenRead(p);¶\n try { f.Read(); } finally { f.Dispose(); }\n} }\n",
            ),
            (
                Go,
                "package p\nfunc f() error {\n h, err := os.Open(p)¶\n if err != nil {\n  return err\n }\n defer h.Close()\n return g(1)\n}\n",
            ),
            (Go, "package p\nfunc f() {\n resp, err := http.Get(u)¶\n defer resp.Body.Close()\n}\n"),
            (Go, "package p\nfunc f() {\n mu.Lock()¶\n defer mu.Unlock()\n}\n"),
            (Rust, "fn f() {\n let h = File::open(p)?;¶\n}\n"),
            (
                Php,
                "<?php function f($p) {\n $h = fopen($p, 'r');¶\n try { fread($h, 1); } finally { fclose($h); }\n}\n",
            ),
            (
                JavaScript,
                "function f(p) {\n const h = fs.openSync(p);¶\n try { g(); } finally { fs.closeSync(h); }\n}\n",
            ),
        ],
    );
}

#[test]
fn conditions_of_a_release() {
    let source = |condition: &str| {
        format!(
            "def f(p):\n    h = open(p)¶\n    try:\n        h.x()\n    finally:\n        if {condition}:\n            h.close()\n"
        )
    };
    assert_eq!(marked(Python, &source("h is not None"), "released"), Bool(true));
    assert_eq!(marked(Python, &source("failed"), "released"), Unknown);
    let at_once = "def f(p):\n    os.close(os.open(p, os.O_CREAT))¶\n";
    assert_eq!(marked(Python, at_once, "released"), Bool(true));
}

#[test]
fn not_released() {
    all(
        "released",
        &Bool(false),
        &[
            (Python, "def f(p):\n    h = open(p)¶\n    return h.readline()\n"),
            (Python, "def f(p):\n    return open(p).read()¶\n"),
            (Python, "def f(p):\n    return json.load(open(p))¶\n"),
            (Python, "def f(p):\n    h = open(p)¶\n    for line in h:\n        print(line)  # h.close()\n"),
            (Python, "def f(p):\n    h = open(p)¶\n    with open(q) as g:\n        g.write(h.read())\n"),
            (Python, "def f(lock):\n    lock.acquire()¶\n    g()\n"),
            (Ruby, "def f(p)\n  h = File.open(p)¶\n  h.read\nend\n"),
            (Java, "class A { int f() {\n FileReader r = new FileReader(p);¶\n return r.read();\n} }\n"),
            (
                Java,
                "class A { int f() {\n BufferedReader r = new BufferedReader(new FileReader(p));¶\n return r.read();\n} }\n",
            ),
            (C, "int f(void) {\n FILE *h = fopen(p, \"r\");¶\n if (h == NULL) return 1;\n return fgetc(h);\n}\n"),
            (C, "int f(void) {\n char *b;\n b = malloc(3);¶\n return strlen(b);\n}\n"),
            (Cpp, "int f() {\n T* p = new T();¶\n return p->x();\n}\n"),
            (CSharp, "class A { int F() {\n var f = File.OpenRead(p);¶\n return f.ReadByte();\n} }\n"),
            (Go, "package p\nfunc f() int {\n h, _ := os.Open(p)¶\n return h.Size()\n}\n"),
            (Go, "package p\nfunc f() {\n mu.Lock()¶\n g()\n}\n"),
        ],
    );
}

#[test]
fn perhaps_released() {
    all(
        "released",
        &Unknown,
        &[
            (Python, "def f(p):\n    return open(p)¶\n"),
            (Python, "def f(p):\n    h = open(p)¶\n    return h\n"),
            (Python, "def f(self, p):\n    self.h = open(p)¶\n"),
            (Python, "def f(self, p):\n    h = open(p)¶\n    self.h = h\n"),
            (Python, "def f(p):\n    h = open(p)¶\n    consume(h)\n"),
            (Python, "def f(p):\n    h = open(p)¶\n    yield h\n"),
            (Python, "def f(p):\n    h = open(p)¶\n    g()\n    h.close()\n"),
            (Python, "def f(p):\n    global h\n    h = open(p)¶\n"),
            (Python, "h = open(p)¶\n"),
            (Python, "def f(p):\n    return sqlite3.connect(p).cursor()¶\n"),
            (
                Python,
                "class A:\n    def a(self):\n        self.lock.acquire()¶\n    def b(self):\n        self.lock.release()\n",
            ),
            (Python, "def f(p):\n    return p¶\n"),
            (Ruby, "def f(p)\n  File.open(p)¶\nend\n"),
            (Java, "class A { void f() {\n this.r = new FileReader(p);¶\n} }\n"),
            (Java, "class A { void f() {\n r = new FileReader(p);¶\n} }\n"),
            (Java, "class A { void f() {\n FileReader r = new FileReader(p);¶\n r.read();\n r.close();\n} }\n"),
            (C, "int f(void) {\n FILE *h = fopen(p, \"r\");¶\n if (g()) return 1;\n fclose(h);\n return 0;\n}\n"),
            (C, "int f(struct s *q) {\n q->b = malloc(3);¶\n return 0;\n}\n"),
            (C, "char *f(void) {\n char *b = malloc(3);¶\n return b;\n}\n"),
            (Cpp, "void f() {\n buffers = new EndToEndBuffers;¶\n}\n"),
            (Cpp, "void f() {\n buffers = new(buffer.data()) EndToEndBuffers;¶\n}\n"),
            (Cpp, "void f() {\n auto* l = new QLabel(this);¶\n l->show();\n}\n"),
            (Cpp, "void f() {\n T* p = new T();¶\n g();\n delete p;\n}\n"),
            (CSharp, "class A { void F() {\n return File.OpenRead(p);¶\n} }\n"),
            (Go, "package p\nfunc f() (*os.File, error) {\n h, err := os.Open(p)¶\n return h, err\n}\n"),
            (
                Go,
                "package p\nfunc f() error {\n h, err := os.Open(p)¶\n if err != nil {\n  return err\n }\n if err := g(h.Name()); err != nil {\n  return err\n }\n h.Close()\n return nil\n}\n",
            ),
            (Rust, "fn f() {\n let h = File::open(p)?;¶\n std::mem::forget(h);\n}\n"),
            (Php, "<?php function f($p) {\n $h = fopen($p, 'r');¶\n return fgets($h);\n}\n"),
            (JavaScript, "function f(p) {\n const h = fs.openSync(p);¶\n}\n"),
            (TypeScript, "function f(p: P) {\n return new WebSocket(p);¶\n}\n"),
            (Yaml, "a: open(p)¶\n"),
        ],
    );
}
