//! Lengths and angles as typed: `0.005`, `5mm`, `3cm`, `30deg`. A number without a unit is in metres or radians. Digits
//! are shifted in decimal, so `0.2mm` is the same number as `0.0002`.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use thiserror::Error;

use super::excerpt;
use pathproof::robot::VariableKind;

/// Clearances above this (metres) are questioned if they have no unit.
const LARGEST_USUAL_CLEARANCE: f64 = 1.0;

/// Reason why a text is not the required quantity.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum QuantityError {
    /// Neither a number nor a number with a unit.
    #[error("{0:?} is not a number, with or without a unit (m, cm, mm, deg, rad)")]
    NotANumber(String),
    /// Number followed by letters that are not a unit.
    #[error("{0:?} has the unit {1:?}, which is not known; write m, cm, mm, deg or rad")]
    UnknownUnit(String, String),
    /// A length in place of an angle, an angle in place of a length, or a unit where there can be none.
    #[error("{0:?} is {1} where {2} is needed")]
    WrongKind(String, &'static str, &'static str),
}

/// Accepted units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Metre,
    Centimetre,
    Millimetre,
    Degree,
    Radian,
}

impl Unit {
    /// Names; each precedes those that it ends in.
    const NAMES: [(&str, Self); 5] = [
        ("mm", Self::Millimetre),
        ("cm", Self::Centimetre),
        ("m", Self::Metre),
        ("deg", Self::Degree),
        ("rad", Self::Radian),
    ];

    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, unit)| *unit == self).map_or("", |(name, _)| name)
    }

    fn kind(self) -> VariableKind {
        match self {
            Self::Metre | Self::Centimetre | Self::Millimetre => VariableKind::Length,
            Self::Degree | Self::Radian => VariableKind::Angle,
        }
    }

    /// Value of the number `text` of this unit, in metres or radians.
    fn value(self, text: &str) -> Option<f64> {
        match self {
            Self::Metre | Self::Radian => text.parse().ok(),
            Self::Centimetre => shifted(text, -2),
            Self::Millimetre => shifted(text, -3),
            Self::Degree => text.parse().ok().map(f64::to_radians),
        }
    }
}

/// A decimal number times a power of ten, rounded once.
fn shifted(text: &str, by: i64) -> Option<f64> {
    let plain: f64 = text.parse().ok()?;
    if !plain.is_finite() {
        return Some(plain);
    }
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    format!("{digits}e{}", exponent.saturating_add(by)).parse().ok()
}

/// Number with or without a unit. [`Quantity::of`] converts it to a length or an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    value: f64,
    unit: Option<Unit>,
}

impl Quantity {
    /// Value in metres or radians; a component of a quaternion stays as it is. A unit must fit.
    pub fn of(self, kind: VariableKind) -> Result<f64, QuantityError> {
        match self.unit {
            Some(unit) if unit.kind() != kind => {
                Err(QuantityError::WrongKind(self.to_string(), name_of(unit.kind()), name_of(kind)))
            }
            _ => Ok(self.value),
        }
    }
}

impl From<f64> for Quantity {
    fn from(value: f64) -> Self {
        Self { value, unit: None }
    }
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        if let Ok(value) = text.parse() {
            return Ok(Self { value, unit: None });
        }
        for (name, unit) in Unit::NAMES {
            if let Some(value) = text.strip_suffix(name).and_then(|number| unit.value(number.trim_end())) {
                return Ok(Self { value, unit: Some(unit) });
            }
        }
        let number = text.trim_end_matches(|c: char| !c.is_ascii_digit() && c != '.');
        let is_number = number.parse::<f64>().is_ok();
        Err(match is_number {
            true => QuantityError::UnknownUnit(excerpt(text), excerpt(text[number.len()..].trim())),
            false => QuantityError::NotANumber(excerpt(text)),
        })
    }
}

/// Shows the quantity in the unit it was typed in.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match self.unit {
            Some(Unit::Centimetre) => self.value * 1e2,
            Some(Unit::Millimetre) => self.value * 1e3,
            Some(Unit::Degree) => self.value.to_degrees(),
            _ => self.value,
        };
        // Conversion back may end in …0001.
        write!(f, "{}{}", (value * 1e9).round() / 1e9, self.unit.map_or("", Unit::name))
    }
}

