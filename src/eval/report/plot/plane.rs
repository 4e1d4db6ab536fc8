//! A drawing with two axes, in the terms of its numbers.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{
    Cartesian2d, ChartBuilder, Circle, DrawingArea, IntoDrawingArea as _, IntoFont as _, LabelAreaPosition,
    PathElement, Polygon, Rectangle, SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, RGBColor, ShapeStyle};

use crate::escape;

/// Text.
pub(super) const INK: RGBColor = RGBColor(0x1c, 0x21, 0x27);
/// Text that matters less.
pub(super) const DIM: RGBColor = RGBColor(0x59, 0x63, 0x6e);
/// Lines behind what is drawn.
pub(super) const LINE: RGBColor = RGBColor(0xdf, 0xe3, 0xe8);
/// The grid, behind everything.
const FAINT: RGBColor = RGBColor(0xed, 0xf0, 0xf3);
/// What speaks for the reviewer.
pub(super) const GOOD: RGBColor = RGBColor(0x0b, 0x57, 0xd0);
/// What speaks for it a little.
pub(super) const FAIR: RGBColor = RGBColor(0x9d, 0xc0, 0xf5);
/// What speaks against it.
pub(super) const BAD: RGBColor = RGBColor(0xb3, 0x26, 0x1e);
/// What nobody can say.
pub(super) const OPEN: RGBColor = RGBColor(0xb4, 0xbc, 0xc6);
/// One run beside another.
pub(super) const SERIES: [RGBColor; 6] = [
    GOOD,
    RGBColor(0xb4, 0x53, 0x09),
    RGBColor(0x0f, 0x76, 0x6e),
    RGBColor(0x7c, 0x3a, 0xed),
    RGBColor(0xbe, 0x18, 0x5d),
    RGBColor(0x4d, 0x7c, 0x0f),
];

/// Writing into a string cannot fail; plotters says all the same that it may.
type Drawn = Result<(), plotters::drawing::DrawingAreaErrorKind<std::io::Error>>;

/// What surrounds a drawing.
pub(super) struct Frame {
    /// Of the whole, in pixels of a screen that shows it as wide as it is made.
    pub(super) size: (u32, u32),
    /// Left to the axis, right to the end, above, below.
    pub(super) margins: (u32, u32, u32, u32),
    /// The axes, never empty; `y` may run downwards.
    pub(super) x: Range<f64>,
    /// As `x`.
    pub(super) y: Range<f64>,
    /// What they are; an axis without a name has no numbers either.
    pub(super) names: (&'static str, &'static str),
    /// How their numbers are written.
    pub(super) ticks: fn(f64) -> String,
}

/// Where things are drawn. Places are given in numbers of the axes.
pub(super) struct Plane<'b> {
    root: DrawingArea<SVGBackend<'b>, Shift>,
    area: DrawingArea<SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
}

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    Square,
    Triangle,
}

/// How a text stands to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Middle,
}

