//! Archives that are damaged or made to do harm.

use std::{fs, io::Write};

use flate2::{Compression, Crc, write::DeflateEncoder};
use run_logs::{Error, Format, Place, Problem, ReadLimits, Run};

use crate::common::{self, fault, golden, limited, too_large};

/// An entry of a zip archive: name, method, packed bytes, unpacked size and checksum.
struct Entry {
    name: String,
    method: u16,
    packed: Vec<u8>,
    size: u32,
    checksum: u32,
}

fn stored(name: &str, content: &[u8]) -> Entry {
    let mut crc = Crc::new();
    crc.update(content);
    let size = content.len().try_into().unwrap();
    Entry { name: name.into(), method: 0, packed: content.to_vec(), size, checksum: crc.sum() }
}

/// A deflated entry of one byte many times.
fn bomb(name: &str, front: &[u8], byte: u8, times: usize, back: &[u8]) -> Entry {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let mut crc = Crc::new();
    let chunk = vec![byte; 1 << 20];
    let chunks = times >> 20;
    for part in [front].into_iter().chain((0..chunks).map(|_| &chunk[..])).chain([back]) {
        encoder.write_all(part).unwrap();
        crc.update(part);
    }
    let size = (front.len() + (chunks << 20) + back.len()).try_into().unwrap();
    let (packed, checksum) = (encoder.finish().unwrap(), crc.sum());
    Entry { name: name.into(), method: 8, packed, size, checksum }
}

/// A zip archive; `shared` lets all entries name the place of the first.
fn archive(entries: &[Entry], shared: bool) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (i, entry) in entries.iter().enumerate() {
        let at = if shared && i > 0 { 0 } else { u32::try_from(file.len()).unwrap() };
        let mut sizes = Vec::new();
        for number in [entry.checksum, entry.packed.len().try_into().unwrap(), entry.size] {
            sizes.extend_from_slice(&number.to_le_bytes());
        }
        let length = u16::try_from(entry.name.len()).unwrap().to_le_bytes();
        if at as usize == file.len() {
            file.extend_from_slice(b"PK\x03\x04\x14\0\0\0");
            file.extend_from_slice(&entry.method.to_le_bytes());
            file.extend_from_slice(&[0; 4]);
            file.extend_from_slice(&sizes);
            file.extend_from_slice(&length);
            file.extend_from_slice(&[0; 2]);
            file.extend_from_slice(entry.name.as_bytes());
            file.extend_from_slice(&entry.packed);
        }
        directory.extend_from_slice(b"PK\x01\x02\x14\0\x14\0\0\0");
        directory.extend_from_slice(&entry.method.to_le_bytes());
        directory.extend_from_slice(&[0; 4]);
        directory.extend_from_slice(&sizes);
        directory.extend_from_slice(&length);
        directory.extend_from_slice(&[0; 12]);
        directory.extend_from_slice(&at.to_le_bytes());
        directory.extend_from_slice(entry.name.as_bytes());
    }
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    let start = u32::try_from(file.len()).unwrap().to_le_bytes();
    let length = u32::try_from(directory.len()).unwrap().to_le_bytes();
    file.extend_from_slice(&directory);
    file.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    file.extend_from_slice(&[count, count].concat());
    file.extend_from_slice(&[length, start].concat());
    file.extend_from_slice(&[0; 2]);
    file
}

const HEADER: &[u8] = br#"{"eval":{"task":"t","model":"m"}}"#;

fn with_header(entries: impl IntoIterator<Item = Entry>) -> Vec<u8> {
    let entries: Vec<Entry> = [stored("header.json", HEADER)].into_iter().chain(entries).collect();
    archive(&entries, false)
}

fn all(file: &[u8], limits: ReadLimits) -> Result<Vec<Run>, Error> {
    common::all(file, Format::Auto, &limited(limits))
}

fn problem(file: &[u8]) -> (Problem, Place) {
    let (place, problem) = fault(all(file, ReadLimits::default()));
    (problem, place)
}

#[test]
fn the_last_of_several_entries_of_one_name_is_read() {
    let sample = |id: u8| {
        stored("samples/x_epoch_1.json", format!("{{\"id\":{id},\"epoch\":1}}").as_bytes())
    };
    let runs = all(&with_header([sample(1), sample(2)]), ReadLimits::default()).unwrap();
    assert_eq!(runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["2"]);
}

