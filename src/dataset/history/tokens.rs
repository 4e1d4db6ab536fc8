//! Who counts tokens, where somebody does: a program of the caller's, asked about many texts at once.

use serde_json::json;

use super::Error;
use super::funnel::No;
use crate::record::Case;

/// So many changes are looked at before their tokens are counted: a program takes long to start, whole files take room.
pub(super) const AT_ONCE: usize = 256;

/// Counts the tokens of many texts at once: one number for each.
pub type Count<'c> = &'c dyn Fn(&[&str]) -> Result<Vec<u64>, String>;

/// What takes the place of the estimate.
pub struct Tokenizer<'t> {
    /// As the manifest names it, such as `program ./count`.
    pub name: String,
    /// Asks it.
    pub count: Count<'t>,
}

/// A case, and what of it is counted.
pub(super) struct Looked {
    pub(super) case: Case,
    /// Title, description and old code; `None` where nobody counts.
    pub(super) text: Option<String>,
    /// The digest of what the change removes and adds.
    pub(super) lines: String,
}

impl Tokenizer<'_> {
    /// Writes the number of tokens into each case, as the fact `tokens`, and leaves out what has more than `most`.
    ///
    /// # Errors
    /// What the program did wrong.
    pub(super) fn look(&self, looked: &mut [Result<Looked, No>], most: u32) -> Result<(), Error> {
        let kept: Vec<&mut Result<Looked, No>> =
            looked.iter_mut().filter(|one| one.as_ref().is_ok_and(|one| one.text.is_some())).collect();
        if kept.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = kept.iter().filter_map(|one| one.as_ref().ok()?.text.as_deref()).collect();
        let counts = (self.count)(&texts).map_err(Error::Tokens)?;
        if counts.len() != texts.len() {
            let what = format!("{} wrote {} numbers for {} texts", self.name, counts.len(), texts.len());
            return Err(Error::Tokens(what));
        }
        for (one, tokens) in kept.into_iter().zip(counts) {
            if tokens > u64::from(most) {
                *one = Err(No("too-many-tokens", tokens.to_string()));
            } else if let Ok(one) = one {
                one.case.facts.insert("tokens".to_owned(), json!(tokens));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;

    fn looked(text: Option<&str>) -> Result<Looked, No> {
        Ok(Looked { case: Case::default(), text: text.map(str::to_owned), lines: String::new() })
    }

    #[test]
    fn each_text_gets_its_own_number() {
        let count = |texts: &[&str]| Ok(texts.iter().map(|text| text.len() as u64).collect());
        let tokenizer = Tokenizer { name: "t".to_owned(), count: &count };
        let mut all = [looked(Some("ab")), Err(No("bot", String::new())), looked(None), looked(Some("abcd"))];
        tokenizer.look(&mut all, 3).unwrap();
        let tokens = |at: usize| all[at].as_ref().ok().and_then(|one| one.case.facts.get("tokens").cloned());
        assert_eq!([tokens(0), tokens(2)], [Some(json!(2)), None]);
        let why = |at: usize| all[at].as_ref().err().map(|no| (no.0, no.1.clone()));
        assert_eq!(why(1), Some(("bot", String::new())));
        assert_eq!(why(3), Some(("too-many-tokens", "4".to_owned())));
    }

    #[test]
    fn a_number_too_few_is_an_error() {
        let count = |_: &[&str]| Ok(vec![1]);
        let tokenizer = Tokenizer { name: "t".to_owned(), count: &count };
        let error = tokenizer.look(&mut [looked(Some("a")), looked(Some("b"))], 3).unwrap_err();
        assert!(error.to_string().contains("t wrote 1 numbers for 2 texts"), "{error}");
        // Nobody is asked about nothing.
        tokenizer.look(&mut [looked(None)], 3).unwrap();
    }
}
