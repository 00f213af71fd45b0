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
use crate::pickled::{self, Reduced};
use crate::scene::Scene;
use crate::{errors, interrupt};

/// Result for two links: if they can touch, and how that is known.
#[pyclass(frozen, module = "pathproof")]
pub(crate) struct LinkPair {
    told: ToldPair,
}

/// All values of a pair.
#[derive(FromPyObject, IntoPyObjectRef)]
#[pyo3(from_item_all)]
struct ToldPair {
    links: (String, String),
    kind: String,
    proven: bool,
    lower: Option<f64>,
    configuration: Option<Vec<f64>>,
    share: Option<f64>,
}

#[pymethods]
impl LinkPair {
    /// The two links.
    #[getter]
    fn links(&self) -> (String, String) {
        self.told.links.clone()
    }

    /// "adjacent", "never", "always", "sometimes" or "unproven".
    #[getter]
    fn kind(&self) -> &str {
        &self.told.kind
    }

    /// True if proven for all of the joint ranges, and not only seen in random configurations.
    #[getter]
    fn proven(&self) -> bool {
        self.told.proven
    }

    /// For "never": lower bound on their distance at every configuration, in metres.
    #[getter]
    fn lower(&self) -> Option<f64> {
        self.told.lower
    }

    /// For "sometimes" or "always": a configuration in contact.
    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.told.configuration.as_ref().map(|configuration| PyArray1::from_slice(py, configuration))
    }

    /// For "unproven": the share of the joint ranges over which they are proven apart.
    #[getter]
    fn share(&self) -> Option<f64> {
        self.told.share
    }

    fn __repr__(&self) -> String {
        let ToldPair { links: (a, b), kind, proven, .. } = &self.told;
        let how = if *proven { ", proven" } else { "" };
        format!("<pathproof.LinkPair {a} and {b}: {kind}{how}>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduced::<Self>(py, &self.told)
    }

    /// Restores a pair from a pickle.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(told: ToldPair) -> Self {
        Self { told }
    }
}

impl ToldPair {
    fn new(links: (String, String), class: Class) -> Self {
        let proven = matches!(class, Class::Never { .. } | Class::Always { shown: Shown::Proven, .. });
        let nothing =
            |kind: &str| Self { links, kind: kind.to_owned(), proven, lower: None, configuration: None, share: None };
        match class {
            Class::Adjacent { .. } => nothing("adjacent"),
            Class::Never { lower } => Self { lower: Some(lower), ..nothing("never") },
            Class::Always { configuration, .. } => Self { configuration: Some(configuration), ..nothing("always") },
            Class::Sometimes { configuration } => Self { configuration: Some(configuration), ..nothing("sometimes") },
            Class::Unproven { share, .. } => Self { share: Some(share), ..nothing("unproven") },
        }
    }
}

/// Sorts every pair of links that have geometry by whether they can touch within the joint limits. Pairs that never
/// touch are proven apart. `boxes` bounds the work per pair.
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
    let described = |Classified { bodies: [a, b], class, .. }: Classified| LinkPair {
        told: ToldPair::new((name(a), name(b)), class),
    };
    Ok(found.into_iter().map(described).collect())
}
