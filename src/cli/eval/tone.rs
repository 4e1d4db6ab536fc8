//! `diffsieve eval tone`: comments that order or praise.

use std::path::PathBuf;

use clap::Args;
use diffsieve::escape::visible;
use diffsieve::eval::tone::Tone;

use super::folder::Folder;
use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

#[derive(Debug, Args)]
pub(in crate::cli) struct ToneArgs {
    /// The folder of a run
    run: PathBuf,
}

pub(super) fn run(args: &ToneArgs) -> Result<Exit, Failure> {
    let answers = Folder::open(&args.run)?.answers()?;
    let comments = answers.iter().flat_map(|answer| answer.comments.iter().map(move |comment| (answer, comment)));
    let toned: Vec<_> = comments.map(|(answer, comment)| (answer, comment, Tone::of(&comment.body))).collect();
    let mut text = String::new();
    for tone in Tone::ALL {
        let count = toned.iter().filter(|(_, _, own)| *own == tone).count();
        text.push_str(&format!("{:<9} {count} of {}\n", tone.name(), toned.len()));
    }
    for (answer, comment, tone) in toned.iter().filter(|(_, _, tone)| matches!(tone, Tone::Command | Tone::Praise)) {
        let first = comment.body.lines().next().unwrap_or_default();
        let (case, id, first) = (visible(&answer.case), visible(&comment.id), visible(first));
        text.push_str(&format!("{}: {case} {id}: {first}\n", tone.name()));
    }
    print(&text)
}
