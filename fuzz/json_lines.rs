//! What targets of JSON Lines have in common.

/// How many lines hold something, beside the mark in front by which some editors say "UTF-8".
pub fn lines(bytes: &[u8]) -> usize {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count()
}
