//! The packs of `rules/`, embedded at build time in layer order. A test compares this list with the folder.

/// Name for messages and text of each pack.
pub static EMBEDDED: &[(&str, &str)] = &[
    ("rules/text.yml", include_str!("../../rules/text.yml")),
    ("rules/cqs-core.yml", include_str!("../../rules/cqs-core.yml")),
    ("rules/secrets.yml", include_str!("../../rules/secrets.yml")),
    ("rules/security.yml", include_str!("../../rules/security.yml")),
    ("rules/workflows.yml", include_str!("../../rules/workflows.yml")),
    ("rules/common.yml", include_str!("../../rules/common.yml")),
    ("rules/lang-python.yml", include_str!("../../rules/lang-python.yml")),
    ("rules/lang-javascript.yml", include_str!("../../rules/lang-javascript.yml")),
    ("rules/lang-java.yml", include_str!("../../rules/lang-java.yml")),
    ("rules/lang-c.yml", include_str!("../../rules/lang-c.yml")),
    ("rules/lang-csharp.yml", include_str!("../../rules/lang-csharp.yml")),
    ("rules/lang-go.yml", include_str!("../../rules/lang-go.yml")),
    ("rules/lang-rust.yml", include_str!("../../rules/lang-rust.yml")),
    ("rules/lang-php.yml", include_str!("../../rules/lang-php.yml")),
    ("rules/lang-ruby.yml", include_str!("../../rules/lang-ruby.yml")),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::EMBEDDED;

    /// A pack that lies in the folder but not in the list would be tested by nobody and shipped to nobody.
    #[test]
    fn every_pack_of_the_folder_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder exists")
            .map(|entry| format!("rules/{}", entry.expect("it can be read").file_name().to_string_lossy()))
            .collect();
        let listed: BTreeSet<String> = EMBEDDED.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(listed, files);
    }
}
