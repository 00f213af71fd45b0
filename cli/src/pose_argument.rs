//! Poses on the command line (`x,y,z,r,p,y`: lengths, then angles about the fixed axes x, y, z, as in URDF) and in
//! CSV files with that header.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use pathproof::numeric::Pose;
use pathproof::shapes::MAX_COORDINATE;
use pathproof_formats::input_file::{self, Limit};
use pathproof_formats::quantity::{self, QuantityError};

/// The columns of a file of poses, in this order.
const COLUMNS: [&str; 6] = ["x", "y", "z", "r", "p", "y"];

/// Largest file of poses.
const LIMIT: Limit = Limit::new(1 << 30, "split it into several");

/// A pose from `x,y,z,r,p,y`.
pub(crate) fn pose(text: &str) -> Result<Pose> {
    from_fields(text.split(',')).with_context(|| format!("the pose {text:?} cannot be used"))
}

/// Poses of a CSV file, one per row; at least one.
pub(crate) fn poses(path: &Path) -> Result<Vec<Pose>> {
    let name = path.display();
    let text = input_file::text(path, LIMIT)?;
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().with_context(|| format!("{name}: the header cannot be read"))?.clone();
    ensure!(
        header.iter().eq(COLUMNS),
        "{name}: line 1: the header is {:?}; it must be {:?}",
        header.iter().collect::<Vec<_>>().join(","),
        COLUMNS.join(",")
    );
    let mut poses = Vec::new();
    for record in reader.records() {
        let record = record.with_context(|| format!("{name}: row {} cannot be read", poses.len()))?;
        let start = record.position().map_or(0, csv::Position::byte) as usize;
        poses.push(from_fields(record.iter()).with_context(|| format!("{name}: line {}", line_at(text, start)))?);
    }
    ensure!(!poses.is_empty(), "{name}: there is no pose below the header");
    Ok(poses)
}

/// Line, from 1, of the record at byte `start`, which may be the start of empty lines before it.
fn line_at(text: &str, start: usize) -> usize {
    let is_break = |b: &&u8| matches!(b, b'\n' | b'\r');
    let first = start + text.as_bytes()[start..].iter().take_while(is_break).count();
    1 + text.as_bytes()[..first].iter().filter(|&&b| b == b'\n').count()
}

fn from_fields<'a>(fields: impl Iterator<Item = &'a str>) -> Result<Pose> {
    let fields: Vec<&str> = fields.collect();
    let &[x, y, z, roll, pitch, yaw] = fields.as_slice() else {
        anyhow::bail!("a pose has 6 numbers, x,y,z,r,p,y (metres and radians), not {}", fields.len());
    };
    let [x, y, z] = finite([x, y, z], quantity::length)?;
    let [roll, pitch, yaw] = finite([roll, pitch, yaw], quantity::angle)?;
    for coordinate in [x, y, z] {
        ensure!(coordinate.abs() < MAX_COORDINATE, "the coordinate {coordinate:?} m is not below {MAX_COORDINATE:e} m");
    }
    Ok(Pose::from_xyz_rpy([x, y, z], [roll, pitch, yaw]))
}

/// Three finite lengths or angles.
fn finite(fields: [&str; 3], read: impl Fn(&str) -> Result<f64, QuantityError>) -> Result<[f64; 3]> {
    let mut values = [0.0; 3];
    for (value, field) in values.iter_mut().zip(fields) {
        *value = read(field)?;
        ensure!(value.is_finite(), "{field:?} is not a finite number");
    }
    Ok(values)
}

/// Finite lengths.
pub(crate) fn lengths<'a>(fields: impl Iterator<Item = &'a str>) -> Result<Vec<f64>> {
    fields
        .map(|field| {
            let value = quantity::length(field)?;
            ensure!(value.is_finite(), "{field:?} is not a finite number");
            Ok(value)
        })
        .collect()
}
