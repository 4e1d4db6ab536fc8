//! The packs of `rules/`, embedded at build time in layer order. A test compares this list with the folder.

/// Name for messages and text of each pack.
pub static EMBEDDED: &[(&str, &str)] = &[
    ("rules/text.yml", include_str!("../../rules/text.yml")),
    ("rules/secrets.yml", include_str!("../../rules/secrets.yml")),
    ("rules/security.yml", include_str!("../../rules/security.yml")),
    ("rules/workflows.yml", include_str!("../../rules/workflows.yml")),
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
