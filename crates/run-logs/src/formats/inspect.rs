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
    format::ReadOptions,
    formats::{
        inspect::{header::Header, sample::sample},
        run_iterator::{HeadOf, RunIterator, Shape, until_error},
    },
    values::run::Run,
};

/// Returns whether the first bytes of a file show a log of inspect_ai, or one whose `eval` is invalid.
pub(crate) fn recognizes(shape: &Shape) -> bool {
    !shape.is_list
        && shape.has_all(&["version", "status", "eval"])
        && (shape.has_key("eval", "task") || shape.has_no_key("eval"))
}

/// The samples of a log that is one JSON object, read one at a time.
pub(crate) struct JsonLog<'a> {
    json: Json<'a>,
    options: ReadOptions,
    header: Header,
    head: HeadOf,
    is_in_samples: bool,
}

impl<'a> JsonLog<'a> {
    pub(crate) fn runs(
        source: impl Read + 'a,
        options: &ReadOptions,
        head: &HeadOf,
    ) -> Result<RunIterator<'a>, Error> {
        let mut json = Json::new(source, options.limits);
        json.begin_object()?;
        let header = Header::default();
        let head = Arc::clone(head);
        let mut log = Self { json, options: *options, header, head, is_in_samples: false };
        Ok(until_error(move || log.next_run()))
    }

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
                    self.publish();
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
                    self.publish();
                    self.is_in_samples = true;
                }
            }
        }
    }

    /// Publishes the evaluation, so that it is available without a sample.
    fn publish(&self) {
        // The first head is the head of the samples.
        let _ = self.head.set(Arc::clone(&self.header.evaluation));
    }
}
