//! Certificates in files.

use std::path::Path;

use super::input_file::{self, Limit};
use super::{FormatError, output_file};
use pathproof::certificate::Certificate;

/// Largest certificate. One of a thousand segments takes about 200 kB.
const LIMIT: Limit = Limit::new(1 << 30, "check that this is a certificate, or prove parts of the path");

/// Reads a certificate from a file.
pub fn read(path: &Path) -> Result<Certificate, FormatError> {
    let bytes = input_file::bytes(path, LIMIT)?;
    Certificate::parse(&bytes).map_err(|error| FormatError::new(path, error.to_string()))
}

/// Writes a certificate, in one step.
pub fn write(path: &Path, certificate: &Certificate) -> Result<(), FormatError> {
    output_file::write(path, &certificate.to_bytes())
}
