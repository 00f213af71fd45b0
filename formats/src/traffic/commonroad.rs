//! CommonRoad scenarios (2018b and 2020a): static and dynamic obstacles, with states that may be regions, and occupancy
//! sets. Everything else (lanelets, signs, planning problems) is ignored.

use std::path::Path;

use roxmltree::Node;

use super::Scenario;
use crate::{FormatError, excerpt, xml};
use pathproof_traffic::{Agent, AgentError, Compound, CompoundError, Positions, Region, Trajectory};

/// Versions of the format that are supported.
const READ: [&str; 2] = ["2018b", "2020a"];
/// Older versions: the parts they have in common with those are read, with a warning.
const OLDER: [&str; 2] = ["2017a", "2018a"];

/// See the module.
pub(super) fn scenario(text: &str, name: &Path) -> Result<Scenario, FormatError> {
    let document = xml::parse(name, text)?;
    let file = File { name };
    let root = document.root_element();
    if root.tag_name().name() != "commonRoad" {
        let problem = format!("its first element is <{}>, not <commonRoad>", excerpt(root.tag_name().name()));
        return Err(FormatError::new(name, problem).remedy("give a CommonRoad scenario; solutions go to --ego"));
    }
    let warnings = file.version_warning(root)?.into_iter().collect();
    let time_step = file.positive_attribute(root, "timeStepSize")?;
    let mut agents = Vec::new();
    for element in root.children().filter(Node::is_element) {
        let obstacle = Obstacle { file: &file, element, time_step };
        match element.tag_name().name() {
            "staticObstacle" => agents.extend(obstacle.at_rest()?),
            "dynamicObstacle" => agents.extend(obstacle.moving()?),
            "environmentObstacle" => agents.extend(obstacle.environment()?),
            "phantomObstacle" => agents.extend(obstacle.occupancies(None)?),
            "obstacle" => match file.text_of(element, "role")? {
                "static" => agents.extend(obstacle.at_rest()?),
                "dynamic" => agents.extend(obstacle.moving()?),
                other => {
                    return Err(file.wrong(element, format!("its role is {:?}", excerpt(other)), "static or dynamic"));
                }
            },
            // An unknown kind of obstacle must not be left out.
            other if other.to_ascii_lowercase().contains("obstacle") => {
                return Err(file.wrong(
                    element,
                    "this kind of obstacle is not known",
                    "remove it, or write it as a dynamicObstacle",
                ));
            }
            _ => {}
        }
    }
    if agents.is_empty() {
        let error = FormatError::new(name, "there is no obstacle in it, so that nothing would be checked");
        return Err(error.remedy("give a scenario with obstacles"));
    }
    let benchmark = root.attribute("benchmarkID").map(str::to_owned);
    Ok(Scenario { agents, ego: None, time_step: Some(time_step), benchmark, warnings })
}

/// Name for messages.
pub(super) struct File<'a> {
    pub(super) name: &'a Path,
}

