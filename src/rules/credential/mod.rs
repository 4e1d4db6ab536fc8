//! What a credential looks like where no pattern of a pack can say it. Beside `rules/secrets.yml` the only list there is:
//! detectors report what is certain, and whatever is sent to a model hides also what is merely likely.

pub mod key;
pub mod named;
