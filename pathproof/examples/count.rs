//! scratch
use pathproof::{distance::*, numeric::*, shapes::*, trees::*};
fn torus(ma: f64, mi: f64, nu: u32, nv: u32) -> TriangleMesh {
    let mut v = vec![];
    let mut t = vec![];
    for i in 0..nu {
        for j in 0..nv {
            let (su, cu) = sin_cos(i as f64 * 6.283185307179586 / nu as f64);
            let (sv, cv) = sin_cos(j as f64 * 6.283185307179586 / nv as f64);
            v.push(DVec3::new((ma + mi * cv) * cu, (ma + mi * cv) * su, mi * sv));
            let id = |i: u32, j: u32| (i % nu) * nv + j % nv;
            t.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
            t.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
        }
    }
    TriangleMesh::new(v, t).unwrap()
}
fn go<T: VolumeTree>(name: &str, n: usize) {
    let a: Indexed<T> = Indexed::new(Body::from_mesh(torus(0.3, 0.1, 50, 30)));
    let b: Indexed<T> = Indexed::new(Body::from_mesh(torus(0.8, 0.2, 150, 100)));
    println!("{name} bytes/tri {}", b.tree().bytes() as f64 / 30000.0);
    let mut s = Scratch::default();
    for gap in [1.0, 0.1] {
        let mut r = Random::new(3);
        let (mut vp, mut tp, mut d) = (0, 0, 0.0);
        let (mut gv, mut gp) = (0, 0);
        let t0 = std::time::Instant::now();
        for _ in 0..n {
            let dir = r.direction();
            let mut p = r.pose(0.0);
            p.translation = dir * (1.0 + gap);
            let q = Query::new(&a, &b, &Pose::IDENTITY, &p);
            let x = q.exact(&mut s);
            vp += x.counters.volume_pairs;
            tp += x.counters.primitive_pairs;
            d += x.upper;
            let g = q.with_goal(&Goal { enough: x.upper * 1.0000001, at_least: 0.0, kappa: 1.0 }, &mut s);
            gv += g.counters.volume_pairs;
            gp += x.counters.full;
        }
        println!("seeded: volumes {} prims {}", gv as usize / n, gp as usize / n);
        println!(
            "{name} gap {gap}: {:.1} us, volumes {} prims {} d {:.3}",
            t0.elapsed().as_secs_f64() * 1e6 / n as f64,
            vp as usize / n,
            tp as usize / n,
            d / n as f64
        );
    }
}
fn main() {
    let n = 200;
    match std::env::args().nth(1).as_deref() {
        Some("rss") => go::<RssTree>("rss", n),
        _ => go::<BoxTree>("boxes", n),
    }
}
