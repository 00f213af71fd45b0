//! Numbers for people: rounded to micrometres and microradians; finer digits do not matter. JSON has all digits.

/// Larger numbers have an exponent: their digits carry no more information.
const LARGE: f64 = 1e15;

/// A number with at most six decimals, without trailing zeros.
pub(crate) fn rounded(value: f64) -> String {
    if value.abs() >= LARGE {
        return format!("{value:e}");
    }
    let text = format!("{value:.6}");
    if !text.contains('.') {
        // Not finite.
        return text;
    }
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A length. Nonzero lengths that round to zero are marked as such.
pub(crate) fn metres(value: f64) -> String {
    match rounded(value).as_str() {
        "0" if value > 0.0 => "less than 1 µm".to_owned(),
        "0" if value < 0.0 => "less than 1 µm of overlap".to_owned(),
        text => format!("{text} m"),
    }
}

/// A length that the user gave, with all its digits.
pub(crate) fn given(value: f64) -> String {
    match value.abs() {
        small if small < LARGE => format!("{value} m"),
        _ => format!("{value:e} m"),
    }
}

/// Count with its noun, given in the singular.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Proven lower bound: rounded down, so that the printed number is proven too.
pub(crate) fn at_least(value: f64) -> String {
    format!("{} m", rounded_down(value))
}

/// An upper bound: rounded up.
pub(crate) fn at_most(value: f64) -> String {
    format!("{} m", rounded_up(value))
}

/// A lower bound of any unit.
pub(crate) fn rounded_down(value: f64) -> String {
    rounded(if value.is_finite() { (value * 1e6).floor() / 1e6 } else { value })
}

/// An upper bound of any unit.
pub(crate) fn rounded_up(value: f64) -> String {
    rounded(if value.is_finite() { (value * 1e6).ceil() / 1e6 } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_bounds_rounded_down() {
        assert_eq!(rounded(0.955_000_000_000_000_1), "0.955");
        assert_eq!((rounded(-1e-9), rounded(3.0), rounded(-0.25)), ("0".into(), "3".into(), "-0.25".into()));
        assert_eq!((metres(0.0), metres(8.8e-9)), ("0 m".into(), "less than 1 µm".into()));
        assert_eq!(metres(-1e-9), "less than 1 µm of overlap");
        assert_eq!((at_least(0.089_999_9), at_least(-0.000_000_1)), ("0.089999 m".into(), "-0.000001 m".into()));
        assert_eq!((at_most(0.089_999_1), at_most(-0.5)), ("0.09 m".into(), "-0.5 m".into()));
        assert_eq!(rounded(f64::INFINITY), "inf");
        assert_eq!(
            (rounded(-1e300), metres(1.5e20), given(1e300)),
            ("-1e300".into(), "1.5e20 m".into(), "1e300 m".into())
        );
        assert_eq!((counted(1, "row"), counted(0, "row")), ("1 row".into(), "0 rows".into()));
        assert_eq!((given(1.6e-6), given(1.001)), ("0.0000016 m".into(), "1.001 m".into()));
    }
}
