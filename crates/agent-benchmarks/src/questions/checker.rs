/// How an answer is compared with the right one.
///
/// ```
/// use agent_benchmarks::questions::Checker;
///
/// let exact = Checker::Exact { answers: vec!["New York".to_owned()] };
/// assert!(exact.is_right("  new  york.") && !exact.is_right("York"));
///
/// let numeric = Checker::Numeric { answer: 1_200.0, tolerance: 0.5 };
/// assert!(numeric.is_right("$1,200.25") && numeric.is_right("2400/2") && !numeric.is_right("about 1,200"));
///
/// let choice = Checker::Choice { choices: vec!["oak".to_owned(), "plum".to_owned()], answer: 1 };
/// assert!(choice.is_right("b") && choice.is_right("(B)") && choice.is_right("Plum") && !choice.is_right("A"));
///
/// let yes_no = Checker::YesNo { answer: false };
/// assert!(yes_no.is_right("No.") && yes_no.is_right("false") && !yes_no.is_right("not sure"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Checker {
    /// One of these texts. Case, runs of blanks and a full stop at the end do not matter.
    Exact {
        /// The right answers.
        answers: Vec<String>,
    },
    /// A number within `tolerance` of the right one, written as a decimal, with or without an exponent, a
    /// dollar sign and commas between thousands, or as a fraction of two such numbers.
    Numeric {
        /// The right number, finite.
        answer: f64,
        /// The largest absolute difference, at least 0.
        tolerance: f64,
    },
    /// One of several choices, by its letter or its text.
    Choice {
        /// The choices; the first has the letter A. At least two and at most 26.
        choices: Vec<String>,
        /// The position of the right choice, from 0.
        answer: usize,
    },
    /// Yes or no.
    YesNo {
        /// Whether the answer is yes.
        answer: bool,
    },
}

impl Checker {
    /// Whether this answer, which stood between the answer tags of a reply, is right.
    #[must_use]
    pub fn is_right(&self, answer: &str) -> bool {
        let given = plain(answer);
        match self {
            Self::Exact { answers } => answers.iter().any(|answer| plain(answer) == given),
            Self::Numeric { answer, tolerance } => {
                number(&given).is_some_and(|number| (number - answer).abs() <= *tolerance)
            }
            Self::Choice { choices, answer } => chosen(choices, &given) == Some(*answer),
            Self::YesNo { answer } => yes_or_no(&given) == Some(*answer),
        }
    }

    /// The letter of a choice.
    pub(super) fn letter(position: usize) -> char {
        char::from(b'A' + u8::try_from(position.min(25)).unwrap_or_default())
    }

    /// What a model is told to write between the answer tags.
    pub(crate) const fn form(&self) -> &'static str {
        match self {
            Self::Exact { .. } => "the answer alone, without a sentence around it",
            Self::Numeric { .. } => "one number, without a unit",
            Self::Choice { .. } => "the letter of one choice",
            Self::YesNo { .. } => "yes or no",
        }
    }
}

/// Lower case, single blanks, no full stop at the end.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    text.strip_suffix('.').unwrap_or(&text).trim_end().to_owned()
}

fn number(text: &str) -> Option<f64> {
    if let Some((numerator, denominator)) = text.split_once('/') {
        let (numerator, denominator) = (decimal(numerator)?, decimal(denominator)?);
        return Some(numerator / denominator).filter(|number| number.is_finite());
    }
    decimal(text)
}

fn decimal(text: &str) -> Option<f64> {
    let digits: String =
        text.trim().chars().filter(|character| !matches!(character, ',' | '$')).collect();
    // The words for infinity and NaN are no numbers here.
    let is_number = |character: char| character.is_ascii_digit() || "+-.e".contains(character);
    if !digits.chars().all(is_number) {
        return None;
    }
    digits.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The position of the choice that is named by its letter, or else by its text.
fn chosen(choices: &[String], given: &str) -> Option<usize> {
    let around = |character: char| matches!(character, '(' | ')' | '[' | ']' | '.' | ':' | ' ');
    let bare = given.trim_matches(around);
    let mut letters = 0..choices.len();
    let by_letter = letters.find(|&at| {
        let letter = Checker::letter(at).to_ascii_lowercase();
        bare.strip_prefix(letter).is_some_and(|rest| {
            rest.is_empty()
                || (rest.starts_with([')', '.', ':'])
                    && plain(rest.trim_start_matches(around)) == plain(&choices[at]))
        })
    });
    by_letter.or_else(|| choices.iter().position(|choice| plain(choice) == given))
}

fn yes_or_no(given: &str) -> Option<bool> {
    match given.trim_end_matches('!') {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Checker;

    #[test]
    fn words_for_infinity_and_divisions_by_zero_are_no_numbers() {
        let numeric = Checker::Numeric { answer: 0.0, tolerance: f64::MAX };
        for wrong in ["inf", "NaN", "1/0", "0/0", "", "1e999", "e", "1 2"] {
            assert!(!numeric.is_right(wrong), "{wrong}");
        }
        assert!(numeric.is_right("-1.5e3") && numeric.is_right("1/3"));
    }

    #[test]
    fn a_letter_with_the_text_of_another_choice_is_no_choice() {
        let choices = vec!["A tree".to_owned(), "bush".to_owned()];
        let choice = Checker::Choice { choices, answer: 0 };
        assert!(choice.is_right("A) a tree") && choice.is_right("a tree"));
        assert!(!choice.is_right("A) bush") && !choice.is_right("a bush") && !choice.is_right("C"));
    }
}
