//! Outlines of C, C++, C#, Java, Go and Rust.

use super::{line, outline, parse, signatures};
use crate::syntax::Language::{C, CSharp, Cpp, Go, Java, Rust};

#[test]
fn c() {
    let source = "\
#define MAX(a, b) ((a) > (b) ? (a) : (b))
/* doc */
static int *helper(const char *s, int (*cb)(int));
struct point { int x; };
typedef struct { int y; } pt_t;
typedef struct node { struct node *next; } node_t;
struct point origin;
int (*fp)(int);
int (*getfp(int a))(int) { return fp; }
unsigned long
two_lines(int a, /* why */
          int b) // after
{
    int local(int);
    return a;
}
__attribute__((noreturn)) void die(void);
struct point mk(void) { struct point p = {0}; return p; }
int x = 1, y;
";
    assert_eq!(
        outline(C, source),
        [
            "?macro MAX 1-1",
            "-function helper 3-3 \"doc\"",
            "?type point 4-4",
            "?type pt_t 5-5",
            "?type node 6-6",
            "+function getfp 9-9",
            "+function two_lines 10-16",
            "+function die 17-17",
            "+function mk 18-18",
        ]
    );
    let signatures = signatures(C, source);
    assert_eq!(signatures[1], "static int *helper(const char *s, int (*cb)(int))");
    assert_eq!(signatures[6], "unsigned long two_lines(int a, int b)");
    assert_eq!(signatures[7], "void die(void)");
}

