use std::{
    io::{Read, Seek},
    sync::Arc,
    vec::IntoIter,
};

use crate::{
    engines::{archive::directory::Directory, json::reader::Json},
    error::{Error, Place, Problem},
    formats::{
        inspect::{
            chunked_sample::{Entry, chunked_sample},
            header::Header,
            sample::sample,
        },
        run_iterator::HeadOf,
    },
    read_options::ReadOptions,
    values::run::Run,
};

/// The samples of an archive, unpacked one at a time.
pub(crate) struct ArchiveLog<R> {
    directory: Directory<R>,
    header: Header,
    samples: IntoIter<String>,
    options: ReadOptions,
}

impl<R: Read + Seek> ArchiveLog<R> {
    pub(crate) fn open(source: R, options: &ReadOptions, head: &HeadOf) -> Result<Self, Error> {
        let directory = Directory::open(source, options.limits)?;
        // A run that was killed has a journal instead of a header.
        let mut header = None;
        for name in ["header.json", "_journal/start.json"] {
            if header.is_none() {
                header = json(&directory, name, options, Header::within)?.flatten();
            }
        }
        let mut header = header.ok_or_else(|| {
            Error::invalid(Place::default(), Problem::Missing).in_entry("header.json")
        })?;
        Arc::make_mut(&mut header.evaluation).status.get_or_insert_with(|| "started".to_owned());
        // The archive has one head.
        let _ = head.set(Arc::clone(&header.evaluation));
        let samples = samples(&directory)?;
        Ok(Self { directory, header, samples: samples.into_iter(), options: *options })
    }

    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        let Some(name) = self.samples.next() else {
            return Ok(None);
        };
        let (header, options) = (&self.header, &self.options);
        if let Entry::Shell(folder) = Entry::of(&name) {
            return chunked_sample(&self.directory, folder, header, options).map(Some);
        }
        json(&self.directory, &name, options, |json| sample(json, header, options))
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

/// Reads an entry that is one JSON value.
fn json<R: Read + Seek, T>(
    directory: &Directory<R>,
    name: &str,
    options: &ReadOptions,
    read: impl FnOnce(&mut Json<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    directory.read_whole(name, |content| {
        let mut json = Json::new(content, options.limits);
        json.place_mut().entry = Some(name.to_owned());
        let found = read(&mut json)?;
        json.end()?;
        Ok(found)
    })
}

impl<R: Read + Seek> Iterator for ArchiveLog<R> {
    type Item = Result<Run, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_run().transpose()
    }
}
