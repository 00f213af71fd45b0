//! Writes binary STL, in one step (see `output_file`).

use std::path::Path;

use crate::error::FormatError;
use crate::output_file;
use pathproof::numeric::DVec3;

/// Writes triangles as binary STL. The format holds `f32`, so coordinates are rounded to nearest. A coordinate that is
/// not finite in `f32`, or more than `u32::MAX` triangles, is an error, and nothing is written.
pub fn write_stl_binary(path: impl AsRef<Path>, triangles: &[[DVec3; 3]]) -> Result<(), FormatError> {
    let path = path.as_ref();
    let bytes = stl_binary(triangles).map_err(|problem| FormatError::new(path, problem))?;
    output_file::write(path, &bytes)
}

/// The bytes of a binary STL file.
pub(super) fn stl_binary(triangles: &[[DVec3; 3]]) -> Result<Vec<u8>, String> {
    let count = u32::try_from(triangles.len()).map_err(|_| "STL holds at most 4294967295 triangles".to_owned())?;
    let mut bytes = Vec::with_capacity(84 + 50 * triangles.len());
    bytes.extend([b' '; 80]);
    bytes[..9].copy_from_slice(b"pathproof");
    bytes.extend(count.to_le_bytes());
    for (i, &[a, b, c]) in triangles.iter().enumerate() {
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for value in [normal, a, b, c].into_iter().flat_map(|p| p.to_array()) {
            let single = value as f32;
            if !single.is_finite() {
                return Err(format!("triangle {i} has the coordinate {value}, which STL cannot hold"));
            }
            bytes.extend(single.to_le_bytes());
        }
        bytes.extend([0, 0]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_back_and_nothing_is_left_beside_it() {
        let folder = std::env::temp_dir().join(format!("pathproof-write-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.stl");
        let triangles = [[DVec3::ZERO, DVec3::X, DVec3::Y], [DVec3::Z, DVec3::X * 0.5, DVec3::NEG_Y]];
        write_stl_binary(&path, &triangles).unwrap();
        write_stl_binary(&path, &triangles).unwrap();
        let mesh = super::super::read(&path).unwrap();
        assert_eq!(mesh.vertices, triangles.concat());
        assert_eq!(mesh.parts[0].name, "pathproof");

        let error = write_stl_binary(&path, &[[DVec3::NAN; 3]]).unwrap_err();
        assert!(error.to_string().contains("triangle 0"), "{error}");
        assert!(write_stl_binary(folder.join("missing/a.stl"), &triangles).is_err());
        assert!(write_stl_binary(&folder, &triangles).is_err(), "a folder is no file");
        assert_eq!(super::super::read(&path).unwrap().triangles.len(), 2, "the old file survives");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
