//! Outlines of Python, Ruby and PHP.

use super::{line, outline, parse, signatures};
use crate::syntax::Language::{Php, Python, Ruby};
use crate::syntax::SymbolKind;

const PYTHON: &str = "\
#!/usr/bin/env python
import os


@decorate(
    1
)
@other
def top(a, b=1,  # why
        c=2) -> int:
    r\"\"\"

    Docs here.
    \"\"\"
    def inner(x):
        return x
    return inner


class A(Base, metaclass=M):
    # about m
    async def m(self): pass

    @property
    def _p(self):
        'p'

    class Inner:
        def __init__(self): ...

    @overload
    def m(self, x): ...

x = 1  # not about naïve
def naïve(): return lambda: 1
def after(): pass
";

#[test]
fn python() {
    assert_eq!(
        outline(Python, PYTHON),
        [
            "+function top 9-17 \"Docs here.\"",
            "-function top.inner 15-16",
            "+type A 20-32",
            "+method A.m 22-22 \"about m\"",
            "-method A._p 25-26 \"p\"",
            "+type A.Inner 28-29",
            "-method A.Inner.__init__ 29-29",
            "+method A.m 32-32",
            "+function naïve 35-35",
            "+function after 36-36",
        ]
    );
    let signatures = signatures(Python, PYTHON);
    assert_eq!(signatures[0], "def top(a, b=1, c=2) -> int");
    assert_eq!(signatures[2], "class A(Base, metaclass=M)");
    assert_eq!(signatures[3], "async def m(self)");
}

#[test]
fn decorators_belong_to_the_symbol() {
    let parsed = parse(Python, PYTHON);
    let top = &parsed.symbols()[0];
    assert_eq!((top.first_line, top.line), (line(5), line(9)));
    assert_eq!(top.line_count(), 9);
    assert_eq!(top.body, Some((line(11), line(17))));
    let path = |number| parsed.enclosing(line(number)).map(|symbol| symbol.path.as_str());
    assert_eq!(path(6), Some("top"));
    assert_eq!(path(16), Some("top.inner"));
    assert_eq!(path(17), Some("top"));
    assert_eq!(path(18), None);
    assert_eq!(path(28), Some("A.Inner"));
    assert_eq!(parsed.enclosing_function(line(28)), None);
    assert_eq!(parsed.enclosing(line(4_000)), None);
    assert_eq!(parsed.symbols()[6].parent, Some(5));
}

#[test]
fn windows_line_endings_and_a_byte_order_mark_change_nothing() {
    let crlf = format!("\u{feff}{}", PYTHON.replace('\n', "\r\n").trim_start_matches("#!/usr/bin/env python"));
    assert_eq!(outline(Python, &crlf), outline(Python, PYTHON));
    assert_eq!(signatures(Python, &crlf), signatures(Python, PYTHON));
}

#[test]
fn ruby() {
    let source = "\
module Outer
  class A::B < Base
    # Doc of m
    def m(a, b = 1, *c, &d)
      y = <<~EOT
        def not_a_method; end
      EOT
    end
    def self.cm; end
    class << self
      def inner_cm() = 1
      private
      def hid2; end
    end
    def still_public; end
    private
    def hid
    end
    def self.made_public; end
    public
    def vis?; end
    private def one; end
    def ==(o); end
  end
end
def top
end
";
    assert_eq!(
        outline(Ruby, source),
        [
            "+module Outer 1-25",
            "+type Outer.A.B 2-24",
            "+method Outer.A.B.m 4-8 \"Doc of m\"",
            "+method Outer.A.B.cm 9-9",
            "+method Outer.A.B.inner_cm 11-11",
            "-method Outer.A.B.hid2 13-13",
            "+method Outer.A.B.still_public 15-15",
            "-method Outer.A.B.hid 17-18",
            "+method Outer.A.B.made_public 19-19",
            "+method Outer.A.B.vis? 21-21",
            "-method Outer.A.B.one 22-22",
            "+method Outer.A.B.== 23-23",
            "+function top 26-27",
        ]
    );
    let signatures = signatures(Ruby, source);
    assert_eq!(signatures[1], "class A::B < Base");
    assert_eq!(signatures[2], "def m(a, b = 1, *c, &d)");
    assert_eq!(signatures[3], "def self.cm");
}

#[test]
fn ruby_may_hide_by_name() {
    let source = "class A\n  def a; end\n  private\n  def b; end\nend\nA.send(:private_class_method, :a)\n";
    assert_eq!(outline(Ruby, source), ["+type A 1-5", "?method A.a 2-2", "-method A.b 4-4"]);
}

const PHP: &str = "\
<html><?php if ($x): ?><p>\"it's\"</p><?php endif ?>
<?php
namespace App\\Foo;
/** Doc */
#[Attr]
abstract class A extends B {
    use T;
    public function __construct(private int $a) {}
    private static function hid(): void { $f = function ($x) use ($y) { return 1; }; }
    abstract protected function ab();
    function def(?int $a = null): ?string { return <<<EOT
      function no() {} ?>
      EOT; }
}
interface I { public function m(); }
trait T { function t() {} }
enum E: string { case A = 'a'; public function l() {} }
# about top
function top(&$a, ...$b) { echo 'a?>b'; }
$g = fn($x) => $x * 2;
?>
function html() {}
";

#[test]
fn php() {
    assert_eq!(
        outline(Php, PHP),
        [
            "+type A 6-14 \"Doc\"",
            "+method A.__construct 8-8",
            "-method A.hid 9-9",
            "-function A.hid.f 9-9",
            "-method A.ab 10-10",
            "+method A.def 11-13",
            "+type I 15-15",
            "+method I.m 15-15",
            "+type T 16-16",
            "+method T.t 16-16",
            "+type E 17-17",
            "+method E.l 17-17",
            "+function top 19-19 \"about top\"",
            "-function g 20-20",
        ]
    );
    let signatures = signatures(Php, PHP);
    assert_eq!(signatures[0], "abstract class A extends B");
    assert_eq!(signatures[5], "function def(?int $a = null): ?string");
}

#[test]
fn php_without_a_tag_is_code_and_text_keeps_its_place() {
    assert_eq!(outline(Php, "function f() {}"), ["+function f 1-1"]);
    let parsed = parse(Php, PHP);
    assert_eq!(parsed.source(), PHP, "blanking is for the parser only");
    let top = parsed.symbols().iter().find(|symbol| symbol.kind == SymbolKind::Function && symbol.name == "top");
    let text = top.and_then(|top| PHP.get(top.bytes.clone()));
    assert_eq!(text, Some("function top(&$a, ...$b) { echo 'a?>b'; }"));
}
