//! Clearance profiles as CSV: a line per piece, numbers printed so that they read back as the same bits.

use std::path::Path;

use anyhow::{Context, Result};
use pathproof::check::Profile;
use pathproof::path::Motion;
use pathproof::scene::Scene;

use crate::clearances::has_both_kinds;

/// The columns, in order. Lengths in metres; `segment` counts from 0, t runs from 0 to 1 along it.
const COLUMNS: [&str; 8] = ["segment", "t_from", "t_to", "body_a", "body_b", "lower", "upper", "t_upper"];

/// Additional columns if the path has times, in seconds on the trajectory: of `t_from`, `t_to` and `t_upper`.
const TIME_COLUMNS: [&str; 3] = ["time_from", "time_to", "time_upper"];

/// Additional column if the scene checks both kinds of pairs: `world`, or `self` for links of one robot.
const KIND_COLUMN: &str = "kind";

/// Additional column if versions of the controller run the first segment differently.
const VERSION_COLUMN: &str = "version";

/// Content of the file with the profile of `of`; `path` is only named in messages.
pub(crate) fn to_bytes(path: &Path, scene: &Scene, profile: &Profile, of: &Motion) -> Result<Vec<u8>> {
    write(scene, profile, of).with_context(|| format!("{}: the profile cannot be written", path.display()))
}

fn write(scene: &Scene, profile: &Profile, of: &Motion) -> Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let times = if of.times().is_some() { &TIME_COLUMNS[..] } else { &[] };
    let has_both_kinds = has_both_kinds(scene);
    let kind = has_both_kinds.then_some(&KIND_COLUMN);
    let version = of.has_older_version().then_some(&VERSION_COLUMN);
    table.write_record(COLUMNS.iter().chain(times).chain(kind).chain(version))?;
    for piece in &profile.pieces {
        let [t_from, t_to] = piece.interval.map(|t| format!("{t:?}"));
        let [body_a, body_b] = piece.bodies.map(|body| scene.bodies()[body].name.clone());
        let [lower, upper, t_upper] = [piece.lower, piece.upper, piece.t_upper].map(|value| format!("{value:?}"));
        let record = [piece.segment.to_string(), t_from, t_to, body_a, body_b, lower, upper, t_upper];
        let times = [piece.interval[0], piece.interval[1], piece.t_upper].map(|t| of.time_at(piece.segment, t));
        let times = times.into_iter().flatten().map(|time| format!("{time:?}"));
        let pair = scene.checked_pair(piece.bodies).filter(|_| has_both_kinds);
        let kind = pair.map(|pair| pair.kind.name().to_owned());
        let version = of.has_older_version().then(|| piece.version.name().to_owned());
        table.write_record(record.into_iter().chain(times).chain(kind).chain(version))?;
    }
    Ok(table.into_inner()?)
}
