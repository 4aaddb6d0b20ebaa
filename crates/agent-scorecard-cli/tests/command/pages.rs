//! What `README.md` and `docs/confidence.md` show is what the command prints.

use std::fs;

use crate::program::shown;

/// The lines of a page between its markers of an output.
fn shown_in(page: &str) -> Vec<String> {
    let text = fs::read_to_string(format!("{}/../../{page}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("<!-- output of ")).skip(1);
    let lines = lines.take_while(|line| *line != "<!-- end of output -->");
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("```"));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_readme_shows_the_first_two_lines_of_its_command() {
    let printed = shown("compare", &[]);
    let expected: Vec<_> = printed.lines().take(2).map(|line| format!("- {line}")).collect();
    assert_eq!(shown_in("README.md"), expected);
}

/// The page leaves out lines at each "…". All others are those of the output, in its order.
#[test]
fn the_page_on_confidence_shows_lines_of_its_command_in_their_order() {
    let printed = shown("traces", &[]);
    let mut rest = printed.lines();
    let page = shown_in("docs/confidence.md");
    assert!(page.len() > 20, "{page:#?}");
    for line in page.iter().filter(|line| *line != "…") {
        assert!(
            rest.any(|printed| printed == line),
            "not printed, or not after the lines before it: {line}"
        );
    }
}
