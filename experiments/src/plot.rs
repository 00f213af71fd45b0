//! Plots as SVG text: lines over linear or logarithmic axes, plots above each other, and grouped bars.
//!
//! A value that is no number, or not positive on a logarithmic axis, breaks its line; an empty plot is an empty string.

/// One line.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<[f64; 2]>,
}

/// Labels and scale of an axis.
#[derive(Clone, Default)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) is_log: bool,
}

/// Lines over common axes.
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

/// Bars in groups, all from the left: a group's name, then name and value of each bar.
pub(crate) struct Bars {
    pub(crate) title: String,
    pub(crate) value: Axis,
    pub(crate) groups: Vec<(String, Vec<(String, f64)>)>,
}

const COLOURS: [&str; 12] = [
    "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22",
    "#000080", "#006400",
];

/// Size of the field, and the margins to its left and above it, in pixels.
const SIZE: [f64; 2] = [480.0, 240.0];
const MARGIN: [f64; 2] = [70.0, 40.0];
/// Room to the right of the field for the names of the lines.
const LEGEND: f64 = 240.0;
const BAR: f64 = 13.0;

impl Plot {
    /// The plot as one element.
    pub(crate) fn svg(&self) -> String {
        stacked(std::slice::from_ref(self))
    }

    fn height() -> f64 {
        SIZE[1] + 2.0 * MARGIN[1]
    }

    /// All elements of the plot, its upper edge at `top`.
    fn drawn(&self, top: f64) -> String {
        let kept = |p: &[f64; 2]| self.x.can_show(p[0]) && self.y.can_show(p[1]);
        let points = || self.series.iter().flat_map(|s| &s.points).filter(|p| kept(p));
        if points().next().is_none() {
            return String::new();
        }
        let x = Scale::over(&self.x, points().map(|p| p[0]), [MARGIN[0], MARGIN[0] + SIZE[0]]);
        let (low, high) = (top + MARGIN[1] + SIZE[1], top + MARGIN[1]);
        let y = Scale::over(&self.y, points().map(|p| p[1]), [low, high]);
        let mut text = label(MARGIN[0], top + 16.0, "start", &self.title);
        text += &format!(
            "<rect x=\"{}\" y=\"{high}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#999\"/>\n",
            MARGIN[0], SIZE[0], SIZE[1]
        );
        for tick in x.ticks() {
            text += &label(x.at(tick), low + 14.0, "middle", &number(tick));
        }
        for tick in y.ticks() {
            text += &label(MARGIN[0] - 6.0, y.at(tick) + 4.0, "end", &number(tick));
        }
        text += &label(MARGIN[0], high - 6.0, "start", &self.y.label);
        text += &label(MARGIN[0] + SIZE[0] / 2.0, low + 30.0, "middle", &self.x.label);
        for (place, (series, colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            for run in series.points.split(|p| !kept(p)).filter(|run| !run.is_empty()) {
                let points: Vec<String> = run.iter().map(|p| format!("{:.1},{:.1}", x.at(p[0]), y.at(p[1]))).collect();
                text += &format!("<polyline fill=\"none\" stroke=\"{colour}\" points=\"{}\"/>\n", points.join(" "));
            }
            if !series.name.is_empty() {
                text += &entry(MARGIN[0] + SIZE[0] + 12.0, high + 10.0 + 15.0 * place as f64, colour, &series.name);
            }
        }
        text
    }
}

/// Plots above each other in one element.
pub(crate) fn stacked(plots: &[Plot]) -> String {
    let drawn: Vec<String> =
        plots.iter().enumerate().map(|(place, plot)| plot.drawn(Plot::height() * place as f64)).collect();
    if drawn.iter().all(String::is_empty) {
        return String::new();
    }
    element(MARGIN[0] + SIZE[0] + LEGEND, Plot::height() * plots.len() as f64, &drawn.concat())
}

impl Bars {
    /// The bars as one element.
    pub(crate) fn svg(&self) -> String {
        let values = || self.groups.iter().flat_map(|g| &g.1).map(|bar| bar.1).filter(|v| self.value.can_show(*v));
        if values().next().is_none() {
            return String::new();
        }
        let left = 120.0;
        // A linear axis starts at 0, a logarithmic one a little below the least.
        let floor = if self.value.is_log { values().fold(f64::INFINITY, f64::min) / 2.0 } else { 0.0 };
        let scale = Scale::over(&self.value, values().chain([floor]), [left, left + SIZE[0]]);
        // In the order of the bars.
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.groups.iter().flat_map(|group| &group.1) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let colour = |name: &str| COLOURS[names.iter().position(|n| *n == name).unwrap_or(0) % COLOURS.len()];
        let mut text = label(10.0, 16.0, "start", &self.title);
        for (place, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            text += &entry(left + SIZE[0] + 70.0, 36.0 + 15.0 * place as f64, colour(name), name);
        }
        let mut y = 30.0;
        for (group, bars) in &self.groups {
            text += &label(left - 8.0, y + BAR * bars.len() as f64 / 2.0 + 4.0, "end", group);
            for (name, value) in bars.iter().filter(|bar| self.value.can_show(bar.1)) {
                let width = scale.at(*value) - left;
                text += &format!(
                    "<rect x=\"{left}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{}\" fill=\"{}\"/>\n",
                    BAR - 2.0,
                    colour(name)
                );
                text += &label(left + width + 4.0, y + 9.0, "start", &number(*value));
                y += BAR;
            }
            y += 8.0;
        }
        let kind = if self.value.is_log { ", logarithmic" } else { "" };
        text += &label(left, y + 10.0, "start", &format!("{}{kind}", self.value.label));
        element(left + SIZE[0] + 60.0 + LEGEND, (y + 24.0).max(50.0 + 15.0 * names.len() as f64), &text)
    }
}

impl Axis {
    pub(crate) fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), is_log: false }
    }

    fn can_show(&self, value: f64) -> bool {
        value.is_finite() && (!self.is_log || value > 0.0)
    }
}

