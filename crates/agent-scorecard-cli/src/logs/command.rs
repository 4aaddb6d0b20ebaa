//! Shows what logs of agent evaluations hold, run by run.
//!
//! ```text
//! logs [FILE…] [--format F] [--json]
//! ```
//!
//! Without a file it reads bundled exchanges, which are made up. A FILE may be a folder of logs. With
//! `--json` there is one object for programs, and where there are several files each run names its own.

use std::error::Error;

use agent_scorecard::logs::Logs;

use crate::{
    files::{
        bundled,
        logs::{Contents, common_format, open},
    },
    logs::options::Options,
    output::program::Written,
    progress::Progress,
};

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { mut files, format, forms } = options;
    if files.is_empty() {
        files.push(bundled::path("demo_log.jsonl"));
    }
    let several = files.len() > 1;
    let (mut logs, mut formats, mut notes) = (Logs::default(), Vec::new(), Vec::new());
    for path in &files {
        let mut runs = open(path, format)?;
        let file = path.display().to_string();
        let mut contents = Contents::default();
        let mut progress = Progress::runs(&file);
        while let Some(run) = runs.next() {
            let run = run?;
            progress.add(1);
            contents.add(&run, runs.format());
            logs.update(&run, runs.format(), several.then_some(&file));
        }
        let (format, noted) = contents.finish(&runs);
        formats.push(format);
        let named = |note| if several { format!("{file}: {note}") } else { note };
        notes.extend(noted.into_iter().map(named));
    }
    forms.show(logs.finish(common_format(formats), notes))
}
