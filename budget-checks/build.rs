//! Copies the arithmetic of shared budgets, with the atomic integers of the model checker.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = "../crates/budget-estimation/src/budgets/account.rs";
    println!("cargo::rerun-if-changed={source}");
    let text = std::fs::read_to_string(source)?;
    let (with_std, with_loom) = ("use std::sync::atomic::", "use loom::sync::atomic::");
    assert!(text.contains(with_std), "{source} does not use atomic integers as expected");
    // An included file cannot begin with the comment of a module.
    let code: String = text
        .lines()
        .filter(|line| !line.starts_with("//!"))
        .map(|line| format!("{line}\n"))
        .collect();
    let to = std::path::Path::new(&std::env::var("OUT_DIR")?).join("account.rs");
    std::fs::write(to, code.replace(with_std, with_loom))?;
    Ok(())
}
