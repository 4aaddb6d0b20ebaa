//! A reader of plans inside prose: one pass from left to right, without recursion.
//!
//! At an error in the JSON, the reader discards all open brackets and continues from there. It goes
//! back only after a single quote that is not closed on its line, once per line. So time and memory
//! are linear in the length of any text.

use super::{
    entry::{Entry, Scalar, Value},
    json_string,
};
use crate::values::unreadable_reason::UnreadableReason;

/// A list that may be a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
    /// The bytes of the JSON that contains the list, or of the list itself if the JSON is broken.
    pub(crate) bytes: std::ops::Range<usize>,
    /// The number of such lists in the text.
    pub(crate) found: usize,
    /// The end of the last complete entry, if the text ends within the list.
    pub(crate) cut_off: Option<usize>,
    /// The number of commas before a closing bracket.
    pub(crate) trailing_commas: usize,
    /// The number of strings in single quotes.
    pub(crate) single_quoted: usize,
    /// The number of keys without quotes.
    pub(crate) unquoted: usize,
    rank: u8,
    start: usize,
}

/// Finds the plan in a text. Returns the reason and the byte at which reading failed if there is
/// none.
///
/// The plan is the last list under the key `plan`, otherwise the last list with an entry that has an id,
/// otherwise the last empty list outside other values. A list cut off by the end of the text is used if no
/// complete list outside of it is as good.
pub(crate) fn find_plan(text: &str) -> Result<List<'_>, (UnreadableReason, usize)> {
    let mut reader = Reader {
        text,
        at: 0,
        open: Vec::new(),
        found: None,
        repaired: Vec::new(),
        unclosed_before: 0,
        resume: None,
        bare_entries: false,
    };
    let mut problem = (UnreadableReason::NoJson, text.len());
    let mut furthest = 0;
    while reader.next_bracket() {
        let start = reader.at;
        let planned = reader.is_behind_plan_key();
        reader.enter(planned);
        reader.bare_entries = false;
        let mut reason = UnreadableReason::NoList;
        let mut at = start;
        while !reader.open.is_empty() {
            if reader.step().is_none() {
                at = reader.at;
                reason = if at >= text.len() {
                    reader.consider_cut_off(start);
                    UnreadableReason::CutOff
                } else {
                    UnreadableReason::BrokenJson
                };
                reader.open.clear();
            } else if let (true, Some(list)) = (reader.open.is_empty(), &mut reader.found) {
                // The outermost bracket is closed.
                if list.start >= start {
                    list.bytes = start..reader.at;
                }
            }
        }
        if reason == UnreadableReason::NoList && reader.bare_entries {
            reason = UnreadableReason::BareEntries;
        }
        // The longest attempt was most likely the plan.
        if reader.at - start >= furthest {
            furthest = reader.at - start;
            problem = (reason, at);
        }
        reader.at = reader.resume.take().unwrap_or(reader.at);
    }
    let Reader { found, repaired, .. } = reader;
    let mut list = found.ok_or(problem)?;
    let kept = list.bytes.start..list.cut_off.unwrap_or(list.bytes.end);
    for (_, what) in repaired.iter().filter(|(at, _)| kept.contains(at)) {
        match what {
            Repaired::TrailingComma => list.trailing_commas += 1,
            Repaired::SingleQuotes => list.single_quoted += 1,
            Repaired::UnquotedKey => list.unquoted += 1,
        }
    }
    Ok(list)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Open<'a>>,
    found: Option<List<'a>>,
    /// The positions of the repaired deviations from JSON.
    repaired: Vec<(usize, Repaired)>,
    /// Single quotes before this byte do not open a string.
    unclosed_before: usize,
    /// The position at which reading continues after a single quote that does not open a string.
    resume: Option<usize>,
    /// Whether this attempt read a list under the key `plan` that contains only single values.
    bare_entries: bool,
}

enum Repaired {
    TrailingComma,
    SingleQuotes,
    UnquotedKey,
}

/// A bracket that is still open.
enum Open<'a> {
    List(OpenList<'a>),
    /// An object, and the key whose value is being read.
    Object {
        start: usize,
        entry: Entry<'a>,
        key: String,
    },
}

struct OpenList<'a> {
    start: usize,
    planned: bool,
    entries: Vec<Entry<'a>>,
    /// The end of the last entry.
    end: usize,
}

