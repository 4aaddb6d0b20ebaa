use std::io::Read;

use crate::{
    engines::json::reader::Json,
    error::Error,
    formats::run_iterator::{RunIterator, until_error},
    read_options::ReadOptions,
    values::run::Run,
};

/// The values of a file, one run each: JSON Lines, values one after the other, or one list. `read`
/// reads one value, given its number from 1.
pub(crate) fn documents<'a>(
    source: impl Read + 'a,
    options: &ReadOptions,
    mut read: impl FnMut(&mut Json<'a>, u64, &ReadOptions) -> Result<Run, Error> + 'a,
) -> Result<RunIterator<'a>, Error> {
    let (mut json, options, mut number) = (Json::new(source, options.limits), *options, 0);
    let is_list = json.after_space()? == Some(b'[');
    if is_list {
        json.begin_list()?;
    }
    Ok(until_error(move || {
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
    }))
}
