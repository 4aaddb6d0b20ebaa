/// The rule that decides whether the answer to a question is right.
///
/// White space around an answer, a final point and letter case never matter.
///
/// ```
/// use agent_benchmarks::Checker;
///
/// let numeric = Checker::Numeric { answer: 1200.0, tolerance: 0.5 };
/// assert!(numeric.is_right("1,200") && numeric.is_right(" $1200.4 "));
/// assert!(!numeric.is_right("1,20") && !numeric.is_right("about 1200"));
///
/// let options = vec!["Bern".to_owned(), "Basel".to_owned()];
/// let choice = Checker::Choice { options, answer: 1 };
/// assert!(choice.is_right("B") && choice.is_right("(b)") && choice.is_right("basel"));
/// assert!(choice.is_right("B. Basel") && !choice.is_right("B. Bern") && !choice.is_right("A"));
///
/// let yes = Checker::YesNo { answer: true };
/// assert!(yes.is_right("Yes.") && !yes.is_right("no") && !yes.is_right("perhaps"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Checker {
    /// The answer is this text; a sequence of white space counts as one blank.
    Exact {
        /// The right answer.
        answer: String,
    },
    /// The answer is one number that differs from the right one by at most the tolerance. It may have `$` in front, and commas
    /// before groups of three digits.
    Numeric {
        /// The right answer.
        answer: f64,
        /// The largest difference, at least 0.
        tolerance: f64,
    },
    /// The answer is the letter of the right option, its text, or both. A single letter always counts as the letter of
    /// an option.
    Choice {
        /// The options, lettered from A on.
        options: Vec<String>,
        /// The position of the right option, from 0.
        answer: usize,
    },
    /// The answer is yes or no; true and false are accepted as well.
    YesNo {
        /// Whether yes is right.
        answer: bool,
    },
    /// No answer is right: the problem cannot be solved. The model sees it like any other problem.
    Unsolvable {
        /// The options, possibly none.
        options: Vec<String>,
    },
    /// The caller judges the answer. This crate counts no answer as right.
    Outside,
}

impl Checker {
    /// Returns whether an answer is right. An answer that cannot be read is wrong.
    #[must_use]
    pub fn is_right(&self, answer: &str) -> bool {
        let given = plain(answer);
        match self {
            Self::Exact { answer } => given == plain(answer),
            Self::Numeric { answer, tolerance } => {
                number(&given).is_some_and(|given| (given - answer).abs() <= *tolerance)
            }
            Self::Choice { options, answer } => chosen(&given, options) == Some(*answer),
            Self::YesNo { answer } => match given.as_str() {
                "yes" | "true" => *answer,
                "no" | "false" => !answer,
                _ => false,
            },
            Self::Unsolvable { .. } | Self::Outside => false,
        }
    }

    /// Returns the options that a model reads.
    pub(crate) fn options(&self) -> &[String] {
        match self {
            Self::Choice { options, .. } | Self::Unsolvable { options } => options,
            _ => &[],
        }
    }

    /// Returns the instruction about the requested kind of answer.
    pub(crate) fn instruction(&self) -> &'static str {
        match self {
            Self::Outside => "The answer is what the problem asks for, and nothing else.",
            Self::Choice { .. } => "The answer is the letter of one option.",
            Self::Unsolvable { options } if !options.is_empty() => {
                "The answer is the letter of one option."
            }
            Self::Exact { .. } | Self::Unsolvable { .. } => "The answer is a short text.",
            Self::Numeric { .. } => "The answer is one number in digits.",
            Self::YesNo { .. } => "The answer is yes or no.",
        }
    }
}

/// The maximum number of options, one per letter.
pub(crate) const MAX_OPTIONS: usize = 26;

/// Returns the letter of an option.
pub(crate) fn letter(option: usize) -> char {
    let place = u8::try_from(option).unwrap_or(u8::MAX).min(MAX_OPTIONS as u8 - 1);
    char::from(b'A' + place)
}

/// Returns the answer in lower case, with single blanks and without a final point.
pub(crate) fn plain(answer: &str) -> String {
    let words: Vec<&str> = answer.split_whitespace().collect();
    let joined = words.join(" ").to_lowercase();
    joined.strip_suffix('.').map_or(joined.as_str(), str::trim_end).to_owned()
}

fn number(given: &str) -> Option<f64> {
    let (sign, rest) = match given.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, given.strip_prefix('+').unwrap_or(given)),
    };
    let rest = rest.strip_prefix('$').unwrap_or(rest);
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let grouped = whole.contains(',');
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = groups.all(|group| group.len() == 3 && is_digits(group))
        && (!grouped || (1..=3).contains(&first.len()))
        && !fraction.contains(',')
        && rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let value: f64 = rest.replace(',', "").parse().ok().filter(|_| fits)?;
    value.is_finite().then_some(sign * value)
}

/// Returns the option that an answer names.
fn chosen(given: &str, options: &[String]) -> Option<usize> {
    let is_option = |text: &str, option: &str| plain(text) == plain(option);
    let bare = given.trim_matches(|c| matches!(c, '(' | ')' | '[' | ']' | ':'));
    let mut letters = bare.chars();
    let first = letters.next()?.to_ascii_lowercase();
    let place = (first.is_ascii_lowercase()).then(|| usize::from(first as u8 - b'a'));
    let lettered = place.filter(|place| *place < options.len());
    let rest = letters.as_str();
    if rest.is_empty() {
        return lettered;
    }
    if let (Some(place), Some(rest)) = (lettered, rest.strip_prefix(['.', ')', ':', ']'])) {
        return options.get(place).filter(|option| is_option(rest, option)).map(|_| place);
    }
    let mut found = options.iter().enumerate().filter(|(_, option)| is_option(given, option));
    // Two equal options have no distinguishing text.
    found.next().filter(|_| found.next().is_none()).map(|(place, _)| place)
}

/// Returns the text of the last element of this name, without white space around it; `Err` is the problem if there is
/// no such element.
pub(crate) fn element<'t>(text: &'t str, name: &str) -> Result<&'t str, String> {
    let (opening, closing) = (format!("<{name}>"), format!("</{name}>"));
    let start = text.rfind(&opening).ok_or_else(|| format!("there is no {opening}…{closing}"))?;
    let rest = &text[start + opening.len()..];
    let end =
        rest.find(&closing).ok_or_else(|| format!("{opening} has no closing tag {closing}"))?;
    Ok(rest[..end].trim())
}

/// Returns the text between the last pair of answer tags; `Err` is the problem if there is no answer.
pub(crate) fn answer_in(text: &str) -> Result<&str, String> {
    match element(text, "answer")? {
        "" => Err("there is nothing between <answer> and </answer>".to_owned()),
        answer => Ok(answer),
    }
}
