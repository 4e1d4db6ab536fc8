//! The packs of `rules/`, embedded at build time in layer order. A test compares this list with the folder.

/// Name for messages and text of each pack.
pub static EMBEDDED: &[(&str, &str)] = &[
    ("rules/text.yml", include_str!("../../rules/text.yml")),
    ("rules/security.yml", include_str!("../../rules/security.yml")),
    ("rules/lang-python.yml", include_str!("../../rules/lang-python.yml")),
];
