use std::{
    io::{self, Read},
    iter,
    path::PathBuf,
    sync::Arc,
};

use crate::{
    engines::{folder::Folder, json::reader::Json},
    error::{Error, Place, Problem},
    format::{About, Format, ReadLimits, ReadOptions},
    values::{evaluation::Evaluation, run::Run},
};

/// The reader of one log.
pub(crate) trait LogReader {
    /// Reads the next run; `None` at the end of the log. It is not called again after the end or an error.
    fn next_run(&mut self) -> Result<Option<Run>, Error>;

    /// The facts from the head of the log, once it has been read: a log without a run has a head too.
    fn head(&self) -> Option<&Arc<Evaluation>> {
        None
    }
}

/// The runs of a log without a head.
impl<I: Iterator<Item = Result<Run, Error>>> LogReader for I {
    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        self.next().transpose()
    }
}

/// The reader of a format, and its description.
pub(crate) struct Reader {
    /// Returns whether the first bytes of a file show the format.
    pub(crate) recognizes: fn(&Shape) -> bool,
    pub(crate) open: for<'a> fn(Log<'a>) -> Result<Opened<'a>, Error>,
    pub(crate) about: About,
}

/// A log that is not opened yet.
pub(crate) struct Log<'a> {
    /// The content from its start, unpacked.
    pub(crate) source: Box<dyn Read + 'a>,
    pub(crate) shape: Shape,
    pub(crate) format: Format,
    /// Returns whether the first bytes of a file show this format.
    pub(crate) recognizes: fn(&Shape) -> bool,
    /// The file, which leads to the other files of a log of several files.
    pub(crate) path: Option<PathBuf>,
    /// Whether all files of the folder are read, of which this is one.
    pub(crate) is_in_folder: bool,
    pub(crate) options: ReadOptions,
}

impl<'a> Log<'a> {
    /// Opens a file whose values are runs, as [`documents`] reads them.
    pub(crate) fn documents(
        self,
        read: impl FnMut(&mut Json<'a>, u64, &ReadOptions) -> Result<Run, Error> + 'a,
    ) -> Result<Opened<'a>, Error> {
        Ok(Opened::new(self.format, documents(self.source, &self.options, read)?))
    }

    /// Returns the folder that contains the file.
    pub(crate) fn folder(&self) -> Option<Folder> {
        self.path.as_deref().and_then(Folder::of)
    }
}

/// A log that is ready to be read.
pub(crate) struct Opened<'a> {
    pub(crate) format: Format,
    pub(crate) reader: Box<dyn LogReader + 'a>,
    /// The other files and folders that belong to this log.
    pub(crate) owned: Vec<PathBuf>,
    /// Whether runs may repeat replies of other runs, as a continued session does.
    pub(crate) has_copies: bool,
}

/// What is known about an opened log, apart from its runs.
pub(crate) struct LogFacts {
    pub(crate) format: Format,
    pub(crate) owned: Vec<PathBuf>,
    pub(crate) has_copies: bool,
    pub(crate) head: Option<Arc<Evaluation>>,
}

impl<'a> Opened<'a> {
    pub(crate) fn facts(&self) -> LogFacts {
        let Self { format, has_copies, .. } = *self;
        LogFacts {
            format,
            owned: self.owned.clone(),
            has_copies,
            head: self.reader.head().cloned(),
        }
    }

    /// Opens a log of one file.
    pub(crate) fn new(format: Format, reader: impl LogReader + 'a) -> Self {
        Self { format, reader: Box::new(reader), owned: Vec::new(), has_copies: false }
    }
}

/// Reads the values of a file, such as one run per value: JSON Lines, values one after the other, or one list. `read` reads one value,
/// given its number from 1.
pub(crate) fn documents<'a, T>(
    source: impl Read + 'a,
    options: &ReadOptions,
    mut read: impl FnMut(&mut Json<'a>, u64, &ReadOptions) -> Result<T, Error> + 'a,
) -> Result<impl Iterator<Item = Result<T, Error>> + 'a, Error> {
    let (mut json, options, mut number) = (Json::new(source, options.limits), *options, 0);
    let is_list = json.after_space()? == Some(b'[');
    if is_list {
        json.begin_list()?;
    }
    let mut next = move || {
        let more = if is_list {
            json.begin_run();
            json.next_element()?
        } else {
            json.next_document()?
        };
        if more {
            number += 1;
            return read(&mut json, number, &options).map(Some);
        }
        if is_list {
            json.end()?;
        }
        Ok(None)
    };
    Ok(iter::from_fn(move || next().transpose()))
}

