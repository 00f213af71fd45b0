//! What the tests of workspace-time share: an oracle that samples, written without the library, and random traffic.

pub(crate) mod oracle;
pub(crate) mod random;

pub(crate) use oracle::Mover;

/// How many cases: what an environment variable says, else `usual`.
pub(crate) fn cases(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
