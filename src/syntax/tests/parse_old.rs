//! A parse that starts from the other side's tree sees the same outline as one of its own.

use crate::diff::{Hunk, Lines};
use crate::syntax::{Language, Limits, Parsed};

const GO: &str = "package p\n\n// Point is one.\ntype Point struct {\n\tX, Y int\n}\n\nfunc (p *Point) Move(x, y int) {\n\tp.X += x\n\tif y > 0 {\n\t\tp.Y += y\n\t}\n}\n\nfunc New() *Point {\n\treturn &Point{X: 1, Y: 2}\n}\n\nvar text = `raw\n// no comment\n`\n";
const PYTHON: &str = "import os\n\nclass A:\n    \"\"\"Doc.\"\"\"\n\n    def f(self, x):\n        if x:\n            return {\n                'a': 1,\n            }\n        return None\n\n    @property\n    def g(self):\n        return '''a\nb'''\n\ndef h():\n    pass\n";
const JAVASCRIPT: &str = "import a from 'a';\n\nexport class B {\n  #x = 1;\n  get() {\n    return `v ${this.#x}`;\n  }\n}\n\nconst f = async (x) => {\n  // wait\n  await x;\n};\n\nfunction g() {\n  return /re/;\n}\n";
const C: &str = "#include <x.h>\n\n/* Adds. */\nstatic int add(int a, int b)\n{\n\treturn a + b;\n}\n\nstruct s {\n\tint x;\n};\n\n#define TWICE(x) \\\n\t((x) * 2)\n\nint main(void)\n{\n\treturn add(1, TWICE(2));\n}\n";

const RUST: &str = "//! Doc.\n\nuse a::B;\n\n/// One.\npub struct S<T> {\n    x: T,\n}\n\nimpl<T> S<T> {\n    pub fn f(&self) -> &str {\n        r#\"raw\n// text\n\"#\n    }\n}\n\nmod m {\n    /* block\n     * comment */\n    pub(crate) fn g(a: i32) -> i32 {\n        match a {\n            0 => 1,\n            _ => a,\n        }\n    }\n}\n";

/// Edits lines by a fixed sequence of numbers: removes, doubles, swaps in a blank line or a line from elsewhere.
fn edited<'s>(lines: &[&'s str], mut seed: u64) -> (Vec<&'s str>, Vec<Hunk>) {
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let (mut out, mut hunks): (Vec<&str>, Vec<Hunk>) = (Vec::new(), Vec::new());
    for (index, line) in lines.iter().enumerate() {
        let with: Vec<&str> = match next(30) {
            0 => vec![],
            1 => vec![line, line],
            2 => vec!["\n"],
            3 => vec![line, lines[next(lines.len())]],
            _ => vec![line],
        };
        if with != [*line] {
            let old = Lines { first: index as u32 + 1, count: 1 };
            let new = Lines { first: out.len() as u32 + 1, count: with.len() as u32 };
            match hunks.last_mut().filter(|last| last.old.end() == old.first) {
                Some(last) => (last.old.count, last.new.count) = (last.old.count + 1, last.new.count + new.count),
                None => hunks.push(Hunk { old, new }),
            }
        }
        out.extend(with);
    }
    (out, hunks)
}

#[test]
fn the_old_side_is_the_same_from_either_start() {
    let limits = Limits::default();
    let mut sound = 0;
    for (language, source) in [
        (Language::Go, GO),
        (Language::Python, PYTHON),
        (Language::JavaScript, JAVASCRIPT),
        (Language::C, C),
        (Language::Rust, RUST),
    ] {
        // With and without a newline at the end.
        for source in [source, source.trim_end()] {
            let lines: Vec<&str> = source.split_inclusive('\n').collect();
            for seed in 0..60 {
                let (edited, hunks) = edited(&lines, seed);
                let new = super::parse(language, &edited.concat());
                let from_new = new.parse_old(source.as_bytes(), &hunks, &limits).expect("parses");
                let own = super::parse(language, source);
                let seen = |parsed: &Parsed| format!("{:?}\n{:?}", parsed.symbols(), parsed.regions());
                assert_eq!(seen(&from_new), seen(&own), "{} {seed}", language.name());
                sound += u32::from(!new.has_any_error());
            }
        }
    }
    assert!(sound > 200, "only {sound} trees without error were a start");
}
