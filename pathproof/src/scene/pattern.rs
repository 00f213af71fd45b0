//! Names with `*`, which match several bodies.

/// True if the pattern matches the name; each `*` stands for any letters. O(letters of both).
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    let mut rest = rest;
    for piece in pieces {
        // The earliest match leaves the most for the rest.
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        let cases = [
            ("*", "", true),
            ("*", "arm/link_1", true),
            ("arm/*", "arm/link_1", true),
            ("arm/*", "arm2/link_1", false),
            ("*/tool*", "arm/tool0", true),
            ("*/tool*", "arm/tol", false),
            ("a*b*c", "abbcbc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("**", "x", true),
            ("link", "link", true),
            ("link", "link_1", false),
            ("*ü*", "grün", true),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
