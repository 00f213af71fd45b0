use std::path::Path;

use super::*;
use pathproof_traffic::{Exactness, Method, Query, Report, Traffic, TrafficScratch, Verdict, Workspace};

fn json(text: &str) -> Result<Scenario, FormatError> {
    parse_json(text, Path::new("s.json"))
}

fn refusal<T: std::fmt::Debug>(read: Result<T, FormatError>) -> String {
    let message = read.expect_err("must be refused").to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

const AGENTS: &str = r#"{"schema": 1, "agents": [
    {"name": "car", "shape": {"box": [4.5, 2]}, "poses": [[0, 0, 0, 0], [1, 10, 0, 0.1]]},
    {"name": "post", "shape": {"disc": 0.3}, "pose": [5, 5, 0]},
    {"name": "tram", "shape": {"parts": [{"box": [2, 2], "at": [3, 0, 0.2]}, {"polygon": [[0,0],[2,0],[2,1],[1,0.2]]}]}, "pose": [9, 9, 1]}
  ], "ego": {"shape": {"box": [4, 2]}, "candidates": [{"name": "left", "poses": [[0, 0, 3, 0]]}, {"poses": [[0, 0, 4, 0]]}]}}"#;

#[test]
fn a_scenario_has_agents_in_order_and_candidates_with_names() {
    let scenario = json(AGENTS).expect("well formed");
    let names: Vec<&str> = scenario.agents.iter().map(Agent::name).collect();
    assert_eq!(names, ["car", "post", "tram"]);
    assert_eq!(scenario.agents.iter().map(Agent::is_at_rest).collect::<Vec<_>>(), [false, true, true]);
    let ego = scenario.ego.expect("there is one");
    assert_eq!(ego.candidates.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["left", "1"]);
}

#[test]
fn a_spatial_scenario_is_one_of_space() {
    let text = r#"{"agents": [{"name": "drone", "shape": {"parts": [{"box": [1, 1, 0.2]},
        {"sphere": 0.3, "at": [0, 0, 1, 0, 0, 0, 1]}, {"hull": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}]},
        "poses": [[0, 0, 0, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 0.6, 0.8]]}]}"#;
    let scenario = json(text).expect("well formed");
    assert_eq!(scenario.agents[0].compound().workspace(), Workspace::Volume);
}

