//! What was raised, what each stage took away, what was shown.

use super::plane::{BAD, DIM, Frame, GOOD, INK, LINE, OPEN, Side, draw};
use super::{figure, short};

/// One line of the funnel.
pub(in super::super) struct Step {
    /// The stage.
    pub(in super::super) name: String,
    /// Left after it.
    pub(in super::super) left: u64,
    /// Taken away by it.
    pub(in super::super) removed: u64,
    /// What stands at its end.
    pub(in super::super) note: String,
}

/// The plot: one line a stage; the first is what was raised, the last what was shown.
pub(in super::super) fn funnel(id: &str, (title, description): (&str, &str), steps: &[Step]) -> String {
    let rows = u32::try_from(steps.len().clamp(1, 100)).unwrap_or(1);
    let size = (760, rows * 30 + 8);
    let count = |count: u64| crate::eval::score::Number::count(count).get();
    let raised = steps.first().map_or(1.0, |step| count(step.left)).max(1.0);
    let frame = Frame {
        size,
        margins: (110, 190, 4, 4),
        x: 0.0..raised,
        y: f64::from(rows)..0.0,
        names: ("", ""),
        ticks: |number| number.to_string(),
    };
    let drawn = draw(&frame, |plane| {
        let mut y = 0.0;
        for (step, at) in steps.iter().take(100).zip(1..) {
            let ends = at == 1 || at == steps.len();
            plane.text(
                (0.0, y + 0.5),
                (-10, 0),
                &short(&step.name, 16),
                (Side::Left, 12.5, if ends { INK } else { DIM }),
            );
            plane.bar((0.0, y), (raised, y + 1.0), (0, 14), LINE);
            let (left, removed) = (count(step.left), count(step.removed));
            if left > 0.0 {
                plane.bar((0.0, y), (left, y + 1.0), (0, 6), if at == steps.len() { GOOD } else { OPEN });
            }
            if removed > 0.0 {
                plane.bar((left, y), (left + removed, y + 1.0), (0, 9), BAD);
            }
            plane.text((raised, y + 0.5), (10, 0), &short(&step.note, 30), (Side::Right, 12.0, INK));
            y += 1.0;
        }
    });
    figure(id, title, description, size, &drawn)
}