impl<'a> Reader<'a> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.byte().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Moves to the next opening bracket. Returns whether there is one.
    fn next_bracket(&mut self) -> bool {
        while let Some(byte) = self.byte() {
            if matches!(byte, b'[' | b'{') {
                return true;
            }
            self.at += 1;
        }
        false
    }

    /// Returns whether the key `plan` and a colon precede the current byte. Without quotes, the key follows an opening
    /// brace, a comma or a line break.
    fn is_behind_plan_key(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default().trim_ascii_end();
        before.strip_suffix(':').is_some_and(|key| {
            let key = key.trim_ascii_end();
            let before = key.strip_suffix("plan").map(|it| it.trim_end_matches([' ', '\t']));
            key.ends_with("\"plan\"")
                || key.ends_with("'plan'")
                || before.is_some_and(|it| it.is_empty() || it.ends_with(['{', ',', '\n']))
        })
    }

    /// Opens the bracket at the current byte.
    fn enter(&mut self, planned: bool) {
        let start = self.at;
        self.open.push(if self.byte() == Some(b'[') {
            Open::List(OpenList { start, planned, entries: Vec::new(), end: start + 1 })
        } else {
            Open::Object { start, entry: Entry::object(), key: String::new() }
        });
        self.at += 1;
    }

    /// Reads one element, one field or one closing bracket of the innermost open bracket. Returns
    /// `None` if the text is not JSON.
    fn step(&mut self) -> Option<()> {
        self.skip_space();
        let (in_list, first) = match self.open.last()? {
            Open::List(list) => (true, list.entries.is_empty()),
            Open::Object { entry, .. } => (false, entry.fields == 0),
        };
        let closing = if in_list { b']' } else { b'}' };
        let byte = self.byte()?;
        if byte == closing {
            self.at += 1;
            return self.close();
        }
        if !first {
            (byte == b',').then_some(())?;
            let comma = self.at;
            self.at += 1;
            self.skip_space();
            if self.byte()? == closing {
                self.repaired.push((comma, Repaired::TrailingComma));
                self.at += 1;
                return self.close();
            }
        }
        if !in_list {
            let read = self.key()?;
            self.skip_space();
            (self.byte()? == b':').then_some(())?;
            self.at += 1;
            self.skip_space();
            if let Open::Object { key, .. } = self.open.last_mut()? {
                *key = read;
            }
        }
        match self.byte()? {
            b'[' | b'{' => {
                let planned =
                    matches!(self.open.last()?, Open::Object { key, .. } if key == "plan");
                self.enter(planned);
            }
            b'"' | b'\'' => {
                let text = self.string()?;
                self.give(Value::Scalar(Scalar::Text(text)), None);
            }
            _ => {
                let bare = self.bare(in_list)?;
                self.give(Value::Scalar(Scalar::Bare(bare)), None);
            }
        }
        Some(())
    }

    /// Removes the innermost bracket, which has been closed.
    fn close(&mut self) -> Option<()> {
        match self.open.pop()? {
            Open::Object { start, entry, .. } => {
                let written = self.text.get(start..self.at).unwrap_or_default();
                match self.open.last() {
                    Some(Open::Object { .. }) => self.give(entry.nested(written), None),
                    _ => self.give(Value::Nested { written, only: None }, Some(entry)),
                }
            }
            Open::List(list) => {
                let written = self.text.get(list.start..self.at).unwrap_or_default();
                let scalars = list.entries.iter().map(|entry| entry.scalar.clone());
                let value = scalars
                    .collect::<Option<_>>()
                    .map_or(Value::Nested { written, only: None }, Value::List);
                self.consider(list.start, list, None);
                self.give(value, None);
            }
        }
        Some(())
    }

    /// Adds a value to the innermost open bracket.
    fn give(&mut self, value: Value<'a>, object: Option<Entry<'a>>) {
        match self.open.last_mut() {
            Some(Open::List(list)) => {
                let scalar = match value {
                    Value::Scalar(scalar) => Some(scalar),
                    _ => None,
                };
                list.entries.push(object.unwrap_or(Entry { scalar, ..Entry::default() }));
                list.end = self.at;
            }
            Some(Open::Object { entry, key, .. }) => entry.take(key, &value),
            None => {}
        }
    }

    /// Keeps a list if it is a better plan than the one found before. `json` is the start of the
    /// JSON that contains it; `cut_off` is the end of its last entry if the text ends within it.
    fn consider(&mut self, json: usize, list: OpenList<'a>, cut_off: Option<usize>) {
        let OpenList { start, planned, entries, .. } = list;
        let has_id = entries.iter().any(|entry| entry.id.value.is_some());
        let is_bare = |entry: &Entry<'_>| entry.scalar.is_some();
        self.bare_entries |= planned && !entries.is_empty() && entries.iter().all(is_bare);
        let is_complete_and_empty = entries.is_empty() && cut_off.is_none();
        let rank = match (planned, has_id, is_complete_and_empty) {
            (true, true, _) | (true, _, true) => 2,
            (false, true, _) => 1,
            (false, _, true) if self.open.is_empty() => 0,
            _ => return,
        };
        let mut found = 1;
        if let Some(list) = &mut self.found {
            if list.rank > rank {
                return;
            }
            if list.rank == rank {
                // A list within this one is not counted as another plan.
                let is_before = list.start < start;
                found = list.found + usize::from(is_before);
                if is_before && cut_off.is_some() {
                    list.found = found;
                    return;
                }
            }
        }
        self.found = Some(List {
            entries,
            bytes: json..self.at,
            found,
            cut_off,
            trailing_commas: 0,
            single_quoted: 0,
            unquoted: 0,
            rank,
            start,
        });
    }

    /// Considers a list that is cut off by the end of the text: the outermost one under the key
    /// `plan`, otherwise the outermost of all. `json` is the start of its JSON.
    fn consider_cut_off(&mut self, json: usize) {
        let mut lists = std::mem::take(&mut self.open).into_iter().filter_map(|open| match open {
            Open::List(list) => Some(list),
            Open::Object { .. } => None,
        });
        let Some(outermost) = lists.next() else { return };
        let planned = if outermost.planned { None } else { lists.find(|list| list.planned) };
        let list = planned.unwrap_or(outermost);
        let end = list.end;
        self.consider(json, list, Some(end));
    }

    /// Reads a key, in quotes of either kind or as a name without quotes.
    fn key(&mut self) -> Option<String> {
        let start = self.at;
        let name = name_at(self.text, start);
        if name.is_empty() {
            return self.string();
        }
        self.at += name.len();
        self.skip_space();
        // At another character, the error is that the name has no quotes.
        if self.byte()? != b':' {
            self.at = start;
            return None;
        }
        self.repaired.push((start, Repaired::UnquotedKey));
        Some(name.to_owned())
    }

    /// Reads a string in quotes of either kind. A single quote that is not closed on its line is an
    /// apostrophe, and reading continues after it.
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let single = self.byte()? == b'\'';
        if single && start < self.unclosed_before {
            return None;
        }
        let read = json_string::read(self.text, &mut self.at);
        match (&read, single) {
            (Some(_), true) => self.repaired.push((start, Repaired::SingleQuotes)),
            (None, true) => {
                self.unclosed_before = self.at;
                self.resume = Some(start + 1);
            }
            (_, false) => {}
        }
        read
    }

    /// Reads a value other than a string, a list or an object, up to the next element or field. In
    /// an object a comma ends the value only before a key or a closing bracket, so `1,200` is one
    /// value.
    fn bare(&mut self, in_list: bool) -> Option<&'a str> {
        let start = self.at;
        loop {
            match self.byte()? {
                b'"' | b'[' | b'{' => return None,
                b']' | b'}' | b'\n' => break,
                b',' if in_list || self.value_ends() => break,
                _ => self.at += 1,
            }
        }
        let bare = self.text.get(start..self.at)?.trim_ascii();
        (!bare.is_empty()).then_some(bare)
    }

    /// Returns whether a key or a closing bracket follows the comma at the current byte.
    fn value_ends(&self) -> bool {
        let rest = self.text[self.at + 1..].trim_ascii_start();
        let name = name_at(rest, 0);
        rest.starts_with(['"', '\'', '}', ']'])
            || !name.is_empty() && rest[name.len()..].trim_ascii_start().starts_with(':')
    }
}

/// Returns the name at a byte of a text: ASCII letters, digits and `_`, not starting with a digit. Empty if there is
/// none.
fn name_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    if rest.starts_with(|first: char| first.is_ascii_digit()) {
        return "";
    }
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    &rest[..end.unwrap_or(rest.len())]
}
