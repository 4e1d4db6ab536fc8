//! Acquisitions of what must be given back: which kind, and which variable holds it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::place::{bare, bytes, call, field, parts, rest_of_line, squeezed, visit};
use super::{Fact, FactKind, FactValue, with_outline};
use crate::syntax::shapes::{Raw, child_of_kind, text};
use crate::syntax::{Language, Parsed};

pub(super) const RESOURCE_KIND: Fact = Fact {
    name: "resource_kind",
    help: "What the lines acquire: `open` (a file or a stream), `socket`, `connection`, `lock`, `alloc` (memory), or \
           `placement` for C++'s `new (place) T`, which allocates nothing. Known are the usual functions and types of \
           each language. Unknown where none of them stands on the lines and in broken code.",
    kind: FactKind::Text,
    applies: with_outline,
    compute: |input| {
        let Some(new) = input.sound() else { return FactValue::Unknown };
        match acquisitions(new, &bytes(input, new)).first() {
            Some(first) => FactValue::Text(first.kind.to_owned()),
            None => FactValue::Unknown,
        }
    },
};

/// What becomes of the value of an acquisition.
pub(super) enum Holder<'t> {
    /// A construct that releases by itself: `with`, `using`, a smart pointer.
    Owner,
    /// A variable or a field.
    Name(Raw<'t>),
    /// A method is called on it, and it is gone: `open(p).read()`; the whole expression.
    Used(Raw<'t>),
    /// A function receives it: the call.
    Passed(Raw<'t>),
    /// Nobody keeps it.
    Dropped,
    /// It is returned, stored, or put where this cannot be followed.
    Escapes,
}

/// An acquisition.
pub(super) struct Acquisition<'t> {
    pub(super) node: Raw<'t>,
    pub(super) kind: &'static str,
    pub(super) holder: Holder<'t>,
}

/// More acquisitions than this on the lines of one claim are not looked at.
pub(super) const MOST: usize = 16;

/// The acquisitions of a place, what must be released before what need not be.
pub(super) fn acquisitions<'t>(new: &'t Parsed, place: &Range<usize>) -> Vec<Acquisition<'t>> {
    let mut found: Vec<Acquisition<'t>> = Vec::new();
    visit(new, place, |node, around| {
        // The call itself stands on the lines, not only one of its arguments.
        if found.len() > MOST || node.start_byte() < place.start {
            return;
        }
        let Some(kind) = kind_of(new, node) else { return };
        let is_declaration = node.kind().contains("declaration");
        let holder = if is_declaration { Holder::Owner } else { holder(new, node, around) };
        // `p = weak.lock()` gives a pointer, `x = s.acquire()` a thing of its own.
        let is_value = matches!(holder, Holder::Name(_) | Holder::Passed(_) | Holder::Used(_));
        if !(kind == "lock" && new.language() == Cpp && is_value && !is_declaration) {
            found.push(Acquisition { node, kind, holder });
        }
    });
    found.sort_by_key(|acquisition| acquisition.kind == "placement");
    found
}

