//! Questions with answers that can be checked, read from JSON Lines.
//!
//! ```
//! use agent_benchmarks::questions::{Checker, read_questions};
//!
//! let file = br#"{"id": "q1", "question": "What is 7 * 8?", "kind": "numeric", "answer": 56}
//! {"id": "q2", "question": "Which is a fruit?", "kind": "choice", "choices": ["oak", "plum"], "answer": "B"}
//! {"id": "q3", "question": "Is 91 prime?", "kind": "yes_no", "answer": false}
//! {"id": "q4", "question": "Name the capital of France.", "kind": "exact", "answer": ["Paris"]}"#;
//! let questions = read_questions(file)?;
//! assert_eq!(questions[1].checker, Checker::Choice {
//!     choices: vec!["oak".to_owned(), "plum".to_owned()],
//!     answer: 1,
//! });
//! assert!(questions[0].checker.is_right("56.0") && !questions[2].checker.is_right("yes"));
//! # Ok::<(), agent_benchmarks::Error>(())
//! ```

pub(crate) mod checker;
pub(crate) mod question;
pub(crate) mod reading;

pub use checker::Checker;
pub use question::Question;
pub use reading::read_questions;
