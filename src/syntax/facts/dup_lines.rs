//! How much of a function stands in the file twice.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::{Fact, FactInput, FactKind, FactValue, Unsound, with_outline};
use crate::finding::Line;
use crate::syntax::{Parsed, Region};

pub(super) const DUP_LINES: Fact = Fact {
    name: "dup_lines",
    help: "The longest run of lines, at most 500, that the innermost function around the place (outside of any: the 50 \
           lines above and below) has in common with another place of the same file, white space and comments not \
           regarded. Blank lines, lines of brackets, logging calls and lines of a text do not count and do not \
           interrupt. Unknown in broken code.",
    kind: FactKind::Number,
    applies: with_outline,
    compute: |input| match longest(input) {
        Ok(lines) => FactValue::Number(lines as f64),
        Err(Unsound) => FactValue::Unknown,
    },
};

const MOST: usize = 500;
const AROUND: u32 = 50;

/// Calls that only tell what happens.
static LOGS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:self\.|this\.|this->|\$this->|@)?_?(?:log(?:s|ger|ging)?|LOG\w*|console|slog|klog|glog|zap|syslog|tracing|Log|Logger|_logger)(?:\.|->|::|\(|!|<<)",
        r"|^(?:println?!?|e?printl?n?!|printf|fprintf|puts|echo|NSLog|dbg!|(?:trace|debug|info|warn|error)!|System\.(?:out|err)\.|Console\.Write|fmt\.Print)\b",
        r"|^print\("
    ))
    .expect("the pattern is a constant that compiles")
});

fn longest(input: &FactInput<'_>) -> Result<usize, Unsound> {
    let (first, last) = match input.symbol(|symbol| symbol.kind.is_function())? {
        Some((new, index)) => (new.symbols()[index].line, new.symbols()[index].end_line),
        None => {
            let (first, last) = input.lines;
            let above = Line::new(first.get().saturating_sub(AROUND).max(1)).unwrap_or(first);
            (above, Line::new(last.get().saturating_add(AROUND)).unwrap_or(last))
        }
    };
    let new = input.sound().ok_or(Unsound)?;
    let lines = lines(new);
    let own = lines.partition_point(|(line, _)| *line < first)..lines.partition_point(|(line, _)| *line <= last);
    let ids: Vec<u64> = lines.into_iter().map(|(_, id)| id).collect();
    Ok(longest_repeat(&ids, own))
}

/// Every line that counts, with a number that equal lines share.
fn lines(new: &Parsed) -> Vec<(Line, u64)> {
    let mut ids: BTreeMap<String, u64> = BTreeMap::new();
    let mut lines = Vec::new();
    for line in (0..new.line_count() as u32).map(Line::from_index) {
        let range = new.line_range(line);
        let is_text = |at: usize| new.region(at) == Region::String;
        let source = new.source().get(range.clone()).unwrap_or_default();
        let start = range.start + source.len() - source.trim_start().len();
        let end = range.start + source.trim_end().len();
        if start >= end || (is_text(start) && is_text(end - 1) && is_text(range.end - 1)) {
            continue;
        }
        let parts = new.outside_comments(range).filter_map(|part| new.source().get(part));
        let code = parts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
        if !code.contains(char::is_alphanumeric) || LOGS.is_match(&code) {
            continue;
        }
        let next = ids.len() as u64 + 1;
        lines.push((line, *ids.entry(code).or_insert(next)));
    }
    lines
}

/// The longest run inside `own` that stands anywhere a second time without overlapping itself. If a run repeats, so do
/// its beginnings: the length is found by halving.
fn longest_repeat(ids: &[u64], own: std::ops::Range<usize>) -> usize {
    let sums = Sums::of(ids);
    let (mut holds, mut fails) = (0, own.len().min(MOST) + 1);
    while fails - holds > 1 {
        let length = holds.midpoint(fails);
        if sums.repeats(length, own.clone()) { holds = length } else { fails = length }
    }
    holds
}

/// A prime of which products fit 128 bits, and a base.
const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x1f3d_5b79_9ac4_e267 % PRIME;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

/// Polynomial sums of the first lines, from which that of any run follows in one step.
struct Sums {
    sums: Vec<u64>,
    powers: Vec<u64>,
}

impl Sums {
    fn of(ids: &[u64]) -> Self {
        let (mut sums, mut powers) = (vec![0], vec![1]);
        let (mut sum, mut power) = (0, 1);
        for id in ids {
            sum = (times(sum, BASE) + id) % PRIME;
            power = times(power, BASE);
            sums.push(sum);
            powers.push(power);
        }
        Self { sums, powers }
    }

    fn run(&self, start: usize, length: usize) -> u64 {
        (self.sums[start + length] + PRIME - times(self.sums[start], self.powers[length])) % PRIME
    }

    fn repeats(&self, length: usize, own: std::ops::Range<usize>) -> bool {
        let Some(last) = (self.sums.len() - 1).checked_sub(length) else { return false };
        // The first and the last place of each run: if neither is far enough away, none is.
        let mut places: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
        for start in 0..=last {
            places.entry(self.run(start, length)).and_modify(|place| place.1 = start).or_insert((start, start));
        }
        (own.start..=own.end.saturating_sub(length).min(last)).any(|start| {
            let place = places.get(&self.run(start, length));
            start + length <= own.end
                && place.is_some_and(|(first, last)| first + length <= start || start + length <= *last)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::longest_repeat;

    #[test]
    fn runs_that_repeat() {
        assert_eq!(longest_repeat(&[], 0..0), 0);
        assert_eq!(longest_repeat(&[1, 2, 3], 0..3), 0);
        assert_eq!(longest_repeat(&[1, 2, 3, 9, 1, 2, 3], 0..3), 3);
        assert_eq!(longest_repeat(&[1, 2, 3, 9, 1, 2, 4], 0..3), 2);
        assert_eq!(longest_repeat(&[1, 2, 3, 9, 1, 2, 3], 3..4), 0);
        assert_eq!(longest_repeat(&[1, 1, 1, 1], 0..4), 2, "a run does not overlap itself");
        assert_eq!(longest_repeat(&[5, 1, 2, 1, 2, 5], 0..6), 2, "twice in one function");
        assert_eq!(longest_repeat(&[1, 2, 3, 1, 2, 3], 1..3), 2, "what lies before the function is not its own");
    }

    #[test]
    fn against_all_pairs() {
        let mut state = 7_u64;
        for _ in 0..200 {
            let ids: Vec<u64> = (0..24)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    1 + (state >> 33) % 3
                })
                .collect();
            let (from, to) = (4, 18);
            let mut best = 0;
            for one in from..to {
                for other in 0..ids.len() {
                    let most = (to - one).min(ids.len() - other).min(one.abs_diff(other));
                    best = best.max((0..most).take_while(|step| ids[one + step] == ids[other + step]).count());
                }
            }
            assert_eq!(longest_repeat(&ids, from..to), best, "{ids:?}");
        }
    }
}
