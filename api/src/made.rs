//! What the definition of a macro, or the text of a call, shows of the items that it makes.

/// What a macro makes, as far as it can be told from its text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Made {
    /// Whether something in it is public.
    pub(crate) is_public: bool,
    /// Paths of the traits that it implements.
    pub(crate) traits: Vec<Vec<String>>,
}

/// Reads the tokens of a macro; `None` where they make nothing that could be seen.
pub(crate) fn read(tokens: &str) -> Option<Made> {
    let spaced: String = tokens
        .chars()
        .flat_map(
            |c| if is_word(c) { [None, Some(c), None] } else { [Some(' '), Some(c), Some(' ')] },
        )
        .flatten()
        .collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut made = Made::default();
    for (at, word) in words.iter().enumerate() {
        match *word {
            "pub" if words.get(at + 1) != Some(&"(") => made.is_public = true,
            "impl" => made.traits.extend(implemented(&words[at + 1..])),
            _ => {}
        }
    }
    (made != Made::default()).then_some(made)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_:'$".contains(c)
}

/// The path of the trait in `<…> Trait<…> for Type`, of what follows the word `impl`.
fn implemented(words: &[&str]) -> Option<Vec<String>> {
    let (mut depth, mut path) = (0_usize, String::new());
    for word in words {
        match *word {
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            "for" => return Some(path.split("::").map(str::to_owned).collect()),
            "{" | ";" | "(" => return None,
            word => path.push_str(word),
        }
    }
    None
}
