//! [`Checker::certify`]: checks a path and writes down why it is free.

use std::sync::Arc;

use super::checker::{CheckScratch, Checker};
use super::error::CheckError;
use super::groups::{Groups, Opposite};
use super::path::Path;
use super::search::recorder::{ProbeNote, Recorder};
use super::settings::{Report, Settings};
use super::verdict::{Answer, Verdict};
use crate::certificate::{self, Certificate, CurveClaim, SceneClaim, TiledCell};
use crate::robot::Curve;
use crate::robot::interpolation::{self, Knot};
use crate::scene::Scene;

impl Checker {
    /// As [`Checker::path`], and a certificate if the verdict is free. Finds a little less free than a check without
    /// certificate: some 1e-9 of the robot's size must be left above the clearance; what comes nearer than the tolerance
    /// may be too close with a certificate and free without. What is recorded is a search for any contact by the directional
    /// method; where another report is asked for, it comes first, and only a path that it finds free is searched again.
    ///
    /// ```
    /// use pathproof::check::{CheckScratch, Checker, Settings};
    /// use pathproof::robot::Model;
    /// use pathproof::scene::{Scene, SceneParts};
    /// let nothing = Scene::new(SceneParts::new(Model::new("world", vec!["world".into()], vec![])?))?;
    /// let checker = Checker::new(nothing);
    /// let (answer, certificate) =
    ///     checker.certify(&[vec![]], &Settings::default(), &mut CheckScratch::new(&checker))?;
    /// assert!(certificate.is_some_and(|certificate| certificate.segments() == 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn certify(
        &self,
        waypoints: &[Vec<f64>],
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<(Answer, Option<Certificate>), CheckError> {
        let (answer, tilings) = self.tile(waypoints.into(), settings, scratch)?;
        let certificate = tilings.map(|tilings| Certificate {
            version: certificate::VERSION,
            scene: self.scene_claim(),
            waypoints: waypoints.to_vec(),
            curve: None,
            tilings,
        });
        Ok((answer, certificate))
    }

    /// The same for what joint_trajectory_controller runs through these points, of which there must be two at least.
    pub fn certify_controlled(
        &self,
        knots: &[Knot],
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<(Answer, Option<Certificate>), CheckError> {
        let model = self.scene().model();
        let curve = Curve::from_polynomials(model, &interpolation::controller(model, knots)?)?;
        let (answer, tilings) = self.tile((&curve).into(), settings, scratch)?;
        let certificate = tilings.map(|tilings| Certificate {
            version: certificate::VERSION,
            scene: Arc::new(self.scene_claim().for_a_curve()),
            waypoints: knots.iter().map(|knot| knot.positions.clone()).collect(),
            curve: Some(CurveClaim::new(knots)),
            tilings,
        });
        Ok((answer, certificate))
    }

    /// The answer and, if it is free, the cells that tile the path.
    fn tile(
        &self,
        path: Path<'_>,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<(Answer, Option<Tilings>), CheckError> {
        if settings.report != Report::Any {
            // What is found is reported as asked; notes of a search for any contact would not do.
            let answer = self.path(path, settings, scratch)?;
            if !matches!(answer.verdict, Verdict::Free(_)) {
                return Ok((answer, None));
            }
        }
        let (answer, recorder) = self.path_with_notes(path, settings, scratch)?;
        let (segments, pairs) = (path.waypoints()?.segments(), self.listed_groups().pairs.len());
        let is_free = matches!(answer.verdict, Verdict::Free(_));
        Ok((answer, is_free.then(|| tilings(recorder, segments, pairs))))
    }

    /// What all certificates of the scene share; made once.
    fn scene_claim(&self) -> Arc<SceneClaim> {
        Arc::clone(self.claim.get_or_init(|| Arc::new(claim(self.scene(), self.listed_groups()))))
    }
}

/// For each segment and pair in order, the cells that tile it.
type Tilings = Vec<Vec<TiledCell>>;

fn claim(scene: &Scene, groups: &Groups) -> SceneClaim {
    let bodies = groups.groups.iter().map(|group| group.members().to_vec());
    let members = bodies.chain(groups.half_spaces.iter().map(|half_space| vec![half_space.body])).collect();
    let opposite = |b: Opposite| match b {
        Opposite::Group(b) => b,
        Opposite::HalfSpace(b) => groups.groups.len() + b,
    };
    let pairs = groups.pairs.iter().map(|pair| (pair.a, opposite(pair.b), pair.clearance)).collect();
    SceneClaim::new(scene, members, pairs)
}

/// The notes as tilings, for each segment and pair in order.
fn tilings(recorder: Recorder, segments: usize, pairs: usize) -> Tilings {
    // The verifier finds directions about as fast as it reads them.
    let cell = |note: &ProbeNote| TiledCell { covered: note.covered, direction_in_world: None };
    let mut tilings = vec![Vec::new(); segments * pairs];
    for note in recorder.in_order() {
        tilings[note.segment as usize * pairs + note.pair as usize].push(cell(&note));
    }
    tilings
}
