//! What differs between languages: one [`Row`] each. Adding a language is a variant, a row and a Cargo feature.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use ast_grep_core::tree_sitter::LanguageExt as _;
use ast_grep_language::SupportLang;
use tree_sitter::Parser;

use super::Region;
use super::outline::SymbolKind::{self, Function, Macro, Method, Module, Type};
use super::shapes::{self, Scope, Shape};
use super::visibility::{self, Visibility};
use crate::finding::RepoPath;

/// A language that can be parsed. A build may leave some out: see [`Language::is_compiled_in`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Python 3; Python 2 only as far as the grammar stretches.
    Python,
    /// JavaScript with JSX.
    JavaScript,
    /// TypeScript without JSX.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Java.
    Java,
    /// C.
    C,
    /// C++, also for CUDA and Arduino files.
    Cpp,
    /// C#.
    CSharp,
    /// Go.
    Go,
    /// Rust.
    Rust,
    /// PHP; the HTML around it is text.
    Php,
    /// Ruby.
    Ruby,
    /// YAML; it has no outline.
    Yaml,
}

impl Language {
    /// The languages of this build, in a fixed order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().filter(|row| row.compiled_in).map(|row| row.language)
    }

    /// The name in packs, configuration and reports.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The language of most lines; of as many the first by name.
    pub fn of_most(lines: impl IntoIterator<Item = (Self, u64)>) -> Option<Self> {
        let mut sums = BTreeMap::<&str, (u64, Self)>::new();
        for (language, count) in lines {
            sums.entry(language.name()).or_insert((0, language)).0 += count;
        }
        let most = sums.into_iter().max_by_key(|(name, (count, _))| (*count, Reverse(*name)));
        most.map(|(_, (_, language))| language)
    }

    /// The language with this name or alias, in any case, compiled in or not.
    pub fn parse_name(name: &str) -> Option<Self> {
        let is = |known: &&str| known.eq_ignore_ascii_case(name);
        ROWS.iter().find(|row| is(&row.name) || row.aliases.iter().any(is)).map(|row| row.language)
    }

    /// Whether this build can parse it. Rules and files of a language that is not compiled in are refused and skipped.
    pub fn is_compiled_in(self) -> bool {
        self.row().compiled_in
    }

    /// The language of a file by its name, its extension, or the `#!` of its first line, compiled in or not. `.h` is C,
    /// whatever it holds: a header of C++ alone is called `.hpp`, `.hh` or `.hxx`, or its project maps it.
    pub fn of_path(path: &RepoPath, first_line: Option<&[u8]>) -> Option<Self> {
        let name = path.file_name();
        let by_name = ROWS.iter().find(|row| row.file_names.iter().any(|known| known.as_bytes() == name));
        let extension = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0).map(|dot| &name[dot + 1..]);
        let by_extension = || {
            // A Blade template has code of its own between HTML, and PHP only in between.
            let extension = extension.filter(|_| !name.ends_with(b".blade.php"))?;
            ROWS.iter().find(|row| row.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known.as_bytes())))
        };
        let by_shebang = || {
            // A known extension of another kind of file decides too: a `.txt` is no script.
            let program = interpreter(first_line.filter(|_| extension.is_none())?)?;
            ROWS.iter().find(|row| row.interpreters.contains(&program))
        };
        by_name.or_else(by_extension).or_else(by_shebang).map(|row| row.language)
    }

    /// The row of the language.
    pub(super) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

/// The program that a `#!` line starts, without folder and version: `#!/usr/bin/env -S python3.11 -u` is `python`.
fn interpreter(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line.strip_prefix(b"#!")?.get(..256.min(line.len() - 2))?).ok()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Where a language keeps the documentation of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocStyle {
    /// In comments directly above it.
    Above,
    /// In a string that is the first statement of its body, else above.
    Docstring,
}

