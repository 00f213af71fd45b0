//! Line plots as SVG text: panels above each other over one axis of steps.

/// One line.
pub(crate) struct Series {
    pub(crate) name: &'static str,
    pub(crate) values: Vec<f64>,
}

/// Lines over a common axis.
pub(crate) struct Panel {
    pub(crate) label: &'static str,
    pub(crate) series: Vec<Series>,
}

const COLOURS: [&str; 3] = ["#1f77b4", "#d62728", "#2ca02c"];

/// Size of a panel, and the margins to its left and above it.
const SIZE: [f64; 2] = [640.0, 220.0];
const MARGIN: [f64; 2] = [80.0, 50.0];

/// The plot.
pub(crate) fn svg(title: &str, axis: &str, panels: &[Panel]) -> String {
    let (width, height) = (SIZE[0] + 2.0 * MARGIN[0], (SIZE[1] + MARGIN[1]) * panels.len() as f64 + MARGIN[1]);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}",
        label(width / 2.0, 24.0, "middle", title)
    );
    for (place, panel) in panels.iter().enumerate() {
        text += &drawn(panel, MARGIN[1] + (SIZE[1] + MARGIN[1]) * place as f64);
    }
    text += &label(MARGIN[0] + SIZE[0] / 2.0, height - 16.0, "middle", axis);
    text + "</svg>\n"
}

fn label(x: f64, y: f64, anchor: &str, words: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>\n")
}

fn drawn(panel: &Panel, top: f64) -> String {
    let [left, _] = MARGIN;
    let [width, height] = SIZE;
    let most = panel.series.iter().flat_map(|series| &series.values).copied().fold(0.0, f64::max);
    let last = panel.series.iter().map(|series| series.values.len()).max().unwrap_or(2).max(2) - 1;
    let x = |step: usize| left + width * step as f64 / last as f64;
    let y = |value: f64| top + height * (1.0 - value / most);
    let mut text = format!(
        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#999\"/>\n"
    );
    for tick in 0..=4 {
        let (value, step) = (most * f64::from(tick) / 4.0, last * tick as usize / 4);
        text += &label(left - 6.0, y(value) + 4.0, "end", &format!("{value:.3}"));
        text += &label(x(step), top + height + 16.0, "middle", &step.to_string());
    }
    text += &label(left, top - 8.0, "start", panel.label);
    for (series, colour) in panel.series.iter().zip(COLOURS.iter().cycle()) {
        let points: Vec<String> =
            series.values.iter().enumerate().map(|(step, &value)| format!("{:.1},{:.1}", x(step), y(value))).collect();
        text += &format!("<polyline fill=\"none\" stroke=\"{colour}\" points=\"{}\"/>\n", points.join(" "));
    }
    for (place, (series, colour)) in panel.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let at = top + 16.0 + 16.0 * place as f64;
        text +=
            &format!("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"3\" fill=\"{colour}\"/>\n", left + 10.0, at - 4.0);
        text += &label(left + 30.0, at, "start", series.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_drawn_within_its_panel() {
        let line = |name, values: &[f64]| Series { name, values: values.to_vec() };
        let panels = [
            Panel { label: "one", series: vec![line("a", &[0.0, 2.0, 1.0])] },
            Panel { label: "two", series: vec![line("b", &[5.0, 5.0, 0.0]), line("c", &[1.0, 0.0, 1.0])] },
        ];
        let text = svg("title", "step", &panels);
        assert_eq!(text.matches("<polyline").count(), 3);
        assert!(text.contains("80.0,270.0 400.0,50.0 720.0,160.0"), "{text}");
        assert!(!text.contains("NaN"));
    }
}
