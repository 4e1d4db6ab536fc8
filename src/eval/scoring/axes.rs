//! Recall by what cases and faults are, and whether comments stand where the faults are.

use std::collections::BTreeMap;

use crate::eval::error::Error;
use crate::eval::score::{Known, Location, Measure, Measures, Number, Row};
use crate::record::Difficulty;

/// What faults are told apart by. The first three are of the fault, the others of its case.
pub static AXES: [&str; 6] = ["category", "impact", "severity", "language", "difficulty", "operator"];

const OF_FAULTS: usize = 3;
const UNKNOWN: &str = "unknown";

/// Between the axes that are crossed, and between their values.
pub(super) const AND: &str = " x ";

/// A row, and what it adds above and below the line of a measure.
pub(in crate::eval) type Part<'r> = (&'r Row, (f64, f64));

/// Faults found, of the known ones: by each axis that some fault or case has a value of, and by the crossed ones.
pub(super) fn by(rows: &[Row], crossed: &[Vec<String>]) -> Result<BTreeMap<String, Measures>, Error> {
    let mut by = BTreeMap::new();
    for axis in AXES {
        let cells = cells(rows, &[axis]);
        if cells.keys().any(|cell| cell != UNKNOWN) {
            by.insert(axis.to_owned(), cells);
        }
    }
    for axes in crossed {
        if let Some(wrong) = axes.iter().find(|axis| !AXES.contains(&axis.as_str())) {
            return Err(Error::input(format!("`{wrong}`"), format!("no axis; the axes are {}", AXES.join(", "))));
        }
        let axes: Vec<&str> = axes.iter().map(String::as_str).collect();
        by.insert(axes.join(AND), cells(rows, &axes));
    }
    Ok(by)
}

/// Found and known by the values of these axes.
fn cells(rows: &[Row], axes: &[&str]) -> Measures {
    let sum = |parts: Vec<Part<'_>>| parts.iter().fold((0.0, 0.0), |sum, (_, part)| (sum.0 + part.0, sum.1 + part.1));
    let cells = by_cell(rows, axes).into_iter().map(|(cell, parts)| (cell, sum(parts)));
    cells.map(|(cell, (found, known))| (cell, Measure::ratio(found, known))).collect()
}

/// What each row adds to the cells of an axis of [`crate::eval::score::Scores::by`], as found and known.
pub(in crate::eval) fn parts<'r>(rows: &'r [Row], axis: &str) -> BTreeMap<String, Vec<Part<'r>>> {
    by_cell(rows, &axis.split(AND).collect::<Vec<_>>())
}

fn by_cell<'r>(rows: &'r [Row], axes: &[&str]) -> BTreeMap<String, Vec<Part<'r>>> {
    let is_of_fault = axes.iter().any(|axis| AXES[..OF_FAULTS].contains(axis));
    let mut cells = BTreeMap::<String, Vec<Part<'_>>>::new();
    let mut add = |row: &'r Row, fault: Option<&Known>, found: f64, known: f64| {
        let values: Vec<String> = axes.iter().map(|axis| value(axis, row, fault)).collect();
        cells.entry(values.join(AND)).or_default().push((row, (found, known)));
    };
    for row in rows.iter().filter(|row| !row.clean) {
        if is_of_fault {
            row.known.iter().for_each(|fault| add(row, Some(fault), if fault.found { 1.0 } else { 0.0 }, 1.0));
        } else {
            add(row, None, row.get("found"), row.get("known"));
        }
    }
    cells
}

fn value(axis: &str, row: &Row, fault: Option<&Known>) -> String {
    let value = match axis {
        "category" => fault.and_then(|fault| fault.category.as_deref()),
        "impact" => fault.and_then(|fault| fault.impact.as_deref()),
        "severity" => fault.and_then(|fault| fault.severity.as_deref()),
        "language" => row.language.as_deref(),
        "operator" => row.operator.as_deref(),
        _ => row.difficulty.map(|difficulty| match difficulty {
            Difficulty::Easy => "easy",
            Difficulty::Medium => "medium",
            Difficulty::Hard => "hard",
        }),
    };
    value.unwrap_or(UNKNOWN).to_owned()
}

/// The location of all rows together.
pub(super) fn location(rows: &[Row]) -> Location {
    let total = |of: fn(&Location) -> Measure| {
        let part = |number: Option<Number>| number.map_or(0.0, Number::get);
        let (over, under) = rows
            .iter()
            .map(|row| of(&row.location))
            .fold((0.0, 0.0), |(over, under), measure| (over + part(measure.over), under + part(measure.under)));
        Measure::ratio(over, under)
    };
    Location { reached: total(|location| location.reached), matched: total(|location| location.matched) }
}
