//! Texts with places to fill in.
#![allow(clippy::unwrap_used)]

use agent_benchmarks::{Error, Template};

#[test]
fn values_stay_as_they_are_and_other_braces_are_text() {
    let text = "{a}{b}{a} { \"plan\": [{\"id\": \"<id>\"}] } {} {not closed";
    let template = Template::new(text, &["a", "b"]).unwrap();
    let filled = template.fill(|name| if name == "a" { "{b}".into() } else { "ü".into() });
    assert_eq!(filled, "{b}ü{b} { \"plan\": [{\"id\": \"<id>\"}] } {} {not closed");
    assert_eq!(template.text(), text);
}

#[test]
fn a_place_that_nothing_fills_is_refused() {
    let error = Template::new("{domain} and {Budget}", &["domain", "budget"]).unwrap_err();
    let known = "domain, budget".to_owned();
    assert_eq!(error, Error::UnknownPlace { name: "Budget".to_owned(), known });
}