/// A kind, the languages that have it, and how a call that acquires it is written, without white space; `new` stands
/// before a constructor.
type Row = (&'static str, &'static [Language], &'static str);

use Language::{C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript};

const SCRIPTS: &[Language] = &[JavaScript, TypeScript, Tsx];
const FAMILY: &[Language] = &[C, Cpp];

static ROWS: [Row; 36] = [
    ("open", &[Python], r"^(?:(?:io|os|codecs|gzip|bz2|lzma|tarfile|wave|shelve|dbm|aiofiles|os)\.)?open$"),
    (
        "open",
        &[Python],
        r"^(?:tempfile\.)?(?:Named|Spooled)?TemporaryFile$|^(?:zipfile\.)?ZipFile$|^os\.(?:popen|fdopen)$",
    ),
    ("open", &[Python], r"(?i)(?:path\(.*\)|path|file|\))\.open$"),
    ("socket", &[Python], r"^(?:socket\.)?(?:socket|create_connection|create_server|socketpair)$|^\w*sock\w*\.accept$"),
    (
        "connection",
        &[Python],
        r"^(?:sqlite3|psycopg2?|pymysql|MySQLdb|mysql\.connector|cx_Oracle|oracledb|pyodbc|asyncpg|aiosqlite|aiomysql|duckdb)\.connect$",
    ),
    (
        "connection",
        &[Python],
        r"(?:^|\.)urlopen$|^(?:smtplib\.SMTP|ftplib\.FTP|imaplib\.IMAP4)\w*$|(?:HTTPS?Connection|ClientSession|SSHClient)$|^(?:engine|pool)\.(?:connect|getconn|raw_connection)$",
    ),
    ("lock", &[Python], r"(?i)(?:lock|mutex|sem(?:aphore)?|cond(?:ition)?)\w*(?:\[.*\])?\.acquire$"),
    ("open", &[Ruby], r"^(?:File|IO|Tempfile|Dir|Zlib::Gz\w+|Zip::File)\.(?:open|new|popen)$|^open$"),
    ("socket", &[Ruby], r"^(?:TCPSocket|TCPServer|UDPSocket|UNIXSocket|UNIXServer|Socket)\.(?:new|open|tcp)$"),
    (
        "connection",
        &[Ruby],
        r"^(?:PG|SQLite3::Database|Mysql2::Client|Net::HTTP|Net::FTP|Net::SSH)\.(?:connect|new|open|start)$",
    ),
    ("lock", &[Ruby], r"(?i)(?:lock|mutex)\w*\.lock$"),
    (
        "open",
        &[Php],
        r"^\\?(?:fopen|opendir|popen|tmpfile|gzopen|bzopen|proc_open)$|^new\\?(?:SplFileObject|ZipArchive)$",
    ),
    ("socket", &[Php], r"^\\?(?:p?fsockopen|socket_create|socket_accept|stream_socket_client|stream_socket_server)$"),
    (
        "connection",
        &[Php],
        r"^\\?(?:mysqli_connect|pg_connect|ftp_connect|curl_init|ldap_connect|oci_connect|imap_open)$|^new\\?(?:mysqli|PDO)$",
    ),
    ("lock", &[Php], r"^\\?sem_acquire$"),
    (
        "open",
        &[Java],
        r"^new(?:java\.io\.|java\.util\.zip\.|java\.util\.jar\.)?(?:File(?:Input|Output)Stream|File(?:Reader|Writer)|RandomAccessFile|ZipFile|JarFile|PrintWriter|Gzip\w+|GZIP(?:In|Out)putStream|Zip(?:In|Out)putStream)$",
    ),
    (
        "open",
        &[Java],
        r"^(?:java\.nio\.file\.)?Files\.(?:new(?:In|Out)putStream|newBuffered(?:Reader|Writer)|newDirectoryStream|newByteChannel|lines|list|walk|find)$|^FileChannel\.open$",
    ),
    (
        "socket",
        &[Java],
        r"^new(?:java\.net\.)?(?:Server|Datagram|Multicast)?Socket$|Channel\.open$|^\w*[sS]ocket\w*\.accept$",
    ),
    (
        "connection",
        &[Java],
        r"(?:^|\.)(?:getConnection|openConnection|prepareStatement|createStatement|executeQuery|openSession|openStream)$",
    ),
    ("lock", &[Java], r"(?i)(?:lock|mutex|semaphore)\w*(?:\(\))?\.(?:lock|acquire|lockInterruptibly)$"),
    (
        "open",
        &[C, Cpp],
        r"^(?:std::|::)?(?:fopen|fdopen|open|openat|creat|opendir|popen|tmpfile|mkstemp|gzopen|CreateFile[AW]?|_wfopen)$",
    ),
    ("socket", FAMILY, r"^(?:::)?(?:socket|accept4?|socketpair)$"),
    ("connection", FAMILY, r"^(?:mysql_real_connect|PQconnectdb|sqlite3_open(?:_v2)?|curl_easy_init)$"),
    (
        "lock",
        FAMILY,
        r"^(?:pthread_(?:mutex|spin)_lock|pthread_rwlock_(?:rd|wr)lock|mutex_lock|spin_lock\w*|mtx_lock|EnterCriticalSection)$",
    ),
    ("lock", &[Cpp], r"(?i)(?:mutex|mtx|lock)\w*(?:\.|->)lock$"),
    (
        "alloc",
        FAMILY,
        r"^(?:std::|::)?(?:malloc|calloc|realloc|strn?dup|vasprintf|k[mzc]alloc|kcalloc|kmalloc_array|vmalloc|vzalloc|kstrdup|g_malloc0?|g_new0?|xmalloc|mmap|aligned_alloc|posix_memalign|HeapAlloc|av_malloc)$",
    ),
    (
        "open",
        &[CSharp],
        r"^(?:System\.IO\.)?File(?:Info)?\.(?:Open\w*|Create(?:Text)?|AppendText)$|^new(?:System\.IO\.)?(?:FileStream|Stream(?:Reader|Writer)|Binary(?:Reader|Writer)|GZipStream|ZipArchive)$",
    ),
    ("socket", &[CSharp], r"^new(?:System\.Net\.Sockets\.)?(?:Socket|TcpClient|UdpClient|TcpListener|NetworkStream)$"),
    (
        "connection",
        &[CSharp],
        r"^new(?:\w+\.)*(?:\w*Connection|\w*SqlCommand|HttpResponseMessage|SmtpClient)$|\.ExecuteReader$",
    ),
    (
        "lock",
        &[CSharp],
        r"^Monitor\.Enter$|(?i:(?:mutex|semaphore)\w*\.wait(?:one)?)$|\.Enter(?:Read|Write|UpgradeableRead)Lock$",
    ),
    ("alloc", &[CSharp], r"^Marshal\.AllocHGlobal$|^Marshal\.AllocCoTaskMem$"),
    (
        "open",
        &[Go],
        r"^os\.(?:Open|Create|OpenFile|CreateTemp|Pipe)$|^(?:zip\.OpenReader|gzip\.NewReader|ioutil\.TempFile)$",
    ),
    ("socket", &[Go], r"^(?:net|tls)\.(?:Dial\w*|Listen\w*)$|\.Accept$"),
    (
        "connection",
        &[Go],
        r"^sql\.Open$|^http\.(?:Get|Post|PostForm|Head)$|(?i:client|db|tx|conn)\.(?:Do|Query|QueryContext|Conn|Begin|BeginTx)$",
    ),
    ("lock", &[Go], r"\.R?Lock$"),
    ("open", &[Rust], r"^(?:std::)?(?:fs::)?(?:File|OpenOptions)::(?:open|create|create_new)$|\.open$"),
];

/// Those that are not worth a row of their own language.
static OTHERS: [Row; 5] = [
    (
        "socket",
        &[Rust],
        r"^(?:std::net::|net::)?(?:TcpStream|TcpListener|UdpSocket|UnixStream|UnixListener)::(?:connect|bind)$",
    ),
    ("lock", &[Rust], r"\.lock$"),
    ("alloc", &[Rust], r"^Box::new$|^(?:std::)?alloc::alloc(?:_zeroed)?$"),
    (
        "open",
        SCRIPTS,
        r"^(?:fs|fsp|fsPromises|fs\.promises)\.(?:open|openSync|opendir|opendirSync|create(?:Read|Write)Stream)$",
    ),
    (
        "connection",
        SCRIPTS,
        r"^new(?:WebSocket|EventSource|MongoClient|(?:\w+\.)?Client)$|(?:^|\.)(?:createConnection|getConnection)$|^(?:net\.connect|pool\.connect)$",
    ),
];

static COMPILED: LazyLock<Vec<(&'static Row, Regex)>> = LazyLock::new(|| {
    let rows = ROWS.iter().chain(&OTHERS);
    rows.map(|row| (row, Regex::new(row.2).expect("the patterns are constants that compile"))).collect()
});

