use std::{
    io::{self, Read, Seek},
    sync::Arc,
    vec::IntoIter,
};

use crate::{
    engines::{archive::Directory, json::reader::Json},
    error::{Error, Place, Problem},
    format::ReadOptions,
    formats::{
        inspect::{
            header::Header,
            messages::message,
            sample::{Sample, sample},
        },
        log_reader::LogReader,
    },
    values::{evaluation::Evaluation, run::Run},
};

/// The samples of an archive, unpacked one at a time.
pub(crate) struct ArchiveLog<R> {
    directory: Directory<R>,
    header: Header,
    samples: IntoIter<String>,
    options: ReadOptions,
}

impl<R: Read + Seek> ArchiveLog<R> {
    pub(crate) fn open(source: R, options: &ReadOptions) -> Result<Self, Error> {
        let directory = Directory::open(source, options.limits)?;
        // A run that was killed has a journal instead of a header.
        let mut header = None;
        for name in ["header.json", "_journal/start.json"] {
            if header.is_none() {
                header = Parts::new(&directory, options).entry(name, Header::within)?.flatten();
            }
        }
        let mut header = header.ok_or_else(|| {
            Error::invalid(Place::default(), Problem::Missing).in_entry("header.json")
        })?;
        Arc::make_mut(&mut header.evaluation).status.get_or_insert_with(|| "started".to_owned());
        let samples = samples(&directory)?;
        Ok(Self { directory, header, samples: samples.into_iter(), options: *options })
    }
}

impl<R: Read + Seek> LogReader for ArchiveLog<R> {
    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        let Some(name) = self.samples.next() else {
            return Ok(None);
        };
        let (header, options) = (&self.header, &self.options);
        if let Entry::Shell(folder) = Entry::of(&name) {
            return chunked_sample(&self.directory, folder, header, options).map(Some);
        }
        let mut whole = Parts::new(&self.directory, options);
        whole.entry(&name, |json| sample(json, header, options))
    }

    fn head(&self) -> Option<&Arc<Evaluation>> {
        Some(&self.header.evaluation)
    }
}

/// Returns the entries that are samples, or the first entries of samples in chunks. If a sample has both forms, the chunks are
/// left out, as in inspect_ai.
fn samples<R: Read + Seek>(directory: &Directory<R>) -> Result<Vec<String>, Error> {
    let mut samples = Vec::new();
    let json = |name: &&str| name.starts_with("samples/") && name.ends_with(".json");
    for name in directory.names().filter(json) {
        match Entry::of(name) {
            Entry::Whole => samples.push(name.to_owned()),
            Entry::Shell(folder) | Entry::Part(folder)
                if directory.contains(&format!("{folder}.json")) => {}
            Entry::Shell(_) => samples.push(name.to_owned()),
            Entry::Part(folder) => {
                let shell = format!("{folder}/sample.json");
                if !directory.contains(&shell) {
                    let missing = Error::invalid(Place::default(), Problem::Missing);
                    return Err(missing.in_entry(&shell));
                }
            }
        }
    }
    Ok(samples)
}

