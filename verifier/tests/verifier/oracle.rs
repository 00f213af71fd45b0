//! The verifier as the checker's oracle: every `free` over generated robots and scenes gets a certificate that verifies.
//!
//! `PATHPROOF_SEGMENTS` says how many segments (default 1,200). The full run:
//! `PATHPROOF_SEGMENTS=60000 cargo test --release -p pathproof-verifier --test verifier oracle:: -- --nocapture`

use crate::checker_common::random::{prepare, quaternions, random_segment, random_world};
use crate::checker_common::word;
use pathproof::certificate::Certificate;
use pathproof::check::{CheckScratch, Checker, Settings};
use pathproof::numeric::Random;
use pathproof::path::Motion;
use pathproof_verifier::Verifier;
use rayon::prelude::*;

const SEGMENTS_A_WORLD: usize = 12;

fn segments() -> usize {
    std::env::var("PATHPROOF_SEGMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_200)
}

#[derive(Default, Debug, Clone, Copy)]
struct Tally {
    segments: usize,
    free: usize,
    without: usize,
    verified: usize,
    bytes: usize,
    halves: usize,
}

impl Tally {
    fn plus(self, o: Self) -> Self {
        Self {
            segments: self.segments + o.segments,
            free: self.free + o.free,
            without: self.without + o.without,
            verified: self.verified + o.verified,
            bytes: self.bytes + o.bytes,
            halves: self.halves + o.halves,
        }
    }
}

fn run_world(number: usize) -> Tally {
    let mut random = Random::new(0xCE27_0000 + number as u64);
    let mut world = random_world(&mut random, number);
    prepare(&mut world, &mut random);
    let quaternions = quaternions(&world);
    let checker = Checker::new(world.scene());
    let verifier = Verifier::new(checker.scene()).unwrap();
    // What a scratch remembers of edges must not be missing in a certificate.
    let mut scratch = CheckScratch::new(&checker).with_edge_cache(1 << 20);
    let mut tally = Tally::default();
    for _ in 0..SEGMENTS_A_WORLD {
        let path = random_segment(&mut random, &world, &quaternions);
        let settings = Settings { node_to_motion_ratio: [0.0, 2.0, 6.0][random.below(3)], ..Settings::default() };
        tally.segments += 1;
        let plain = checker.path(&Motion::lines(&path[..]), &settings, &mut scratch).unwrap();
        let (answer, certificate) = checker.certify(&Motion::lines(&path[..]), &settings, &mut scratch).unwrap();
        assert_eq!(word(&answer.verdict) == "free", certificate.is_some());
        tally.free += usize::from(word(&plain.verdict) == "free");
        let Some(bytes) = certificate.map(|certificate| certificate.to_bytes()) else {
            // Room for other arithmetic is left, and hulls prove nothing: within the tolerance a little less is free.
            tally.without += usize::from(word(&plain.verdict) == "free");
            continue;
        };
        let certificate = Certificate::parse(&bytes).unwrap();
        match verifier.verify(&Motion::lines(&path[..]), &certificate) {
            Ok(accepted) => tally.halves += accepted.halves,
            Err(refusal) => panic!("world {number}: {refusal} {refusal:?}\n{path:?}"),
        }
        tally.verified += 1;
        tally.bytes += bytes.len();
    }
    tally
}

#[test]
fn every_free_verdict_gets_a_certificate_that_verifies() {
    let worlds = segments().div_ceil(SEGMENTS_A_WORLD);
    let tally = (0..worlds).into_par_iter().map(run_world).reduce(Tally::default, Tally::plus);
    println!("{tally:?}");
    assert!(tally.verified * 8 > tally.segments, "hardly anything is free: {tally:?}");
    assert!(tally.without * 100 <= tally.free, "{tally:?}");
}
