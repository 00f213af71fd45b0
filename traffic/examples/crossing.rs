//! A vehicle among moving agents: where two meet between the poses that are known, sampling sees nothing.

use std::error::Error;

use pathproof_traffic::{Agent, Compound, Query, Traffic, TrafficScratch, Trajectory, Verdict};

/// Returns the time of the collision, in seconds.
pub(crate) fn run() -> Result<Option<f64>, Box<dyn Error>> {
    let car = Compound::rectangle(4.5, 2.0)?;
    // Rows are time, x, y and heading: two seconds between poses.
    let crossing = Trajectory::planar([[0.0, 0.0, -20.0, 1.57], [2.0, 0.0, 20.0, 1.57]])?;
    let traffic = Traffic::new(vec![Agent::moving("crossing", car.clone(), crossing)?])?;
    let ego = Trajectory::planar([[0.0, -20.0, 0.0, 0.0], [2.0, 20.0, 0.0, 0.0]])?;
    let answer = traffic.check(&car, &ego, &Query::default(), &mut TrafficScratch::default())?;
    Ok(match answer.verdict {
        Verdict::Collision(found) => Some(found.time),
        _ => None,
    })
}

#[allow(dead_code, reason = "a test calls `run` alone")]
fn main() -> Result<(), Box<dyn Error>> {
    match run()? {
        Some(time) => println!("they collide at {time:.2} s"),
        None => println!("free at all times"),
    }
    Ok(())
}
