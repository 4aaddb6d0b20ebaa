//! What each subcommand shows people: tables byte for byte, pages and pictures.

use std::{fs, sync::OnceLock};

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

use crate::{
    calls::{Call, calls},
    program::{self, bundled, golden, in_folder, refused, run_other, says, write},
};

/// A call with all that it writes.
struct Made {
    call: Call,
    page: String,
    picture: String,
    json: Value,
}

/// Each call, made once.
fn made() -> &'static [Made] {
    static MADE: OnceLock<Vec<Made>> = OnceLock::new();
    MADE.get_or_init(|| {
        let made = calls().into_iter().enumerate().map(|(i, call)| {
            let picture = in_folder(&format!("picture_{i}.svg"));
            let arguments = call.with(&["--plot", &picture]);
            let (page, json) = page(call.subcommand, &arguments, &format!("page_{i}"));
            Made { page, picture: fs::read_to_string(picture).unwrap(), json, call }
        });
        made.collect()
    })
}

/// The page of a call, and the JSON output of the same call.
fn page(subcommand: &str, arguments: &[&str], name: &str) -> (String, Value) {
    let path = in_folder(&format!("{name}.html"));
    let output = run_other(subcommand, &[arguments, &["--json", "--html", &path]].concat());
    assert!(output.stderr.is_empty(), "{arguments:?}");
    (fs::read_to_string(&path).unwrap(), program::report(&output))
}

#[test]
fn every_subcommand_shows_what_its_golden_files_show() {
    let without_folders = |text: &str| text.replace(&in_folder(""), "").replace(&bundled(""), "");
    for Made { call, page, .. } in made().iter().filter(|made| !made.call.name.is_empty()) {
        let shown = |more: &[&str]| {
            let output = run_other(call.subcommand, &call.with(more));
            assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            without_folders(&String::from_utf8(output.stdout).unwrap())
        };
        // Of runs that are kept for a page, a table has more.
        golden(&format!("{}.txt", call.name), &shown(&["--html", &in_folder("golden.html")]));
        // One of each kind: columns, differences, and rows. The numbers of all pages are those of the JSON output.
        if ["traces", "compare_three", "logs"].contains(&call.name) {
            golden(&format!("{}.html", call.name), &outline(&without_folders(page)));
        }
        if call.name == "compare_three" {
            golden(&format!("{}.md", call.name), &shown(&["--markdown"]));
        }
    }
}

/// A page with one element a line, without its style, its drawings and the numbers that they are drawn from, which
/// other tests look at.
fn outline(page: &str) -> String {
    let mut page = page.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    for (start, end) in [("<style>", "</style>"), ("<svg", "</svg>"), ("<details>", "</details>")] {
        let parts: Vec<String> = page.split(start).map(str::to_owned).collect();
        let kept = |part: &String| part.split_once(end).unwrap().1.to_owned();
        page = parts[0].clone() + &parts[1..].iter().map(kept).collect::<String>();
    }
    let lines = page.replace("><", ">\n<") + "\n";
    lines.replace("<td>\n<span", "<td><span").replace("</span>\n</td>", "</span></td>")
}

fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap()
}

/// The text of a cell or heading.
fn text(node: Node<'_, '_>) -> String {
    node.descendants().filter_map(|node| node.is_text().then(|| node.text()).flatten()).collect()
}

#[test]
fn every_number_of_a_page_is_the_one_in_the_json_output() {
    for Made { call: Call { subcommand, .. }, page, json, .. } in made() {
        let document = parsed(page);
        let mut compared = 0;
        for node in document.descendants() {
            let Some(pointer) = node.attribute("data-json") else { continue };
            let shown = text(node);
            let value = json.pointer(pointer);
            if shown == "undefined" {
                assert!(value.is_none_or(Value::is_null), "{subcommand} {pointer}: {value:?}");
                continue;
            }
            let value = value.unwrap_or_else(|| panic!("{subcommand}: nothing at {pointer}"));
            let decimals = shown.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            let rounded = format!("{:.decimals$}", value.as_f64().unwrap());
            assert_eq!(shown, rounded, "{subcommand} {pointer}");
            compared += 1;
        }
        assert!(compared > 10, "{subcommand}: {compared} numbers");
        // No cell of a table has a number that comes from elsewhere.
        for cell in document.descendants().filter(|node| node.has_tag_name("td")) {
            let own: String =
                cell.children().filter_map(|node| node.text().filter(|_| node.is_text())).collect();
            assert!(own.trim().parse::<f64>().is_err(), "{subcommand}: {own}");
        }
    }
}

#[test]
fn a_page_needs_nothing_from_elsewhere_and_can_be_read_aloud() {
    for Made { call: Call { subcommand, .. }, page, .. } in made() {
        assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">"), "{subcommand}");
        assert!(!page.contains("http") && !page.contains("@import"), "{subcommand}");
        let document = parsed(page);
        let mut ids: Vec<&str> = Vec::new();
        let mut level = 0;
        for node in document.descendants().filter(Node::is_element) {
            let name = node.tag_name().name();
            assert!(!["script", "link", "img", "iframe", "object"].contains(&name), "{name}");
            for attribute in node.attributes() {
                let (key, value) = (attribute.name(), attribute.value());
                assert!(!["src", "href", "srcset"].contains(&key), "{subcommand}: {key}");
                assert!(!key.starts_with("on"), "{subcommand}: {key}");
                // A reference stays within the page.
                assert!(!value.contains("url(") || value.starts_with("url(#"), "{value}");
                // The colours of a picture are those of the page.
                let is_drawn = node.ancestors().any(|it| it.has_tag_name("svg"));
                assert!(!is_drawn || !value.replace("url(#", "").contains('#'), "{value}");
                if key == "id" {
                    assert!(!ids.contains(&value), "{subcommand}: {value} twice");
                    ids.push(value);
                }
            }
            if let Some(next) = name.strip_prefix('h').and_then(|n| n.parse::<usize>().ok()) {
                assert!(next <= level + 1 && next > 0, "{subcommand}: h{next} after h{level}");
                assert!(!text(node).is_empty());
                level = next;
            }
            if name == "svg" {
                let picture = node.parent().unwrap();
                assert_eq!(picture.attribute("role"), Some("img"));
                assert!(picture.attribute("aria-label").is_some_and(|label| label.len() > 40));
                assert!(text(node).chars().any(|letter| letter.is_ascii_digit()), "no tick");
                assert!(!page.contains("NaN"), "{subcommand}");
            }
        }
        assert!(document.descendants().any(|node| node.has_tag_name("figure")), "{subcommand}");
    }
}