/// How a symbol of one node kind is read.
pub(super) type SymbolRow = (&'static str, SymbolKind, Shape);

/// The facts of one language. Node kinds are the grammar's; a test checks that each exists.
pub(super) struct Row {
    pub(super) language: Language,
    pub(super) name: &'static str,
    pub(super) aliases: &'static [&'static str],
    /// Without the dot, in lower case.
    pub(super) extensions: &'static [&'static str],
    pub(super) file_names: &'static [&'static str],
    /// Programs of a `#!` line, without version.
    pub(super) interpreters: &'static [&'static str],
    /// Asking ast-grep for a grammar that is not compiled in panics.
    pub(super) compiled_in: bool,
    pub(super) grammar: SupportLang,
    pub(super) comments: &'static [&'static str],
    /// What starts a comment that ends with its line; none where a literal over several lines may end at any character.
    pub(super) line_comment: Option<&'static str>,
    pub(super) strings: &'static [&'static str],
    /// Nodes inside a string that are code again.
    pub(super) interpolations: &'static [&'static str],
    pub(super) symbols: &'static [SymbolRow],
    /// Nodes that are no symbol themselves but own the ones inside, such as Rust's `impl`.
    pub(super) scopes: &'static [(&'static str, Scope)],
    /// Nodes around a declaration that belong to it: `export`, `template<>`, decorators.
    pub(super) wrappers: &'static [&'static str],
    /// Decorators, attributes and annotations: part of the span, not of the signature.
    pub(super) annotations: &'static [&'static str],
    /// Words in the body of a type that change the visibility of what follows: kind, and the words that count.
    pub(super) switch: Option<(&'static str, &'static [&'static str])>,
    pub(super) doc: DocStyle,
    pub(super) visibility: Visibility,
}

/// In the order of [`Language`].
static ROWS: [Row; 13] = [
    Row {
        language: Language::Python,
        name: "python",
        aliases: &["py"],
        extensions: &["py", "pyi", "pyw", "py3", "bzl", "bazel"],
        file_names: &["SConstruct", "SConscript", "wscript"],
        interpreters: &["python", "pypy"],
        compiled_in: cfg!(feature = "lang-python"),
        grammar: SupportLang::Python,
        comments: &["comment"],
        line_comment: Some("#"),
        strings: &["string"],
        interpolations: &["interpolation"],
        symbols: &[("function_definition", Function, shapes::plain), ("class_definition", Type, shapes::plain)],
        scopes: &[],
        wrappers: &["decorated_definition"],
        annotations: &["decorator"],
        switch: None,
        doc: DocStyle::Docstring,
        visibility: visibility::python,
    },
    Row {
        language: Language::JavaScript,
        name: "javascript",
        aliases: &["js", "jsx"],
        extensions: &["js", "jsx", "mjs", "cjs"],
        file_names: &["Jakefile"],
        interpreters: &["node", "nodejs"],
        compiled_in: cfg!(feature = "lang-javascript"),
        grammar: SupportLang::JavaScript,
        comments: &["comment", "html_comment", "hash_bang_line"],
        line_comment: Some("//"),
        strings: &["string", "template_string", "regex", "jsx_text"],
        interpolations: &["template_substitution"],
        symbols: &[
            ("function_declaration", Function, shapes::plain),
            ("generator_function_declaration", Function, shapes::plain),
            ("function_expression", Function, shapes::unassigned),
            ("generator_function", Function, shapes::unassigned),
            ("class_declaration", Type, shapes::plain),
            ("class", Type, shapes::unassigned),
            ("method_definition", Method, shapes::plain),
            ("field_definition", Method, shapes::js_field),
            ("variable_declarator", Function, shapes::js_variable),
            ("pair", Method, shapes::js_pair),
            ("assignment_expression", Function, shapes::js_assignment),
            ("export_statement", Function, shapes::js_default_export),
        ],
        scopes: &[],
        wrappers: &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"],
        annotations: &["decorator"],
        switch: None,
        doc: DocStyle::Above,
        visibility: visibility::javascript,
    },
    Row {
        language: Language::TypeScript,
        name: "typescript",
        aliases: &["ts"],
        extensions: &["ts", "mts", "cts"],
        interpreters: &["ts-node", "deno", "bun"],
        compiled_in: cfg!(feature = "lang-typescript"),
        grammar: SupportLang::TypeScript,
        strings: &["string", "template_string", "template_literal_type", "regex"],
        ..TYPESCRIPT
    },
    Row {
        language: Language::Tsx,
        name: "tsx",
        aliases: &[],
        extensions: &["tsx"],
        interpreters: &[],
        compiled_in: cfg!(feature = "lang-typescript"),
        grammar: SupportLang::Tsx,
        strings: &["string", "template_string", "template_literal_type", "regex", "jsx_text"],
        ..TYPESCRIPT
    },
    Row {
        language: Language::Java,
        name: "java",
        aliases: &[],
        extensions: &["java"],
        file_names: &[],
        interpreters: &[],
        compiled_in: cfg!(feature = "lang-java"),
        grammar: SupportLang::Java,
        comments: &["line_comment", "block_comment"],
        line_comment: Some("//"),
        strings: &["string_literal", "character_literal"],
        interpolations: &["string_interpolation"],
        symbols: &[
            ("class_declaration", Type, shapes::plain),
            ("interface_declaration", Type, shapes::plain),
            ("enum_declaration", Type, shapes::plain),
            ("record_declaration", Type, shapes::plain),
            ("annotation_type_declaration", Type, shapes::plain),
            ("method_declaration", Method, shapes::plain),
            ("constructor_declaration", Method, shapes::plain),
            ("compact_constructor_declaration", Method, shapes::plain),
        ],
        scopes: &[],
        wrappers: &[],
        annotations: &["annotation", "marker_annotation"],
        switch: None,
        doc: DocStyle::Above,
        visibility: visibility::java,
    },
    Row {
        language: Language::C,
        name: "c",
        aliases: &["h"],
        extensions: &["c", "h"],
        file_names: &[],
        interpreters: &[],
        compiled_in: cfg!(feature = "lang-c"),
        grammar: SupportLang::C,
        comments: &["comment"],
        line_comment: Some("//"),
        strings: &["string_literal", "char_literal", "system_lib_string"],
        interpolations: &[],
        symbols: &[
            ("function_definition", Function, shapes::c_function),
            ("declaration", Function, shapes::c_prototype),
            ("struct_specifier", Type, shapes::with_body),
            ("union_specifier", Type, shapes::with_body),
            ("enum_specifier", Type, shapes::with_body),
            ("type_definition", Type, shapes::c_typedef),
            ("preproc_function_def", Macro, shapes::c_macro),
        ],
        scopes: &[],
        wrappers: &[],
        annotations: &["attribute_declaration", "attribute_specifier", "ms_declspec_modifier"],
        switch: None,
        doc: DocStyle::Above,
        visibility: visibility::c,
    },
    Row {
        language: Language::Cpp,
        name: "cpp",
        aliases: &["c++", "cc", "cxx"],
        extensions: &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "cu", "cuh", "ino"],
        file_names: &[],
        interpreters: &[],
        compiled_in: cfg!(feature = "lang-cpp"),
        grammar: SupportLang::Cpp,
        comments: &["comment"],
        line_comment: Some("//"),
        strings: &["string_literal", "raw_string_literal", "char_literal", "system_lib_string"],
        interpolations: &[],
        symbols: &[
            ("function_definition", Function, shapes::c_function),
            ("declaration", Function, shapes::c_prototype),
            ("field_declaration", Method, shapes::c_prototype),
            ("init_declarator", Function, shapes::cpp_lambda),
            ("class_specifier", Type, shapes::with_body),
            ("struct_specifier", Type, shapes::with_body),
            ("union_specifier", Type, shapes::with_body),
            ("enum_specifier", Type, shapes::with_body),
            ("type_definition", Type, shapes::c_typedef),
            ("namespace_definition", Module, shapes::cpp_namespace),
            ("preproc_function_def", Macro, shapes::c_macro),
        ],
        scopes: &[],
        wrappers: &["template_declaration"],
        annotations: &["attribute_declaration", "attribute_specifier", "ms_declspec_modifier"],
        switch: Some(("access_specifier", &["public", "private", "protected"])),
        doc: DocStyle::Above,
        visibility: visibility::cpp,
    },
    Row {
        language: Language::CSharp,
        name: "csharp",
        aliases: &["cs", "c#"],
        extensions: &["cs", "csx"],
        file_names: &[],
        interpreters: &[],
        compiled_in: cfg!(feature = "lang-csharp"),
        grammar: SupportLang::CSharp,
        comments: &["comment"],
        line_comment: Some("//"),
        strings: &[
            "string_literal",
            "verbatim_string_literal",
            "raw_string_literal",
            "interpolated_string_expression",
            "character_literal",
        ],
        interpolations: &["interpolation"],
        symbols: &[
            ("class_declaration", Type, shapes::plain),
            ("struct_declaration", Type, shapes::plain),
            ("interface_declaration", Type, shapes::plain),
            ("enum_declaration", Type, shapes::plain),
            ("record_declaration", Type, shapes::plain),
            ("delegate_declaration", Type, shapes::plain),
            ("method_declaration", Method, shapes::plain),
            ("constructor_declaration", Method, shapes::plain),
            ("destructor_declaration", Method, shapes::cs_destructor),
            ("operator_declaration", Method, shapes::cs_operator),
            ("conversion_operator_declaration", Method, shapes::cs_operator),
            ("local_function_statement", Function, shapes::plain),
            ("namespace_declaration", Module, shapes::plain),
        ],
        scopes: &[],
        wrappers: &[],
        annotations: &["attribute_list"],
        switch: None,
        doc: DocStyle::Above,
        visibility: visibility::csharp,
    },
    Row {
        language: Language::Go,
        name: "go",
        aliases: &["golang"],
        extensions: &["go"],
        file_names: &[],
        interpreters: &[],
        compiled_in: cfg!(feature = "lang-go"),
        grammar: SupportLang::Go,
        comments: &["comment"],
        line_comment: Some("//"),
        strings: &["interpreted_string_literal", "raw_string_literal", "rune_literal"],
        interpolations: &[],
        symbols: &[
            ("function_declaration", Function, shapes::plain),
            ("method_declaration", Method, shapes::go_method),
            ("method_elem", Method, shapes::plain),
            ("type_spec", Type, shapes::go_type),
            ("type_alias", Type, shapes::go_type),
            ("var_spec", Function, shapes::go_closure),
            ("short_var_declaration", Function, shapes::go_closure),
        ],
        scopes: &[],
        wrappers: &["type_declaration", "var_declaration"],
        annotations: &[],
        switch: None,
        doc: DocStyle::Above,
        visibility: visibility::go,
    },
    Row {
        language: Language::Rust,
        name: "rust",
        aliases: &["rs"],
        extensions: &["rs"],
        file_names: &[],
        interpreters: &["rust-script"],
        compiled_in: cfg!(feature = "lang-rust"),
        grammar: SupportLang::Rust,
        comments: &["line_comment", "block_comment"],
        line_comment: Some("//"),
        strings: &["string_literal", "raw_string_literal", "char_literal"],
        interpolations: &[],
        symbols: &[
            ("function_item", Function, shapes::plain),
            ("function_signature_item", Function, shapes::plain),
            ("struct_item", Type, shapes::plain),
            ("enum_item", Type, shapes::plain),
            ("union_item", Type, shapes::plain),
            ("trait_item", Type, shapes::plain),
            ("type_item", Type, shapes::plain),
            ("mod_item", Module, shapes::plain),
            ("macro_definition", Macro, shapes::rust_macro),
        ],
        scopes: &[("impl_item", shapes::rust_impl)],
        wrappers: &[],
        annotations: &["attribute_item"],
        switch: None,
        doc: DocStyle::Above,
        visibility: visibility::rust,
    },
    Row {
        language: Language::Php,
        name: "php",
        aliases: &[],
        extensions: &["php", "phtml", "php3", "php4", "php5", "php7", "php8", "inc"],
        file_names: &[],
        interpreters: &["php"],
        compiled_in: cfg!(feature = "lang-php"),
        grammar: SupportLang::Php,
        comments: &["comment"],
        line_comment: Some("//"),
        strings: &["string", "encapsed_string", "heredoc", "nowdoc", "shell_command_expression"],
        interpolations: &[
            "variable_name",
            "dynamic_variable_name",
            "member_access_expression",
            "nullsafe_member_access_expression",
            "scoped_property_access_expression",
            "subscript_expression",
            "function_call_expression",
            "member_call_expression",
        ],
        symbols: &[
            ("function_definition", Function, shapes::plain),
            ("method_declaration", Method, shapes::plain),
            ("class_declaration", Type, shapes::plain),
            ("interface_declaration", Type, shapes::plain),
            ("trait_declaration", Type, shapes::plain),
            ("enum_declaration", Type, shapes::plain),
            ("namespace_definition", Module, shapes::with_body),
            ("assignment_expression", Function, shapes::php_closure),
        ],
        scopes: &[],
        wrappers: &["expression_statement"],
        annotations: &["attribute_list"],
        switch: None,
        doc: DocStyle::Above,
        visibility: visibility::php,
    },
    Row {
        language: Language::Ruby,
        name: "ruby",
        aliases: &["rb"],
        extensions: &["rb", "rbw", "gemspec", "rake", "ru", "podspec"],
        file_names: &["Gemfile", "Rakefile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"],
        interpreters: &["ruby", "jruby"],
        compiled_in: cfg!(feature = "lang-ruby"),
        grammar: SupportLang::Ruby,
        comments: &["comment"],
        line_comment: None,
        strings: &[
            "string",
            "bare_string",
            "string_array",
            "symbol_array",
            "subshell",
            "regex",
            "heredoc_body",
            "character",
            "uninterpreted",
        ],
        interpolations: &["interpolation"],
        symbols: &[
            ("method", Function, shapes::ruby_method),
            ("singleton_method", Function, shapes::ruby_method),
            ("class", Type, shapes::ruby_constant),
            ("module", Module, shapes::ruby_constant),
        ],
        scopes: &[("singleton_class", shapes::transparent_type)],
        wrappers: &[],
        annotations: &[],
        switch: Some(("identifier", &["public", "private", "protected"])),
        doc: DocStyle::Above,
        visibility: visibility::ruby,
    },
    Row {
        language: Language::Yaml,
        name: "yaml",
        aliases: &["yml"],
        extensions: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy"],
        interpreters: &[],
        compiled_in: cfg!(feature = "lang-yaml"),
        grammar: SupportLang::Yaml,
        comments: &["comment"],
        line_comment: None,
        strings: &["double_quote_scalar", "single_quote_scalar", "block_scalar"],
        interpolations: &[],
        symbols: &[],
        scopes: &[],
        wrappers: &[],
        annotations: &[],
        switch: None,
        doc: DocStyle::Above,
        visibility: visibility::unknown,
    },
];

