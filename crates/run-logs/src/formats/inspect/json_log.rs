use std::io::Read;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    formats::{
        inspect::{header::Header, sample::sample},
        run_iterator::{RunIterator, until_error},
    },
    read_options::ReadOptions,
    values::run::Run,
};

/// The samples of a log that is one JSON object, read one at a time.
pub(crate) struct JsonLog<'a> {
    json: Json<'a>,
    options: ReadOptions,
    header: Option<Header>,
    is_in_samples: bool,
}

impl<'a> JsonLog<'a> {
    pub(crate) fn runs(
        source: impl Read + 'a,
        options: &ReadOptions,
    ) -> Result<RunIterator<'a>, Error> {
        let mut json = Json::new(source, options.limits);
        json.begin_object()?;
        let mut log = Self { json, options: *options, header: None, is_in_samples: false };
        Ok(until_error(move || log.next_run()))
    }

    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        loop {
            if self.is_in_samples {
                let is_sample = self.json.next_element()?;
                self.json.begin_run();
                if is_sample {
                    let header = self.header.clone().unwrap_or_default();
                    return sample(&mut self.json, &header, &self.options).map(Some);
                }
                self.is_in_samples = false;
            }
            match self.json.next_field(&[&["eval", "samples"]])? {
                None => {
                    self.json.end()?;
                    let missing = || self.json.error_at("eval", Problem::Missing);
                    return self.header.as_ref().map(|_| None).ok_or_else(missing);
                }
                Some("eval") => self.header = Some(Header::eval(&mut self.json)?),
                Some(_) if self.json.null()? => {}
                Some(_) if self.header.is_none() => {
                    let what = "a log with `samples` before `eval`";
                    return Err(self.json.error(Problem::Unsupported { what }));
                }
                Some(_) => {
                    self.json.begin_list()?;
                    self.is_in_samples = true;
                }
            }
        }
    }
}