#[test]
fn names_that_look_like_markup_stay_names() {
    let lines = [
        r#"{"id":"a","forecasts":[0.25],"outcome":true}"#,
        r#"{"id":"b","forecasts":[0.75],"outcome":false}"#,
        r#"{"id":"c","forecasts":[0.75],"outcome":null,"stop":"<b>&\"x\""}"#,
    ];
    let path = write("<i>&.jsonl", &lines.join("\n"));
    let (page, _) = page("traces", &[&path, "--resamples", "0"], "markup");
    let document = parsed(&page);
    assert!(document.descendants().any(|node| node.has_tag_name("th") && text(node) == "<i>&"));
    assert!(!page.contains("<i>&") && !page.contains("<b>"));
}

#[test]
fn the_colours_of_words_and_lines_stand_out_in_light_and_dark() {
    let (page, _) = page("paths", &[], "colours");
    let style = &page[page.find("<style>").unwrap()..page.find("</style>").unwrap()];
    let blocks: Vec<&str> = style.split(":root {").skip(1).collect();
    assert_eq!(blocks.len(), 2, "light and dark");
    for block in blocks {
        let block = block.split('}').next().unwrap();
        let colour = |name: &str| {
            let value = block.split(&format!("--{name}: #")).nth(1).unwrap();
            luminance(&value[..6])
        };
        let back = colour("back");
        let contrast = |name: &str| {
            let own = colour(name);
            (own.max(back) + 0.05) / (own.min(back) + 0.05)
        };
        for name in ["text", "soft", "axis", "c1", "c2", "c3", "c4", "c5", "c6"] {
            assert!(contrast(name) >= 4.5, "{name}: {}", contrast(name));
        }
    }
}

/// The relative luminance of an sRGB colour (WCAG 2.2, definition of relative luminance).
fn luminance(hex: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4)
}

#[test]
fn pictures_have_the_format_of_their_ending() {
    for Made { call: Call { subcommand, .. }, picture, .. } in made() {
        let document = Document::parse(picture).unwrap();
        assert_eq!(document.root_element().tag_name().name(), "svg", "{subcommand}");
    }
    let png = in_folder("picture.PNG");
    assert!(run_other("paths", &["--plot", &png]).status.success());
    assert!(fs::read(png).unwrap().starts_with(b"\x89PNG"));
    refused(&run_other("paths", &["--plot", "picture.gif"]), "--plot … .svg or .png");
    refused(&run_other("paths", &["--html"]), "a value is required for '--html <FILE>'");
}

#[test]
fn a_picture_names_what_it_shows() {
    let streams = "demo_truthful … demo_overconfident … demo_constant";
    for (name, words) in [
        ("triage", "advisory … enforced … all-in-order"),
        ("cut_off", "complete … simple … estimated … known … weighted"),
        ("cut_off", streams),
    ] {
        let made = made().iter().find(|made| made.call.name == name).unwrap();
        says(&made.picture, words);
        assert!(!made.picture.contains("NaN") && !made.picture.contains("informed"), "{name}");
    }
    let picture = in_folder("oracle.svg");
    assert!(run_other("triage", &["--planner", "oracle", "--plot", &picture]).status.success());
    says(&fs::read_to_string(&picture).unwrap(), "(informed reference)");
}

#[test]
fn two_files_with_the_same_runs_are_compared_in_pairs() {
    let files = ["demo_truthful.jsonl", "demo_overconfident.jsonl"].map(bundled);
    let arguments = [files[0].as_str(), &files[1], "--resamples", "50"];
    let (page, json) = page("traces", &arguments, "pairs");
    let of = |pointer: &str| json.pointer(pointer).and_then(Value::as_f64).unwrap();
    for metric in ["tps_log", "tps_brier", "auroc"] {
        let (first, second) =
            (format!("/files/0/{metric}/value"), format!("/files/1/{metric}/value"));
        let difference = of(&format!("/difference/{metric}/value"));
        assert!((difference - (of(&second) - of(&first))).abs() < 1e-12, "{metric}");
        if metric == "auroc" {
            // Both files rank the runs alike: a difference of 0 in every resample has no interval.
            let end = json.pointer(&format!("/difference/{metric}/ci_low"));
            assert_eq!(end, Some(&Value::Null));
            continue;
        }
        let ends = ["ci_low", "ci_high"].map(|end| of(&format!("/difference/{metric}/{end}")));
        assert!(ends[0] <= difference && difference <= ends[1], "{metric}");
    }
    assert!(page.contains("/difference/tps_log/value"));
    let other = write("other.jsonl", r#"{"id":"a","forecasts":[0.5],"outcome":true}"#);
    let (page, json) = self::page("traces", &[&files[0], &other, "--resamples", "50"], "no_pairs");
    assert!(json["difference"].is_null() && page.contains("difference: undefined"));
}
