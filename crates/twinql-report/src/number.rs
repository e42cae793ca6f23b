//! Numbers as readers see them.

/// From here on a number is shown by its power of ten.
const LARGE: f64 = 1e15;

/// The number with so many digits after the point; whole numbers are grouped in thousands. Zero has no sign.
pub(crate) fn shown(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "n/a".into();
    }
    if value.abs() >= LARGE {
        return format!("{value:.digits$e}");
    }
    let text = format!("{value:.digits$}");
    let text = match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| matches!(b, b'0' | b'.')) => rest.to_owned(),
        _ => text,
    };
    if digits == 0 { grouped(&text) } else { text }
}

/// A comma before every third digit from the right.
fn grouped(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let mut out = String::from(sign);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A coordinate or a share: up to four digits after the point, as few as it needs.
pub(crate) fn brief(value: f64) -> String {
    if !value.is_finite() {
        return "n/a".into();
    }
    if value.abs() >= LARGE {
        return format!("{value:.4e}");
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(shown(1_234_567.0, 0), "1,234,567");
        assert_eq!(shown(-999.6, 0), "-1,000");
        assert_eq!(shown(-0.0001, 2), "0.00");
        assert_eq!(shown(1e300, 1), "1.0e300");
        assert_eq!(shown(0.005, 3), "0.005");
        assert_eq!(shown(f64::INFINITY, 1), "n/a");
        assert_eq!(brief(0.5), "0.5");
        assert_eq!(brief(-0.00001), "0");
        assert_eq!(brief(20.0), "20");
    }
}