/// What the two grammars of TypeScript share.
const TYPESCRIPT: Row = Row {
    language: Language::TypeScript,
    name: "typescript",
    aliases: &[],
    extensions: &[],
    file_names: &[],
    interpreters: &[],
    compiled_in: false,
    grammar: SupportLang::TypeScript,
    comments: &["comment", "html_comment", "hash_bang_line"],
    line_comment: Some("//"),
    strings: &[],
    interpolations: &["template_substitution", "template_type"],
    symbols: &[
        ("function_declaration", Function, shapes::plain),
        ("generator_function_declaration", Function, shapes::plain),
        ("function_signature", Function, shapes::plain),
        ("function_expression", Function, shapes::unassigned),
        ("generator_function", Function, shapes::unassigned),
        ("class_declaration", Type, shapes::plain),
        ("abstract_class_declaration", Type, shapes::plain),
        ("class", Type, shapes::unassigned),
        ("interface_declaration", Type, shapes::plain),
        ("enum_declaration", Type, shapes::plain),
        ("type_alias_declaration", Type, shapes::ts_alias),
        ("internal_module", Module, shapes::plain),
        ("module", Module, shapes::plain),
        ("method_definition", Method, shapes::plain),
        ("method_signature", Method, shapes::plain),
        ("abstract_method_signature", Method, shapes::plain),
        ("public_field_definition", Method, shapes::js_field),
        ("variable_declarator", Function, shapes::js_variable),
        ("pair", Method, shapes::js_pair),
        ("assignment_expression", Function, shapes::js_assignment),
        ("export_statement", Function, shapes::js_default_export),
    ],
    scopes: &[],
    wrappers: &[
        "export_statement",
        "ambient_declaration",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
    ],
    annotations: &["decorator"],
    switch: None,
    doc: DocStyle::Above,
    visibility: visibility::javascript,
};