/// Variables whose type releases when they go.
static GUARD_TYPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:std::|boost::|absl::)?(?:(?P<open>[io]?fstream)|(?P<lock>(?:lock_guard|unique_lock|scoped_lock|shared_lock|MutexLock|QMutexLocker)(?:<.*>)?))$")
        .expect("the pattern is a constant that compiles")
});

/// What a node acquires.
fn kind_of(new: &Parsed, node: Raw<'_>) -> Option<&'static str> {
    let (language, source) = (new.language(), new.source());
    if language == Cpp {
        match node.kind() {
            "new_expression" => {
                // `new (std::nothrow) T` allocates.
                let place = field(node, &["placement"]).map(|place| squeezed(text(place, source)));
                let allocates = place.is_none_or(|place| place.contains("nothrow"));
                return Some(if allocates { "alloc" } else { "placement" });
            }
            "declaration" => {
                let captures = GUARD_TYPES.captures(text(field(node, &["type"])?, source))?;
                return Some(if captures.name("open").is_some() { "open" } else { "lock" });
            }
            _ => {}
        }
    }
    let call = call(node, source)?;
    if language == Cpp && matches!(call.name, "make_unique" | "make_shared") {
        return Some("alloc");
    }
    let path = if node.kind() == "object_creation_expression" || node.kind() == "new_expression" {
        call.path.split('<').next().unwrap_or(&call.path)
    } else {
        &call.path
    };
    let mut rows = COMPILED.iter().filter(|(row, _)| row.1.contains(&language));
    rows.find(|(_, regex)| path.len() < 300 && regex.is_match(path)).map(|(row, _)| row.0)
}

/// Types whose variable owns what it is made of.
static OWNERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:unique_ptr|shared_ptr|scoped_ptr|auto_ptr|intrusive_ptr|ScopedPointer|SharedPointer|ComPtr|scoped_refptr|RefPtr|NonnullRefPtr|OwnPtr|unique_resource|make_unique|make_shared)")
        .expect("the pattern is a constant that compiles")
});

/// Functions that take what they are given and release it.
static OWNING_CALLS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|\.)(?:closing|aclosing|enter_context|enter_async_context|push|callback|register_closer|reset)$")
        .expect("the pattern is a constant that compiles")
});

