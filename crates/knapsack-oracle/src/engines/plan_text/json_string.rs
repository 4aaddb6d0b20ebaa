/// Reads a string in double or single quotes whose opening quote is at byte `at`. Moves `at` behind
/// the closing quote, or to the byte at which reading failed.
pub(super) fn read(text: &str, at: &mut usize) -> Option<String> {
    let byte = |at: usize| text.as_bytes().get(at).copied();
    let quote = byte(*at).filter(|byte| matches!(byte, b'"' | b'\''))?;
    *at += 1;
    let mut read = String::new();
    loop {
        let start = *at;
        while byte(*at).is_some_and(|byte| byte >= b' ' && byte != quote && byte != b'\\') {
            *at += 1;
        }
        read.push_str(text.get(start..*at)?);
        match byte(*at)? {
            byte if byte == quote => {
                *at += 1;
                return Some(read);
            }
            b'\\' => {
                *at += 1;
                read.push(escaped(text, at, quote)?);
            }
            // A string must not contain a line break.
            _ => return None,
        }
    }
}

/// Reads an escape from the byte after its backslash.
fn escaped(text: &str, at: &mut usize, quote: u8) -> Option<char> {
    let byte = *text.as_bytes().get(*at)?;
    let character = match byte {
        b'"' | b'\\' | b'/' => char::from(byte),
        b'\'' if byte == quote => '\'',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            *at += 1;
            return code_point(text, at);
        }
        _ => return None,
    };
    *at += 1;
    Some(character)
}

/// Reads a code point, or a surrogate pair, after `\u`.
fn code_point(text: &str, at: &mut usize) -> Option<char> {
    let high = hex(text, at)?;
    if !(0xd800..0xdc00).contains(&high) {
        return char::from_u32(high);
    }
    text.get(*at..)?.starts_with("\\u").then_some(())?;
    *at += 2;
    let low = hex(text, at)?.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
    char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)
}

fn hex(text: &str, at: &mut usize) -> Option<u32> {
    let Some(digits) = text.get(*at..*at + 4) else {
        if text.len() < *at + 4 {
            *at = text.len();
        }
        return None;
    };
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
    *at += 4;
    u32::from_str_radix(digits, 16).ok()
}
