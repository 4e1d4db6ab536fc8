//! Detectors that a pattern cannot express, one file each.

/// A constant regular expression, compiled at first use.
macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($pattern).expect("the pattern is a constant that compiles"));
    };
}

mod built_string;
mod duplicate_key;
mod file_name;
mod len_divisor;
mod misspelling;
mod mutable_default;
mod named_secret;
mod operands;
mod private_key;
mod same_branches;
mod shell_command;
mod sql_query;
mod symbols;
mod walk;
mod workflow;

use super::Builtin;

/// Every built-in; `rules facts` and the pack loader know them from here.
pub static DETECTORS: &[Builtin] = &[
    duplicate_key::DETECTOR,
    file_name::DETECTOR,
    len_divisor::DETECTOR,
    misspelling::DETECTOR,
    mutable_default::DETECTOR,
    named_secret::DETECTOR,
    operands::COMPARISON,
    operands::DUPLICATE,
    private_key::DETECTOR,
    same_branches::DETECTOR,
    shell_command::FLAGGED,
    shell_command::PLAIN,
    sql_query::DETECTOR,
    symbols::DECLARED,
    symbols::GROWN,
    workflow::CHECKOUT,
    workflow::INJECTION,
    workflow::SECRET,
];
