//! Poses on the command line (`x,y,z,r,p,y`: metres, then radians about the fixed axes x, y, z, as in URDF) and in
//! CSV files with that header.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use pathproof::numeric::Pose;
use pathproof::shapes::MAX_COORDINATE;

/// The columns of a file of poses, in this order.
const COLUMNS: [&str; 6] = ["x", "y", "z", "r", "p", "y"];

/// A pose from `x,y,z,r,p,y`.
pub(crate) fn pose(text: &str) -> Result<Pose> {
    from_fields(text.split(',')).with_context(|| format!("the pose {text:?} cannot be used"))
}

/// The poses of a CSV file, a row each, of which there must be one.
pub(crate) fn poses(path: &Path) -> Result<Vec<Pose>> {
    let name = path.display();
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .flexible(true)
        .from_path(path)
        .with_context(|| format!("{name}: the trajectory cannot be read"))?;
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
        let line = record.position().map_or(0, csv::Position::line);
        poses.push(from_fields(record.iter()).with_context(|| format!("{name}: line {line}"))?);
    }
    ensure!(!poses.is_empty(), "{name}: there is no pose below the header");
    Ok(poses)
}

fn from_fields<'a>(fields: impl Iterator<Item = &'a str>) -> Result<Pose> {
    let values = numbers(fields)?;
    let &[x, y, z, roll, pitch, yaw] = values.as_slice() else {
        anyhow::bail!("a pose has 6 numbers, x,y,z,r,p,y (metres and radians), not {}", values.len());
    };
    for coordinate in [x, y, z] {
        ensure!(coordinate.abs() < MAX_COORDINATE, "the coordinate {coordinate:?} m is not below {MAX_COORDINATE:e} m");
    }
    Ok(Pose::from_xyz_rpy([x, y, z], [roll, pitch, yaw]))
}

/// Finite numbers.
pub(crate) fn numbers<'a>(fields: impl Iterator<Item = &'a str>) -> Result<Vec<f64>> {
    fields
        .map(|field| {
            let value: f64 = field.trim().parse().ok().with_context(|| format!("{field:?} is not a number"))?;
            ensure!(value.is_finite(), "{field:?} is not a finite number");
            Ok(value)
        })
        .collect()
}
