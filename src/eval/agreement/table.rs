//! Ratings as people keep them: a row an item, a column a rater.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use crate::record::{self, Error};

/// Columns that describe an item where nobody says which columns are raters.
pub const DESCRIBING: [&str; 7] = ["item", "id", "case", "aspect", "statement", "text", "tag"];

/// Largest file of ratings, in bytes.
const LARGEST: u64 = 64 << 20;

/// Most raters: every two of them are compared.
pub(super) const MOST_RATERS: usize = 100;

/// A file of cells with names over its columns. Blank cells are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns, all different.
    pub columns: Vec<String>,
    /// As many cells a row as there are columns, trimmed.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads comma separated values (RFC 4180, first line names the columns) or, where the name ends in `.jsonl`, one object
    /// a line.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let is_lines = path.extension().is_some_and(|extension| extension == "jsonl");
        let table = if is_lines { Self::from_records(&record::read(path)?) } else { csv(path, &text(path)?)? };
        if table.rows.is_empty() {
            return Err(Error::content(path, "it has no ratings"));
        }
        let mut seen = BTreeSet::new();
        match table.columns.iter().find(|name| !seen.insert(*name)) {
            Some(name) => Err(Error::content(path, &format!("two columns are called `{name}`"))),
            None => Ok(table),
        }
    }

    /// Columns in the order of their names, for an object has none.
    fn from_records(records: &[BTreeMap<String, Value>]) -> Self {
        let columns: BTreeSet<&String> = records.iter().flat_map(BTreeMap::keys).collect();
        let cell = |value: Option<&Value>| match value {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(other) => other.to_string(),
        };
        let row = |record: &BTreeMap<String, Value>| columns.iter().map(|name| cell(record.get(*name))).collect();
        let rows = records.iter().map(row).collect();
        Self { columns: columns.into_iter().cloned().collect(), rows }
    }
}

fn text(path: &Path) -> Result<String, Error> {
    let open = || {
        let mut bytes = Vec::new();
        File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = open().map_err(|error| Error::io(path, error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::content(path, &format!("it has more than {LARGEST} bytes, the most that is read")));
    }
    String::from_utf8(bytes).map_err(|_| Error::content(path, "it is no UTF-8"))
}

/// Rows of comma separated values. Blank lines are passed over.
fn csv(path: &Path, text: &str) -> Result<Table, Error> {
    let mut records =
        records(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|(line, what)| Error::line(path, line, what))?;
    if records.is_empty() {
        return Err(Error::content(path, "it is empty; its first line names the columns"));
    }
    let (_, columns) = records.remove(0);
    let mut rows = Vec::new();
    for (line, row) in records {
        if row.len() != columns.len() {
            let what = format!("it has {} cells, and the first line names {} columns", row.len(), columns.len());
            return Err(Error::line(path, line, &what));
        }
        rows.push(row);
    }
    Ok(Table { columns, rows })
}

/// Records with the line on which each begins.
fn records(text: &str) -> Result<Vec<(usize, Vec<String>)>, (usize, &'static str)> {
    let mut records = Vec::new();
    let (mut row, mut line, mut begins) = (Vec::new(), 1, 1);
    let mut rest = text;
    while !rest.is_empty() {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                quoted_cell(quoted).ok_or((line, "a quoted cell is not closed, or followed by more than a comma"))?
            }
            None => {
                let end = rest.find([',', '\n']).unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        line += rest[..rest.len() - after.len()].matches('\n').count();
        row.push(cell.trim().to_owned());
        if let Some(more) = after.strip_prefix(',') {
            rest = more;
            if rest.is_empty() {
                row.push(String::new());
            }
            // The cell after the last comma of a line may be empty.
            continue;
        }
        rest = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
        line += 1;
        let whole = std::mem::take(&mut row);
        if whole != [""] {
            records.push((begins, whole));
        }
        begins = line;
    }
    if !row.is_empty() {
        records.push((begins, row));
    }
    Ok(records)
}

/// The text of a quoted cell, whose first quotation mark is gone, and what follows it: a comma, an end of line, or nothing.
fn quoted_cell(text: &str) -> Option<(String, &str)> {
    let mut cell = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"')?;
        cell.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                rest = more;
            }
            None => {
                let is_end = after.is_empty() || after.starts_with([',', '\n']) || after.starts_with("\r\n");
                return is_end.then_some((cell, after));
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use std::fs;

    use super::*;

    fn read(name: &str, content: &str) -> Result<Table, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        Table::read(&path).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn rows(content: &str, expected: &[&[&str]]) {
        let table = read("ratings.csv", content).unwrap();
        let found: Vec<Vec<&str>> = [&table.columns]
            .into_iter()
            .chain(&table.rows)
            .map(|row| row.iter().map(String::as_str).collect())
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn cells_are_read_as_the_standard_says() {
        rows("item,a,b\nx,1,2\ny,3,\n", &[&["item", "a", "b"], &["x", "1", "2"], &["y", "3", ""]]);
        rows("\u{feff}a,b\r\n1,2\r\n\r\n,4", &[&["a", "b"], &["1", "2"], &["", "4"]]);
        rows("a,b\n\"1,\n\"\"x\"\"\",2\n3,", &[&["a", "b"], &["1,\n\"x\"", "2"], &["3", ""]]);
        rows("a,b\n 1 ,\" 2\"\n", &[&["a", "b"], &["1", "2"]]);
    }

    #[test]
    fn faults_have_their_line() {
        for (content, part) in [
            ("a,b\n1,2\n3\n", "line 3: it has 1 cells, and the first line names 2 columns"),
            ("a,b\n\"x\ny\",2\n3\n", "line 4: it has 1 cells"),
            ("a,b\n1,\"2\n", "line 2: a quoted cell"),
            ("a,b\n\"1\"x,2\n", "line 2: a quoted cell"),
            ("a,a\n1,2\n", "two columns are called `a`"),
            ("a,b\n", "no ratings"),
            ("", "it is empty"),
        ] {
            let error = read("ratings.csv", content).unwrap_err();
            assert!(error.contains(part), "{content:?}: {error}");
        }
        assert!(read("ratings.jsonl", "{\"a\": 1}\nx\n").unwrap_err().contains("line 2"));
    }

    #[test]
    fn objects_are_rows_too() {
        let table = read("r.jsonl", "{\"b\": 1, \"a\": \" x \"}\n\n{\"c\": true, \"b\": null}\n").unwrap();
        assert_eq!(table.columns, ["a", "b", "c"]);
        assert_eq!(table.rows, [["x", "1", ""], ["", "", "true"]]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a,\"\n\r ]{0,40}") {
            let _ = records(&text);
        }

        #[test]
        fn what_is_quoted_comes_back(cells in proptest::collection::vec("[a-z,\"\n]{1,6}x", 1..5)) {
            let quoted: Vec<String> = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
            let read = records(&quoted.join(",")).unwrap();
            let cells: Vec<&str> = cells.iter().map(|cell| cell.trim()).collect();
            proptest::prop_assert_eq!(read, [(1, cells.into_iter().map(str::to_owned).collect::<Vec<_>>())]);
        }
    }
}
