//! The patch parser: no input panics, paths stay inside, every hunk's lines are known, and what is written again reads
//! back as the same hunks.

#![no_main]

use diffsieve::diff::patch::{parse, to_patch};
use diffsieve::diff::{Body, Limits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    let Ok(files) = parse(bytes, &limits) else { return };
    for file in &files {
        assert!(file.path.is_inside());
        assert!(file.old_path.as_ref().is_none_or(|path| path.is_inside()));
        let Body::Text { hunks, old, new } = &file.body else { continue };
        for pair in hunks.windows(2) {
            assert!(pair[0].old.end() < pair[1].old.first && pair[0].new.end() < pair[1].new.first);
        }
        for hunk in hunks {
            assert_eq!(old.range(hunk.old).count(), hunk.old.count as usize);
            assert_eq!(new.range(hunk.new).count(), hunk.new.count as usize);
        }
        for context in [0, 3] {
            let written = to_patch(file, context);
            let again = parse(&written, &limits).expect("what is written can be read");
            assert_eq!(again[0].hunks(), file.hunks());
            assert_eq!(again[0].path, file.path);
        }
    }
});
