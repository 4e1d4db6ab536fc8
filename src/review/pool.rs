//! Work on several threads, results in the order of the work.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Does each of `count` pieces of work once. Every thread makes itself what it needs with `begin`.
pub(crate) fn map<W, R: Send>(
    count: usize,
    threads: usize,
    begin: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut own = begin();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, work(&mut own, index)));
        }
    };
    let threads = threads.clamp(1, count.max(1));
    let mut results: Vec<(usize, R)> = if threads == 1 {
        run()
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            handles
                .into_iter()
                .flat_map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
