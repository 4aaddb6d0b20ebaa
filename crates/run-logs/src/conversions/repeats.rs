use std::{
    collections::HashMap,
    fmt::{self, Write},
    hash::{DefaultHasher, Hasher},
};

use crate::values::run::Run;

/// The runs read so far, indexed by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    rows: HashMap<[u64; 2], usize>,
}

/// The names of a run: its unique id, its sample within an evaluation and the retries of the evaluation, and the content of a
/// line.
#[derive(Clone, Debug)]
pub(crate) struct Names(Vec<[u64; 2]>);

impl Names {
    pub(crate) fn of(run: &Run) -> Self {
        let (id, model) = (&run.id, &run.model);
        let mut names = Vec::new();
        if let Some(uuid) = &run.uuid {
            names.push(digest(format_args!("uuid {uuid:?} {:?} {model:?}", run.trial)));
        }
        let evaluation = run.evaluation.as_ref();
        if let Some(of) = evaluation.and_then(|it| it.task_id.as_ref().or(it.id.as_ref())) {
            names.push(digest(format_args!("sample {of:?} {id:?} {:?} {model:?}", run.trial)));
        }
        // Runs without a unique name may well look alike.
        if names.is_empty() && !run.is_numbered {
            names.push(digest(format_args!("line {}", Content(run))));
        }
        Self(names)
    }
}

impl Names {
    /// Returns whether both are names of one run.
    pub(crate) fn are_those_of(&self, other: &Self) -> bool {
        self.0.iter().any(|name| other.0.contains(name))
    }
}

impl Seen {
    /// Returns the row of the run with one of these names. From now on, all of the names lead to this row, or to the row `next`
    /// if there was none.
    pub(crate) fn row(&mut self, Names(names): &Names, next: usize) -> Option<usize> {
        let found = names.iter().find_map(|name| self.rows.get(name)).copied();
        let row = found.unwrap_or(next);
        self.rows.extend(names.iter().map(|name| (*name, row)));
        found
    }
}

/// The content of a run's line.
struct Content<'a>(&'a Run);

impl fmt::Display for Content<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Run { id, task, trial, model, scores, outcome, stop, error, usage, turns, .. } = self.0;
        write!(f, "{:?}", (id, task, trial, model, scores, outcome, stop, error, usage))?;
        for turn in turns {
            let reply = turn.reply.as_ref();
            let reply = reply.map(|it| (&it.text, &it.tool_calls, &it.tokens, &it.stop, &it.usage));
            write!(f, "{:?}", (&turn.model, &turn.caller, &turn.error, reply))?;
        }
        Ok(())
    }
}

/// Returns a digest that two different texts of one file do not share.
fn digest(text: fmt::Arguments<'_>) -> [u64; 2] {
    struct Both([DefaultHasher; 2]);
    impl Write for Both {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.iter_mut().for_each(|hasher| hasher.write(text.as_bytes()));
            Ok(())
        }
    }
    let mut both = Both([DefaultHasher::new(), DefaultHasher::new()]);
    both.0[1].write_u8(1);
    // Writing into a hasher does not fail.
    let _ = both.write_fmt(text);
    both.0.map(|hasher| hasher.finish())
}
