//! SHA-256 over parts.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// SHA-256 over length-prefixed parts: no two lists of parts run into each other.
pub struct Hash(Sha256);

impl Hash {
    /// Of nothing yet.
    #[expect(clippy::new_without_default, reason = "a hash begins somewhere")]
    pub fn new() -> Self {
        Self(Sha256::new())
    }

    /// One part more.
    pub fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// All 64 hexadecimal digits.
    pub fn digits(self) -> String {
        self.0.finalize().iter().fold(String::with_capacity(64), |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        })
    }
}
