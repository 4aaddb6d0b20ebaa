use std::io::Read;

use crate::{
    engines::json::reader::Json, error::Error, format::Format, formats::chat::document,
    read_options::ReadOptions, values::run::Run,
};

/// The documents of a file, one run each: JSON Lines, values one after the other, or one list.
pub(crate) struct Documents<'a> {
    json: Json<'a>,
    format: Format,
    options: ReadOptions,
    state: State,
    /// The number of the current document, from 1.
    number: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Values,
    List,
    Done,
}

impl<'a> Documents<'a> {
    pub(crate) fn open(
        source: impl Read + 'a,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let mut json = Json::new(source, options.limits());
        let mut state = State::Values;
        if json.after_space()? == Some(b'[') {
            json.begin_list()?;
            state = State::List;
        }
        Ok(Self { json, format, options: *options, state, number: 0 })
    }

    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        let more = match self.state {
            State::Values => self.json.next_document()?,
            State::List => {
                self.json.begin_run();
                self.json.next_element()?
            }
            State::Done => return Ok(None),
        };
        if !more {
            if self.state == State::List {
                self.json.end()?;
            }
            self.state = State::Done;
            return Ok(None);
        }
        self.number += 1;
        document::read(&mut self.json, self.format, self.number, &self.options).map(Some)
    }
}

impl Iterator for Documents<'_> {
    type Item = Result<Run, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_run();
        if next.is_err() {
            self.state = State::Done;
        }
        next.transpose()
    }
}