impl File<'_> {
    /// Error about an element.
    pub(super) fn wrong(&self, element: Node<'_, '_>, problem: impl Into<String>, remedy: &str) -> FormatError {
        let line = element.document().text_pos_at(element.range().start).row;
        let near = element.ancestors().find_map(|node| Some((node.tag_name().name(), node.attribute("id")?)));
        let place = match near {
            Some((tag, id)) => format!("line {line}, <{tag} id={:?}>", excerpt(id)),
            None => format!("line {line}, <{}>", element.tag_name().name()),
        };
        FormatError::new(self.name, problem).at(place).remedy(remedy)
    }

    /// Warns if the file does not state a supported version. An unknown one is refused: its elements may mean something
    /// else.
    fn version_warning(&self, root: Node<'_, '_>) -> Result<Option<String>, FormatError> {
        let by = READ.join(" and ");
        match root.attribute("commonRoadVersion") {
            Some(version) if READ.contains(&version) => Ok(None),
            Some(version) if OLDER.contains(&version) => {
                Ok(Some(format!("{}: commonRoadVersion is {version:?}; it is read as {by}", self.name.display())))
            }
            Some(version) => {
                let problem = format!("commonRoadVersion is {:?}, which is not known", excerpt(version));
                let remedy = format!("correct it, or convert the file; {by} are read");
                Err(self.wrong(root, problem, &remedy))
            }
            None => Ok(Some(format!("{}: there is no commonRoadVersion; it is read as {by}", self.name.display()))),
        }
    }

    pub(super) fn child<'n, 'i>(&self, element: Node<'n, 'i>, tag: &str) -> Result<Node<'n, 'i>, FormatError> {
        child(element, tag).ok_or_else(|| {
            let problem = format!("<{}> has no <{tag}>", element.tag_name().name());
            self.wrong(element, problem, "CommonRoad requires it")
        })
    }

    pub(super) fn text_of<'n>(&self, element: Node<'n, '_>, tag: &str) -> Result<&'n str, FormatError> {
        Ok(self.child(element, tag)?.text().unwrap_or("").trim())
    }

    /// A finite number in a child element.
    pub(super) fn number(&self, element: Node<'_, '_>, tag: &str) -> Result<f64, FormatError> {
        let text = self.text_of(element, tag)?;
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.wrong(element, format!("<{tag}> holds {:?}", excerpt(text)), "write a finite number")),
        }
    }

    fn positive_attribute(&self, element: Node<'_, '_>, attribute: &str) -> Result<f64, FormatError> {
        let text = element.attribute(attribute).unwrap_or("");
        match text.parse::<f64>() {
            Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
            _ => Err(self.wrong(element, format!("{attribute} is {:?}", excerpt(text)), "write a number above 0")),
        }
    }

    /// An exact value, or an interval.
    fn interval(&self, element: Node<'_, '_>) -> Result<[f64; 2], FormatError> {
        if child(element, "exact").is_some() {
            return Ok([self.number(element, "exact")?; 2]);
        }
        Ok([self.number(element, "intervalStart")?, self.number(element, "intervalEnd")?])
    }

    fn point(&self, element: Node<'_, '_>) -> Result<[f64; 2], FormatError> {
        Ok([self.number(element, "x")?, self.number(element, "y")?])
    }

    /// All shapes in an element, as one; `None` if there is none.
    fn shapes(&self, element: Node<'_, '_>) -> Result<Option<Compound>, FormatError> {
        let mut all = Vec::new();
        for shape in element.children().filter(Node::is_element) {
            let centre = child(shape, "center").map_or(Ok([0.0, 0.0]), |centre| self.point(centre))?;
            let compound = match shape.tag_name().name() {
                "rectangle" => {
                    let orientation =
                        if child(shape, "orientation").is_some() { self.number(shape, "orientation")? } else { 0.0 };
                    let size = [self.number(shape, "length")?, self.number(shape, "width")?];
                    Compound::rectangle(size[0], size[1]).and_then(|it| placed(it, centre, orientation))
                }
                "circle" => Compound::disc(self.number(shape, "radius")?).and_then(|it| placed(it, centre, 0.0)),
                "polygon" => {
                    let points = shape.children().filter(|node| node.has_tag_name("point"));
                    Compound::polygon(&points.map(|point| self.point(point)).collect::<Result<Vec<_>, _>>()?)
                }
                other => {
                    let problem = format!("<{}> stands where a shape is needed", excerpt(other));
                    return Err(self.wrong(shape, problem, "rectangle, circle and polygon are known"));
                }
            };
            all.push(
                compound.map_err(|error| self.wrong(shape, error.to_string(), "sizes are in metres and above 0"))?,
            );
        }
        if all.is_empty() {
            return Ok(None);
        }
        Compound::union(all).map(Some).map_err(|error| self.wrong(element, error.to_string(), ""))
    }

    fn some_shape(&self, element: Node<'_, '_>) -> Result<Compound, FormatError> {
        let shape = self.child(element, "shape")?;
        self.shapes(shape)?
            .ok_or_else(|| self.wrong(shape, "it has no shape", "rectangle, circle and polygon are known"))
    }
}

/// Places a shape. A centred one stays so: its own frame costs nothing.
fn placed(compound: Compound, [x, y]: [f64; 2], heading: f64) -> Result<Compound, CompoundError> {
    if [x, y, heading] == [0.0; 3] { Ok(compound) } else { compound.at(x, y, heading) }
}

fn child<'n, 'i>(element: Node<'n, 'i>, tag: &str) -> Option<Node<'n, 'i>> {
    element.children().find(|node| node.has_tag_name(tag))
}

/// State of a body at one time.
struct StateRead {
    time: f64,
    position: PositionRead,
    headings: [f64; 2],
}

enum PositionRead {
    Point([f64; 2]),
    Within(Compound),
}

impl StateRead {
    fn is_exact(&self) -> bool {
        matches!(self.position, PositionRead::Point(_)) && self.headings[0] == self.headings[1]
    }

    fn region(&self, body: &Compound) -> Result<Region, CompoundError> {
        let positions = match &self.position {
            PositionRead::Point(point) => Positions::Point(*point),
            PositionRead::Within(set) => Positions::Within(set),
        };
        Region::uncertain(body, positions, self.headings)
    }
}

/// An obstacle of the file.
struct Obstacle<'a, 'n, 'i> {
    file: &'a File<'a>,
    element: Node<'n, 'i>,
    time_step: f64,
}

