//! The bundled data of the command are what their example makes.
#![allow(clippy::unwrap_used)]

mod program;

use std::{fs, path::Path};

#[test]
fn the_bundled_data_are_what_their_example_makes() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demo_data");
    let lines = program::lines_with("demo_data", &[folder.to_str().unwrap()]);
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/agent-scorecard-cli/data");
    let names = ["truthful", "overconfident", "constant", "problems", "rollouts", "alpha", "beta"];
    let names = names.map(|name| format!("demo_{name}.jsonl")).into_iter();
    for (name, line) in names.chain(["confidences.csv".to_owned()]).zip(lines) {
        let made = folder.join(&name);
        assert_eq!(line, format!("wrote {}", made.display()));
        let bundled = bundled.join(&name);
        assert_eq!(fs::read(made).unwrap(), fs::read(bundled).unwrap(), "{name}");
    }
}
