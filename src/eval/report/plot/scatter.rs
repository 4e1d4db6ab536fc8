//! Precision against recall, with the lines on which F1 is the same.

use super::plane::{BAD, DIM, Frame, INK, LINE, Plane, SERIES, Shape, Side, draw};
use super::{figure, short};
use crate::stats::Interval;

const SIZE: (u32, u32) = (760, 520);

/// A reviewer that was measured here.
pub(in super::super) struct Mark {
    /// What stands beside it.
    pub(in super::super) name: String,
    /// What its colour stands for.
    pub(in super::super) legend: String,
    /// Found of what is known; above 1 only where hits are counted per comment.
    pub(in super::super) recall: f64,
    /// Right of what is said.
    pub(in super::super) precision: f64,
    /// How far each can be trusted.
    pub(in super::super) spread: (Option<Interval>, Option<Interval>),
    /// Which of the runs, from 0.
    pub(in super::super) series: usize,
}

/// A reviewer that others measured.
pub(in super::super) struct Reference {
    /// What stands beside it where there is room.
    pub(in super::super) name: String,
    /// As published.
    pub(in super::super) recall: f64,
    /// As published.
    pub(in super::super) precision: f64,
    /// Which of the sources, from 0.
    pub(in super::super) source: usize,
}

/// What happens to one reviewer, step by step.
pub(in super::super) struct Path {
    /// Recall and precision in their order.
    pub(in super::super) places: Vec<(f64, f64)>,
    /// A name for some of the steps.
    pub(in super::super) names: Vec<String>,
    /// Whether it is what the path is about, or stands behind it.
    pub(in super::super) main: bool,
}

/// The plot.
pub(in super::super) fn scatter(
    id: &str,
    (title, description): (&str, &str),
    marks: &[Mark],
    references: &[Reference],
    paths: &[Path],
) -> String {
    let frame = Frame {
        size: SIZE,
        margins: (58, 58, 14, 52),
        x: 0.0..1.0,
        y: 0.0..1.0,
        names: ("Recall: found of what is known", "Precision: right of what is said"),
        ticks: |number| format!("{number:.1}"),
    };
    let drawn = draw(&frame, |plane| {
        iso_lines(plane);
        let mut labels = Labels::default();
        // What stands in front is labelled first.
        for mark in marks {
            labels.keep_clear(plane.at(within((mark.recall, mark.precision))), 9);
            for (from, to) in whiskers(mark) {
                labels.keep_clear_between(plane.at(from), plane.at(to));
            }
        }
        for path in paths {
            path.places.iter().for_each(|place| labels.keep_clear(plane.at(within(*place)), 4));
        }
        for reference in references {
            labels.keep_clear(plane.at(within((reference.recall, reference.precision))), 4);
        }
        paths.iter().for_each(|path| draw_path(plane, path, &mut labels));
        marks.iter().for_each(|mark| draw_mark(plane, mark, &mut labels));
        for reference in references {
            let place = within((reference.recall, reference.precision));
            let shape = [Shape::Square, Shape::Triangle, Shape::Circle][reference.source % 3];
            plane.point(place, (shape, 3), DIM, false);
            labels.write(plane, place, &short(&reference.name, 22), (10.0, DIM));
        }
    });
    figure(id, title, description, SIZE, &drawn)
}

/// A place in the square: what is outside of it is drawn at its border.
fn within((recall, precision): (f64, f64)) -> (f64, f64) {
    (recall.clamp(0.0, 1.0), precision.clamp(0.0, 1.0))
}

/// F1 = 2PR / (P + R), hence P = F1 R / (2R - F1).
fn iso_lines(plane: &Plane<'_>) {
    for tenth in 1..10 {
        let f1 = f64::from(tenth) / 10.0;
        let from = f1 / (2.0 - f1);
        let places = (0..=100).map(|step| {
            let recall = from + (1.0 - from) * f64::from(step * step) / 10_000.0;
            (recall, f1 * recall / (2.0 * recall - f1))
        });
        plane.line(places, LINE, 1);
        plane.text((1.0, from), (5, 0), &format!("F1 {f1:.1}"), (Side::Right, 10.0, DIM));
    }
}

type Place = (f64, f64);