/// Constructors whose object closes what it is given.
static WRAPPERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^new(?:Buffered|InputStreamReader|OutputStreamWriter|Data|Object|Scanner|LineNumber|GZIP|Zip|Print|Stream(?:Reader|Writer)|Binary(?:Reader|Writer)|CryptoStream)\w*$")
        .expect("the pattern is a constant that compiles")
});

fn holder<'t>(new: &Parsed, node: Raw<'t>, around: &[Raw<'t>]) -> Holder<'t> {
    let source = new.source();
    let name = call(node, source).map_or("", |call| call.name);
    let has_block = field(node, &["block"]).is_some();
    if new.language() == Rust || has_block || OWNERS.is_match(name) {
        return Holder::Owner;
    }
    let mut inner = node;
    for outer in around.iter().rev() {
        let outer = *outer;
        match outer.kind() {
            "with_item" | "with_clause" | "resource" | "resource_specification" | "using_statement" => {
                return Holder::Owner;
            }
            "await"
            | "await_expression"
            | "parenthesized_expression"
            | "cast_expression"
            | "as_pattern"
            | "expression_list"
            | "as_expression"
            | "non_null_expression"
            | "argument"
            | "checked_expression"
            | "variable_declaration"
            | "variable_declarator_list"
            | "lexical_declaration"
            | "condition_clause"
            | "error_suppression_expression"
            | "parenthesized_statements"
            | "equals_value_clause"
            | "argument_list"
            | "arguments" => {}
            "expression_statement"
            | "statement_list"
            | "block"
            | "compound_statement"
            | "body_statement"
            | "statement_block"
            | "module"
            | "program"
            | "then"
            | "translation_unit"
            | "source_file" => {
                // What stands last in a block of Ruby is its value.
                return if new.language() == Ruby { Holder::Escapes } else { Holder::Dropped };
            }
            _ if call(outer, source).is_some_and(|call| WRAPPERS.is_match(&call.path)) => {}
            _ => return placed(new, outer, inner, around),
        }
        inner = outer;
    }
    Holder::Escapes
}

/// What the first node around it that is not just written around it makes of it.
fn placed<'t>(new: &Parsed, outer: Raw<'t>, inner: Raw<'t>, around: &[Raw<'t>]) -> Holder<'t> {
    let source = new.source();
    if let Some(call) = call(outer, source) {
        let is_receiver = inner.end_byte() <= outer.end_byte()
            && call.receiver.is_some_and(|receiver| bare(receiver) == bare(inner) || receiver == inner);
        return if is_receiver {
            Holder::Used(outer)
        } else if OWNING_CALLS.is_match(&call.path) || OWNERS.is_match(&call.path) {
            Holder::Owner
        } else {
            Holder::Passed(outer)
        };
    }
    let is_member = matches!(
        outer.kind(),
        "attribute"
            | "member_expression"
            | "member_access_expression"
            | "field_access"
            | "field_expression"
            | "selector_expression"
    );
    if is_member {
        return Holder::Used(outer);
    }
    let target = match outer.kind() {
        "assignment"
        | "assignment_expression"
        | "assignment_statement"
        | "short_var_declaration"
        | "named_expression" => field(outer, &["left", "name"]).filter(|left| *left != inner),
        "variable_declarator" | "var_spec" => field(outer, &["name"]).or_else(|| parts(outer).first().copied()),
        "init_declarator" => field(outer, &["declarator"]),
        _ => None,
    };
    // `std::unique_ptr<T> p(new T)`, `using var f = …`
    let statement = around.iter().rev().find(|node| {
        matches!(node.kind(), "declaration" | "local_declaration_statement" | "field_declaration" | "using_statement")
    });
    let owns = statement.filter(|statement| statement.start_byte() <= outer.start_byte()).is_some_and(|statement| {
        let head = source.get(statement.start_byte()..inner.start_byte()).unwrap_or_default();
        let head = if head.len() > 400 { rest_of_line(head, 0) } else { head };
        OWNERS.is_match(head) || head.starts_with("using") || head.starts_with("await using")
    });
    match target {
        _ if owns => Holder::Owner,
        Some(target) if text(target, source).trim() == "_" => Holder::Dropped,
        Some(target) => Holder::Name(first_name(target)),
        None => Holder::Escapes,
    }
}

/// The first of several names, a pointer's own name.
fn first_name(target: Raw<'_>) -> Raw<'_> {
    let mut target = target;
    for _ in 0..4 {
        target = match target.kind() {
            "expression_list" | "pattern_list" | "tuple_pattern" => match parts(target).first() {
                Some(first) => *first,
                None => return target,
            },
            "pointer_declarator" | "reference_declarator" | "array_declarator" => {
                match field(target, &["declarator"]).or_else(|| child_of_kind(target, &["identifier"])) {
                    Some(inner) => inner,
                    None => return target,
                }
            }
            _ => return target,
        };
    }
    target
}
