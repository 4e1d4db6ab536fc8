//! `diffsieve context`: what a model would read, on standard output byte for byte; what there is to say of it, on standard
//! error. In the log of a CI service, whose agent reads along, lines are escaped as everywhere else.

use diffsieve::context::{Budget, Chunk, Chunks, Context, FilePart, Options, Reason, chunks};
use diffsieve::detect::FileView;
use diffsieve::escape;
use diffsieve::report::Provenance;
use diffsieve::review::{Change, Changes};

use super::args::ContextArgs;
use super::exit::Exit;
use super::policy::Loadout;
use super::setup::{self, Task};
use super::{Failure, output};

pub(super) fn run(args: &ContextArgs) -> Result<Exit, Failure> {
    let layers = args.context.layers();
    let options = Options { layers, expand_function: args.expand_function, ..Options::default() };
    let (change, parts) = setup::with_change(&args.scope, &args.place, Parts(options))??;
    let Chunks { chunks, skipped } = chunks(&parts, &Budget::of(args.tokens), args.format.form(), 1);
    let tokens: u64 = chunks.iter().map(|chunk| u64::from(chunk.tokens)).sum();
    output::say(&format!("{}: {} chunks, about {tokens} tokens", change.description, chunks.len()));
    for note in &change.notes {
        output::say(note);
    }
    for (chunk, number) in chunks.iter().zip(1..) {
        output::say(&format!("chunk {number} of {}, {}", chunks.len(), about(chunk, &parts)));
        output::quiet_pipe(output::to_stdout(|out| {
            if !output::is_agents_log() {
                return out.write_all(chunk.text.as_bytes());
            }
            chunk.text.lines().try_for_each(|line| writeln!(out, "{}", escape::log_line(line)))
        }))
        .map_err(anyhow::Error::from)?;
    }
    let mut is_complete = true;
    for skip in &skipped {
        let unread = matches!(skip.reason, Reason::Unread(_) | Reason::LongLine);
        is_complete &= !unread;
        let what = if unread { "unread" } else { "not shown" };
        output::say(&format!("{what}: {} ({})", parts[skip.file].path.visible(), skip.reason.name()));
    }
    Ok(if is_complete { Exit::Passed } else { Exit::Incomplete })
}

/// What a chunk holds, in one line.
fn about(chunk: &Chunk, parts: &[FilePart]) -> String {
    let mut files: Vec<usize> = chunk.parts.iter().map(|part| part.file).collect();
    files.dedup();
    let names: Vec<String> = files.iter().take(3).map(|file| parts[*file].path.visible()).collect();
    let more =
        if files.len() > names.len() { format!(" and {} more", files.len() - names.len()) } else { String::new() };
    let mut about = format!(
        "about {} tokens, {} hunks in {}{more}, id {}",
        chunk.tokens,
        chunk.parts.len(),
        names.join(", "),
        chunk.id
    );
    if chunk.masked > 0 {
        about.push_str(&format!("; {} values hidden", chunk.masked));
    }
    for attempt in &chunk.attempts {
        let line = attempt.line.map(|line| format!(":{line}")).unwrap_or_default();
        let path = parts[attempt.file].path.visible();
        about.push_str(&format!("; {path}{line} tries to be more than text ({})", attempt.kind.name()));
    }
    about
}

/// What the files of a change bring.
pub(super) fn parts<C: Changes>(files: &C, context: &Context<'_>) -> Vec<FilePart> {
    let mut worker = files.worker();
    let part = |index| {
        let file = files.load(&mut worker, index);
        match FileView::of(&file).filter(FileView::touches_code) {
            Some(view) => context.part(&file, view.parsed(), view.parsed_old()),
            None => context.part(&file, None, None),
        }
    };
    (0..files.len()).map(part).collect()
}

/// Makes the parts of all files.
struct Parts(Options);

impl Task for Parts {
    type Output = Result<(Change, Vec<FilePart>), Failure>;

    fn run<C: Changes>(self, files: &C, change: Change, loadout: Loadout, _: Provenance) -> Self::Output {
        let context = Context::new(&loadout.rules, self.0).map_err(anyhow::Error::from)?;
        let parts = parts(files, &context);
        for skip in files.skipped().iter().filter(|skip| skip.unread) {
            output::say(&format!("unread: {} ({})", skip.path.visible(), escape::visible(&skip.why)));
        }
        Ok((change, parts))
    }
}
