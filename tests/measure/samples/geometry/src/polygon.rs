//! Simple polygons in the plane, and a shared registry of named ones.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::{PoisonError, RwLock};

const EPSILON: f64 = 1e-9;
const MAX_VERTICES: usize = 10_000;

/// A point with finite coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// Why a polygon was refused.
#[derive(Debug)]
pub enum PolygonError {
    BadCount(usize),
    BadLine(usize),
    Io(io::Error),
}

impl fmt::Display for PolygonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadCount(count) => write!(f, "{count} vertices are too few or too many"),
            Self::BadLine(line) => write!(f, "line {line} is not a point"),
            Self::Io(error) => write!(f, "could not read the polygon: {error}"),
        }
    }
}

impl std::error::Error for PolygonError {}

/// Tells whether two lengths are equal up to rounding.
pub fn nearly_equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= EPSILON * a.abs().max(b.abs()).max(1.0)
}

/// Returns how many units of the named kind make one metre, if it is known.
pub fn units_per_metre(unit: &str) -> Option<f64> {
    match unit {
        "mm" => Some(1000.0),
        "m" => Some(1.0),
        "km" => Some(0.001),
        _ => None,
    }
}

/// Returns the signed area; positive when the vertices run counter-clockwise.
pub fn signed_area(vertices: &[Point]) -> f64 {
    let mut twice = 0.0;
    for i in 0..vertices.len() {
        let (a, b) = (vertices[i], vertices[(i + 1) % vertices.len()]);
        twice += a.x * b.y - b.x * a.y;
    }
    twice / 2.0
}

/// Reads one `x,y` pair per line; blank lines are skipped.
pub fn read_polygon(path: &Path) -> Result<Vec<Point>, PolygonError> {
    let reader = BufReader::new(File::open(path).map_err(PolygonError::Io)?);
    let mut vertices = Vec::new();
    for (index, line) in reader.lines().enumerate() {
        let line = line.map_err(PolygonError::Io)?;
        if line.trim().is_empty() {
            continue;
        }
        vertices.push(parse_point(&line).ok_or(PolygonError::BadLine(index + 1))?);
    }
    match vertices.len() {
        3..=MAX_VERTICES => Ok(vertices),
        count => Err(PolygonError::BadCount(count)),
    }
}

fn parse_point(line: &str) -> Option<Point> {
    let (x, y) = line.split_once(',')?;
    let (x, y): (f64, f64) = (x.trim().parse().ok()?, y.trim().parse().ok()?);
    (x.is_finite() && y.is_finite()).then_some(Point { x, y })
}

/// Named polygons that several threads look up and replace.
#[derive(Default)]
pub struct Registry {
    shapes: RwLock<HashMap<String, Vec<Point>>>,
}

impl Registry {
    /// Stores a polygon, turned counter-clockwise, under a name.
    pub fn insert(&self, name: &str, mut vertices: Vec<Point>) {
        if signed_area(&vertices) < 0.0 {
            vertices.reverse();
        }
        let mut shapes = self.shapes.write().unwrap_or_else(PoisonError::into_inner);
        shapes.insert(name.to_owned(), vertices);
    }

    /// Returns a copy of the named polygon, so that the lock is held briefly.
    pub fn get(&self, name: &str) -> Option<Vec<Point>> {
        let shapes = self.shapes.read().unwrap_or_else(PoisonError::into_inner);
        shapes.get(name).cloned()
    }
}
