//! Logs of inspect_ai, as one JSON object (`.json`) or as an archive (`.eval`).

pub(crate) mod archive_log;
pub(crate) mod events;
pub(crate) mod header;
pub(crate) mod messages;
pub(crate) mod sample;

use std::{io::Read, sync::Arc};

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    format::{About, ReadOptions},
    formats::{
        inspect::{header::Header, sample::sample},
        log_reader::{LogReader, Opened, Reader},
    },
    values::{evaluation::Evaluation, run::Run},
};

/// The reader of logs that are one JSON object; archives are recognized by their first bytes.
pub(crate) const READER: Reader = Reader {
    // A log whose `eval` is invalid is one, too.
    recognizes: |shape| {
        !shape.is_list
            && shape.has_all(&["version", "status", "eval"])
            && (shape.has_key("eval", "task") || shape.has_no_key("eval"))
    },
    open: |log| Ok(Opened::new(log.format, JsonLog::open(log.source, &log.options)?)),
    about: About {
        source: "`inspect eval tasks.py --model M`; the `.eval` or `.json` file in `logs/`, or the folder",
        reads: "outcomes by scorer, epochs, limits, errors, times, model and tool calls, usage by model, log-probabilities, stated confidence",
        lacks: "cost: `--prices`; choice of a scorer: `--scorer`",
    },
};

/// The samples of a log that is one JSON object, read one at a time.
pub(crate) struct JsonLog<'a> {
    json: Json<'a>,
    options: ReadOptions,
    header: Header,
    /// Whether the whole head has been read.
    has_head: bool,
    is_in_samples: bool,
}

impl<'a> JsonLog<'a> {
    pub(crate) fn open(source: impl Read + 'a, options: &ReadOptions) -> Result<Self, Error> {
        let mut json = Json::new(source, options.limits);
        json.begin_object()?;
        let header = Header::default();
        Ok(Self { json, options: *options, header, has_head: false, is_in_samples: false })
    }
}

impl LogReader for JsonLog<'_> {
    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        loop {
            if self.is_in_samples {
                let is_sample = self.json.next_element()?;
                self.json.begin_run();
                if is_sample {
                    return sample(&mut self.json, &self.header, &self.options).map(Some);
                }
                self.is_in_samples = false;
            }
            match self.json.next_field(&[Header::FIELDS, &["samples"]])? {
                None => {
                    self.json.end()?;
                    if !self.header.is_known {
                        return Err(self.json.error_at("eval", Problem::Missing));
                    }
                    self.has_head = true;
                    return Ok(None);
                }
                Some(field) if field != "samples" => self.header.field(&mut self.json, field)?,
                Some(_) if self.json.null()? => {}
                Some(_) if !self.header.is_known => {
                    let what = "a log with `samples` before `eval`";
                    return Err(self.json.error(Problem::Unsupported { what }));
                }
                Some(_) => {
                    self.json.begin_list()?;
                    self.has_head = true;
                    self.is_in_samples = true;
                }
            }
        }
    }

    fn head(&self) -> Option<&Arc<Evaluation>> {
        self.has_head.then_some(&self.header.evaluation)
    }
}
