//! What every mesh reader promises for any bytes: an error of one line that names the file, or a mesh that keeps
//! its invariant; no panic, no hang, no memory beyond the limits.

use std::path::Path;

use pathproof_formats::FormatError;
use pathproof_formats::mesh::{Limits, read_bytes};

pub fn check(name: &str, bytes: &[u8]) {
    let limits = Limits { triangles: 100_000, bytes: 1 << 24 };
    // Whatever a file names beside itself holds the file's own bytes.
    let siblings = |_: &Path| -> Result<Vec<u8>, FormatError> { Ok(bytes.to_vec()) };
    match read_bytes(name, bytes, &siblings, &limits) {
        Ok(mesh) => assert_eq!(mesh.broken_invariant(), None),
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with(name) && !message.contains('\n'), "{message}");
        }
    }
}