/// The kind of an entry under `samples/`.
pub(crate) enum Entry<'a> {
    /// A whole sample.
    Whole,
    /// The first entry of the sample in this folder.
    Shell(&'a str),
    /// Another entry of the sample in this folder.
    Part(&'a str),
}

impl<'a> Entry<'a> {
    /// Ids may contain slashes, so that the last name decides.
    pub(crate) fn of(name: &'a str) -> Self {
        let (folder, last) = name.rsplit_once('/').unwrap_or(("", name));
        if is_sample(last.strip_suffix(".json").unwrap_or(last)) {
            return Self::Whole;
        }
        let mut sample = folder;
        loop {
            let (outer, inner) = sample.rsplit_once('/').unwrap_or(("", sample));
            if is_sample(inner) {
                let is_shell = sample == folder && last == "sample.json";
                return if is_shell { Self::Shell(sample) } else { Self::Part(sample) };
            }
            if outer.is_empty() {
                return Self::Whole;
            }
            sample = outer;
        }
    }
}

/// Returns whether a name ends like the names of samples: `{id}_epoch_{n}`.
fn is_sample(name: &str) -> bool {
    name.rsplit_once("_epoch_").is_some_and(|(_, epoch)| {
        !epoch.is_empty() && epoch.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Reads the sample in a folder of an archive.
pub(crate) fn chunked_sample<R: Read + Seek>(
    directory: &Directory<R>,
    folder: &str,
    header: &Header,
    options: &ReadOptions,
) -> Result<Run, Error> {
    let mut parts = Parts::new(directory, options);
    let shell = format!("{folder}/sample.json");
    let shell_read = parts.entry(&shell, |json| Sample::shell(json, options))?;
    let mut sample = shell_read
        .ok_or_else(|| Error::invalid(Place::default(), Problem::Missing).in_entry(&shell))?;
    parts.entry(&format!("{folder}/metadata.json"), |json| sample.metadata(json))?;
    parts.sequence(&format!("{folder}/events/"), |json, _| sample.event(json, options))?;
    if sample.needs_messages(options) {
        parts.sequence(&format!("{folder}/messages/"), |json, _| {
            sample.pool.push(message(json)?);
            Ok(())
        })?;
    } else {
        sample.attachments.complete();
    }
    parts.sequence(&format!("{folder}/attachments/"), |json, at| {
        sample.attachments.read_text(json, at.to_string())
    })?;
    parts.json(io::empty(), &shell, |json| sample.finish(json, header))
}

/// The entries of one sample, or a single entry.
struct Parts<'a, R> {
    directory: &'a Directory<R>,
    options: &'a ReadOptions,
    /// The state after the entries so far: the sample's name and the number of bytes that it holds.
    run: (Option<String>, usize),
}

impl<'a, R: Read + Seek> Parts<'a, R> {
    const fn new(directory: &'a Directory<R>, options: &'a ReadOptions) -> Self {
        Self { directory, options, run: (None, 0) }
    }

    /// Reads JSON as a part of the sample.
    fn json<T>(
        &mut self,
        input: impl Read,
        entry: &str,
        read: impl FnOnce(&mut Json<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut json = Json::new(input, self.options.limits);
        let (sample, held) = std::mem::take(&mut self.run);
        json.continue_run(sample, held);
        json.place_mut().entry = Some(entry.to_owned());
        let found = read(&mut json)?;
        self.run = json.into_run();
        Ok(found)
    }

    /// Reads an entry that is one JSON value; `None` if the archive has no such entry.
    fn entry<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Json<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let directory = self.directory;
        directory.read_whole(name, |input| {
            self.json(input, name, |json| {
                let found = read(json)?;
                json.end()?;
                Ok(found)
            })
        })
    }

    /// Reads the items of a sequence, each with its position.
    fn sequence(
        &mut self,
        within: &str,
        mut item: impl FnMut(&mut Json<'_>, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let start =
            |name: &str| name.strip_prefix(within)?.strip_suffix(".json")?.parse::<usize>().ok();
        let names = self.directory.names_from(within);
        let names = names.take_while(|name| name.starts_with(within));
        let mut chunks: Vec<_> = names.filter_map(|name| Some((start(name)?, name))).collect();
        chunks.sort_unstable();
        let mut count = 0;
        for (start, name) in chunks {
            if start != count {
                let value = format!("the name {start}.json");
                let problem = Problem::Value { value, expected: "the number of items before it" };
                return Err(Error::invalid(Place::default(), problem).in_entry(name));
            }
            self.entry(name, |json| {
                json.list(|json| {
                    item(json, count)?;
                    count += 1;
                    Ok(())
                })
            })?;
        }
        Ok(())
    }
}
