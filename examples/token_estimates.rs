//! Prints what `context` estimates for texts, for `tests/conformance/tokens.py`.
//!
//! Usage: `token_estimates < LIST`, one `LANGUAGE PATH` per line (a language's name, or `-` for prose); answers with one
//! number per line.

use std::io::{self, BufRead as _, Write as _};

use anyhow::Context as _;
use diffsieve::context::estimate_tokens;
use diffsieve::syntax::Language;

fn main() -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (language, path) = line.split_once(' ').context("a line is LANGUAGE PATH")?;
        let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
        writeln!(out, "{}", estimate_tokens(&text, Language::parse_name(language)))?;
    }
    out.flush()?;
    Ok(())
}