/// The visible part of a file's first bytes: the fields of the first object, as far as they can be seen.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    fields: Vec<(String, Sketch)>,
    /// Whether the file starts with a list of such objects.
    pub(crate) is_list: bool,
    /// The problem with the object, if the problem prevents seeing more of it.
    fault: Option<(Place, Problem)>,
}

/// The known facts about a value.
#[derive(Debug)]
pub(crate) enum Sketch {
    Text(String),
    /// The keys of an object, or of the first object in a list.
    Keys(Vec<String>),
    Other,
}

impl Shape {
    /// Reads the fields of the first object in a prefix of a file, which may be the whole file.
    pub(crate) fn of(prefix: &[u8], is_whole: bool) -> Self {
        let mut shape = Self::default();
        // The end of the prefix is no fault of the file; the part before it counts.
        let rest: &mut dyn Read = if is_whole { &mut io::empty() } else { &mut Unseen };
        let read = shape.read(&mut Json::new(prefix.chain(rest), ReadLimits::default()));
        if let Err(Error::Invalid { place, problem }) = read {
            shape.fault = Some((*place, problem));
        }
        shape
    }

    /// Returns the problem with the object. `None` without a problem, and if no field was seen, because the file may
    /// then not be JSON.
    pub(crate) fn into_fault(self) -> Option<(Place, Problem)> {
        self.fault.filter(|_| !self.fields.is_empty())
    }

    fn read(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        json.next_document()?;
        if json.token()? == b'[' {
            self.is_list = true;
            json.begin_list()?;
            json.next_element()?;
        }
        json.begin_object()?;
        while let Some(key) = json.next_key()? {
            self.fields.push((key, Sketch::Other));
            let mut keys = Vec::new();
            let sketch = match json.token()? {
                b'"' => json.text().map(Sketch::Text),
                b'{' => {
                    let read = first_keys(json, &mut keys);
                    read.map(|()| Sketch::Other)
                }
                b'[' => {
                    let mut first = true;
                    json.list(|json| {
                        if std::mem::take(&mut first) && json.token()? == b'{' {
                            first_keys(json, &mut keys)
                        } else {
                            json.skip()
                        }
                    })
                    .map(|()| Sketch::Other)
                }
                _ => json.skip().map(|()| Sketch::Other),
            };
            if let Some((_, last)) = self.fields.last_mut() {
                if !keys.is_empty() {
                    *last = Sketch::Keys(keys);
                } else if let Ok(Sketch::Text(text)) = &sketch {
                    *last = Sketch::Text(text.clone());
                }
            }
            sketch?;
        }
        Ok(())
    }

    /// Returns the names of the fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(field, _)| field.as_str())
    }

    /// Returns whether the object has a field.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }

    /// Returns whether the object has all of these fields.
    pub(crate) fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.has(name))
    }

    /// Returns the text of a field.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.fields.iter().find_map(|(field, sketch)| match sketch {
            Sketch::Text(text) if field == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns whether a field is an object, or a list whose first entry is an object, with this key.
    pub(crate) fn has_key(&self, name: &str, key: &str) -> bool {
        self.fields.iter().any(|(field, sketch)| match sketch {
            Sketch::Keys(keys) => field == name && keys.iter().any(|found| found == key),
            _ => false,
        })
    }

    /// Returns whether there is a field that shows no key: its object or list is empty, or its value is of another type.
    pub(crate) fn has_no_key(&self, name: &str) -> bool {
        let is_bare = |sketch: &Sketch| !matches!(sketch, Sketch::Keys(_));
        self.fields.iter().any(|(field, sketch)| field == name && is_bare(sketch))
    }
}

/// The part after a prefix: an error, unlike the end of a file.
struct Unseen;

impl Read for Unseen {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the prefix ends here"))
    }
}

/// Collects the first 64 keys of an object; keys before the end of the prefix stay.
fn first_keys(json: &mut Json<'_>, keys: &mut Vec<String>) -> Result<(), Error> {
    json.map(|json, key| {
        if keys.len() < 64 {
            keys.push(key);
        }
        json.skip()
    })
}
