#![no_main]
//! Two bodies on walks made of any numbers: where `hulls` says free, no sample overlaps, and sampled methods agree.

use pathproof_traffic::{
    Agent, Compound, Exactness, Method, Query, Report, Sampling, Traffic, TrafficScratch, Trajectory, Verdict,
};

/// Numbers from bytes: two bytes each, in [-1, 1].
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn next(&mut self) -> f64 {
        let (head, tail) = self.0.split_at(self.0.len().min(2));
        self.0 = tail;
        f64::from(head.iter().fold(0u16, |value, byte| value << 8 | u16::from(*byte))) / 32767.5 - 1.0
    }

    fn body(&mut self) -> Option<(Compound, Trajectory)> {
        let compound = match self.next() {
            kind if kind < -0.5 => Compound::disc(self.next().abs() * 2.0),
            kind if kind < 0.0 => Compound::polygon(&[(); 4].map(|()| [self.next() * 3.0, self.next() * 3.0])),
            _ => Compound::rectangle(self.next().abs() * 6.0, self.next().abs() * 2.0),
        };
        let (start, dt) = (self.next(), self.next().abs() + 0.01);
        let poses: Vec<[f64; 4]> =
            (0..5).map(|k| [start + dt * f64::from(k), self.next() * 8.0, self.next() * 8.0, self.next() * 7.0]).collect();
        Some((compound.ok()?, Trajectory::planar(poses).ok()?))
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut numbers = Numbers(bytes);
    let (Some((body, trajectory)), Some((other, motion))) = (numbers.body(), numbers.body()) else { return };
    let gap = numbers.next().max(0.0);
    let traffic = Traffic::new(vec![Agent::moving("other", other, motion).expect("planar")]).expect("planar");
    let mut scratch = TrafficScratch::default();
    let mut ask = |method| {
        let query = Query { method, time_gap: gap, report: Report::First };
        traffic.check(&body, &trajectory, &query, &mut scratch).expect("a good question").verdict
    };
    let sampled = ask(Method::Naive(Sampling::Interpolated));
    assert_eq!(sampled, ask(Method::Isolated(Sampling::Interpolated)));
    assert_eq!(sampled, ask(Method::Trees(Sampling::Interpolated)));
    let exact = ask(Method::Hulls(Exactness::default()));
    assert!(!(sampled.is_collision() && exact == Verdict::Free), "{sampled:?}");
});
