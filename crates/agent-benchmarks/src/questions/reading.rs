use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    error::Error,
    questions::{checker::Checker, question::Question},
};

/// A line of a file.
#[derive(Deserialize)]
struct Line {
    id: String,
    question: String,
    kind: Kind,
    answer: serde_json::Value,
    choices: Option<Vec<String>>,
    tolerance: Option<f64>,
    value: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Exact,
    Numeric,
    Choice,
    YesNo,
}

/// Reads JSON Lines of questions: `id`, `question`, `kind` and `answer`.
///
/// | kind | answer | further fields |
/// |---|---|---|
/// | `exact` | a text, or a list of texts of which each is right | |
/// | `numeric` | a number | `tolerance`, the largest absolute difference; 0 if missing |
/// | `choice` | a letter, or the text of a choice | `choices`, 2 to 26 texts |
/// | `yes_no` | true or false | |
///
/// `value` is what a right answer is worth, 1 if missing. Other fields are ignored, and so are blank
/// lines. Examples are in the [module's documentation](crate::questions).
///
/// # Errors
///
/// [`Error::Question`] for the first line that is not a question, and for an id that stands twice.
pub fn read_questions(file: &[u8]) -> Result<Vec<Question>, Error> {
    let mut questions = Vec::new();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for (line, text) in (1..).zip(file.split(|&byte| byte == b'\n')) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        let question = read(text).map_err(|problem| Error::Question { line, problem })?;
        if let Some(first) = lines.insert(question.id.clone(), line) {
            let problem = format!("field id: {:?} is that of line {first} too", question.id);
            return Err(Error::Question { line, problem });
        }
        questions.push(question);
    }
    Ok(questions)
}

fn read(text: &[u8]) -> Result<Question, String> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let line: Line = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner();
        if path == "." { problem.to_string() } else { format!("field {path}: {problem}") }
    })?;
    deserializer.end().map_err(|_| "the line goes on after its object".to_owned())?;
    let value = line.value.unwrap_or(1.0);
    if !(value > 0.0 && value.is_finite()) {
        return Err(format!("field value: is {value}; it must be finite and above 0"));
    }
    if line.id.trim().is_empty() || line.question.trim().is_empty() {
        return Err("fields id and question must not be empty".to_owned());
    }
    let checker = checker(&line)?;
    Ok(Question { id: line.id, text: line.question, checker, value })
}

fn checker(line: &Line) -> Result<Checker, String> {
    use serde_json::Value;

    let wrong = |right: &str| Err(format!("field answer: is {}; it must be {right}", line.answer));
    match line.kind {
        Kind::Exact => {
            let answers: Option<Vec<String>> = match &line.answer {
                Value::String(answer) => Some(vec![answer.clone()]),
                Value::Array(answers) => {
                    answers.iter().map(|answer| answer.as_str().map(str::to_owned)).collect()
                }
                _ => None,
            };
            match answers {
                Some(answers) if !answers.is_empty() => Ok(Checker::Exact { answers }),
                _ => wrong("a text or a list of at least one text"),
            }
        }
        Kind::Numeric => {
            let tolerance = line.tolerance.unwrap_or(0.0);
            if !(tolerance >= 0.0 && tolerance.is_finite()) {
                return Err(format!(
                    "field tolerance: is {tolerance}; it must be finite and at least 0"
                ));
            }
            match line.answer.as_f64() {
                Some(answer) => Ok(Checker::Numeric { answer, tolerance }),
                None => wrong("a number"),
            }
        }
        Kind::Choice => {
            let choices = line.choices.clone().unwrap_or_default();
            if !(2..=26).contains(&choices.len()) {
                return Err(format!("field choices: has {} texts; give 2 to 26", choices.len()));
            }
            let given = line.answer.as_str().unwrap_or_default();
            let of = |answer| Checker::Choice { choices: choices.clone(), answer };
            match (0..choices.len()).find(|&at| of(at).is_right(given)) {
                Some(answer) => Ok(of(answer)),
                None => wrong("the letter or the text of a choice"),
            }
        }
        Kind::YesNo => match line.answer.as_bool() {
            Some(answer) => Ok(Checker::YesNo { answer }),
            None => wrong("true or false"),
        },
    }
}
