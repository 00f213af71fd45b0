//! `acm`: which links of a robot can ever touch.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use numpy::PyArray1;
use pathproof::maps::{Class, ClassSettings, Classified, Links, MapSettings, Shown, classify};
use pyo3::prelude::*;

use crate::checker::time_limit;
use crate::scene::Scene;
use crate::{errors, interrupt};

/// Whether two links can touch, and how that is known.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct LinkPair {
    /// The two links.
    #[pyo3(get)]
    links: (String, String),
    found: Classified,
}

#[pymethods]
impl LinkPair {
    /// "adjacent", "never", "always", "sometimes" or "unproven".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.found.class {
            Class::Adjacent { .. } => "adjacent",
            Class::Never { .. } => "never",
            Class::Always { .. } => "always",
            Class::Sometimes { .. } => "sometimes",
            Class::Unproven { .. } => "unproven",
        }
    }

    /// Whether it is proven for all of the joint ranges, and not only seen in random configurations.
    #[getter]
    fn proven(&self) -> bool {
        matches!(self.found.class, Class::Never { .. } | Class::Always { shown: Shown::Proven, .. })
    }

    /// Where never: they are farther apart than this at every configuration, in metres.
    #[getter]
    fn lower(&self) -> Option<f64> {
        if let Class::Never { lower } = self.found.class { Some(lower) } else { None }
    }

    /// Where sometimes or always: a configuration in contact.
    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match &self.found.class {
            Class::Sometimes { configuration } | Class::Always { configuration, .. } => {
                Some(PyArray1::from_slice(py, configuration))
            }
            Class::Adjacent { .. } | Class::Never { .. } | Class::Unproven { .. } => None,
        }
    }

    /// Where unproven: the share of the joint ranges over which they are proven apart.
    #[getter]
    fn share(&self) -> Option<f64> {
        if let Class::Unproven { share, .. } = self.found.class { Some(share) } else { None }
    }

    fn __repr__(&self) -> String {
        let (a, b) = &self.links;
        let how = if self.proven() { ", proven" } else { "" };
        format!("<pathproof.LinkPair {a} and {b}: {}{how}>", self.kind())
    }
}

/// Sorts every pair of links that have geometry by whether they can touch within the joint limits: those that never do are
/// proven apart. `boxes` bounds the work per pair.
#[pyfunction]
#[pyo3(signature = (scene, *, boxes=20_000, max_seconds=None, threads=None))]
pub(crate) fn acm(
    py: Python<'_>,
    scene: &Scene,
    boxes: usize,
    max_seconds: Option<f64>,
    threads: Option<usize>,
) -> PyResult<Vec<LinkPair>> {
    let deadline = time_limit(max_seconds)?.and_then(|time| Instant::now().checked_add(time));
    let threads = match threads {
        Some(0) => return Err(errors::input("threads must be at least 1")),
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    let scene = &scene.data.scene;
    let settings =
        ClassSettings { map: MapSettings { boxes, deadline, ..MapSettings::default() }, ..ClassSettings::default() };
    let mut found = interrupt::searching(py, |stop| {
        let links = Links::new(scene);
        let (pairs, next, found) = (links.pairs(), AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some(&bodies) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let one = classify(&links, bodies, &settings);
                found.lock().unwrap_or_else(PoisonError::into_inner).push(one);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(pairs.len()) {
                scope.spawn(work);
            }
            work();
        });
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    })?;
    found.sort_by_key(|pair| pair.bodies);
    let name = |body: usize| scene.bodies()[body].name.clone();
    let described = |found: Classified| LinkPair { links: (name(found.bodies[0]), name(found.bodies[1])), found };
    Ok(found.into_iter().map(described).collect())
}
