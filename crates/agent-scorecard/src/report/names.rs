//! The names of the columns of a report.

use std::{collections::BTreeMap, path::Path};

/// The file extensions that are removed from names. Other parts after a dot belong to the name, as in `gpt-4.1`.
const ENDINGS: [&str; 7] = ["csv", "eval", "json", "jsonl", "ndjson", "tsv", "txt"];

/// Returns the name of a file without its ending, and of a folder; the path itself if it ends in none.
fn stem(path: &str) -> &str {
    let Some(name) = Path::new(path).file_name().and_then(|name| name.to_str()) else {
        return path;
    };
    match name.rsplit_once('.') {
        Some((stem, ending))
            if !stem.is_empty()
                && ENDINGS.contains(&&*ending.to_lowercase())
                && !Path::new(path).is_dir() =>
        {
            stem
        }
        _ => name,
    }
}

/// Returns the time and the task in the default file name of an inspect_ai log, such as
/// `2026-11-26T13-43-38+00-00_sums_ERjGcaq3WBFurL62izSPtV`.
fn made_by_inspect(stem: &str) -> Option<[&str; 2]> {
    let (time, rest) = stem.split_once('_')?;
    let (task, id) = rest.rsplit_once('_')?;
    let form: String = time.chars().map(|it| if it.is_ascii_digit() { '0' } else { it }).collect();
    let is_time = ["0000-00-00T00-00-00-00-00", "0000-00-00T00-00-00+00-00"].contains(&&*form);
    let is_id = id.len() == 22 && id.bytes().all(|it| it.is_ascii_alphanumeric());
    (is_time && is_id).then(|| [&time[..19], task])
}

/// Shortens a name to at most this many letters, including the `…` that replaces its middle; a limit of 0 also gives
/// `…`. The middle is cut because names of one family differ at either end.
///
/// ```
/// use agent_scorecard::shortened;
///
/// assert_eq!(shortened("abcdefghij", 10), "abcdefghij");
/// assert_eq!(shortened("äbcdefghijk", 10), "äbcd…hijk");
/// ```
#[must_use]
pub fn shortened(name: &str, longest: usize) -> String {
    let letters = name.chars().count();
    if letters <= longest {
        return name.to_owned();
    }
    let half = longest.saturating_sub(1) / 2;
    let start = name.chars().take(half);
    start.chain(['…']).chain(name.chars().skip(letters - half)).collect()
}

/// Returns a name for a log, made of its model and its task, if its file has inspect_ai's default name; `None` for any
/// other file. `task` is the task of a run in the log, such as `two_sums/7`: the task of the log, a slash and the
/// sample.
///
/// ```
/// use agent_scorecard::log_name;
///
/// let file = "logs/2026-11-26T13-43-38-00-00_two-sums_ERjGcaq3WBFurL62izSPtV.eval";
/// assert_eq!(log_name(file, Some("openai/gpt-4.1"), Some("two_sums/7")).unwrap(), "openai/gpt-4.1 two_sums");
/// assert_eq!(log_name("logs/baseline.eval", Some("gpt-4.1"), None), None);
/// ```
#[must_use]
pub fn log_name(file: &str, model: Option<&str>, task: Option<&str>) -> Option<String> {
    let [_, of_file] = made_by_inspect(stem(file))?;
    let plain = |text: &str| text.replace(|letter: char| !letter.is_alphanumeric(), "-");
    let task = task.and_then(|task| {
        let ends = task.match_indices('/').map(|(at, _)| &task[..at]);
        ends.chain([task]).find(|start| plain(start) == plain(of_file))
    });
    let task = task.unwrap_or(of_file);
    Some(model.map_or_else(|| task.to_owned(), |model| format!("{model} {task}")))
}

/// The given name of a column, which may be empty, its file, and its model if the file has several.
pub(crate) type Given<'a> = (&'a str, &'a str, Option<&'a str>);

/// Returns the names that a column can have, the shortest first.
fn spellings(&(name, file, model): &Given<'_>) -> Vec<String> {
    let of_model = |text: &str| match model {
        Some(model) => format!("{text} {model}"),
        None => text.to_owned(),
    };
    let stem = stem(file);
    let mut all = Vec::new();
    match (name, model) {
        ("", Some(model)) => all.push(model.to_owned()),
        ("", None) => {}
        (name, _) => {
            all.push(of_model(name));
            all.extend(made_by_inspect(stem).map(|[time, _]| of_model(&format!("{name} {time}"))));
        }
    }
    all.extend([of_model(stem), of_model(file)]);
    all
}

/// Returns the names of columns. A column without a given name is named after its model or its file. Other columns
/// affect its name only if their names would be equal.
pub(crate) fn names(columns: &[Given<'_>]) -> Vec<String> {
    let all: Vec<Vec<String>> = columns.iter().map(spellings).collect();
    let mut chosen = vec![0; columns.len()];
    loop {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, names) in all.iter().enumerate() {
            groups.entry(&names[chosen[at]]).or_default().push(at);
        }
        let equal = groups.into_values().filter(|group| group.len() > 1).flatten();
        let longer: Vec<usize> = equal.filter(|&at| chosen[at] + 1 < all[at].len()).collect();
        if longer.is_empty() {
            break;
        }
        longer.into_iter().for_each(|at| chosen[at] += 1);
    }
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    let chosen = all.iter().zip(chosen).map(|(names, chosen)| names[chosen].as_str());
    let name = |name| {
        let time = times.entry(name).or_default();
        *time += 1;
        if *time == 1 { name.to_owned() } else { format!("{name} ({time})") }
    };
    chosen.map(name).collect()
}
