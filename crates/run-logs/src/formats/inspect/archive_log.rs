use std::{
    io::{self, Read, Seek},
    vec::IntoIter,
};

use crate::{
    engines::{archive::directory::Directory, json::reader::Json},
    error::{Error, Place, Problem},
    formats::inspect::{header::Header, sample::sample},
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
    pub(crate) fn open(source: R, options: &ReadOptions) -> Result<Self, Error> {
        let directory = Directory::open(source, options.limits())?;
        // A run that was killed has a journal in place of a header.
        let mut header = None;
        for name in ["header.json", "_journal/start.json"] {
            if header.is_none()
                && let Some(content) = directory.read(name)?
            {
                header = Self::content(name, content, options, Header::within)?;
            }
        }
        let header = header.ok_or_else(|| {
            Error::invalid(Place::default(), Problem::Missing).in_entry("header.json")
        })?;
        let is_sample =
            |name: &&str| name.strip_prefix("samples/").is_some_and(|name| name.ends_with(".json"));
        let samples: Vec<String> = directory.names().filter(is_sample).map(str::to_owned).collect();
        Ok(Self { directory, header, samples: samples.into_iter(), options: *options })
    }

    /// Reads an entry whole, so that its checksum is checked.
    fn content<T>(
        name: &str,
        content: impl Read,
        options: &ReadOptions,
        read: impl FnOnce(&mut Json<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut content = content;
        let found = {
            let mut json = Json::new(content.by_ref(), options.limits());
            json.place_mut().entry = Some(name.to_owned());
            let found = read(&mut json)?;
            json.end()?;
            found
        };
        let place = || Place { entry: Some(name.to_owned()), ..Place::default() };
        io::copy(&mut content, &mut io::sink()).map_err(|error| Error::io(place(), &error))?;
        Ok(found)
    }

    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        let Some(name) = self.samples.next() else {
            return Ok(None);
        };
        if is_chunk(&name) {
            let what = "the chunked form of samples";
            let error = Error::invalid(Place::default(), Problem::Unsupported { what });
            return Err(error.in_entry(&name));
        }
        let Some(content) = self.directory.read(&name)? else {
            return Ok(None);
        };
        let (header, options) = (&self.header, &self.options);
        Self::content(&name, content, options, |json| sample(json, header, options)).map(Some)
    }
}

/// Whether an entry is a part of a sample: `samples/{id}_epoch_{n}/sample.json`. Ids may hold
/// slashes, so that the folder's name decides.
fn is_chunk(name: &str) -> bool {
    name.rsplit('/').skip(1).any(|folder| {
        folder.rsplit_once("_epoch_").is_some_and(|(_, epoch)| {
            !epoch.is_empty() && epoch.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

impl<R: Read + Seek> Iterator for ArchiveLog<R> {
    type Item = Result<Run, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_run().transpose()
    }
}
