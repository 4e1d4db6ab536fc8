//! The one walk over a fresh tree: depth, the mask of comments and strings, the outline, the broken lines.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::languages::{DocStyle, Role, Roles, Row};
use super::outline::{Symbol, SymbolKind};
use super::shapes::{Found, Raw, text};
use super::visibility::{Own, Site};
use super::{Region, Unparsed};
use crate::finding::Line;

/// What the walk finds.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Sorted, not touching where alike; gaps are code.
    pub(super) regions: Vec<(Range<usize>, Region)>,
    pub(super) symbols: Vec<Symbol>,
    /// First and last line of each `ERROR` and missing node, sorted by first line.
    pub(super) broken: Vec<(Line, Line)>,
}

/// Longest signature, in bytes.
const SIGNATURE_LIMIT: usize = 400;

/// Longest stretch of source that is read for one signature.
const SIGNATURE_SOURCE_LIMIT: usize = 4_000;

/// A symbol or scope that the walk is inside of.
struct Open<'s> {
    depth: u32,
    symbol: Option<usize>,
    /// Dotted path of names so far.
    path: String,
    kind: Option<SymbolKind>,
    scope: Option<String>,
    /// Where its body starts: a `public` before it belongs to a base class.
    body: usize,
    switch: Option<&'s str>,
}

/// A stretch of bytes of one region that the walk is inside of.
struct Stretch {
    end: usize,
    region: Region,
}

struct Walk<'s, 't> {
    row: &'static Row,
    roles: &'static Roles,
    source: &'s str,
    /// Byte offset of each line.
    starts: &'s [u32],
    open: Vec<Open<'s>>,
    stretches: Vec<Stretch>,
    /// Up to where the regions are written.
    written: usize,
    /// The node of each symbol's docstring candidate, and where its signature stands.
    signatures: Vec<Range<usize>>,
    docstrings: Vec<Option<Raw<'t>>>,
    elsewhere: &'s OnceCell<bool>,
    out: Survey,
}

/// Walks the tree once, without recursion.
pub(super) fn survey(
    row: &'static Row,
    tree: &tree_sitter::Tree,
    source: &str,
    starts: &[u32],
    max_depth: u32,
) -> Result<Survey, Unparsed> {
    let roles = row.roles().ok_or(Unparsed::NotCompiledIn)?;
    let elsewhere = OnceCell::new();
    let mut walk = Walk {
        row,
        roles,
        source,
        starts,
        open: Vec::new(),
        stretches: Vec::new(),
        written: 0,
        signatures: Vec::new(),
        docstrings: Vec::new(),
        elsewhere: &elsewhere,
        out: Survey::default(),
    };
    let has_error = tree.root_node().has_error();
    let mut cursor = tree.walk();
    let mut depth = 0;
    'walk: loop {
        let node = cursor.node();
        walk.enter(node, depth, has_error);
        if cursor.goto_first_child() {
            depth += 1;
            if depth > max_depth {
                return Err(Unparsed::TooDeep);
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
            depth -= 1;
        }
    }
    walk.close_stretches(usize::MAX);
    walk.finish();
    Ok(walk.out)
}

impl<'s, 't> Walk<'s, 't> {
    fn enter(&mut self, node: Raw<'t>, depth: u32, has_error: bool) {
        while self.open.last().is_some_and(|open| depth <= open.depth) {
            self.open.pop();
        }
        let kind = node.kind_id();
        let role = self.roles.of(kind);
        if has_error && (node.is_error() || node.is_missing()) {
            let last = self.last_line(node.byte_range());
            self.out.broken.push((Line::from_index(node.start_position().row as u32), last));
        }
        if role.region.is_some() || role.interpolation {
            self.stretch(node.byte_range(), role);
        }
        if let Some(index) = role.symbol {
            self.symbol(node, depth, usize::from(index));
        } else if let Some(index) = role.scope {
            self.scope(node, depth, usize::from(index));
        } else if role.switch {
            self.switch(node, depth);
        }
    }

