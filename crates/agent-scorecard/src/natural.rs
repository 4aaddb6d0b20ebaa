//! The order in which people count.

/// The parts of a name, by which task-2 comes before task-10: numbers by their size, and before letters.
pub(crate) fn natural(name: &str) -> Vec<(bool, usize, String)> {
    let mut parts: Vec<(bool, usize, String)> = Vec::new();
    for character in name.chars() {
        let is_text = !character.is_ascii_digit();
        match parts.last_mut() {
            // Zeros in front of a number change nothing.
            Some((false, _, part)) if !is_text && part == "0" => *part = character.to_string(),
            Some((known, length, part)) if *known == is_text => {
                part.push(character);
                *length += usize::from(!is_text);
            }
            _ => parts.push((is_text, usize::from(!is_text), character.to_string())),
        }
    }
    parts
}
