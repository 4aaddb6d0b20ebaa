//! Makes texts of files, models and servers safe to show in terminals, Markdown and XML.
//!
//! Every such text passes through [`line`] or [`lines`] before it is shown, or through [`json`], which keeps
//! the value, before it is printed for programs.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use agent_scorecard::{Picture, shortened};

/// The maximum number of letters in a cell of a table.
const LONGEST_CELL: usize = 200;

/// Returns whether a character can affect the display: control characters, marks that change the direction of text,
/// line separators, and characters that XML cannot represent.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns the text on one line: a character that would act is written as `\u{1b}`.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, acts, |character| character.escape_unicode().to_string())
        .map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Returns the text with such characters escaped, except for line feeds.
pub(crate) fn lines(text: String) -> String {
    let acts = |character| character != '\n' && acts(character);
    escaped(&text, acts, |character| character.escape_unicode().to_string()).unwrap_or(text)
}

/// Escapes the control characters inside the strings of a JSON text. The values of the strings stay the same.
pub(crate) fn json(text: String) -> String {
    json_escaped(&text).unwrap_or(text)
}

fn json_escaped(text: &str) -> Option<String> {
    let acts = |character| character != '\n' && acts(character);
    // All of them have four hexadecimal digits.
    escaped(text, acts, |character| format!("\\u{:04x}", u32::from(character)))
}

/// A writer of JSON text in pieces of whole characters, which are written as by [`json`].
pub(crate) struct Json<W>(pub(crate) W);

impl<W: Write> Write for Json<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let escaped = str::from_utf8(bytes).ok().and_then(json_escaped);
        self.0.write_all(escaped.as_ref().map_or(bytes, String::as_bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns the text with some characters in another form; `None` if it has none of them.
fn escaped(
    text: &str,
    acts: impl Fn(char) -> bool + Copy,
    written: impl Fn(char) -> String,
) -> Option<String> {
    let one =
        |character| if acts(character) { written(character) } else { String::from(character) };
    text.contains(acts).then(|| text.chars().map(one).collect())
}

/// Returns the picture with texts that are [`line`]s.
pub(crate) fn picture(picture: &Picture) -> Picture {
    let mut picture = picture.clone();
    let Picture { title, x, y, series, note } = &mut picture;
    let axes = [&mut x.label, &mut y.label].into_iter().chain(&mut x.categories);
    let names = series.iter_mut().map(|series| &mut series.name);
    for text in [title, note].into_iter().chain(axes).chain(&mut y.categories).chain(names) {
        if let Cow::Owned(escaped) = line(text) {
            *text = escaped;
        }
    }
    picture
}

/// Returns a note below a table, on a line of its own.
pub(crate) fn note(note: &str) -> String {
    format!("note: {}\n", line(note))
}

/// Returns the text of a table's cell, not too long for a table.
pub(crate) fn cell(text: &str) -> String {
    shortened(&line(text), LONGEST_CELL)
}
