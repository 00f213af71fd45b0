//! Certificates in files.

use std::path::Path;

use super::{FormatError, output_file};
use crate::certificate::Certificate;

/// Reads a certificate from a file.
pub fn read(path: &Path) -> Result<Certificate, FormatError> {
    let bytes = std::fs::read(path).map_err(|error| FormatError::io(path, "read it", &error))?;
    Certificate::parse(&bytes).map_err(|error| FormatError::new(path, error.to_string()))
}

/// Writes a certificate, in one step.
pub fn write(path: &Path, certificate: &Certificate) -> Result<(), FormatError> {
    output_file::write(path, &certificate.to_bytes())
}
