//! [`Checker::certify`]: checks a path and writes down why it is free.

use std::sync::Arc;

use super::cell::{ProbeNote, Recorder};
use super::checker::{CheckScratch, Checker};
use super::error::CheckError;
use super::groups::{Groups, Opposite};
use super::settings::{Report, Settings};
use super::verdict::{Answer, Verdict};
use crate::certificate::{self, Certificate, CurveClaim, SceneClaim, TiledCell};
use crate::path::Motion;
use crate::scene::Scene;

impl Checker {
    /// Checks as [`Checker::path`] does and returns a certificate if the verdict is free. Proves slightly fewer paths
    /// free than a check without certificate: some 1e-9 of the robot's size must be left above the clearance, so a
    /// path that comes nearer than the tolerance may be too close with a certificate and free without. Records a
    /// search for any contact by the directional method; if that is not free, makes the requested report. Refuses
    /// motions that no certificate can state ([`Motion::is_certifiable`]).
    ///
    /// ```
    /// use pathproof::check::{CheckScratch, Checker, Settings};
    /// use pathproof::path::Motion;
    /// use pathproof::robot::Model;
    /// use pathproof::scene::{Scene, SceneParts};
    /// let nothing = Scene::new(SceneParts::new(Model::new("world", vec!["world".into()], vec![])?))?;
    /// let checker = Checker::new(nothing);
    /// let (answer, certificate) =
    ///     checker.certify(&Motion::lines([vec![]]), &Settings::default(), &mut CheckScratch::new(&checker))?;
    /// assert!(certificate.is_some_and(|certificate| certificate.segments() == 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn certify(
        &self,
        motion: &Motion,
        settings: &Settings,
        scratch: &mut CheckScratch,
    ) -> Result<(Answer, Option<Certificate>), CheckError> {
        if !motion.is_certifiable() {
            let (interpolation, has_older_version) = (motion.interpolation(), motion.has_older_version());
            return Err(CheckError::NoCertificate { interpolation, has_older_version });
        }
        let (mut answer, recorder) = self.path_with_notes(motion.newest(), settings, scratch)?;
        if !matches!(answer.verdict, Verdict::Free(_)) && settings.report != Report::Any {
            // Reports findings as requested. Without any, the answer is still the reason why the proof is incomplete.
            let asked = self.path(motion, settings, scratch)?;
            if !matches!(asked.verdict, Verdict::Free(_)) {
                return Ok((asked, None));
            }
        }
        self.warn(motion, settings, &mut answer, scratch)?;
        if !matches!(answer.verdict, Verdict::Free(_)) {
            return Ok((answer, None));
        }
        let tilings = tilings(recorder, motion.segments(), self.listed_groups().pairs.len());
        let claim = self.scene_claim();
        let knots = motion.stated_knots();
        let certificate = Certificate {
            version: certificate::VERSION,
            scene: if knots.is_some() { Arc::new(claim.for_a_curve()) } else { claim },
            waypoints: motion.waypoints().to_vec(),
            curve: knots.map(CurveClaim::new),
            tilings,
        };
        Ok((answer, Some(certificate)))
    }

    /// The part that all certificates of the scene share; made once.
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

/// Converts the notes to tilings, for each segment and pair in order.
fn tilings(recorder: Recorder, segments: usize, pairs: usize) -> Tilings {
    // The verifier finds directions about as fast as it reads them.
    let cell = |note: &ProbeNote| TiledCell { covered: note.covered, direction_in_world: None };
    let mut tilings = vec![Vec::new(); segments * pairs];
    for note in recorder.in_order() {
        tilings[note.segment as usize * pairs + note.pair as usize].push(cell(&note));
    }
    tilings
}
