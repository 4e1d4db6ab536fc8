//! Whatever a client sends: the head is read or refused, a body gets rewards or a reason, and nothing panics.
#![no_main]

use diffsieve::eval::reward::Settings;
use diffsieve::eval::reward::request::{BODY, Guard, Head, answer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let guard = Guard { address: ([127, 0, 0, 1], 8123).into(), token: None };
    let settings = Settings { lexical: true, ..Settings::default() };
    if let Ok(Some(head)) = Head::read(bytes) {
        if let Ok(length) = guard.admit(&head) {
            assert!(length as u64 <= BODY);
        }
        let _ = answer(&settings, None, &bytes[head.length..]);
    }
    let _ = answer(&settings, None, bytes);
});