    fn switch(&mut self, node: Raw<'t>, depth: u32) {
        let words = self.row.switch.map_or(&[][..], |switch| switch.1);
        // Type, body, switch: two steps down.
        if let Some(open) =
            self.open.last_mut().filter(|open| open.depth + 2 == depth && open.body <= node.start_byte())
            && let Some(word) = words.iter().find(|word| **word == text(node, self.source))
        {
            open.switch = Some(word);
        }
    }

    fn scope(&mut self, node: Raw<'t>, depth: u32, index: usize) {
        let Some((_, scope)) = self.row.scopes.get(index) else { return };
        let own = scope(node, self.source);
        let path = join(self.open.last().map_or("", |open| &open.path), &own, "");
        let body = node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
        let header = self.fold(node.start_byte()..body);
        let kind = Some(SymbolKind::Type);
        let symbol = self.open.last().and_then(|open| open.symbol);
        self.open.push(Open { depth, symbol, path, kind, scope: Some(header), body, switch: None });
    }

    fn symbol(&mut self, node: Raw<'t>, depth: u32, index: usize) {
        let Some((_, kind, shape)) = self.row.symbols.get(index) else { return };
        let Some(found) = shape(node, self.source) else { return };
        let outer = self.outermost(node);
        let parent = self.open.last();
        let in_type = parent.is_some_and(|open| open.kind == Some(SymbolKind::Type));
        let kind = match found.kind.unwrap_or(*kind) {
            SymbolKind::Function if in_type => SymbolKind::Method,
            kind => kind,
        };
        let path = join(parent.map_or("", |open| &open.path), &found.owner, &found.name);
        let public = self.public(node, outer, &found, in_type);
        let start = self.with_annotations(outer).start_byte();
        let declared = declaration_start(outer, node, self.roles);
        let body = found.body.clone().filter(|body| body.start <= body.end && body.end <= self.source.len());
        let signature_end = found.signature_end.or(body.as_ref().map(|body| body.start)).unwrap_or(node.end_byte());
        let symbol = Symbol {
            name: found.name,
            path: path.clone(),
            kind,
            first_line: self.line(start),
            line: self.line(declared),
            end_line: self.last_line(start..outer.end_byte().max(node.end_byte())),
            body: body.clone().map(|body| (self.line(body.start), self.last_line(body))),
            signature: String::new(),
            doc: None,
            public,
            parent: parent.and_then(|open| open.symbol),
            has_error: node.has_error(),
            bytes: start..outer.end_byte().max(node.end_byte()),
            body_bytes: body.unwrap_or(0..0),
            scope: parent.and_then(|open| open.scope.clone()),
        };
        self.signatures.push(declared..signature_end.max(declared));
        self.docstrings.push(self.docstring(node));
        let body = symbol.body_bytes.start;
        self.out.symbols.push(symbol);
        let symbol = Some(self.out.symbols.len() - 1);
        self.open.push(Open { depth, symbol, path, kind: Some(kind), scope: None, body, switch: None });
    }

