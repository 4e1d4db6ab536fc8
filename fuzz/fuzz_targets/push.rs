//! Whatever git, or somebody in its place, tells a pre-push hook: every line is an update or is handed back.
#![no_main]

use diffsieve::hook;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let lines = input.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    let found: Vec<_> = hook::parse(input).collect();
    assert_eq!(found.len(), lines);
    for update in found.into_iter().flatten() {
        assert!(update.name.raw().starts_with("refs/"));
        assert!(update.new.is_none_or(|id| !id.is_null()) && update.old.is_none_or(|id| !id.is_null()));
    }
});
