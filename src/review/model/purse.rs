//! What a review may spend. Whatever a request may cost is set aside before it is sent, and what it did not cost goes
//! back.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::provider::Usage;

/// The most that a review may ask of its models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Requests, retries included as they happen.
    pub requests: u64,
    /// Tokens of prompts and answers together.
    pub tokens: u64,
}

/// Which of the two ends is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    Requests,
    Tokens,
}

impl Over {
    pub(super) const fn why(self) -> &'static str {
        match self {
            Self::Requests => "the budget of requests is used up (budget.requests)",
            Self::Tokens => "the budget of tokens is used up (budget.tokens)",
        }
    }
}

#[derive(Debug)]
struct State {
    left: Budget,
    /// What is set aside and not yet settled.
    aside: Budget,
}

/// Money for requests, shared by the threads of a review.
#[derive(Debug)]
pub struct Purse {
    state: Mutex<State>,
    settled: Condvar,
}

impl Purse {
    /// With so much in it.
    pub const fn new(budget: Budget) -> Self {
        let aside = Budget { requests: 0, tokens: 0 };
        Self { state: Mutex::new(State { left: budget, aside }), settled: Condvar::new() }
    }

    /// Sets aside one request of this many tokens; all of it goes back unless it is settled. Where only requests under way stand in between, it waits for them: most
    /// cost less than they might.
    pub(super) fn reserve(&self, tokens: u64) -> Result<Reserved<'_>, Over> {
        let mut state = self.lock();
        loop {
            let short = match (state.left.requests, state.left.tokens) {
                (0, _) => Over::Requests,
                (_, left) if left < tokens => Over::Tokens,
                _ => {
                    state.left.requests -= 1;
                    state.left.tokens -= tokens;
                    state.aside.requests += 1;
                    state.aside.tokens += tokens;
                    return Ok(Reserved { purse: self, tokens });
                }
            };
            let all = Budget {
                requests: state.left.requests + state.aside.requests,
                tokens: state.left.tokens + state.aside.tokens,
            };
            if all.requests == 0 || all.tokens < tokens || state.aside.requests == 0 {
                return Err(short);
            }
            state = self.settled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn settle(&self, reserved: u64, attempts: u32, usage: Usage) {
        let mut state = self.lock();
        state.aside.requests -= 1;
        state.aside.tokens -= reserved;
        state.left.requests = (state.left.requests + 1).saturating_sub(u64::from(attempts));
        let counted = usage.prompt_tokens.saturating_add(usage.completion_tokens);
        let paid = if attempts > 0 && counted == 0 { reserved } else { counted };
        state.left.tokens = (state.left.tokens + reserved).saturating_sub(paid);
        self.settled.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is set aside for a request under way.
pub(super) struct Reserved<'p> {
    purse: &'p Purse,
    tokens: u64,
}

impl Reserved<'_> {
    /// Takes back what was set aside, and pays what was used. A server that counts no tokens is paid in full.
    pub(super) fn settle(self, attempts: u32, usage: Usage) {
        self.purse.settle(self.tokens, attempts, usage);
        std::mem::forget(self);
    }
}

/// Whoever waits for the money of a thread that panicked would wait for ever.
impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.purse.settle(self.tokens, 0, Usage::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(tokens: u64) -> Usage {
        Usage { prompt_tokens: tokens, ..Usage::default() }
    }

    #[test]
    fn nothing_is_spent_twice() {
        let purse = Purse::new(Budget { requests: 3, tokens: 100 });
        purse.reserve(60).expect("there is enough").settle(1, used(10));
        assert_eq!(purse.reserve(91).err(), Some(Over::Tokens));
        // Nothing was sent: all of it goes back.
        drop(purse.reserve(90).expect("there is enough"));
        // Two attempts, and a server that does not count.
        purse.reserve(90).expect("there is enough").settle(2, Usage::default());
        assert_eq!(purse.reserve(0).err(), Some(Over::Requests));
    }

    #[test]
    fn who_may_still_be_served_waits() {
        let purse = Purse::new(Budget { requests: 2, tokens: 100 });
        let first = purse.reserve(80).expect("there is enough");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| purse.reserve(50).map(drop));
            first.settle(1, used(5));
            assert_eq!(waiting.join().expect("no panic"), Ok(()));
        });
    }
}
