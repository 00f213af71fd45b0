//! One page of all results that opens anywhere, without network: the papers' numbers beside ours, pictures of the
//! scenes, plots, every row that was measured, the machine, and what was generated.

mod charts;
mod claims;
mod discs;
mod drawings;
mod machine;
mod rows;
mod short;
mod text;

use std::collections::BTreeMap;

use anyhow::Result;

use self::drawings::Drawing;
use self::rows::Rows;
use crate::Options;
use crate::plot::escaped;
use crate::report::{self, Entry};

/// Results of an experiment, or of one case of it.
pub(crate) struct Section {
    pub(crate) experiment: String,
    /// Seconds that it took.
    pub(crate) seconds: f64,
    pub(crate) entries: Vec<Entry>,
    /// SVG that the experiment drew itself.
    pub(crate) plots: Vec<String>,
}

/// The sources, in the order of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paper {
    ExactChecking,
    EnhancingGjk,
    WorkspaceTime,
    SubObjectPruning,
    None,
}

const PAPERS: [(Paper, &str); 5] = [
    (Paper::ExactChecking, "Exact collision checking of robot paths (Schwarzer, Saha, Latombe)"),
    (Paper::EnhancingGjk, "Enhancing GJK (Cameron)"),
    (Paper::WorkspaceTime, "Bounding volume hierarchies in workspace-time (Schwesinger, Siegwart, Furgale)"),
    (Paper::SubObjectPruning, "Sub-object pruning of concave bodies"),
    (Paper::None, "Beyond the papers"),
];

/// A page that grows by sections.
pub(crate) struct Page {
    about: String,
    drawings: Vec<Drawing>,
    sections: Vec<Section>,
    /// Measurements of other programs: name and rows.
    peers: Vec<(String, Vec<Entry>)>,
}

impl Page {
    pub(crate) fn new(options: &Options, fingerprint: &str) -> Result<Self> {
        Ok(Self {
            about: machine::about(options, fingerprint),
            drawings: drawings::all()?,
            sections: Vec::new(),
            peers: Vec::new(),
        })
    }

    pub(crate) fn push(&mut self, section: Section) {
        self.sections.push(section);
    }

    /// Rows of other programs beside ours.
    pub(crate) fn push_peers(&mut self, name: String, entries: Vec<Entry>) {
        self.peers.push((name, entries));
    }

    /// The whole page.
    pub(crate) fn html(&self) -> String {
        let rows = Rows::new(&self.sections);
        let mut body = short::table(&rows);
        for (paper, title) in PAPERS {
            let numbers = claims::table(paper, &rows);
            body += &format!("<h2>{}</h2>\n{numbers}<div class=\"figures\">\n", escaped(title));
            for drawing in self.drawings.iter().filter(|drawing| drawing.paper == paper) {
                body += &figure(&drawing.content, drawing.caption);
            }
            body += &charts::of(paper, &rows);
            if paper == Paper::SubObjectPruning {
                for plot in self.sections.iter().flat_map(|section| &section.plots) {
                    body += &figure(plot, "");
                }
            }
            body += "</div>\n";
        }
        if !self.peers.is_empty() {
            body += text::PEERS;
        }
        for (name, entries) in &self.peers {
            body += &format!("<h3>{}</h3>\n{}", escaped(name), table(&entries.iter().collect::<Vec<_>>()));
        }
        body += text::GENERATED;
        body += &self.every_row();
        let (contents, body) = with_contents(&body);
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>pathproof: the papers' results</title>\n\
             <style>{}</style></head>\n<body>\n<h1>pathproof: the papers' results</h1>\n{}\n{}{contents}{body}</body></html>\n",
            text::STYLE,
            self.about,
            text::INTRODUCTION
        )
    }

    /// All entries, by experiment.
    fn every_row(&self) -> String {
        let mut text = "<h2>Every row</h2>\n".to_owned();
        let mut by_experiment: BTreeMap<usize, (&str, f64, Vec<&Entry>)> = BTreeMap::new();
        for section in &self.sections {
            let place = self.sections.iter().position(|s| s.experiment == section.experiment).unwrap_or(0);
            let (_, seconds, entries) = by_experiment.entry(place).or_insert((&section.experiment, 0.0, Vec::new()));
            *seconds += section.seconds;
            entries.extend(&section.entries);
        }
        for (name, seconds, entries) in by_experiment.values() {
            let rows = entries.iter().filter(|entry| matches!(entry, Entry::Row(_))).count();
            text += &format!(
                "<details><summary>{name}: {rows} rows, {seconds:.0} s</summary>\n{}</details>\n",
                table(entries)
            );
        }
        text
    }
}