/// From values to pixels.
struct Scale {
    is_log: bool,
    values: [f64; 2],
    pixels: [f64; 2],
}

impl Scale {
    fn over(axis: &Axis, values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let (mut low, mut high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if !axis.is_log && low > 0.0 && low < 0.5 * high {
            low = 0.0;
        }
        if low == high {
            (low, high) = match (axis.is_log, low == 0.0) {
                (true, _) => (low / 2.0, high * 2.0),
                (false, true) => (0.0, 1.0),
                (false, false) => (low - 0.5, high + 0.5),
            };
        }
        Self { is_log: axis.is_log, values: [low, high], pixels }
    }

    fn at(&self, value: f64) -> f64 {
        let flat = |v: f64| if self.is_log { v.ln() } else { v };
        let [low, high] = self.values.map(flat);
        self.pixels[0] + (self.pixels[1] - self.pixels[0]) * (flat(value) - low) / (high - low)
    }

    fn ticks(&self) -> Vec<f64> {
        let [low, high] = self.values;
        if !self.is_log {
            return (0..=4).map(|k| low + (high - low) * f64::from(k) / 4.0).collect();
        }
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let steps: &[f64] = if high / low < 100.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let candidates = decades.flat_map(|d| steps.iter().map(move |s| s * 10f64.powi(d)));
        candidates.filter(|v| *v >= low * 0.999 && *v <= high * 1.001).collect()
    }
}

/// A number in few characters.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".into(),
        1e5.. => format!("{value:.2e}"),
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        1e-3.. => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// Text escaped for SVG and HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn element(width: f64, height: f64, content: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{content}</svg>\n"
    )
}

fn label(x: f64, y: f64, anchor: &str, words: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n", escaped(words))
}

/// A name with its colour.
fn entry(x: f64, y: f64, colour: &str, name: &str) -> String {
    format!("<rect x=\"{x}\" y=\"{}\" width=\"14\" height=\"3\" fill=\"{colour}\"/>\n", y - 4.0)
        + &label(x + 20.0, y, "start", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, values: &[f64]) -> Series {
        let points = values.iter().enumerate().map(|(step, &value)| [step as f64, value]).collect();
        Series { name: name.to_owned(), points }
    }

    fn plot(y: Axis, series: Vec<Series>) -> Plot {
        Plot { title: "a < b".into(), x: Axis::linear("step"), y, series }
    }

    #[test]
    fn every_line_is_drawn_within_its_field_and_names_are_escaped() {
        let plots = [
            plot(Axis::linear("one"), vec![line("a", &[0.0, 2.0, 1.0])]),
            plot(
                Axis { label: "two".into(), is_log: true },
                vec![line("b", &[5.0, 5.0, 0.0]), line("c", &[1.0, f64::NAN, 1.0])],
            ),
        ];
        let text = stacked(&plots);
        assert_eq!(text.matches("<polyline").count(), 4);
        assert!(text.contains("70.0,280.0 310.0,40.0 550.0,160.0"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf") && text.contains("a &lt; b"), "{text}");
    }

    #[test]
    fn a_plot_of_nothing_is_nothing() {
        assert_eq!(plot(Axis { is_log: true, ..Axis::default() }, vec![line("a", &[0.0, f64::NAN])]).svg(), "");
        let bars = Bars { title: String::new(), value: Axis::default(), groups: vec![("g".into(), Vec::new())] };
        assert_eq!(bars.svg(), "");
    }

    #[test]
    fn bars_are_as_long_as_their_values() {
        let group = vec![("ours".to_owned(), 1.0), ("theirs".to_owned(), 4.0)];
        let text = Bars { title: "t".into(), value: Axis::linear("ms"), groups: vec![("6a".into(), group)] }.svg();
        assert!(text.contains("width=\"120.0\"") && text.contains("width=\"480.0\""), "{text}");
    }
}