/// Draws. What comes back is the element that plotters writes.
pub(super) fn draw(frame: &Frame, draw: impl FnOnce(&Plane<'_>)) -> String {
    let mut svg = String::new();
    let drawn = || -> Drawn {
        let root = SVGBackend::with_string(&mut svg, frame.size).into_drawing_area();
        let (left, right, top, bottom) = frame.margins;
        let has = |name: &str, margin: u32| if name.is_empty() { 0 } else { margin };
        let mut chart = ChartBuilder::on(&root)
            .margin_left(left - has(frame.names.1, left))
            .margin_right(right)
            .margin_top(top)
            .margin_bottom(bottom - has(frame.names.0, bottom))
            .set_label_area_size(LabelAreaPosition::Left, has(frame.names.1, left))
            .set_label_area_size(LabelAreaPosition::Bottom, has(frame.names.0, bottom))
            .build_cartesian_2d(frame.x.clone(), frame.y.clone())?;
        let ticks = |number: &f64| (frame.ticks)(*number);
        let font = |size: f64, colour: &RGBColor| ("sans-serif", scaled(size)).into_font().color(colour);
        let mut mesh = chart.configure_mesh();
        mesh.max_light_lines(0).bold_line_style(FAINT).axis_style(LINE).label_style(font(11.5, &DIM));
        mesh.axis_desc_style(font(12.5, &INK)).x_label_formatter(&ticks).y_label_formatter(&ticks);
        mesh.x_desc(frame.names.0).y_desc(frame.names.1).x_labels(11).y_labels(11);
        if frame.names.0.is_empty() {
            mesh.disable_x_mesh().disable_x_axis();
        }
        if frame.names.1.is_empty() {
            mesh.disable_y_mesh().disable_y_axis();
        }
        mesh.draw()?;
        draw(&Plane { root: root.clone(), area: chart.plotting_area().clone() });
        root.present()
    };
    match drawn() {
        Ok(()) => svg,
        Err(_) => String::new(),
    }
}

/// Without the measures of a font, plotters writes a size divided by this.
fn scaled(size: f64) -> f64 {
    size * 1.24
}

impl Plane<'_> {
    /// In pixels.
    pub(super) fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        self.area.map_coordinate(&(x, y))
    }

    /// A line through these places.
    pub(super) fn line(&self, places: impl IntoIterator<Item = (f64, f64)>, colour: RGBColor, width: u32) {
        let places: Vec<_> = places.into_iter().map(|place| self.at(place)).collect();
        let _ = self.root.draw(&PathElement::new(places, colour.stroke_width(width)));
    }

    /// A filled area between these places.
    pub(super) fn area(&self, places: impl IntoIterator<Item = (f64, f64)>, colour: RGBColor) {
        let places: Vec<_> = places.into_iter().map(|place| self.at(place)).collect();
        let _ = self.root.draw(&Polygon::new(places, colour.filled()));
    }

    /// A filled box, `inset` pixels smaller above and below.
    pub(super) fn bar(&self, from: (f64, f64), to: (f64, f64), inset: (i32, i32), colour: RGBColor) {
        let ((x, y), (to_x, to_y)) = (self.at(from), self.at(to));
        let (left, right, top, bottom) = (x.min(to_x), x.max(to_x), y.min(to_y), y.max(to_y));
        let places = [(left + inset.0, top + inset.1), (right - inset.0, bottom - inset.1)];
        let _ = self.root.draw(&Rectangle::new(places, colour.filled()));
    }

    /// A point, filled or as an outline.
    pub(super) fn point(&self, place: (f64, f64), (shape, size): (Shape, i32), colour: RGBColor, filled: bool) {
        let (x, y) = self.at(place);
        let style: ShapeStyle = if filled { colour.filled() } else { colour.stroke_width(1) };
        let _ = match shape {
            Shape::Circle => self.root.draw(&Circle::new((x, y), size, style)),
            Shape::Square => self.root.draw(&Rectangle::new([(x - size, y - size), (x + size, y + size)], style)),
            Shape::Triangle => {
                let corners =
                    [(x, y - size - 1), (x + size + 1, y + size), (x - size - 1, y + size), (x, y - size - 1)];
                match filled {
                    true => self.root.draw(&Polygon::new(corners, style)),
                    false => self.root.draw(&PathElement::new(corners, style)),
                }
            }
        };
    }

    /// A text beside a place, so many pixels away. What cannot be seen in it is made visible.
    pub(super) fn text(
        &self,
        place: (f64, f64),
        away: (i32, i32),
        text: &str,
        (side, size, colour): (Side, f64, RGBColor),
    ) {
        let (x, y) = self.at(place);
        let horizontal = match side {
            Side::Left => HPos::Right,
            Side::Right => HPos::Left,
            Side::Middle => HPos::Center,
        };
        let style = ("sans-serif", scaled(size)).into_font().color(&colour).pos(Pos::new(horizontal, VPos::Center));
        let _ = self.root.draw(&Text::new(escape::visible(text), (x + away.0, y + away.1), style));
    }
}