#[test]
fn cpp() {
    let source = "\
namespace { int hid() { return 1; } }
namespace a::b {
template <typename T, int N = 3>
class Vec : public Base<T> {
  int priv();
 public:
  Vec(int n) : n_(n), m_{2} { }
  ~Vec() = default;
  /// Adds.
  Vec& operator+=(const Vec& o);
  explicit operator bool() const { return true; }
  template <class U> void tm(U u) { auto l = [&](int q) { return q; }; }
  virtual void pure() = 0;
  struct Inner { void im() {} };
 private:
  void later() {}
};
template <typename T, int N>
Vec<T, N>& Vec<T, N>::operator+=(const Vec& o) { return *this; }
void Vec<int>::Inner::im2() {}
auto lam = [](int x) { return R\"(void no() {})\"; };
enum class E : int { A };
static void st();
int glob = f(3);
auto trailing() -> int { return 1; }
void over(int); void over(double);
}
extern \"C\" { void cfun(int); }
[[nodiscard]] int attr();
";
    assert_eq!(
        outline(Cpp, source),
        [
            "-module (anonymous) 1-1",
            "-function (anonymous).hid 1-1",
            "+module a.b 2-27",
            "+type a.b.Vec 3-17",
            "-method a.b.Vec.priv 5-5",
            "+method a.b.Vec.Vec 7-7",
            "+method a.b.Vec.~Vec 8-8",
            "+method a.b.Vec.operator+= 10-10 \"Adds.\"",
            "+method a.b.Vec.operator bool 11-11",
            "+method a.b.Vec.tm 12-12",
            "-function a.b.Vec.tm.l 12-12",
            "+method a.b.Vec.pure 13-13",
            "+type a.b.Vec.Inner 14-14",
            "+method a.b.Vec.Inner.im 14-14",
            "-method a.b.Vec.later 16-16",
            "?method a.b.Vec.operator+= 18-19",
            "?method a.b.Vec.Inner.im2 20-20",
            "?function a.b.lam 21-21",
            "+type a.b.E 22-22",
            "-function a.b.st 23-23",
            "+function a.b.trailing 25-25",
            "+function a.b.over 26-26",
            "+function a.b.over 26-26",
            "+function cfun 28-28",
            "+function attr 29-29",
        ]
    );
    let signatures = signatures(Cpp, source);
    assert_eq!(signatures[3], "template <typename T, int N = 3> class Vec : public Base<T>");
    assert_eq!(signatures[5], "Vec(int n)");
    assert_eq!(signatures[24], "int attr()");
}

#[test]
fn csharp() {
    let source = "\
using System;
namespace N.M {
  /// <summary>
  /// Does it.
  /// </summary>
  [Serializable]
  public class A<T> : B where T : class {
    public A(int x) : base(x) { }
    ~A() { }
    [Test, Category(\"x\")]
    public async Task<int> Go(int a, string b = \"x\") => await F($\"v {a}\");
    private void Hid() { void Local(int z) { } var v = @\"c:\\\"; }
    public static A operator +(A a, A b) => a;
    public static implicit operator int(A a) => 1;
    public int Prop { get { return 1; } set { } }
    void IFoo.Bar() { }
  }
  public interface I { void M(); int P { get; } }
  public record R(int X);
  struct S { }
  public delegate void D(int x);
}
";
    assert_eq!(
        outline(CSharp, source),
        [
            "+module N.M 2-22",
            "+type N.M.A 7-17 \"Does it.\"",
            "+method N.M.A.A 8-8",
            "-method N.M.A.~A 9-9",
            "+method N.M.A.Go 11-11",
            "-method N.M.A.Hid 12-12",
            "-function N.M.A.Hid.Local 12-12",
            "+method N.M.A.operator + 13-13",
            "+method N.M.A.operator int 14-14",
            "-method N.M.A.Bar 16-16",
            "+type N.M.I 18-18",
            "+method N.M.I.M 18-18",
            "+type N.M.R 19-19",
            "-type N.M.S 20-20",
            "+type N.M.D 21-21",
        ]
    );
    assert_eq!(signatures(CSharp, source)[4], "public async Task<int> Go(int a, string b = \"x\")");
    assert_eq!(parse(CSharp, source).symbols()[4].first_line, line(10));
}

#[test]
fn java() {
    let source = "\
package p;
/** Doc of A. */
@Deprecated
public class A<T> extends B implements C {
    // ctor
    public A(int x) { this.x = x; }
    @Override
    public <R> R go(List<? extends T> a,
                    int b) throws E {
        Runnable r = () -> { int y = 1; };
        return new X() { public void run() { } };
    }
    private static void hidden() {}
    void pkg() {}
    public interface I { void m(); default void d() {} private void p() {} }
    enum K { P { void q() {} }, Q; void z() {} }
    record R(int a) { R { } }
    void go(int only) {}
}
";
    assert_eq!(
        outline(Java, source),
        [
            "+type A 4-19 \"Doc of A.\"",
            "+method A.A 6-6 \"ctor\"",
            "+method A.go 8-12",
            "-method A.go.run 11-11",
            "-method A.hidden 13-13",
            "-method A.pkg 14-14",
            "+type A.I 15-15",
            "+method A.I.m 15-15",
            "+method A.I.d 15-15",
            "-method A.I.p 15-15",
            "-type A.K 16-16",
            "-method A.K.q 16-16",
            "-method A.K.z 16-16",
            "-type A.R 17-17",
            "-method A.R.R 17-17",
            "-method A.go 18-18",
        ]
    );
    assert_eq!(signatures(Java, source)[2], "public <R> R go(List<? extends T> a, int b) throws E");
}

#[test]
fn go() {
    let source = "\
package p

// Doc of F.
func F[T any](a, b int) (int, error) { return 1, nil }

type (
\t// A is.
\tA struct { x int }
\tb interface { M(x int) string }
)

type Alias = A

// Not directly above.

func (a *A) M() {
\tf := func(x int) int { return x }
\t_ = f
}
func (l *List[T]) Push(v T) {}
func (b) low() {}
func (a *A) m() {}
var v, w = func() {}, func() {}
func Ünïcode() {}
";
    assert_eq!(
        outline(Go, source),
        [
            "+function F 4-4 \"Doc of F.\"",
            "+type A 8-8 \"A is.\"",
            "-type b 9-9",
            "-method b.M 9-9",
            "+type Alias 12-12",
            "+method A.M 16-19",
            "-function A.M.f 17-17",
            "+method List.Push 20-20",
            "-method b.low 21-21",
            "-method A.m 22-22",
            "+function Ünïcode 24-24",
        ]
    );
    assert_eq!(signatures(Go, source)[5], "func (a *A) M()");
}

#[test]
fn rust() {
    let source = "\
//! crate doc
use x;

/// Doc of A.
#[derive(Debug)]
pub struct A<T> { a: T }
struct Hidden;
impl<T: Clone> A<T> where T: Copy {
    #[inline]
    /// Makes.
    pub const fn new(a: T) -> Self { let r = r#\"fn no() {}\"#; Self { a } }
    fn hid(&self) {}
}
impl Hidden { pub fn unreachable(&self) {} }
impl<T> std::fmt::Display for A<T> { fn fmt(&self, f: &mut F) -> R { Ok(()) } }
impl<T> Debug for A<T> { fn fmt(&self, f: &mut F) -> R { Ok(()) } }
pub trait Tr { fn req(&self); fn def(&self) {} }
mod m { pub(crate) async unsafe fn g() {} #[cfg(test)] mod tests { #[test] fn t() {} } }
macro_rules! mac { ($a:expr) => { fn no() {} }; }
pub fn generic<'a, F>(f: F) -> impl Fn() + 'a
where
    F: Fn(&str) -> bool, // c
{ let c = |x| x; }
extern \"C\" { fn ext(x: i32); }
impl Tr for [u8] { fn req(&self) {} }
";
    assert_eq!(
        outline(Rust, source),
        [
            "+type A 6-6 \"Doc of A.\"",
            "-type Hidden 7-7",
            "+method A.new 11-11 \"Makes.\"",
            "-method A.hid 12-12",
            "-method Hidden.unreachable 14-14",
            "-method A.fmt 15-15",
            "-method A.fmt 16-16",
            "+type Tr 17-17",
            "+method Tr.req 17-17",
            "+method Tr.def 17-17",
            "-module m 18-18",
            "-function m.g 18-18",
            "-module m.tests 18-18",
            "-function m.tests.t 18-18",
            "?macro mac 19-19",
            "+function generic 20-23",
            "-function ext 24-24",
            "-method [u8].req 25-25",
        ]
    );
    let signatures = signatures(Rust, source);
    assert_eq!(signatures[2], "pub const fn new(a: T) -> Self");
    assert_eq!(signatures[15], "pub fn generic<'a, F>(f: F) -> impl Fn() + 'a where F: Fn(&str) -> bool,");
    assert_eq!(parse(Rust, source).symbols()[0].first_line, line(5));
}