#[test]
fn what_is_wrong_with_json_is_said_with_its_place_and_remedy() {
    let agent = |inner: &str| format!(r#"{{"agents": [{{"name": "a", {inner}}}]}}"#);
    let moving = |shape: &str, poses: &str| agent(&format!(r#""shape": {shape}, "poses": {poses}"#));
    let car = r#"{"box": [4, 2]}"#;
    for (text, expected) in [
        ("{", "s.json: line 1, column 1: EOF"),
        (r#"{"agents": []}"#, "s.json: agents: there is no agent, so that nothing would be checked; give one agent"),
        (r#"{"agents": [], "speed": 3}"#, "unknown field `speed`"),
        (r#"{"schema": 2, "agents": []}"#, "its schema is not 1"),
        (&agent(r#""shape": {"box": [4, 2]}"#), "agents[0] (\"a\"): it has neither pose nor poses"),
        (&agent(r#""shape": {"box": [4, 2]}, "pose": [0,0,0], "poses": []"#), "both pose and poses"),
        (&moving(car, "[]"), "there is no pose"),
        (&moving(car, "[[0, 0, 0]]"), "pose 0 has 3 numbers; write [t, x, y, heading]"),
        (&moving(car, "[[0, 0, 0, 0], [1, 0, 0]]"), "pose 1 has 3 numbers"),
        (&moving(car, "[[1, 0, 0, 0], [1, 0, 0, 0]]"), "pose 1 is at 1 s, after 1 s; times must increase"),
        (&moving(car, "[[0, 0, 0, 0], [1, 0, 0, 3.141592653589793]]"), "the heading turns by π"),
        (&moving(car, "[[0, 1e300, 0, 0]]"), "pose 0 has the x 1"),
        (&moving(car, "[[0, NaN, 0, 0]]"), "line 1, column"),
        (&moving(r#"{"box": [0, 2]}"#, "[[0,0,0,0]]"), "a rectangle's length must be finite and greater than 0, not 0"),
        (&moving(r#"{"disc": -1}"#, "[[0,0,0,0]]"), "a disc's radius must be"),
        (&moving(r#"{"polygon": [[0,0],[1,1]]}"#, "[[0,0,0,0]]"), "it has no area"),
        (&moving(r#"{"box": [4, 2], "disc": 1}"#, "[[0,0,0,0]]"), "exactly one of box, disc"),
        (&moving(r#"{}"#, "[[0,0,0,0]]"), "exactly one of box, disc"),
        (&moving(r#"{"parts": []}"#, "[[0,0,0,0]]"), "there is no part"),
        (&moving(r#"{"box": [4, 2], "at": [1]}"#, "[[0,0,0,0]]"), "\"at\" has 1 numbers"),
        (&moving(r#"{"sphere": 1}"#, "[[0,0,0,0]]"), "not of the same workspace"),
        (&moving(car, "[[0,0,0,0,0,0,0,2]]"), "quaternion of length 2"),
    ] {
        let message = refusal(json(text));
        assert!(message.starts_with("s.json: ") && message.contains(expected), "{message}\n{expected}");
    }
    let twice = r#"{"agents": [{"name": "a", "shape": {"disc": 1}, "pose": [0,0,0]}, {"name": "a", "shape": {"disc": 1}, "pose": [9,0,0]}]}"#;
    assert!(refusal(json(twice)).contains("agents[1] (\"a\"): a second agent of that name"));
}

#[test]
fn csv_candidates_are_told_apart_by_a_column() {
    let scenario = json(AGENTS).expect("well formed");
    let read = |text: &str| parse_ego(text, Path::new("e.csv"), EgoFormat::Csv, &scenario);
    let ego = read("t,x,y,theta\n0,1,2,0\n1,2,2,0\n").expect("well formed");
    assert_eq!((ego.candidates.len(), ego.candidates[0].trajectory.knots()), (1, 2));
    let ego = read("candidate, theta, x, y, t\na,0,1,2,0\na,0,2,2,1\nb,0,1,3,0\n").expect("columns in any order");
    assert_eq!(ego.candidates.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(ego.candidates[1].trajectory.position(0), [1.0, 3.0, 0.0]);
    for (text, expected) in [
        ("t,x,y,theta\n", "there is a header but no pose"),
        ("t,x,theta\n0,0,0\n", "line 1: the column \"y\" is missing"),
        ("t,x,y,theta,speed\n0,0,0,0,1\n", "line 1: there is no column \"speed\""),
        ("t,x,y,theta,x\n0,0,0,0,1\n", "a second column \"x\""),
        ("t,x,y,theta\n0,1,oops,0\n", "line 2: \"oops\" is not a number"),
        ("t,x,y,theta\n0,1,2\n", "line 2: it has 3 values only"),
        ("t,x,y,theta\n0,1,NaN,0\n", "line 2, candidate \"ego\": pose 0 has the y NaN"),
        ("t,x,y,theta\n1,1,0,0\n0,1,0,0\n", "times must increase"),
        ("candidate,t,x,y,theta\na,0,1,0,0\nb,0,1,0,0\na,1,1,0,0\n", "candidate \"a\" goes on here, after another"),
    ] {
        let message = refusal(read(text));
        assert!(message.contains(expected), "{message}\n{expected}");
    }
    // A planar header was once asked for a column "z".
    let message = refusal(read("t,x,y\n0,0,0\n"));
    assert!(message.contains("the column \"theta\" is missing; the first line is t,x,y,theta, and"), "{message}");
    assert!(!message.contains('z'), "{message}");
    assert!(
        refusal(read("t,x,y,yaw\n0,0,0,0\n")).contains("there is no column \"yaw\"; the first line is t,x,y,theta,")
    );
    let message = refusal(read("t,x,y,z\n0,0,0,0\n"));
    assert!(message.contains("\"qx\" is missing; the first line is t,x,y,z,qx,qy,qz,qw, and"), "{message}");
    let space = r#"{"agents": [{"name": "a", "shape": {"sphere": 1}, "pose": [0,0,0,0,0,0,1]}], "ego": {"shape": {"sphere": 1}}}"#;
    let space = json(space).expect("well formed");
    let message = refusal(parse_ego("t,x,y\n0,0,0\n", Path::new("e.csv"), EgoFormat::Csv, &space));
    assert!(message.contains("the column \"z\" is missing"), "{message}");
    let bare = json(r#"{"agents": [{"name": "a", "shape": {"disc": 1}, "pose": [0,0,0]}]}"#).expect("well formed");
    let message = refusal(parse_ego("t,x,y,theta\n0,1,2,0\n", Path::new("e.csv"), EgoFormat::Csv, &bare));
    assert!(message.contains("there is no shape for the body"), "{message}");
}

/// Every kind of shape, state and obstacle that is missing in the shared scenarios.
const COMMONROAD: &str = r#"<?xml version="1.0"?>
<commonRoad timeStepSize="0.5" commonRoadVersion="2020a" benchmarkID="ZAM_Test-1_1_T-1">
  <lanelet id="1"><leftBound/></lanelet>
  <staticObstacle id="10"><type>parkedVehicle</type>
    <shape><circle><radius>0.5</radius><center><x>1</x><y>0</y></center></circle></shape>
    <initialState><position><point><x>2</x><y>3</y></point></position><orientation><exact>1.5707963267948966</exact></orientation>
      <time><exact>0</exact></time></initialState></staticObstacle>
  <staticObstacle id="11"><type>roadBoundary</type>
    <shape><rectangle><length>2</length><width>1</width></rectangle><polygon><point><x>5</x><y>0</y></point>
      <point><x>6</x><y>0</y></point><point><x>6</x><y>2</y></point><point><x>5.8</x><y>0.2</y></point></polygon></shape>
    <initialState><position><point><x>0</x><y>20</y></point></position><orientation><exact>0</exact></orientation>
      <time><exact>0</exact></time></initialState></staticObstacle>
  <dynamicObstacle id="20"><type>car</type><shape><rectangle><length>4</length><width>2</width></rectangle></shape>
    <initialState><position><circle><radius>0.5</radius><center><x>0</x><y>40</y></center></circle></position>
      <orientation><intervalStart>-0.1</intervalStart><intervalEnd>0.1</intervalEnd></orientation><time><exact>0</exact></time></initialState>
    <trajectory><state><position><point><x>5</x><y>40</y></point></position><orientation><exact>0</exact></orientation>
      <time><exact>1</exact></time></state></trajectory></dynamicObstacle>
  <dynamicObstacle id="30"><type>pedestrian</type><shape><circle><radius>0.3</radius></circle></shape>
    <initialState><position><point><x>0</x><y>60</y></point></position><orientation><exact>0</exact></orientation>
      <time><exact>0</exact></time></initialState>
    <occupancySet><occupancy><shape><circle><radius>1</radius><center><x>0</x><y>60</y></center></circle></shape><time><exact>1</exact></time></occupancy>
      <occupancy><shape><rectangle><length>4</length><width>4</width><center><x>0</x><y>60</y></center></rectangle></shape><time><exact>2</exact></time></occupancy>
      <occupancy><shape><polygon><point><x>-3</x><y>57</y></point><point><x>3</x><y>57</y></point><point><x>0</x><y>63</y></point></polygon></shape>
        <time><intervalStart>2</intervalStart><intervalEnd>4</intervalEnd></time></occupancy></occupancySet></dynamicObstacle>
  <environmentObstacle id="40"><type>building</type><shape><rectangle><length>10</length><width>10</width>
      <orientation>0.5</orientation><center><x>100</x><y>100</y></center></rectangle></shape></environmentObstacle>
  <phantomObstacle id="50"><occupancySet><occupancy><shape><circle><radius>2</radius><center><x>0</x><y>80</y></center></circle></shape>
      <time><exact>0</exact></time></occupancy></occupancySet></phantomObstacle>
  <planningProblem id="1"/>
</commonRoad>"#;

fn commonroad(text: &str) -> Result<Scenario, FormatError> {
    parse_commonroad(text, Path::new("s.xml"))
}

/// Verdict for a small disc that stays at a point from t to t.
fn at(scenario: &Scenario, x: f64, y: f64, times: [f64; 2]) -> (Verdict, Option<String>) {
    let traffic = Traffic::new(scenario.agents.clone()).expect("planar");
    let body = Compound::disc(0.01).expect("valid");
    let poses = times.map(|t| [t, x, y, 0.0]);
    let trajectory = Trajectory::planar(poses).expect("valid");
    let query = Query { method: Method::Hulls(Exactness::default()), report: Report::First, ..Query::default() };
    let verdict = traffic.check(&body, &trajectory, &query, &mut TrafficScratch::default()).expect("good").verdict;
    let name = verdict.finding().map(|found| scenario.agents[found.agent].name().to_owned());
    (verdict, name)
}

#[test]
fn a_version_that_nobody_knows_is_refused_and_an_older_one_is_told() {
    let with = |version: &str| commonroad(&COMMONROAD.replace("commonRoadVersion=\"2020a\"", version));
    let message = with("commonRoadVersion=\"1999z\"").map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("line 2, <commonRoad>: commonRoadVersion is \"1999z\", which is not known"), "{message}");
    for (version, told) in [
        ("commonRoadVersion=\"2020a\"", None),
        ("commonRoadVersion=\"2018b\"", None),
        ("commonRoadVersion=\"2017a\"", Some("s.xml: commonRoadVersion is \"2017a\"; it is read as 2018b and 2020a")),
        ("", Some("s.xml: there is no commonRoadVersion; it is read as 2018b and 2020a")),
    ] {
        let scenario = with(version).expect("well formed");
        assert_eq!(scenario.warnings.first().map(String::as_str), told);
        assert_eq!(scenario.warnings.len(), usize::from(told.is_some()));
    }
}

#[test]
fn commonroad_obstacles_of_every_kind_are_where_the_file_says() {
    let scenario = commonroad(COMMONROAD).expect("well formed");
    let names: Vec<&str> = scenario.agents.iter().map(Agent::name).collect();
    // The set over an interval is a separate agent.
    assert_eq!(names, ["10", "11", "20", "30", "30", "40", "50"]);
    assert_eq!((scenario.time_step, scenario.benchmark.as_deref()), (Some(0.5), Some("ZAM_Test-1_1_T-1")));
    let is_free = |x, y, times| at(&scenario, x, y, times).0 == Verdict::Free;
    let hit = |x, y, times| at(&scenario, x, y, times).1.unwrap_or_default();
    // The state rotates the disc's centre: from (1, 0) to (0, 1).
    assert_eq!((hit(2.0, 4.45, [0.0, 9.0]), is_free(3.0, 3.0, [0.0, 9.0])), ("10".to_owned(), true));
    // The rectangle, and the polygon but not its notch.
    assert_eq!((hit(0.9, 20.4, [0.0, 9.0]), hit(5.95, 21.5, [0.0, 9.0])), ("11".to_owned(), "11".to_owned()));
    assert!(is_free(5.4, 21.0, [0.0, 9.0]));
    // Anywhere within half a metre at first, exactly there at last.
    assert_eq!(hit(0.0, 41.6, [0.0, 0.01]), "20");
    assert!(at(&scenario, 0.0, 41.6, [0.0, 0.01]).0.finding().is_some_and(|found| found.is_uncertain));
    assert!(is_free(5.0, 41.6, [0.499, 0.5]) && is_free(0.0, 42.5, [0.0, 0.5]));
    // Sets: within one metre at step 1, a square at step 2, a triangle from step 2 to step 4, gone afterwards.
    assert_eq!((hit(0.9, 60.0, [0.4999, 0.5]), is_free(0.9, 60.0, [0.0, 0.001])), ("30".to_owned(), true));
    assert_eq!((hit(1.9, 61.9, [0.999, 1.0]), is_free(1.9, 61.9, [1.001, 1.9])), ("30".to_owned(), true));
    assert_eq!((hit(0.0, 62.5, [1.5, 1.9]), is_free(0.0, 62.5, [2.1, 3.0])), ("30".to_owned(), true));
    assert_eq!((hit(104.0, 103.0, [0.0, 9.0]), is_free(104.9, 95.1, [0.0, 9.0])), ("40".to_owned(), true));
    assert_eq!((hit(0.0, 81.9, [0.0, 0.0001]), is_free(0.0, 81.9, [0.1, 1.0])), ("50".to_owned(), true));
}

#[test]
fn what_is_wrong_with_commonroad_is_said_with_line_and_id() {
    let with = |from: &str, to: &str| {
        assert!(COMMONROAD.contains(from), "{from}");
        refusal(commonroad(&COMMONROAD.replacen(from, to, 1)))
    };
    for (message, expected) in [
        (with("timeStepSize=\"0.5\"", "timeStepSize=\"0\""), "timeStepSize is \"0\"; write a number above 0"),
        (with("<commonRoad ", "<road "), "s.xml"),
        (with("<radius>0.5</radius>", "<radius>0</radius>"), "<staticObstacle id=\"10\">: a disc's radius must be"),
        (with("<radius>0.5</radius>", "<radius>wide</radius>"), "<radius> holds \"wide\"; write a finite number"),
        (with("<length>2</length>", ""), "<rectangle> has no <length>"),
        (with("<environmentObstacle", "<flyingObstacle"), "s.xml"),
        (
            with("<position><point><x>2</x><y>3</y></point></position>", "<position><lanelet ref=\"1\"/></position>"),
            "its position is a lanelet",
        ),
        (with("<position><point><x>2</x><y>3</y></point></position>", "<position/>"), "it holds no position"),
        (
            with("<orientation><exact>1.5707963267948966</exact></orientation>", ""),
            "<initialState> has no <orientation>",
        ),
        (
            with("<time><exact>1</exact></time></state>", "<time><exact>0</exact></time></state>"),
            "<dynamicObstacle id=\"20\">: pose 1 is at 0 s",
        ),
        (
            with(
                "<time><exact>1</exact></time></state>",
                "<time><intervalStart>1</intervalStart><intervalEnd>2</intervalEnd></time></state>",
            ),
            "its time is an interval",
        ),
        (with("<staticObstacle id=\"10\">", "<staticObstacle>"), "it has no id"),
    ] {
        assert!(message.starts_with("s.xml") && message.contains(expected), "{message}\n{expected}");
    }
    let flying = COMMONROAD.replace("environmentObstacle", "flyingObstacle");
    assert!(refusal(commonroad(&flying)).contains("this kind of obstacle is not known"));
    let empty = r#"<commonRoad timeStepSize="0.1"><lanelet id="1"/></commonRoad>"#;
    assert!(refusal(commonroad(empty)).contains("there is no obstacle in it"));
    assert!(refusal(commonroad("<CommonRoadSolution/>")).contains("solutions go to --ego"));
}

const SOLUTION: &str = r#"<CommonRoadSolution benchmark_id="[KS3,PM1]:[WX1,WX1]:ZAM_Test-1_1_T-1:2020a">
  <ksTrajectory planningProblem="7"><ksState><x>1</x><y>2</y><steeringAngle>0</steeringAngle><velocity>1</velocity>
    <orientation>0.25</orientation><time>0</time></ksState></ksTrajectory>
  <pmTrajectory planningProblem="8"><pmState><x>1</x><y>2</y><xVelocity>0</xVelocity><yVelocity>-3</yVelocity><time>1</time></pmState>
    <pmState><x>1</x><y>1</y><xVelocity>0</xVelocity><yVelocity>-3</yVelocity><time>2</time></pmState></pmTrajectory>
</CommonRoadSolution>"#;

#[test]
fn solutions_have_the_vehicle_of_their_type_and_headings_of_their_own_or_of_their_velocity() {
    let scenario = commonroad(COMMONROAD).expect("well formed");
    let read = |text: &str| parse_ego(text, Path::new("e.xml"), EgoFormat::Solution, &scenario);
    let ego = read(SOLUTION).expect("well formed");
    assert!(ego.warnings.is_empty());
    let [ks, pm] = &ego.candidates[..] else { panic!("{ego:?}") };
    assert_eq!((ks.name.as_str(), pm.name.as_str()), ("7", "8"));
    assert_eq!(*ks.shape, Compound::rectangle(4.569, 1.844).expect("valid"));
    assert_eq!(*pm.shape, Compound::rectangle(4.298, 1.674).expect("valid"));
    // Point masses start at step 1: 0.5 s.
    assert_eq!(pm.trajectory.times(), [0.5, 1.0]);
    let down = Trajectory::planar([
        [0.5, 1.0, 2.0, -std::f64::consts::FRAC_PI_2],
        [1.0, 1.0, 1.0, -std::f64::consts::FRAC_PI_2],
    ]);
    assert_eq!(Ok(pm.trajectory.clone()), down);
    for (from, to, expected) in [
        ("<yVelocity>-3</yVelocity>", "<yVelocity>0</yVelocity>", "a point mass at rest has no heading"),
        ("KS3,PM1", "KS3", "names 1 vehicles, and there are 2 trajectories"),
        ("KS3,PM1", "KS9,PM1", "the vehicle \"KS9\" of benchmark_id is not known"),
        ("<orientation>0.25</orientation>", "", "<ksState> has no <orientation>"),
        ("<time>2</time>", "<time>1</time>", "times must increase"),
        ("CommonRoadSolution", "Solution", "e.xml"),
    ] {
        let message = refusal(read(&SOLUTION.replacen(from, to, 1)));
        assert!(message.starts_with("e.xml") && message.contains(expected), "{message}\n{expected}");
    }
    for (from, to, expected) in
        [("ksTrajectory", "kstTrajectory", "trailer"), ("ksTrajectory", "inputVector", "holds no states")]
    {
        assert!(refusal(read(&SOLUTION.replace(from, to))).contains(expected));
    }
    let other = read(&SOLUTION.replace("ZAM_Test", "ZAM_Other")).expect("read all the same");
    assert_eq!(other.warnings, ["the solution is for \"ZAM_Other-1_1_T-1\", the scenario is \"ZAM_Test-1_1_T-1\""]);
    let planar = json(AGENTS).expect("well formed");
    assert!(
        refusal(parse_ego(SOLUTION, Path::new("e.xml"), EgoFormat::Solution, &planar)).contains("has no timeStepSize")
    );
}