impl Obstacle<'_, '_, '_> {
    fn id(&self) -> Result<String, FormatError> {
        let id = self.element.attribute("id").filter(|id| !id.is_empty());
        id.map(str::to_owned).ok_or_else(|| self.file.wrong(self.element, "it has no id", "CommonRoad requires it"))
    }

    fn refused(&self, error: &AgentError) -> FormatError {
        self.file.wrong(
            self.element,
            error.to_string(),
            "states must be in the order of time, one per time step at most",
        )
    }

    fn at_rest(&self) -> Result<Vec<Agent>, FormatError> {
        let shape = self.file.some_shape(self.element)?;
        let state = self.state(self.file.child(self.element, "initialState")?)?;
        let agent = if state.is_exact() {
            let pose = self.trajectory(std::slice::from_ref(&state));
            pose.map_err(AgentError::from).and_then(|pose| Agent::at_rest(self.id_or_empty(), shape, pose))
        } else {
            let region = state.region(&shape).map_err(AgentError::from);
            region.and_then(|region| Agent::uncertain_at_rest(self.id_or_empty(), region))
        };
        self.id()?;
        Ok(vec![agent.map_err(|error| self.refused(&error))?])
    }

    fn id_or_empty(&self) -> String {
        self.element.attribute("id").unwrap_or("").to_owned()
    }

    fn environment(&self) -> Result<Vec<Agent>, FormatError> {
        let shape = self.file.some_shape(self.element)?;
        let pose = Trajectory::planar([[0.0; 4]]).map_err(AgentError::from);
        let agent = pose.and_then(|pose| Agent::at_rest(self.id_or_empty(), shape, pose));
        self.id()?;
        Ok(vec![agent.map_err(|error| self.refused(&error))?])
    }

    fn moving(&self) -> Result<Vec<Agent>, FormatError> {
        let shape = self.file.some_shape(self.element)?;
        let mut states = vec![self.state(self.file.child(self.element, "initialState")?)?];
        if child(self.element, "occupancySet").is_some() {
            return self.occupancies(Some((&shape, &states[0])));
        }
        if let Some(trajectory) = child(self.element, "trajectory") {
            for state in trajectory.children().filter(|node| node.has_tag_name("state")) {
                states.push(self.state(state)?);
            }
        }
        let id = self.id()?;
        let agent = if states.iter().all(StateRead::is_exact) {
            let trajectory = self.trajectory(&states).map_err(AgentError::from);
            trajectory.and_then(|trajectory| Agent::moving(id, shape, trajectory))
        } else {
            let times: Vec<f64> = states.iter().map(|state| state.time).collect();
            let regions = states.iter().map(|state| state.region(&shape)).collect::<Result<Vec<_>, _>>();
            regions.map_err(AgentError::from).and_then(|regions| Agent::uncertain(id, &times, regions))
        };
        Ok(vec![agent.map_err(|error| self.refused(&error))?])
    }

    fn trajectory(&self, states: &[StateRead]) -> Result<Trajectory, pathproof_traffic::TrajectoryError> {
        Trajectory::planar(states.iter().map(|state| {
            let [x, y] = match &state.position {
                PositionRead::Point(point) => *point,
                PositionRead::Within(_) => [f64::NAN; 2],
            };
            [state.time, x, y, state.headings[0]]
        }))
    }

    fn state(&self, element: Node<'_, '_>) -> Result<StateRead, FormatError> {
        let [time, until] = self.time(element)?;
        if time != until {
            return Err(self.file.wrong(element, "its time is an interval", "states of obstacles need exact times"));
        }
        let position = self.file.child(element, "position")?;
        let read = if let Some(point) = child(position, "point") {
            PositionRead::Point(self.file.point(point)?)
        } else if child(position, "lanelet").is_some() {
            return Err(self.file.wrong(position, "its position is a lanelet", "give a point or a region"));
        } else {
            let shapes = self.file.shapes(position)?;
            let missing = || self.file.wrong(position, "it holds no position", "give a point or a region");
            PositionRead::Within(shapes.ok_or_else(missing)?)
        };
        let headings = self.file.interval(self.file.child(element, "orientation")?)?;
        Ok(StateRead { time, position: read, headings })
    }

    /// From and to, in seconds.
    fn time(&self, element: Node<'_, '_>) -> Result<[f64; 2], FormatError> {
        let steps = self.file.interval(self.file.child(element, "time")?)?;
        if steps[1] < steps[0] {
            return Err(self.file.wrong(element, "its time ends before it starts", "write the earlier step first"));
        }
        Ok(steps.map(|step| step * self.time_step))
    }

    /// Sets at exact times are regions with points that move straight from one to the next; a set over an interval
    /// stands still.
    fn occupancies(&self, initial: Option<(&Compound, &StateRead)>) -> Result<Vec<Agent>, FormatError> {
        let id = self.id()?;
        let refused = |error: AgentError| self.refused(&error);
        let (mut times, mut regions, mut agents) = (Vec::new(), Vec::new(), Vec::new());
        if let Some((shape, state)) = initial {
            times.push(state.time);
            regions.push(state.region(shape).map_err(AgentError::from).map_err(refused)?);
        }
        let sets = self.file.child(self.element, "occupancySet")?;
        for occupancy in sets.children().filter(|node| node.has_tag_name("occupancy")) {
            let set = self.file.some_shape(occupancy)?;
            let [from, to] = self.time(occupancy)?;
            if from == to {
                times.push(from);
                regions.push(Region::occupied(&set).map_err(AgentError::from).map_err(refused)?);
            } else {
                agents.push(Agent::occupying(id.clone(), set, [from, to]).map_err(refused)?);
            }
        }
        if !regions.is_empty() {
            agents.push(Agent::uncertain(id, &times, regions).map_err(refused)?);
        }
        if agents.is_empty() {
            return Err(self.file.wrong(sets, "it holds no occupancy", "give one at least, or remove the obstacle"));
        }
        Ok(agents)
    }
}