/// A list of the page's parts, and the page with anchors.
fn with_contents(body: &str) -> (String, String) {
    let mut parts = body.split("<h2>");
    let (mut contents, mut marked) = (String::new(), parts.next().unwrap_or_default().to_owned());
    for (number, part) in parts.enumerate() {
        let title = part.split("</h2>").next().unwrap_or_default();
        contents += &format!("<li><a href=\"#part-{number}\">{title}</a></li>\n");
        marked += &format!("<h2 id=\"part-{number}\">{part}");
    }
    (format!("<ul>\n{contents}</ul>\n"), marked)
}

fn figure(content: &str, caption: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!("<figure>{content}<figcaption>{}</figcaption></figure>\n", escaped(caption))
}

/// Notes as paragraphs, rows as tables; other columns start another table.
fn table(entries: &[&Entry]) -> String {
    let (mut text, mut columns): (String, Option<Vec<&String>>) = (String::new(), None);
    for entry in entries {
        let row = match entry {
            Entry::Row(row) => row,
            Entry::Note(note) => {
                text +=
                    &format!("{}<p>{}</p>\n", if columns.take().is_some() { "</table>\n" } else { "" }, escaped(note));
                continue;
            }
        };
        let names: Vec<&String> = row.keys().skip(1).collect();
        if columns.as_ref() != Some(&names) {
            let cells: String = names.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
            text += &format!("{}<table><tr>{cells}</tr>\n", if columns.is_some() { "</table>\n" } else { "" });
            columns = Some(names);
        }
        let cells: String = row.values().skip(1).map(|v| format!("<td>{}</td>", escaped(&report::text(v)))).collect();
        text += &format!("<tr>{cells}</tr>\n");
    }
    text + if columns.is_some() { "</table>\n" } else { "" }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::{Output, Report};

    #[test]
    fn the_page_holds_papers_numbers_plots_pictures_and_rows_and_asks_no_network() {
        let options = Options { quick: true, count: None, case: None, output: None };
        let mut page = Page::new(&options, "this").unwrap();
        let mut report = Report::new(Output::Progress(String::new()));
        report.start("segments");
        report.note("a < b");
        for method in ["directional", "paper"] {
            report.row("6a", json!({"kind": "free", "reach": "full", "tolerance": 0.001, "method": method, "step": "", "microseconds": 440.0}));
        }
        for (step, microseconds) in [("paper", 880.0), ("safe", 4400.0)] {
            report.row("6a", json!({"kind": "free", "reach": "full", "tolerance": 0.001, "method": "fixed", "step": step, "microseconds": microseconds}));
        }
        let entries = report.into_entries();
        page.push(Section { experiment: "segments".into(), seconds: 1.0, entries, plots: Vec::new() });
        let note = Entry::Note("fcl cannot be installed".into());
        let row = json!({"experiment": "edges", "case": "1", "method": "hpp", "missed": 3});
        let row = Entry::Row(row.as_object().unwrap().clone());
        assert!(!page.html().contains("other programs"));
        page.push_peers("edges".into(), vec![note, row]);
        let html = page.html();
        for part in ["<h3>edges</h3>", "<p>fcl cannot be installed</p>", "<td>hpp</td><td>3</td>"] {
            assert!(html.contains(part), "{part:?} is missing");
        }
        for part in ["<svg", "data:image/png", "<p>a &lt; b</p>", "<td>440.0000</td>", "<td>100</td>", "4 rows, 1 s"] {
            assert!(html.contains(part), "{part:?} is missing");
        }
        assert!(html.contains("<td>2.00–2.00 at steps of ε, 10.0–10.0 at steps that miss none</td><td>1, proven</td>"));
        for (number, title) in ["In short", "Exact collision checking", "Enhancing GJK"].into_iter().enumerate() {
            assert!(
                html.contains(&format!("<li><a href=\"#part-{number}\">{title}")),
                "{title} is not in the contents"
            );
            assert!(html.contains(&format!("<h2 id=\"part-{number}\">{title}")), "{title} is nowhere to go to");
        }
        let links = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!links.contains("http") && !links.contains("<script"), "the page asks for something");
        assert_eq!(html.matches("<table").count(), html.matches("</table>").count());
    }
}
