//! The page of `run`.

use crate::report::{
    page::{Page, Section},
    pages::common::{Place, key_table, notes, sentence, words},
    table::Output,
};

/// The page.
pub(crate) fn page(output: Output<'_>) -> Page {
    let of = |part: &str| -> Vec<Place> {
        let row = |i: usize| {
            let pointer = format!("/rows/{i}");
            Place {
                name: output.text(&format!("{pointer}/setting")).to_owned(),
                pointer: format!("{pointer}/{part}"),
            }
        };
        (0..output.len("/rows")).map(row).collect()
    };
    let table = |part: &str| {
        let places = of(part);
        let mut names: Vec<&str> =
            places.iter().flat_map(|place| output.names(&place.pointer)).collect();
        names.sort_unstable();
        names.dedup();
        let words: Vec<String> = names.iter().map(|name| name.replace('_', " ")).collect();
        let keys: Vec<(&str, &str)> =
            names.iter().copied().zip(words.iter().map(String::as_str)).collect();
        key_table(output, &places, &keys)
    };
    let lead = sentence([
        words(format!("{} with {}: ", output.text("/benchmark"), output.text("/model"))),
        output.number("/n_runs"),
        words(" runs, "),
        output.number("/input_tokens"),
        words(" tokens of prompts and "),
        output.number("/output_tokens"),
        words(" of replies."),
    ]);
    let sections = [
        ("How good is the model?", "metrics", "No figure is defined; the counts say why."),
        ("What was counted", "counts", ""),
    ];
    let sections = sections.map(|(title, part, without)| {
        let table = table(part);
        let note = if table.is_none() { without } else { "" };
        Section { title: title.to_owned(), table, note: note.to_owned(), ..Section::default() }
    });
    let here = [Place { name: String::new(), pointer: String::new() }];
    let title = "A model in a benchmark".to_owned();
    Page { title, lead, sections: sections.into(), notes: notes(output, &here) }
}