    /// The string that is the first statement of the body.
    fn docstring(&self, node: Raw<'t>) -> Option<Raw<'t>> {
        if self.row.doc != DocStyle::Docstring {
            return None;
        }
        let body = node.child_by_field_name("body")?;
        let mut cursor = body.walk();
        let first = body.named_children(&mut cursor).find(|child| !child.is_extra())?;
        let string = first.named_child(0).filter(|_| first.kind() == "expression_statement").unwrap_or(first);
        (self.roles.of(string.kind_id()).region == Some(Region::String)).then_some(string)
    }

    /// The declaration with what wraps it alone: `export`, `template<>`, `const` of a single variable.
    fn outermost(&self, node: Raw<'t>) -> Raw<'t> {
        let mut outer = node;
        while let Some(parent) = outer.parent().filter(|parent| self.roles.of(parent.kind_id()).wrapper) {
            let mut cursor = parent.walk();
            let alike = parent.children(&mut cursor).filter(|child| child.kind_id() == outer.kind_id()).take(2).count();
            if alike > 1 {
                break;
            }
            outer = parent;
        }
        outer
    }

    /// The first of the annotations that stand directly before a declaration as its siblings.
    fn with_annotations(&self, outer: Raw<'t>) -> Raw<'t> {
        let mut first = outer;
        while let Some(previous) = first.prev_named_sibling().filter(|node| self.roles.of(node.kind_id()).annotation) {
            first = previous;
        }
        first
    }

    fn public(&self, node: Raw<'t>, outer: Raw<'t>, found: &Found, in_type: bool) -> Option<bool> {
        let open = self.open.last();
        let own = (self.row.visibility)(&Site {
            node,
            outer,
            name: &found.name,
            owner: &found.owner,
            source: self.source,
            in_type,
            scope: open.and_then(|open| open.scope.as_deref()),
            switch: open.and_then(|open| open.switch),
            elsewhere: self.elsewhere,
        });
        let around = open.and_then(|open| open.symbol).and_then(|index| self.out.symbols.get(index));
        let around = match around {
            Some(symbol) if symbol.kind.is_function() => Some(false),
            Some(symbol) => symbol.public,
            None => Some(true),
        };
        match (own, around) {
            (Own::Private, _) | (_, Some(false)) => Some(false),
            (Own::Public | Own::Inherited, Some(true)) => Some(true),
            (Own::Unknown, _) | (_, None) => None,
        }
    }

    /// Opens a stretch of a region; its end closes it.
    fn stretch(&mut self, range: Range<usize>, role: Role) {
        self.close_stretches(range.start);
        let current = self.stretches.last().map_or(Region::Code, |stretch| stretch.region);
        let region = match role.region {
            Some(region) => region,
            None if current == Region::String => Region::Code,
            None => return,
        };
        self.write(range.start, current);
        self.stretches.push(Stretch { end: range.end, region });
    }

    /// Closes what ends at or before an offset.
    fn close_stretches(&mut self, offset: usize) {
        while let Some(stretch) = self.stretches.pop_if(|stretch| stretch.end <= offset) {
            self.write(stretch.end, stretch.region);
        }
    }

    /// Writes everything up to `end` as one region.
    fn write(&mut self, end: usize, region: Region) {
        if end <= self.written {
            return;
        }
        let range = self.written..end;
        self.written = end;
        match self.out.regions.last_mut() {
            _ if region == Region::Code => {}
            Some((last, known)) if *known == region && last.end == range.start => last.end = range.end,
            _ => self.out.regions.push((range, region)),
        }
    }

    /// What needs the whole outline or the whole mask.
    fn finish(&mut self) {
        let types = self.out.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Type);
        let hidden: BTreeSet<_> =
            types.filter(|symbol| symbol.public == Some(false)).map(|symbol| symbol.path.clone()).collect();
        for index in 0..self.out.symbols.len() {
            let range = self.signatures[index].clone();
            let declared = range.start;
            let signature = self.fold(range);
            let doc = self.docstrings[index].and_then(|node| first_line(text(node, self.source))).or_else(|| {
                self.comment_above(self.out.symbols[index].bytes.start).or_else(|| self.comment_above(declared))
            });
            let symbol = &mut self.out.symbols[index];
            symbol.signature = signature;
            symbol.doc = doc;
            // A public method of a type that is not: the `impl` does not say so.
            let owner = symbol.path.rsplit_once('.').map(|(owner, _)| owner).filter(|_| symbol.scope.is_some());
            if owner.is_some_and(|owner| hidden.contains(owner)) {
                symbol.public = Some(false);
            }
        }
    }

    /// A stretch of source on one line, without comments and without what only opens a body.
    fn fold(&self, range: Range<usize>) -> String {
        let end = range.end.min(range.start + SIGNATURE_SOURCE_LIMIT);
        let mut raw = String::new();
        let first = self.out.regions.partition_point(|(region, _)| region.end <= range.start);
        let mut at = range.start;
        for (region, kind) in self.out.regions[first..].iter().take_while(|(region, _)| region.start < end) {
            if *kind == Region::Comment {
                raw.push_str(self.source.get(at..region.start.max(at)).unwrap_or(""));
                // A comment separates words, but is nothing beside punctuation.
                if raw.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                    raw.push(' ');
                }
                at = region.end.min(end);
            }
        }
        raw.push_str(cut(self.source, at, end));
        let folded = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let folded = folded.replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(" )", ")");
        let opening = |c: char| matches!(c, '{' | ':' | '=' | ';' | '\\' | ' ');
        let folded = folded.trim_end_matches("=>").trim_end_matches(opening);
        cut(folded, 0, SIGNATURE_LIMIT).to_owned()
    }

    /// The first line of the comment that ends on the line above a declaration; both start their lines.
    fn comment_above(&self, declared: usize) -> Option<String> {
        let mut at = self.start_of(self.line(declared))?;
        if !self.source.get(at..declared)?.trim().is_empty() {
            return None;
        }
        let mut top = None;
        loop {
            let before = self.out.regions.partition_point(|(region, _)| region.end <= at).checked_sub(1)?;
            let (region, kind) = &self.out.regions[before];
            let gap = self.source.get(region.end..at)?;
            let comment = self.source.get(region.clone())?;
            let breaks = gap.matches('\n').count() + usize::from(comment.ends_with('\n'));
            let alone = self.start_of(self.line(region.start)).and_then(|start| self.source.get(start..region.start));
            let fits = *kind == Region::Comment
                && breaks <= 1
                && gap.trim().is_empty()
                && alone.is_some_and(|text| text.trim().is_empty())
                && !(region.start == 0 && comment.starts_with("#!"));
            if !fits {
                return top;
            }
            top = first_line(comment).or(top);
            at = self.start_of(self.line(region.start))?;
            if before == 0 {
                return top;
            }
        }
    }

    fn start_of(&self, line: Line) -> Option<usize> {
        self.starts.get(line.index()).map(|start| *start as usize)
    }

    fn line(&self, byte: usize) -> Line {
        line_of(self.starts, byte)
    }

    fn last_line(&self, range: Range<usize>) -> Line {
        line_of(self.starts, range.end.saturating_sub(1).max(range.start))
    }
}

/// The line of a byte, given the offset of each line.
pub(super) fn line_of(starts: &[u32], byte: usize) -> Line {
    let index = starts.partition_point(|start| *start as usize <= byte).saturating_sub(1);
    Line::from_index(index as u32)
}

/// Part of a text, cut back to whole characters.
fn cut(text: &str, start: usize, end: usize) -> &str {
    let mut end = end.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(start..end).unwrap_or("")
}

fn join(path: &str, owner: &str, name: &str) -> String {
    let mut out = String::with_capacity(path.len() + owner.len() + name.len() + 2);
    for part in [path, owner, name].into_iter().filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(part);
    }
    out
}

