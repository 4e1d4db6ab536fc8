//! Outlines of JavaScript and TypeScript.

use super::{outline, parse, signatures};
use crate::syntax::Language::{JavaScript, Tsx, TypeScript};

#[test]
fn javascript() {
    let source = "\
#!/usr/bin/env node
import x from 'y';
/**
 * Adds.
 */
export function add(a, b) { return a + b; }
export default class Foo extends Bar {
  static #secret = 1;
  handler = async (e) => { this.x(e); };
  constructor(a) { super(a); }
  get value() { return `t ${() => 1}`; }
  static async *gen() {}
  #hidden() {}
  'quoted name'() {}
}
// arrow doc
export const arrow = (a) => a * 2, second = function () {};
const Memo = React.memo(function Memo({ a }) { return <div>function no() {}</div>; });
const obj = { m() {}, f: function () {}, 'h-i': async () => {} };
Foo.prototype.bar = function () { function nested() {} };
items.map((x) => x + 1);
const result = items.map(function (x) { return x; });
let u = class { m() {} };
const { a, b } = () => 1;
";
    assert_eq!(
        outline(JavaScript, source),
        [
            "+function add 6-6 \"Adds.\"",
            "+type Foo 7-15",
            "+method Foo.handler 9-9",
            "+method Foo.constructor 10-10",
            "+method Foo.value 11-11",
            "+method Foo.gen 12-12",
            "-method Foo.#hidden 13-13",
            "+method Foo.quoted name 14-14",
            "+function arrow 17-17",
            "+function second 17-17",
            "?function Memo 18-18",
            "?method m 19-19",
            "?method f 19-19",
            "?method h-i 19-19",
            "?method Foo.bar 20-20",
            "-function Foo.bar.nested 20-20",
            "?type u 23-23",
            "?method u.m 23-23",
        ]
    );
    let signatures = signatures(JavaScript, source);
    assert_eq!(signatures[0], "export function add(a, b)");
    assert_eq!(signatures[2], "handler = async (e)");
    assert_eq!(signatures[5], "static async *gen()");
}

#[test]
fn commonjs() {
    let source = "\
exports.named = function other() {};
module.exports = function main() {};
module.exports.deep = () => {};
local = function () {};
export_like(function callback() {});
";
    assert_eq!(
        outline(JavaScript, source),
        [
            "+function named 1-1",
            "+function main 2-2",
            "+function deep 3-3",
            "?function local 4-4",
            "?function callback 5-5",
        ]
    );
}

#[test]
fn default_exports_without_a_name() {
    assert_eq!(outline(JavaScript, "export default function () {}"), ["+function default 1-1"]);
    assert_eq!(outline(JavaScript, "export default () => {};"), ["+function default 1-1"]);
    assert_eq!(outline(JavaScript, "export default function named() {}"), ["+function named 1-1"]);
    assert_eq!(outline(JavaScript, "export default class {}"), ["+type default 1-1"]);
    assert_eq!(outline(JavaScript, "export default 1;"), [""; 0]);
}

const TYPESCRIPT: &str = "\
import x from 'y';
export function over(a: string): void;
export function over(a: number): void;
export function over(a: any): void { }
@Injectable()
export class S<T> {
  constructor(private readonly a: A) {}
  @Input() name = () => 1;
  @HostListener('click', ['$event'])
  onClick(e: Event): void {}
  private hidden(): string { return 'x'; }
}
/** Shape of it. */
export interface I {
  m(a: string): void;
  p: () => void;
}
type Alias = { a: string };
namespace N.M { export function f() {} }
declare module 'foo' { export function g(): void; }
enum E { A, B }
export abstract class B { abstract go(x: number): string; protected stop(): void {} }
const fn = (x: number): number => x;
declare function amb(x: number): void;
";

#[test]
fn typescript() {
    let expected = [
        "+function over 2-2",
        "+function over 3-3",
        "+function over 4-4",
        "+type S 6-12",
        "+method S.constructor 7-7",
        "+method S.name 8-8",
        "+method S.onClick 10-10",
        "-method S.hidden 11-11",
        "+type I 14-17 \"Shape of it.\"",
        "+method I.m 15-15",
        "-type Alias 18-18",
        "-module N.M 19-19",
        "-function N.M.f 19-19",
        "-module foo 20-20",
        "-function foo.g 20-20",
        "-type E 21-21",
        "+type B 22-22",
        "+method B.go 22-22",
        "-method B.stop 22-22",
        "-function fn 23-23",
        "-function amb 24-24",
    ];
    assert_eq!(outline(TypeScript, TYPESCRIPT), expected);
    assert_eq!(outline(Tsx, TYPESCRIPT), expected);
    let signatures = signatures(TypeScript, TYPESCRIPT);
    assert_eq!(signatures[3], "export class S<T>");
    assert_eq!(signatures[6], "onClick(e: Event): void");
    assert_eq!(signatures[10], "type Alias");
    assert_eq!(signatures[17], "abstract go(x: number): string");
}

#[test]
fn a_list_of_exports_leaves_the_others_open() {
    let source = "function a() {}\nexport { a };\n";
    assert_eq!(outline(TypeScript, source), ["?function a 1-1"]);
}

#[test]
fn tsx_reads_both_generics_and_tags() {
    let source = "export const C = <T,>({ a }: P<T>) => <div className=\"x\">it's {a}</div>;\n";
    assert_eq!(outline(Tsx, source), ["+function C 1-1"]);
    assert!(parse(TypeScript, source).has_any_error(), "without JSX the tag is an error");
}