fn name_of(kind: VariableKind) -> &'static str {
    match kind {
        VariableKind::Length => "a length",
        VariableKind::Angle => "an angle",
        VariableKind::Quaternion => "a number without a unit",
    }
}

/// Length in metres, and whether its unit was typed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Length {
    /// Metres.
    pub metres: f64,
    /// True if the unit is certain.
    pub has_unit: bool,
}

impl Length {
    /// Question about a clearance: a large one usually means that millimetres were taken for metres.
    pub fn doubt(self) -> Option<String> {
        let Self { metres, has_unit } = self;
        let is_doubtful = !has_unit && metres.abs() > LARGEST_USUAL_CLEARANCE;
        is_doubtful
            .then(|| format!("a clearance of {metres} m: were millimetres meant? write {metres}mm, or {metres}m"))
    }
}

impl FromStr for Length {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let quantity: Quantity = text.parse()?;
        Ok(Self { metres: quantity.of(VariableKind::Length)?, has_unit: quantity.unit.is_some() })
    }
}

/// An angle in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Angle(pub f64);

/// Reads a length: metres, or with a unit.
pub fn length(text: &str) -> Result<f64, QuantityError> {
    text.parse::<Quantity>()?.of(VariableKind::Length)
}

/// Reads an angle: radians, or with a unit.
pub fn angle(text: &str) -> Result<f64, QuantityError> {
    text.parse::<Quantity>()?.of(VariableKind::Angle)
}

/// Reads a joint value, the same for all kinds of joints: radians or metres, or with a unit.
pub fn length_or_angle(text: &str) -> Result<f64, QuantityError> {
    Ok(text.parse::<Quantity>()?.value)
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrText;
        impl Visitor<'_> for NumberOrText {
            type Value = Quantity;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a number with a unit in quotes such as \"5mm\"")
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Quantity, E> {
                Ok(value.into())
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Quantity, E> {
                Ok((value as f64).into())
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Quantity, E> {
                Ok((value as f64).into())
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Quantity, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(NumberOrText)
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let quantity = Quantity::deserialize(deserializer)?;
        let metres = quantity.of(VariableKind::Length).map_err(de::Error::custom)?;
        Ok(Self { metres, has_unit: quantity.unit.is_some() })
    }
}

impl<'de> Deserialize<'de> for Angle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Quantity::deserialize(deserializer)?.of(VariableKind::Angle).map(Self).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_gives_the_number_that_metres_or_radians_would() {
        for (typed, metres) in [
            ("5mm", 0.005),
            ("0.2mm", 0.0002),
            ("3 cm", 0.03),
            ("-1.5m", -1.5),
            ("2e-1mm", 0.0002),
            ("1E3mm", 1.0),
            ("0.02", 0.02),
            (" 7 ", 7.0),
            (".5mm", 0.0005),
        ] {
            assert_eq!(length(typed), Ok(metres), "{typed}");
        }
        assert_eq!(angle("180deg"), Ok(std::f64::consts::PI));
        assert_eq!(angle("-90 deg"), Ok(-std::f64::consts::FRAC_PI_2));
        assert_eq!((angle("0.5rad"), angle("0.5")), (Ok(0.5), Ok(0.5)));
        assert_eq!(length_or_angle("5mm"), Ok(0.005));
    }

    #[test]
    fn a_unit_of_the_wrong_kind_and_an_unknown_one_are_errors() {
        let told = |result: Result<f64, QuantityError>| result.unwrap_err().to_string();
        assert_eq!(told(length("30deg")), "\"30deg\" is an angle where a length is needed");
        assert_eq!(told(angle("5mm")), "\"5mm\" is a length where an angle is needed");
        assert!(told(length("5in")).contains("\"in\", which is not known"));
        for wrong in ["", "mm", "5mmm", "five", "5,3mm", "--5mm", "1e", "5e mm", "0x5mm"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
        let quaternion: Quantity = "5mm".parse().unwrap();
        assert!(quaternion.of(VariableKind::Quaternion).is_err());
    }

    #[test]
    fn a_large_clearance_without_a_unit_is_asked_about() {
        let doubt = |text: &str| text.parse::<Length>().unwrap().doubt();
        assert!(doubt("5").is_some_and(|text| text.contains("write 5mm, or 5m")));
        assert_eq!([doubt("5m"), doubt("5mm"), doubt("1"), doubt("0.005")], [None, None, None, None]);
    }
}
