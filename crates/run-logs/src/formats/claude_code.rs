//! Sessions of Claude Code: its own files, and what it prints with `--output-format stream-json`.

mod line;
mod session;

use std::{
    fs, io,
    io::Read,
    path::{Path, PathBuf},
};

use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    format::{About, ReadOptions},
    formats::{
        claude_code::{
            line::{Line, line},
            session::Session,
        },
        content_of,
        log_reader::{Log, LogReader, Opened, Reader},
        session_lines::session_lines,
    },
    values::run::Run,
};

/// The reader of the files of sessions.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| {
        let is_summary = shape.has_all(&["summary", "leafUuid"]);
        let is_snapshot = shape.has_all(&["messageId", "snapshot"]);
        shape.has("type")
            && !shape.has("projectHash")
            && (shape.has("sessionId") || is_summary || is_snapshot)
    },
    open: |log| {
        // The files of the subagents are in a folder with the name of the session.
        let folder = log.path.as_deref().and_then(|path| Some(path.with_file_name(stem(path)?)));
        Ok(open(log, folder))
    },
    about: About {
        source: "`~/.claude/projects/*/*.jsonl`, with the folders of the same names",
        reads: "text, calls and their errors, usage, subagents, stop reasons, wall time",
        lacks: "task and outcome: `--outcomes`, by the id of the session; cost: `--prices`; output tokens of interrupted replies, \
                and of all replies before version 2.1.97; usage of compactions and titles; stops by `--max-budget-usd`; time of \
                model calls and of most tools; log-probabilities: not available",
    },
};

/// The reader of the printed form.
pub(crate) const STREAM: Reader = Reader {
    recognizes: |shape| {
        shape.has_all(&["type", "session_id"]) && (shape.has("uuid") || shape.has("subtype"))
    },
    open: |log| Ok(open(log, None)),
    about: About {
        source: "`claude -p --output-format stream-json --verbose`",
        reads: "text, calls and their errors, total usage and cost by model, subagents, stop reasons, wall time",
        lacks: "task and outcome: `--outcomes`, by the id of the session; output tokens of a reply: only their total, without those of \
                interrupted replies; replies of subagents of subagents; log-probabilities: not available",
    },
};

fn open(log: Log<'_>, folder: Option<PathBuf>) -> Opened<'_> {
    let Log { source, format, options, .. } = log;
    let folders = OWNED.iter().filter_map(|name| Some(folder.as_ref()?.join(name)));
    let owned = folders.filter(|folder| folder.is_dir()).collect();
    let sessions = Sessions { json: Some(reader(source, &options)), next: None, folder, options };
    Opened { owned, has_copies: true, ..Opened::new(format, sessions) }
}

/// The folders of a session. Results of tools are texts of any kind, and no logs.
const OWNED: [&str; 2] = ["subagents", "tool-results"];

/// Returns the name of a file without its ending, which is `.jsonl` for most, and may be followed by that of a packed file.
fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let is_packed = |stem: &&str| stem.ends_with(".jsonl");
    let packed = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending));
    let (stem, _) = packed.filter(is_packed).unwrap_or(name).rsplit_once('.')?;
    Some(stem).filter(|stem| !stem.is_empty())
}

fn reader<'a>(source: impl Read + 'a, options: &ReadOptions) -> Json<'a> {
    let mut json = Json::new(source, options.limits);
    json.replaces_halves = true;
    json
}

/// The sessions of one file. Only the printed form may hold several.
struct Sessions<'a> {
    json: Option<Json<'a>>,
    /// The first line of the next session.
    next: Option<Box<Line>>,
    /// The folder of the subagents.
    folder: Option<PathBuf>,
    options: ReadOptions,
}

impl LogReader for Sessions<'_> {
    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        let Some(mut json) = self.json.take() else { return Ok(None) };
        json.begin_run();
        let mut session = Session::default();
        if let Some(line) = self.next.take() {
            session.add(*line, &mut json)?;
        }
        while json.next_line()? {
            let read = match line(&mut json) {
                Err(error) if error.is_cut() => {
                    session.is_cut = true;
                    break;
                }
                read => read?,
            };
            if session.is_other(&read) {
                (self.next, self.json) = (Some(Box::new(read)), Some(json));
                return Ok(Some(session.run()));
            }
            session.add(read, &mut json)?;
        }
        let (_, mut held) = json.into_run();
        for path in self.folder.iter().flat_map(|folder| agents_in(&folder.join("subagents"), 3)) {
            held = self.agent(&path, &mut session, held).map_err(|error| error.in_file(&path))?;
        }
        Ok(Some(session.run()))
    }
}

impl Sessions<'_> {
    /// Adds the file of a subagent to a session that holds a number of bytes; returns the new number.
    fn agent(&self, path: &Path, session: &mut Session, held: usize) -> Result<usize, Error> {
        let limits = self.options.limits;
        let mut json = reader(content_of(path, limits)?.0, &self.options);
        json.continue_run(None, held);
        let stem = stem(path).unwrap_or_default();
        session.agent = stem.strip_prefix("agent-").map(str::to_owned);
        session.is_cut |= session_lines(&mut json, |json| {
            let line = line(json)?;
            session.add(line, json)
        })?;
        let about = path.with_file_name(format!("{stem}.meta.json"));
        if about.is_file() {
            let mut json = Json::new(content_of(&about, limits)?.0, limits);
            let (mut kind, mut call) = (None, None);
            fields!(given |json| {
                "agentType" => kind = Some(json.text()?),
                "toolUseId" => call = Some(json.text()?),
            })?;
            session.describe_agent(kind, call);
        }
        Ok(json.into_run().1)
    }
}

/// Returns the files of subagents in a folder and in its subfolders to a depth, sorted. A folder that cannot be read has none.
fn agents_in(folder: &Path, depth: u8) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(io::Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let files = |path: PathBuf| -> Vec<PathBuf> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let endings = [".jsonl", ".jsonl.gz", ".jsonl.zst"];
        let is_agent = name.starts_with("agent-") && endings.iter().any(|it| name.ends_with(it));
        if path.is_dir() && !path.is_symlink() && depth > 0 {
            agents_in(&path, depth - 1)
        } else {
            Vec::from_iter((is_agent && path.is_file()).then_some(path))
        }
    };
    paths.into_iter().flat_map(files).collect()
}