/// Where the declaration starts once its annotations are left out: they may be children of the wrapper, of the
/// declaration, or of its `modifiers`.
fn declaration_start(outer: Raw<'_>, node: Raw<'_>, roles: &Roles) -> usize {
    fn first<'t>(parent: Raw<'t>, roles: &Roles) -> Option<Raw<'t>> {
        let plain = |child: &Raw<'_>| !roles.of(child.kind_id()).annotation && !child.is_extra();
        let mut cursor = parent.walk();
        parent.children(&mut cursor).filter(plain).find(|child| {
            let mut cursor = child.walk();
            child.kind() != "modifiers" || child.children(&mut cursor).any(|word| plain(&word))
        })
    }
    let mut current = outer;
    loop {
        match first(current, roles) {
            None => return current.start_byte(),
            Some(child) if child == node || child.kind() == "modifiers" || roles.of(child.kind_id()).wrapper => {
                current = child;
            }
            Some(child) => return child.start_byte(),
        }
    }
}

/// The first line of a comment or docstring that says something, without its markers.
fn first_line(comment: &str) -> Option<String> {
    comment.lines().find_map(|line| {
        let markers = |c: char| c.is_whitespace() || matches!(c, '/' | '*' | '!' | '#' | ';' | '"' | '\'');
        let line = line
            .trim()
            .trim_start_matches(|c: char| matches!(c, 'r' | 'R' | 'b' | 'u' | 'f') && line.contains("\"\"\""));
        let line = line.trim_matches(markers);
        // The summary tag of a C# comment says nothing itself.
        let is_tag = line.starts_with('<') && line.ends_with('>') && !line[1..].contains('<');
        (!line.is_empty() && !is_tag).then(|| cut(line, 0, SIGNATURE_LIMIT).to_owned())
    })
}
