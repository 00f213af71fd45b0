//! The verifier against oracles, forgeries and changed certificates, and what it may lean on. Worlds are those of the
//! checker's tests.

#[path = "../../../pathproof/tests/checker/common/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the checker's own tests use the rest")]
mod checker_common;
mod checks;
mod closed_holes;
mod curve_forgeries;
mod curves;
mod evidence;
mod exports;
mod forgeries;
mod headers;
mod mutations;
mod oracle;
mod trusted_base;