#[test]
fn an_entry_that_expands_too_far_is_stopped_while_it_is_unpacked() {
    // 64 MiB in 64 kB: a string that is passed over, blanks, and nesting.
    let (front, back) = (&br#"{"id":1,"epoch":1,"unread":""#[..], &br#""}"#[..]);
    let bomb = bomb("samples/1_epoch_1.json", front, b' ', 64 << 20, back);
    let file = with_header([bomb]);
    let limits = ReadLimits::default();
    assert_eq!(all(&file, ReadLimits { max_ratio: 2_000, ..limits }).unwrap().len(), 1);
    let stopped = |limits| {
        let (place, problem) = fault(all(&file, limits));
        (problem, place.entry.unwrap())
    };
    let name = "samples/1_epoch_1.json".to_owned();
    assert_eq!(stopped(limits), (too_large("an entry expands more", 500, "times"), name.clone()));
    let limit = 1 << 20;
    assert_eq!(
        stopped(ReadLimits { max_entry: limit, ..limits }),
        (too_large("an entry is larger", limit, "bytes"), name)
    );
}

#[test]
fn entries_that_share_bytes_are_refused() {
    let sample = |name: &str| stored(name, br#"{"id":1,"epoch":1}"#);
    let entries = [sample("header.json"), sample("samples/1_epoch_1.json")];
    let (found, _) = problem(&archive(&entries, true));
    assert!(matches!(found, Problem::Archive { .. }), "{found:?}");
}

#[test]
fn names_that_lead_out_of_the_archive_are_refused() {
    for name in ["../x.json", "/etc/passwd", "samples/../../x_epoch_1.json", "C:x", "a\0b", "..\\x"]
    {
        let (found, _) = problem(&with_header([stored(name, b"{}")]));
        assert!(matches!(found, Problem::Value { .. }), "{name}: {found:?}");
    }
}

#[test]
fn content_that_differs_from_its_checksum_is_refused() {
    let mut sample = stored("samples/1_epoch_1.json", br#"{"id":1,"epoch":1}"#);
    sample.checksum ^= 1;
    let (found, place) = problem(&with_header([sample]));
    assert!(matches!(found, Problem::Archive { .. }), "{found:?}");
    assert_eq!(place.entry.as_deref(), Some("samples/1_epoch_1.json"));
}

#[test]
fn forms_that_are_not_read_are_named() {
    let mut sample = stored("samples/1_epoch_1.json", b"{}");
    sample.method = 14;
    let (found, _) = problem(&with_header([sample]));
    assert!(matches!(found, Problem::Unsupported { .. }), "{found:?}");
    let (found, place) = problem(&archive(&[stored("notes.txt", b"x")], false));
    assert_eq!((found, place.entry.as_deref()), (Problem::Missing, Some("header.json")));
}

const SHELL: &[u8] = br#"{"id":"a/b","epoch":1,"message_refs":[[0,1],[2,3]]}"#;

/// A sample in chunks, whose sequences have these entries.
fn in_chunks(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let part =
        |(name, content): &(&str, &[u8])| stored(&format!("samples/a/b_epoch_1/{name}"), content);
    with_header(
        [stored("samples/a/b_epoch_1/sample.json", SHELL)]
            .into_iter()
            .chain(parts.iter().map(part)),
    )
}

#[test]
fn a_sample_in_chunks_has_the_items_of_all_chunks_in_order() {
    let parts: [(&str, &[u8]); 6] = [
        ("metadata.json", br#"{"kind":"x"}"#),
        ("messages/0.json", br#"[{"role":"assistant","content":"attachment://1"},{"role":"assistant","content":"no"}]"#),
        ("messages/2.json", br#"[{"role":"assistant","content":"last"}]"#),
        ("attachments/0.json", br#"["zero"]"#),
        ("attachments/1.json", br#"["first"]"#),
        ("calls/0.json", b"[1]"),
    ];
    let runs = all(&in_chunks(&parts), ReadLimits::default()).unwrap();
    let texts: Vec<&str> =
        runs[0].turns.iter().map(|turn| turn.reply.as_ref().unwrap().text.as_str()).collect();
    assert_eq!(
        (runs[0].id.as_str(), runs[0].trial, texts),
        ("a/b", Some(1), vec!["first", "last"])
    );
    assert!(runs[0].metadata.contains_key("metadata"));
    // A sample whose id holds a slash, in one entry, which hides its chunks.
    let whole = stored("samples/a/b_epoch_1.json", br#"{"id":"whole","epoch":1}"#);
    let both = with_header([whole, stored("samples/a/b_epoch_1/events/0.json", b"no JSON")]);
    assert_eq!(all(&both, ReadLimits::default()).unwrap()[0].id, "whole");
}

#[test]
fn chunks_that_do_not_fit_are_errors_that_name_their_entry() {
    let entry = |parts: &[(&str, &[u8])]| {
        let (found, place) = problem(&in_chunks(parts));
        (found, place.entry.unwrap(), place.sample)
    };
    // The second message is missing.
    let message: &[u8] = br#"[{"role":"assistant","content":"x"}]"#;
    let (found, name, _) = entry(&[("messages/0.json", message), ("messages/2.json", message)]);
    assert!(matches!(found, Problem::Value { .. }), "{found:?}");
    assert_eq!(name, "samples/a/b_epoch_1/messages/2.json");
    let (found, name, sample) = entry(&[("messages/0.json", message)]);
    assert!(matches!(found, Problem::Dangling { .. }), "{found:?}");
    assert_eq!(name, "samples/a/b_epoch_1/sample.json");
    assert_eq!(sample.as_deref(), Some("a/b, epoch 1"));
    let (found, name, sample) = entry(&[("events/0.json", br#"[{"event":1}]"#)]);
    assert!(matches!(found, Problem::Type { .. }), "{found:?}");
    assert_eq!((name.as_str(), sample.is_some()), ("samples/a/b_epoch_1/events/0.json", true));
    let (found, place) = problem(&with_header([stored("samples/1_epoch_1/events/0.json", b"[]")]));
    assert_eq!(found, Problem::Missing);
    assert_eq!(place.entry.as_deref(), Some("samples/1_epoch_1/sample.json"));
    // What a run holds is counted over all of its entries.
    let long = format!(r#"[{{"role":"assistant","content":"{}"}}]"#, "x".repeat(600));
    let parts = [("messages/0.json", long.as_bytes()), ("messages/1.json", long.as_bytes())];
    let parts = [parts[0], parts[1], ("messages/2.json", long.as_bytes())];
    let limits = ReadLimits { max_run: 1_500, ..ReadLimits::default() };
    let (_, problem) = fault(all(&in_chunks(&parts), limits));
    assert_eq!(problem, too_large("a run holds more", 1_500, "bytes"));
}

#[test]
fn an_archive_that_is_cut_off_at_any_byte_is_an_error() {
    let whole = with_header([stored("samples/1_epoch_1.json", br#"{"id":1,"epoch":1}"#)]);
    assert_eq!(all(&whole, ReadLimits::default()).unwrap().len(), 1);
    for end in 4..whole.len() {
        let (found, _) = problem(&whole[..end]);
        assert_eq!(found, Problem::Truncated, "{end}");
    }
}

#[test]
fn sizes_and_places_that_lie_are_errors_and_cost_no_memory() {
    let sample = || stored("samples/1_epoch_1.json", br#"{"id":1,"epoch":1}"#);
    let whole = with_header([sample()]);
    let expected = all(&whole, ReadLimits::default()).unwrap();
    let directory = whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    let end = whole.len() - 22;
    // Fields of the first entry of the directory and of its end, each set to the largest number.
    let fields = [
        ("checksum", directory + 16, 4),
        ("packed size", directory + 20, 4),
        ("size", directory + 24, 4),
        ("length of the name", directory + 28, 2),
        ("place of the entry", directory + 42, 4),
        ("number of entries", end + 10, 2),
        ("size of the directory", end + 12, 4),
        ("place of the directory", end + 16, 4),
    ];
    for (field, at, length) in fields {
        for byte in [0xff, 0x7f] {
            let mut forged = whole.clone();
            forged[at..at + length].fill(byte);
            match all(&forged, ReadLimits::default()) {
                // The archive ends where it ends, whatever it says about the place of its directory.
                Ok(runs) => assert!(runs == expected && at > end, "{field}"),
                Err(error) => assert!(matches!(error, Error::Invalid { .. }), "{field}: {error:?}"),
            }
        }
    }
}

#[test]
fn any_damaged_byte_is_an_error_or_changes_nothing() {
    for log in ["0.3.110.killed.eval", "0.3.285.killed.eval"] {
        let whole = fs::read(golden("inspect").join(log)).unwrap();
        let expected = all(&whole, ReadLimits::default()).unwrap();
        let mut refused = 0;
        for at in (0..whole.len()).step_by(61) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            match all(&damaged, ReadLimits::default()) {
                // Times in the directory do not matter.
                Ok(runs) => assert!(runs == expected, "{log}: {at}"),
                Err(Error::Invalid { .. } | Error::UnknownFormat { .. }) => refused += 1,
                Err(other) => panic!("{log}: {at}: {other:?}"),
            }
        }
        assert!(refused > 100, "{log}: {refused}");
    }
}

#[test]
fn an_entry_that_is_not_packed_stays_within_a_ratio_of_1() {
    let text = format!(r#"{{"id":1,"epoch":1,"unread":"{}"}}"#, " ".repeat(17 << 20));
    let file = with_header([stored("samples/1_epoch_1.json", text.as_bytes())]);
    assert_eq!(all(&file, ReadLimits { max_ratio: 1, ..ReadLimits::default() }).unwrap().len(), 1);
}
