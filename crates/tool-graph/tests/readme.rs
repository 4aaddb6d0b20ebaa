//! The scenario file of the README, as seen outside rustdoc.
#![cfg(feature = "serde")]

#[test]
fn the_scenario_file_of_the_readme_can_be_read() {
    let blocks = include_str!("../README.md").split("```json\n").skip(1);
    let files: Vec<&str> = blocks.filter_map(|rest| rest.split("\n```").next()).collect();
    assert_eq!(files.len(), 1);
    let scenario = serde_json::from_str::<tool_graph::Scenario>(files[0]);
    assert!(scenario.is_ok_and(|scenario| scenario.events().len() == 4), "{}", files[0]);
}
