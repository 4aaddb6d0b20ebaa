//! The samples of the README, as seen outside rustdoc.

const README: &str = include_str!("../README.md");

/// The code blocks in this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let start = format!("```{language}\n");
    README.split(&start).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

#[test]
fn each_sample_is_a_complete_program() {
    let samples = blocks("rust");
    assert_eq!(samples.len(), 2);
    for sample in samples {
        assert!(sample.contains("fn main() -> Result<(), Error> {"), "{sample}");
        let hidden = sample.lines().find(|line| *line == "#" || line.starts_with("# "));
        assert_eq!(hidden, None, "a line that only rustdoc hides");
    }
}

#[test]
fn no_link_needs_rustdoc_to_be_resolved() {
    let pieces: Vec<&str> = README.split("[`").skip(1).collect();
    let unresolved = pieces
        .iter()
        .find(|rest| rest.split_once("`]").is_some_and(|(_, after)| !after.starts_with("(http")));
    assert_eq!(unresolved, None);
}

#[cfg(feature = "serde")]
#[test]
fn the_scenario_file_of_the_readme_can_be_read() {
    for file in blocks("json") {
        let scenario = serde_json::from_str::<tool_graph::Scenario>(file);
        assert!(scenario.is_ok_and(|scenario| scenario.events().len() == 4), "{file}");
    }
}
