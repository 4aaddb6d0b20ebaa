//! Folders, packed files, and files that are no log.

use std::{fs, path::Path};

use run_logs::{Error, Format, Problem, ReadLimits, ReadOptions, Run, read_path};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::common::{Folder, fault, gzip, limited, runs, too_large};

/// A log of one run per id.
fn log(ids: impl IntoIterator<Item = String>) -> String {
    let line = |id| format!("{{\"id\":\"{id}\",\"outcome\":true,\"turns\":[]}}\n");
    ids.into_iter().map(line).collect()
}

fn zstd(text: &str) -> Vec<u8> {
    compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
}

fn at(path: &Path, options: &ReadOptions) -> Result<Vec<Run>, Error> {
    read_path(path, Format::Auto, options)?.collect()
}

#[test]
fn packed_files_hold_the_same_runs() {
    let folder = Folder::new("packed");
    let text = log((0..3000).map(|run| format!("run {run}")));
    let whole = runs(&text);
    for packed in [gzip(&text), zstd(&text), [gzip(&text[..2000]), gzip(&text[2000..])].concat()] {
        let path = folder.0.join("runs");
        fs::write(&path, &packed).unwrap();
        assert_eq!(at(&path, &ReadOptions::default()).unwrap(), whole);
        // A file that ends early is an error and not a shorter log.
        fs::write(&path, &packed[..packed.len() - 20]).unwrap();
        let (_, problem) = fault(at(&path, &ReadOptions::default()));
        assert!(matches!(problem, Problem::Archive { .. } | Problem::Truncated), "{problem:?}");
        let options = limited(ReadLimits { max_entry: 20_000, ..ReadLimits::default() });
        fs::write(&path, &packed).unwrap();
        let (_, problem) = fault(at(&path, &options));
        assert_eq!(problem, too_large("an entry is larger", 20_000, "bytes"));
    }
}

#[test]
fn runs_of_a_folder_come_in_the_order_of_its_files() {
    let folder = Folder::new("ordered");
    let mut ids = Vec::new();
    for file in 0..200 {
        // Files of one run and of many, so that threads end at different times.
        let of_file = (0..1 + file * 37 % 101).map(|run| format!("{file:03} {run:03}"));
        ids.extend(of_file.clone());
        folder.write(&format!("{:02}/{file:03}.jsonl", file / 20), log(of_file));
        folder.write(&format!("{:02}/{file:03}.md", file / 20), "# Notes");
    }
    let mut read = read_path(&folder.0, Format::Auto, &ReadOptions::default()).unwrap();
    let found: Vec<Run> = read.by_ref().map(Result::unwrap).collect();
    assert!(found.iter().map(|run| &run.id).eq(&ids));
    assert!(found.is_sorted_by_key(|run| run.log));
    assert_eq!(read.progress(), Some((400, 400)));
    assert_eq!(read.unrecognized().len(), 200);
    // The threads end when nobody takes the runs.
    let mut few = read_path(&folder.0, Format::Auto, &ReadOptions::default()).unwrap();
    assert_eq!(few.next().unwrap().unwrap().id, "000 000");
}

#[test]
fn the_first_error_of_a_folder_is_that_of_its_first_invalid_file() {
    let folder = Folder::new("invalid");
    for file in 0..60 {
        let text = log([format!("{file:02}")]);
        let text = if file < 30 { text } else { text.replace("\"turns\":[]", "\"turns\":0") };
        folder.write(&format!("{file:02}.jsonl"), &text);
    }
    let read = read_path(&folder.0, Format::Auto, &ReadOptions::default()).unwrap();
    let found: Vec<Result<Run, Error>> = read.collect();
    assert_eq!(found.len(), 31);
    let (place, _) = fault(found.into_iter().nth(30).unwrap());
    assert!(place.file.unwrap().ends_with("30.jsonl"));
}

#[test]
fn what_is_no_log_is_named_as_what_it_looks_like() {
    let cases: [(&[u8], &str); 9] = [
        (b"", "an empty file"),
        (b"SQLite format 3\0...", "opencode export"),
        (b"PAR1...", "a Parquet file"),
        (br#"{"id":"1","run_type":"llm","inputs":{},"outputs":{}}"#, "LangSmith"),
        (br#"{"results":[],"n_resolved":3}"#, "terminal-bench"),
        (br#"{"forecasts":[0.5],"outcome":true}"#, "traces, which the subcommands"),
        (br#"{"a":1}"#, "an object with the field \"a\""),
        (br#"{"a":1,"b":2,"c":3}"#, "an object with the fields \"a\", \"b\" and \"c\""),
        (br#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}"#, "\"e\", \"f\" and others"),
    ];
    let folder = Folder::new("unknown");
    for (content, expected) in cases {
        let path = folder.0.join("file");
        fs::write(&path, content).unwrap();
        let error = at(&path, &ReadOptions::default()).unwrap_err();
        let Error::UnknownFormat { looks_like: Some(found), .. } = &error else {
            panic!("{error:?}")
        };
        assert!(found.contains(expected), "{found}");
        assert!(error.to_string().contains(&format!("(it looks like {found})")), "{error}");
        // The same words name the only file of a folder.
        let error = at(&folder.0, &ReadOptions::default()).unwrap_err().to_string();
        assert!(
            error.contains(&format!("its only file is not a log (it looks like {found})")),
            "{error}"
        );
    }
    fs::remove_file(folder.0.join("file")).unwrap();
    let error = at(&folder.0, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::NoLog { n_files: 0, .. }), "{error:?}");
    assert!(error.to_string().contains("the folder has no files"), "{error}");
}

#[test]
fn each_format_says_how_to_get_its_file_and_what_it_lacks() {
    // The names are those of the option --format and of reports.
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    assert_eq!(
        names.join(" "),
        "auto inspect claude_code claude_code_stream codex mini_swe_agent gemini_cli opencode langchain lm_eval exchanges anthropic gemini openai_responses openai_chat ollama atif harbor otlp mlflow openai_agents tau2 lines"
    );
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(*format));
        let Some(about) = format.about() else {
            assert_eq!(*format, Format::Auto);
            continue;
        };
        for text in [about.source, about.reads, about.lacks] {
            assert!(!text.is_empty() && !text.contains(['|', '\n']), "{format}: {text}");
        }
    }
}