/// The intervals of a mark as lines.
fn whiskers(mark: &Mark) -> Vec<(Place, Place)> {
    let (recall, precision) = mark.spread;
    let across = recall.map(|Interval { low, high }| ((low, mark.precision), (high, mark.precision)));
    let along = precision.map(|Interval { low, high }| ((mark.recall, low), (mark.recall, high)));
    [across, along].into_iter().flatten().map(|(from, to)| (within(from), within(to))).collect()
}

fn draw_mark(plane: &Plane<'_>, mark: &Mark, labels: &mut Labels) {
    let colour = SERIES[mark.series % SERIES.len()];
    let place = within((mark.recall, mark.precision));
    whiskers(mark).into_iter().for_each(|(from, to)| plane.line([from, to], colour, 2));
    let shape = [Shape::Circle, Shape::Square, Shape::Triangle][mark.series % 3];
    plane.point(place, (shape, 6), colour, true);
    labels.write(plane, place, &short(&mark.name, 34), (13.0, INK));
}

fn draw_path(plane: &Plane<'_>, path: &Path, labels: &mut Labels) {
    let colour = if path.main { SERIES[0] } else { BAD };
    plane.line(path.places.iter().map(|place| within(*place)), colour, if path.main { 2 } else { 1 });
    for (place, name) in path.places.iter().zip(&path.names) {
        let (shape, size) = if path.main { (Shape::Circle, 4) } else { (Shape::Square, 2) };
        plane.point(within(*place), (shape, size), colour, true);
        if !name.is_empty() {
            labels.write(plane, within(*place), &short(name, 22), (11.0, if path.main { INK } else { DIM }));
        }
    }
}

/// Where labels already stand, as boxes of pixels: left, top, right, bottom.
#[derive(Default)]
struct Labels(Vec<(i32, i32, i32, i32)>);

impl Labels {
    fn keep_clear(&mut self, (x, y): (i32, i32), around: i32) {
        self.0.push((x - around, y - around, x + around, y + around));
    }

    fn keep_clear_between(&mut self, (x, y): (i32, i32), (to_x, to_y): (i32, i32)) {
        self.0.push((x.min(to_x), y.min(to_y) - 1, x.max(to_x), y.max(to_y) + 1));
    }

    /// Writes a name at the first free place near a point. Without one there is none: the table has it.
    fn write(
        &mut self,
        plane: &Plane<'_>,
        place: (f64, f64),
        text: &str,
        (size, colour): (f64, plotters::style::RGBColor),
    ) {
        let (x, y) = plane.at(place);
        #[expect(clippy::cast_possible_truncation, reason = "a label has a few hundred pixels")]
        let (wide, half) = ((text.chars().count() as f64 * size * 0.56) as i32, (size * 0.6) as i32);
        let near = if size > 12.0 { 11 } else { 7 };
        let tries = [
            (Side::Right, (near, 0)),
            (Side::Left, (-near, 0)),
            (Side::Middle, (0, -near - half)),
            (Side::Middle, (0, near + half)),
            (Side::Right, (near, -near - 3)),
            (Side::Right, (near, near + 3)),
            (Side::Left, (-near, -near - 3)),
            (Side::Left, (-near, near + 3)),
            (Side::Right, (near, -near - 13)),
            (Side::Left, (-near, -near - 13)),
            (Side::Right, (near, near + 13)),
            (Side::Left, (-near, near + 13)),
        ];
        // Far from its point, a name must belong to something that stands out.
        let tries = if size > 12.0 { &tries[..] } else { &tries[..4] };
        for &(side, away) in tries {
            let left = x + away.0 - [wide, 0, wide / 2][side as usize];
            let own = (left, y + away.1 - half, left + wide, y + away.1 + half);
            let inside = own.0 >= 60 && own.2 <= SIZE.0 as i32 - 8 && own.1 >= 2 && own.3 <= SIZE.1 as i32 - 54;
            let free = self.0.iter().all(|at| own.0 >= at.2 || own.2 <= at.0 || own.1 >= at.3 || own.3 <= at.1);
            if inside && free {
                plane.text(place, away, text, (side, size, colour));
                self.0.push(own);
                return;
            }
        }
    }
}
