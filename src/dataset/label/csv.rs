//! Forms as CSV, which spreadsheets read and write.

use std::path::Path;

use super::Row;
use crate::record::Error;

/// The columns of a form.
const COLUMNS: [&str; 5] = ["item", "place", "text", "label", "by"];

/// Rows as CSV (RFC 4180), with a header. A cell that a spreadsheet would take for a formula begins with an apostrophe.
pub fn to_csv(rows: &[Row]) -> String {
    let mut csv = format!("{}\r\n", COLUMNS.join(","));
    for Row { item, place, text, label, by } in rows {
        let cells: Vec<String> = [item, place, text, label, by].map(|cell| cell_of(cell)).into();
        csv.push_str(&cells.join(","));
        csv.push_str("\r\n");
    }
    csv
}

/// What begins a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

fn cell_of(text: &str) -> String {
    let guard = if text.starts_with(FORMULA) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

/// Rows of a CSV file whose header names at least `item`, `label` and `by`, in any order; other columns are passed over.
///
/// # Errors
/// What is wrong, with the line.
pub fn from_csv(path: &Path, text: &str) -> Result<Vec<Row>, Error> {
    let mut records = records(text).map_err(|(line, what)| Error::line(path, line, what))?.into_iter();
    let header = records.next().ok_or_else(|| Error::content(path, "it is empty"))?.1;
    let column = |name: &str| header.iter().position(|cell| cell.trim().trim_start_matches('\u{feff}') == name);
    let needed =
        |name: &str| column(name).ok_or_else(|| Error::line(path, 1, &format!("its header has no column `{name}`")));
    let (item, label, by) = (needed("item")?, needed("label")?, needed("by")?);
    let rows = records.filter(|(_, cells)| cells.iter().any(|cell| !cell.trim().is_empty())).map(|(line, cells)| {
        if cells.len() != header.len() {
            let what = format!("it has {} cells and the header {}", cells.len(), header.len());
            return Err(Error::line(path, line, &what));
        }
        let cell = |at: usize| {
            let bare = cells[at].strip_prefix('\'').filter(|rest| rest.starts_with(FORMULA));
            bare.unwrap_or(&cells[at]).to_owned()
        };
        Ok(Row { item: cell(item), label: cell(label), by: cell(by), ..Row::default() })
    });
    rows.collect()
}

/// The line that a record begins on, and its cells.
type Line = (usize, Vec<String>);

/// The records of a CSV text, each with the line it begins on.
fn records(text: &str) -> Result<Vec<Line>, (usize, &'static str)> {
    let (mut records, mut cells, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut line, mut begin) = (false, 1, 1);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if cell.is_empty() => quoted = true,
            '"' => return Err((line, "a quote stands inside of a cell that is not quoted")),
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                line += 1;
                cells.push(std::mem::take(&mut cell));
                records.push((begin, std::mem::take(&mut cells)));
                begin = line;
            }
            '\r' if !quoted && characters.peek() == Some(&'\n') => {}
            character => {
                line += usize::from(character == '\n');
                cell.push(character);
            }
        }
    }
    if quoted {
        return Err((begin, "a quoted cell never ends"));
    }
    if !cell.is_empty() || !cells.is_empty() {
        cells.push(cell);
        records.push((begin, cells));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_cell_comes_back(cells in prop::collection::vec(("[^']\\PC*|[\",\n\r=a]{1,6}", "\\PC*"), 1..5)) {
            let rows: Vec<Row> = cells
                .into_iter()
                .map(|(item, by)| Row { item, by: format!("b{by}"), label: "valid".to_owned(), ..Row::default() })
                .collect();
            let back = from_csv(Path::new("f"), &to_csv(&rows));
            prop_assert!(back.is_ok_and(|back| back == rows));
        }

        #[test]
        fn no_text_is_too_odd(text in "[a,\"\n\r']{0,40}") {
            let _ = from_csv(Path::new("f"), &format!("item,label,by\n{text}"));
        }
    }
}
