//! The exact checker: the queue of cells, the judges, segments, paths, verdicts, certificates.
