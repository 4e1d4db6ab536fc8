//! Detectors that a pattern cannot express, one file each.

mod private_key;

use super::Builtin;

/// Every built-in; `rules facts` and the pack loader know them from here.
pub static DETECTORS: &[Builtin] = &[private_key::DETECTOR];
