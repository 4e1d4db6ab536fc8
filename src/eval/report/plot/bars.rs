//! Bars of shares with their intervals, in groups.

use super::plane::{DIM, Frame, INK, LINE, SERIES, Side, draw};
use super::{figure, short};
use crate::stats::Interval;

/// One bar.
pub(in super::super) struct Bar {
    /// What it is of.
    pub(in super::super) name: String,
    /// How long; none: it is undefined.
    pub(in super::super) value: Option<f64>,
    /// How far it can be trusted.
    pub(in super::super) spread: Option<Interval>,
    /// What stands at its end, such as `3 of 7`.
    pub(in super::super) note: String,
    /// Which colour, from 0.
    pub(in super::super) series: usize,
}

const WIDTH: u32 = 760;
const ROW: u32 = 24;

/// Bars below headings, on an axis from 0 to `most`.
pub(in super::super) fn bars(
    id: &str,
    (title, description): (&str, &str),
    groups: &[(String, Vec<Bar>)],
    most: f64,
    ticks: fn(f64) -> String,
) -> String {
    let headed = groups.iter().any(|(name, _)| !name.is_empty());
    let rows: usize = groups.iter().map(|(_, bars)| bars.len() + usize::from(headed)).sum();
    let rows = u32::try_from(rows.max(1)).unwrap_or(u32::MAX / ROW).min(2_000);
    let size = (WIDTH, rows * ROW + 40);
    let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
    let frame =
        Frame { size, margins: (190, 96, 6, 32), x: 0.0..most, y: f64::from(rows)..0.0, names: (" ", ""), ticks };
    let drawn = draw(&frame, |plane| {
        let mut y = 0.0;
        for (name, bars) in groups {
            if headed {
                plane.text((0.0, y + 0.6), (-182, 0), name, (Side::Right, 11.5, DIM));
                y += 1.0;
            }
            for bar in bars {
                plane.text((0.0, y + 0.5), (-8, 0), &short(&bar.name, 28), (Side::Left, 12.0, INK));
                let end = bar.value.unwrap_or(0.0).clamp(0.0, most);
                plane.bar((0.0, y), (most, y + 1.0), (0, 11), LINE);
                if end > 0.0 {
                    plane.bar((0.0, y), (end, y + 1.0), (0, 6), SERIES[bar.series % SERIES.len()]);
                }
                if let Some(Interval { low, high }) = bar.spread {
                    let (low, high) = (low.clamp(0.0, most), high.clamp(0.0, most));
                    plane.line([(low, y + 0.5), (high, y + 0.5)], INK, 1);
                    for end in [low, high] {
                        plane.line([(end, y + 0.34), (end, y + 0.66)], INK, 1);
                    }
                }
                plane.text((most, y + 0.5), (8, 0), &short(&bar.note, 17), (Side::Right, 11.0, DIM));
                y += 1.0;
            }
        }
    });
    figure(id, title, description, size, &drawn)
}
