use std::io::Read;

use crate::{
    engines::json::reader::Json, error::Error, read_options::ReadOptions, values::run::Run,
};

/// The values of a file, one run each: JSON Lines, values one after the other, or one list.
pub(crate) struct Documents<'a, F> {
    json: Json<'a>,
    /// Reads one value, given its number from 1.
    read: F,
    options: ReadOptions,
    state: State,
    number: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Values,
    List,
    Done,
}

impl<'a, F> Documents<'a, F>
where
    F: FnMut(&mut Json<'a>, u64, &ReadOptions) -> Result<Run, Error>,
{
    pub(crate) fn open(
        source: impl Read + 'a,
        options: &ReadOptions,
        read: F,
    ) -> Result<Self, Error> {
        let mut json = Json::new(source, options.limits());
        let mut state = State::Values;
        if json.after_space()? == Some(b'[') {
            json.begin_list()?;
            state = State::List;
        }
        Ok(Self { json, read, options: *options, state, number: 0 })
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
        (self.read)(&mut self.json, self.number, &self.options).map(Some)
    }
}

impl<'a, F> Iterator for Documents<'a, F>
where
    F: FnMut(&mut Json<'a>, u64, &ReadOptions) -> Result<Run, Error>,
{
    type Item = Result<Run, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_run();
        if next.is_err() {
            self.state = State::Done;
        }
        next.transpose()
    }
}
