use std::io::Read;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    formats::inspect::{header::Header, sample::sample},
    read_options::ReadOptions,
    values::run::Run,
};

/// The samples of a log that is one JSON object, read one at a time.
pub(crate) struct JsonLog<'a> {
    json: Json<'a>,
    options: ReadOptions,
    header: Option<Header>,
    state: State,
}

#[derive(PartialEq)]
enum State {
    InLog,
    InSamples,
    Done,
}

impl<'a> JsonLog<'a> {
    pub(crate) fn open(source: impl Read + 'a, options: &ReadOptions) -> Result<Self, Error> {
        let mut json = Json::new(source, options.limits());
        json.begin_object()?;
        Ok(Self { json, options: *options, header: None, state: State::InLog })
    }

    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        loop {
            match self.state {
                State::Done => return Ok(None),
                State::InLog => match self.json.next_field(&[&["eval", "samples"]])? {
                    None => {
                        self.state = State::Done;
                        self.json.end()?;
                        if self.header.is_none() {
                            return Err(self.json.error_at("eval", Problem::Missing));
                        }
                    }
                    Some("eval") => self.header = Some(Header::eval(&mut self.json)?),
                    Some(_) if self.json.null()? => {}
                    Some(_) if self.header.is_none() => {
                        let what = "a log with `samples` before `eval`";
                        return Err(self.json.error(Problem::Unsupported { what }));
                    }
                    Some(_) => {
                        self.json.begin_list()?;
                        self.state = State::InSamples;
                    }
                },
                State::InSamples => {
                    if self.json.next_element()? {
                        self.json.begin_run();
                        let header = self.header.clone().unwrap_or_default();
                        return sample(&mut self.json, &header, &self.options).map(Some);
                    }
                    self.json.begin_run();
                    self.state = State::InLog;
                }
            }
        }
    }
}

impl Iterator for JsonLog<'_> {
    type Item = Result<Run, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_run();
        if next.is_err() {
            self.state = State::Done;
        }
        next.transpose()
    }
}
