//! What the command says where it was built without a feature that is needed.
#![cfg(not(any(feature = "client", feature = "pictures")))]
#![allow(clippy::unwrap_used)]

mod program;

use std::fs;

use program::{in_folder, json_of, refused, run_other, run_words};

#[test]
fn what_needs_a_feature_is_refused_by_its_name() {
    let plot = in_folder("paths.svg");
    refused(&run_other("paths", &["--plot", &plot]), "--plot … --features pictures");
    assert!(!fs::exists(plot).unwrap());
    let words = ["run", "costbench", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"];
    refused(&run_words(&words), "run costbench … --features client");
}

#[test]
fn a_page_has_its_tables_and_says_that_its_pictures_are_missing() {
    let html = in_folder("paths.html");
    let json = json_of("paths", &["--html", &html]);
    assert!(json["curves"]["matches"]["series"][0]["x"].is_array());
    let page = fs::read_to_string(html).unwrap();
    assert!(page.contains("/curves/matches/series/0/y/0") && !page.contains("<svg"));
    assert!(page.contains("built without its feature pictures"));
}
