//! Lines on which no code can stand, told without a parse: most files of a change to licence headers need none.

use super::Language;

impl Language {
    /// Whether a line is blank or nothing but a comment, or else a piece of a literal that began before it, whatever
    /// stands around the line. Narrow on purpose: a quote, a bracket or any other character that could end or open
    /// something in one of the languages makes it false.
    pub fn is_prose(self, line: &[u8]) -> bool {
        let Ok(line) = std::str::from_utf8(line) else { return false };
        let line = line.trim_matches([' ', '\t', '\r', '\n']);
        if line.is_empty() {
            return true;
        }
        let breaks = |c: char| {
            c.is_control() && c != '\t'
                || matches!(c, '\u{2028}' | '\u{2029}' | '"' | '\'' | '`' | '{' | '}' | '<' | '>' | '$' | '*' | '\\')
        };
        self.row().line_comment.is_some_and(|marker| line.starts_with(marker)) && !line.contains(breaks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines() {
        for line in
            ["\n", " \t\r\n", "", "// Copyright 2026 (c) the authors; all rights reserved.\r\n", "\t//go:build x"]
        {
            assert!(Language::Go.is_prose(line.as_bytes()), "{line:?}");
        }
        assert!(Language::Python.is_prose("# été\n".as_bytes()));
    }

    #[test]
    fn what_could_be_code_is_not() {
        let no = |language: Language, line: &str| assert!(!language.is_prose(line.as_bytes()), "{line:?}");
        no(Language::Go, "x := 1 // set\n");
        no(Language::Go, "// a raw string may end here ` + run()\n");
        no(Language::JavaScript, "// in a template ${run()}\n");
        no(Language::JavaScript, "// a comment ends */ run()\n");
        no(Language::JavaScript, "// a line ends\u{2028}run()\n");
        no(Language::JavaScript, "// a line ends\rrun()\n");
        no(Language::Tsx, "// text between tags <Run/>\n");
        no(Language::Php, "// the code ends ?> text\n");
        no(Language::Php, "#[Attribute]\n");
        no(Language::C, "// the next line too \\\n");
        no(Language::C, "#define A\n");
        no(Language::Ruby, "# %w( may end here ) ; run\n");
        no(Language::Yaml, "# in a block it is the script's\n");
        assert!(!Language::Python.is_prose(b"# \xff\n"));
    }
}
