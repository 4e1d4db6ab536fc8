//! What a reviewer says of each case: above the line what is worth reading, below it what is not.

use plotters::style::RGBColor;

use super::figure;
use super::plane::{BAD, DIM, FAIR, Frame, GOOD, INK, LINE, OPEN, Plane, Side, draw};

/// The comments about one case.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in super::super) struct Heap {
    /// They name a known fault.
    pub(in super::super) hits: f64,
    /// Worth reading, about something else.
    pub(in super::super) sound: f64,
    /// Nobody says what they are worth.
    pub(in super::super) open: f64,
    /// Wrong, or about a clean case.
    pub(in super::super) noise: f64,
}

const SIZE: (u32, u32) = (760, 300);
/// More cases than this are drawn without gaps.
const APART: usize = 130;
/// The room between the cases with faults and the clean ones, in cases.
const GAP: f64 = 0.03;

/// The plot: cases with known faults, then clean ones, each in the order given.
pub(in super::super) fn signal(
    id: &str,
    (title, description): (&str, &str),
    faulty: &[Heap],
    clean: &[Heap],
) -> String {
    let all = || faulty.iter().chain(clean);
    let most = |of: fn(&Heap) -> f64| all().map(of).fold(0.0_f64, f64::max);
    let above = most(|heap| heap.hits + heap.sound).max(1.0);
    let below = most(|heap| heap.open + heap.noise).max(1.0);
    #[expect(clippy::cast_precision_loss, reason = "no dataset has 2^53 cases")]
    let count = (faulty.len() + clean.len()).max(1) as f64;
    let gap = if faulty.is_empty() || clean.is_empty() { 0.0 } else { (count * GAP).max(0.5) };
    let frame = Frame {
        size: SIZE,
        margins: (64, 14, 12, 28),
        x: 0.0..count + gap,
        y: -below * 1.04..above * 1.04,
        names: ("", "Comments a case"),
        // Comments are whole.
        ticks: |number| if number.fract() == 0.0 { number.abs().to_string() } else { String::new() },
    };
    let drawn = draw(&frame, |plane| {
        let apart = faulty.len() + clean.len() <= APART;
        let end = heaps(plane, 0.0, faulty, apart);
        heaps(plane, end + gap, clean, apart);
        plane.line([(0.0, 0.0), (count + gap, 0.0)], DIM, 1);
        let bottom = -below * 1.04;
        if !faulty.is_empty() {
            plane.text((end / 2.0, bottom), (0, 14), "cases with known faults", (Side::Middle, 11.5, INK));
        }
        if !clean.is_empty() && gap > 0.0 {
            plane.line([(end + gap / 2.0, bottom), (end + gap / 2.0, above)], LINE, 1);
        }
        if !clean.is_empty() {
            let place = (f64::midpoint(end + gap, count + gap), bottom);
            plane.text(place, (0, 14), "clean cases", (Side::Middle, 11.5, INK));
        }
    });
    figure(id, title, description, SIZE, &drawn)
}

/// Where a part of a heap begins and ends.
type Ends = fn(&Heap) -> (f64, f64);

/// Draws heaps from here on, and says where they end.
fn heaps(plane: &Plane<'_>, from: f64, heaps: &[Heap], apart: bool) -> f64 {
    let layers: [(Ends, RGBColor); 4] = [
        (|heap| (0.0, heap.hits), GOOD),
        (|heap| (heap.hits, heap.hits + heap.sound), FAIR),
        (|heap| (0.0, -heap.noise), BAD),
        (|heap| (-heap.noise, -heap.noise - heap.open), OPEN),
    ];
    let mut end = from;
    for (ends, colour) in layers {
        let mut x = from;
        let (mut upper, mut lower) = (Vec::new(), Vec::new());
        for heap in heaps {
            let (low, high) = ends(heap);
            if apart && low != high {
                plane.bar((x + 0.1, low), (x + 0.9, high), (0, 0), colour);
            }
            upper.extend([(x, high), (x + 1.0, high)]);
            lower.extend([(x, low), (x + 1.0, low)]);
            x += 1.0;
        }
        if !apart && upper.iter().zip(&lower).any(|(high, low)| high.1 != low.1) {
            lower.reverse();
            plane.area(upper.into_iter().chain(lower), colour);
        }
        end = x;
    }
    end
}
