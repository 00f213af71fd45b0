#![no_main]
//! Any bytes as a scenario or as candidates in every format: an error of one line that names the file, or traffic that
//! can be built and asked.

use std::path::Path;
use std::sync::OnceLock;

use pathproof_formats::FormatError;
use pathproof_formats::traffic::{self, EgoFormat, Scenario};
use pathproof_traffic::{Query, Traffic, TrafficScratch};

const ROAD: &str = r#"{"agents": [{"name": "a", "shape": {"box": [4, 2]}, "poses": [[0, 0, 0, 0], [1, 9, 0, 1]]}],
  "ego": {"shape": {"disc": 1}}}"#;
const COMMONROAD: &str = "<commonRoad timeStepSize='0.1'><staticObstacle id='1'><shape><circle><radius>1</radius></circle></shape>
  <initialState><position><point><x>0</x><y>0</y></point></position><orientation><exact>0</exact></orientation><time><exact>0</exact></time></initialState></staticObstacle></commonRoad>";

fn refused(error: &FormatError) {
    let message = error.to_string();
    assert!(message.starts_with("f: ") && !message.contains('\n'), "{message}");
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    static KNOWN: OnceLock<[Scenario; 2]> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let road = traffic::parse_json(ROAD, Path::new("road")).expect("well formed");
        [road, traffic::parse_commonroad(COMMONROAD, Path::new("road")).expect("well formed")]
    });
    let name = Path::new("f");
    for read in [traffic::parse_json(text, name), traffic::parse_commonroad(text, name)] {
        match read {
            Ok(scenario) if scenario.agents.len() <= 20 => {
                assert!(!scenario.agents.is_empty());
                let poses: usize = scenario.agents.iter().map(|agent| agent.trajectory().knots()).sum();
                let Ok(built) = Traffic::new(scenario.agents) else { continue };
                if poses <= 200 {
                    let _ = built.check_agent(0, &Query::default(), &mut TrafficScratch::default());
                }
            }
            Ok(_) => {}
            Err(error) => refused(&error),
        }
    }
    for scenario in known {
        for format in [EgoFormat::Json, EgoFormat::Csv, EgoFormat::Solution] {
            match traffic::parse_ego(text, name, format, scenario) {
                Ok(ego) => assert!(!ego.candidates.is_empty()),
                Err(error) => refused(&error),
            }
        }
    }
});