/// What a node kind means to the walk, looked up by the grammar's kind id.
#[derive(Clone, Copy, Default)]
pub(super) struct Role {
    pub(super) region: Option<Region>,
    /// [`Region::Code`] again where it stands directly in a string.
    pub(super) interpolation: bool,
    pub(super) annotation: bool,
    pub(super) wrapper: bool,
    pub(super) switch: bool,
    /// Index into [`Row::symbols`].
    pub(super) symbol: Option<u8>,
    /// Index into [`Row::scopes`].
    pub(super) scope: Option<u8>,
}

/// The roles of one grammar.
pub(super) struct Roles {
    by_kind: Vec<Role>,
    /// The kind of a whole file.
    pub(super) root: Option<u16>,
}

impl Roles {
    /// The role of a kind; unknown kinds, among them `ERROR`, have none.
    pub(super) fn of(&self, kind: u16) -> Role {
        self.by_kind.get(usize::from(kind)).copied().unwrap_or_default()
    }
}

impl Row {
    /// The roles of the grammar, computed once. `None` where the language is not compiled in.
    pub(super) fn roles(&'static self) -> Option<&'static Roles> {
        static ROLES: [OnceLock<Roles>; 13] = [const { OnceLock::new() }; 13];
        if !self.compiled_in {
            return None;
        }
        Some(ROLES[self.language as usize].get_or_init(|| self.compute_roles()))
    }

    fn compute_roles(&self) -> Roles {
        let grammar = self.grammar.get_ts_language();
        let small = |index: usize| u8::try_from(index).ok();
        let role = |id: u16| {
            let Some(kind) = grammar.node_kind_for_id(id).filter(|_| grammar.node_kind_is_named(id)) else {
                return Role::default();
            };
            let region = if self.comments.contains(&kind) {
                Some(Region::Comment)
            } else {
                self.strings.contains(&kind).then_some(Region::String)
            };
            Role {
                region,
                interpolation: self.interpolations.contains(&kind),
                annotation: self.annotations.contains(&kind),
                wrapper: self.wrappers.contains(&kind),
                switch: self.switch.is_some_and(|(name, _)| name == kind),
                symbol: self.symbols.iter().position(|row| row.0 == kind).and_then(small),
                scope: self.scopes.iter().position(|row| row.0 == kind).and_then(small),
            }
        };
        let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let mut parser = Parser::new();
        let empty = parser.set_language(&grammar).ok().and_then(|()| parser.parse("", None));
        Roles { by_kind: (0..count).map(role).collect(), root: empty.map(|tree| tree.root_node().kind_id()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Limits, Parsed, Rule, RuleError, Unparsed};

    #[test]
    fn rows_stand_in_the_order_of_the_enum() {
        for (index, row) in ROWS.iter().enumerate() {
            assert_eq!(row.language as usize, index, "{}", row.name);
        }
    }

    #[test]
    fn every_kind_exists_in_its_grammar() {
        for row in ROWS.iter().filter(|row| row.compiled_in) {
            let grammar = row.grammar.get_ts_language();
            let kinds = [row.comments, row.strings, row.interpolations, row.wrappers, row.annotations].concat();
            let symbols = row.symbols.iter().map(|row| row.0).chain(row.scopes.iter().map(|row| row.0));
            let switch = row.switch.iter().map(|switch| switch.0);
            for kind in kinds.into_iter().chain(symbols).chain(switch) {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{} has no kind {kind}", row.name);
            }
        }
    }

    #[test]
    fn names_and_aliases() {
        for row in &ROWS {
            assert_eq!(Language::parse_name(row.name), Some(row.language));
            for alias in row.aliases {
                assert_eq!(Language::parse_name(alias), Some(row.language), "{alias} is taken twice");
            }
        }
        assert_eq!(Language::parse_name("YML"), Some(Language::Yaml));
        assert_eq!(Language::parse_name("jsx"), Some(Language::JavaScript));
        assert_eq!(Language::parse_name("cobol"), None);
        assert_eq!(Language::parse_name(""), None);
    }

    #[test]
    fn what_is_not_compiled_in_is_refused_and_does_not_panic() {
        let compiled: Vec<_> = Language::all().collect();
        for row in &ROWS {
            let parsed = Parsed::parse(row.language, b"", &Limits::default());
            let rule = Rule::compile(row.language, &serde_json::json!({"rule": {"kind": "ERROR"}}));
            assert_eq!(parsed.is_ok(), row.compiled_in, "{}", row.name);
            assert_eq!(compiled.contains(&row.language), row.compiled_in);
            if !row.compiled_in {
                assert_eq!(parsed.err(), Some(Unparsed::NotCompiledIn));
                assert_eq!(rule.err(), Some(RuleError::NotCompiledIn(row.language)));
            }
        }
    }

    #[test]
    fn of_path() {
        let of = |path: &str, line: Option<&str>| Language::of_path(&RepoPath::from(path), line.map(str::as_bytes));
        assert_eq!(of("a/b.py", None), Some(Language::Python));
        assert_eq!(of("a/B.PY", None), Some(Language::Python));
        assert_eq!(of("x.d.ts", None), Some(Language::TypeScript));
        assert_eq!(of("x.tsx", None), Some(Language::Tsx));
        assert_eq!(of("x.h", Some("class A {")), Some(Language::C));
        assert_eq!(of("x.hpp", None), Some(Language::Cpp));
        assert_eq!(of("Gemfile", None), Some(Language::Ruby));
        assert_eq!(of("Gemfile.lock", None), None);
        assert_eq!(of("bin/run", Some("#!/usr/bin/env -S python3.11 -u")), Some(Language::Python));
        assert_eq!(of("bin/run", Some("#! /usr/bin/ruby2.7\r")), Some(Language::Ruby));
        assert_eq!(of("bin/run", Some("#!/usr/bin/env A=1 node")), Some(Language::JavaScript));
        assert_eq!(of("run.txt", Some("#!/usr/bin/env python")), None);
        assert_eq!(of("bin/run", Some("#!")), None);
        assert_eq!(of("bin/run", Some("#!\u{fffd}")), None);
        assert_eq!(of(".py", None), None, "a hidden file, not an extension");
        assert_eq!(of("", None), None);
        assert_eq!(of("py", None), None);
    }
}
