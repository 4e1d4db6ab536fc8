//! `diffsieve review --dry-run`: what the model would be asked. Nothing is sent.

use diffsieve::report::Provenance;
use diffsieve::review::model::{self as review_model, Plan};
use diffsieve::review::{Change, Changes};

use super::args::{ModelArgs, ReviewArgs};
use super::exit::Exit;
use super::model::{self, Found};
use super::policy::Loadout;
use super::setup::{self, Task};
use super::{Failure, context as contexts, output};

pub(super) fn run(args: &ReviewArgs) -> Result<Exit, Failure> {
    let text = setup::with_change(&args.scope, &args.place, Planned(&args.model))??;
    output::quiet_pipe(output::to_stdout(|out| out.write_all(text.as_bytes()))).map_err(anyhow::Error::from)?;
    Ok(Exit::Passed)
}

struct Planned<'a>(&'a ModelArgs);

impl Task for Planned<'_> {
    type Output = Result<String, Failure>;

    fn run<C: Changes>(self, files: &C, change: Change, loadout: Loadout, _: Provenance) -> Self::Output {
        let range = diffsieve::escape::visible(&change.description);
        let ready = match model::find(self.0, &loadout.config, None)? {
            Found::Ready(ready) => ready,
            Found::Nobody => return Ok(format!("{range}: no model is configured, so nothing would be asked\n")),
            Found::WithoutKey(why) => return Ok(format!("{range}: {why}\n")),
        };
        let tell = |_| ();
        let context = ready.context(&loadout.rules)?;
        let model = ready.model(&context, &tell);
        let plan = review_model::plan(&contexts::parts(files, model.context), &loadout.rules, &model);
        let mut text = format!("{range}, {} files\n", files.len());
        let Plan { chunks, questions, opinions, prompt_tokens, opinion_tokens, answer_tokens } = plan;
        text.push_str(&format!("{}: {chunks} chunks of at most {} tokens\n", ready.name(), model.chunk_tokens));
        text.push_str(&format!("{questions} questions, about {prompt_tokens} tokens\n"));
        text.push_str(&format!(
            "about {opinions} second opinions of together {opinion_tokens} tokens, if every chunk brings claims\n"
        ));
        text.push_str(&format!("answers of at most {answer_tokens} tokens\n"));
        text.push_str(&format!("{} requests, ceiling {} tokens", plan.requests(), plan.ceiling()));
        let cost = ready.cost(prompt_tokens + opinion_tokens, answer_tokens);
        text.push_str(&cost.map(|cost| format!(", ${cost:.2}")).unwrap_or_default());
        let budget = model.budget;
        text.push_str(&format!("; the budget is {} requests and {} tokens\n", budget.requests, budget.tokens));
        if plan.requests() > budget.requests || prompt_tokens > budget.tokens {
            text.push_str("more than the budget: what it does not reach would be named unread, the riskiest chunks are asked first\n");
        }
        Ok(text)
    }
}
