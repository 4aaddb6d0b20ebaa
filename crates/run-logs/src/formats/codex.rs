//! Rollouts of Codex: the files of its sessions.

mod line;
mod rollout;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    io::{self, Read},
    iter,
    path::{Path, PathBuf},
};

use crate::{
    engines::{folder::open_file, json::reader::Json},
    error::Error,
    format::{About, ReadOptions},
    formats::{
        codex::{line::line, rollout::Rollout},
        log_reader::{Log, Opened, Reader},
        session_lines::{complete, in_order, session_lines},
    },
    values::run::Run,
};

/// The reader of rollouts.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| {
        shape.has_all(&["timestamp", "type", "payload"])
            && matches!(
                shape.text("type"),
                Some("session_meta" | "response_item" | "event_msg" | "turn_context")
            )
    },
    open,
    about: About {
        source: "`~/.codex/sessions/*/*/*/rollout-*.jsonl`",
        reads: "text, calls, their success and time, usage, subagents, stop reasons, wall time",
        lacks: "task and outcome: `--outcomes`, by the id of the thread; cost: `--prices`; usage of interrupted calls; failed calls \
                that were repeated; copies in forks of versions without ids of turns; time of model calls; log-probabilities: not \
                available",
    },
};

/// The most files of one session.
const MOST_FILES: usize = 10_000;

fn open(log: Log<'_>) -> Result<Opened<'_>, Error> {
    let Log { source, format, path, options, .. } = log;
    let mut owned = Vec::new();
    let run = session(source, path.as_deref(), &options, &mut owned);
    Ok(Opened { owned, has_copies: true, ..Opened::new(format, iter::once(run)) })
}

/// Reads a thread and the threads that it started, as far as their files lie in the same folder.
fn session(
    source: impl Read,
    path: Option<&Path>,
    options: &ReadOptions,
    owned: &mut Vec<PathBuf>,
) -> Result<Run, Error> {
    let mut json = Json::new(source, options.limits);
    json.begin_run();
    let mut threads = vec![thread(&mut json)?];
    let mut held = json.into_run().1;
    let (mut known, mut at) = (HashSet::from([threads[0].id.clone()]), 0);
    let (mut files, mut n_unread) = (None, 0_i64);
    // The list grows while it is read.
    while let Some(started) = threads.get(at).map(|thread| thread.started()) {
        for id in started {
            if !known.insert(id.clone()) || known.len() > MOST_FILES {
                continue;
            }
            let files = files.get_or_insert_with(|| rollouts_beside(path));
            let end = reversed(&format!("-{id}.jsonl"));
            let first = files.range(end.clone()..).next();
            let Some((_, file)) = first.filter(|(name, it)| name.starts_with(&end) && it.is_file())
            else {
                n_unread += 1;
                continue;
            };
            let read = || {
                let source = open_file(file).map_err(|error| Error::io(&error))?;
                let mut json = Json::new(source, options.limits);
                json.continue_run(None, held);
                Ok((thread(&mut json)?, json.into_run().1))
            };
            let (thread, now_held) = read().map_err(|error: Error| error.in_file(file))?;
            held = now_held;
            owned.push(file.clone());
            threads.push(thread);
        }
        at += 1;
    }
    let mut run = threads[0].run();
    if n_unread > 0 {
        run.note("n_unread_subagents", n_unread);
    }
    let positions: HashMap<&String, usize> =
        threads.iter().enumerate().map(|(at, thread)| (&thread.id, at)).collect();
    let started = threads.iter().flat_map(|thread| &thread.starts).map(|(call, ids)| {
        (call.clone(), ids.iter().filter_map(|id| positions.get(id).copied()).collect())
    });
    let started = started.collect();
    let is_cut = threads.iter().any(|thread| thread.is_cut);
    let (n_unfinished, has_copies) = threads.iter().fold((0, false), |(n, any), thread| {
        (n + thread.n_unfinished, any || thread.has_unknown_copies())
    });
    let turns = threads.iter().map(|thread| thread.turns.clone()).collect();
    run.turns = in_order(turns, &started);
    complete(&mut run, n_unfinished, is_cut);
    if has_copies {
        run.usage = Default::default();
        run.note("has_copied_history", true);
    }
    Ok(run)
}

/// Reads one file.
fn thread(json: &mut Json<'_>) -> Result<Rollout, Error> {
    let mut rollout = Rollout::default();
    rollout.is_cut = session_lines(json, |json| {
        let line = line(json)?;
        rollout.add(line, json)
    })?;
    rollout.close();
    Ok(rollout)
}

/// Returns the entries of the folder of a file by their reversed names, so that those with the same end are neighbours. A folder that
/// cannot be read has none.
fn rollouts_beside(path: Option<&Path>) -> BTreeMap<Vec<u8>, PathBuf> {
    let folder = path.and_then(Path::parent).map(fs::read_dir);
    let entries = folder.into_iter().flatten().flatten().filter_map(io::Result::ok);
    entries.map(|it| (reversed(&it.file_name().to_string_lossy()), it.path())).collect()
}

fn reversed(name: &str) -> Vec<u8> {
    name.bytes().rev().collect()
}
