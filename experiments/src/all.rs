//! `all -o DIR`: every experiment, one after the other, into one page.
//!
//! Finished experiments are kept as `DIR/rows/NAME.jsonl`, written in one step, with a fingerprint of program and
//! options. A later run continues with those that are missing or have another fingerprint. The page is rewritten after
//! each experiment, so there is always a whole one. Long experiments are split by case. The measurements of other
//! programs by `peers/run.py DIR/peers`, in `DIR/peers/*.jsonl`, join the page.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use pathproof_formats::output_file;
use serde_json::{Map, Value, json};

use crate::report::{Entry, Output, Report};
use crate::report_page::{Page, Section};
use crate::{EXPERIMENTS, Experiment, Options};

/// An experiment, or one case of it.
struct Unit {
    experiment: &'static Experiment,
    case: Option<&'static str>,
}

impl Unit {
    fn name(&self) -> String {
        match self.case {
            Some(case) => format!("{}-{case}", self.experiment.name),
            None => self.experiment.name.to_owned(),
        }
    }
}

/// Runs what is missing in `folder` and writes the page.
pub(crate) fn run(options: &Options, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder.join("rows")).with_context(|| format!("cannot make {}", folder.display()))?;
    let fingerprint = fingerprint(options)?;
    let units = units(options);
    let mut page = Page::new(options, &fingerprint)?;
    for (name, entries) in peers(&folder.join("peers"))? {
        page.push_peers(name, entries);
    }
    let mut failures = Vec::new();
    for (place, unit) in units.iter().enumerate() {
        let name = unit.name();
        let label = format!("[{:>2}/{}] {name}", place + 1, units.len());
        let progress = |said: &str| eprintln!("{label}: {said}");
        let file = folder.join("rows").join(format!("{name}.jsonl"));
        let kept = read(&file, &fingerprint);
        let section = match kept {
            Some(section) => {
                progress("kept from an earlier run");
                section
            }
            None => {
                progress("runs");
                match measured(unit, options, folder, &label) {
                    Ok(section) => {
                        output_file::write(&file, written(&section, &fingerprint).as_bytes())?;
                        progress(&format!("{:.1} s", section.seconds));
                        section
                    }
                    Err(error) => {
                        progress(&format!("failed: {error:#}"));
                        failures.push(name.clone());
                        let entries = vec![Entry::Note(format!("failed: {error:#}"))];
                        Section { experiment: unit.experiment.name.into(), seconds: 0.0, entries, plots: Vec::new() }
                    }
                }
            }
        };
        page.push(Section { plots: plots(&files_of(unit, folder))?, ..section });
        output_file::write(&folder.join("index.html"), page.html().as_bytes())?;
    }
    eprintln!("{} is written", folder.join("index.html").display());
    if failures.is_empty() { Ok(()) } else { bail!("failed: {}", failures.join(", ")) }
}

/// The whole experiment if it is quick or a case was given, else a unit per case.
fn units(options: &Options) -> Vec<Unit> {
    let split = !options.quick && options.case.is_none();
    let mut units = Vec::new();
    for experiment in EXPERIMENTS {
        if split && !experiment.cases.is_empty() {
            units.extend(experiment.cases.iter().map(|case| Unit { experiment, case: Some(case) }));
        } else {
            units.push(Unit { experiment, case: None });
        }
    }
    units
}

/// Folder for the files that an experiment of this run writes.
fn files_of(unit: &Unit, folder: &Path) -> PathBuf {
    folder.join("files").join(unit.name())
}

fn measured(unit: &Unit, options: &Options, folder: &Path, label: &str) -> Result<Section> {
    let start = Instant::now();
    let mut report = Report::new(Output::Progress(label.to_owned()));
    report.start(unit.experiment.name);
    let case = unit.case.map(str::to_owned).or_else(|| options.case.clone());
    let options = Options { quick: options.quick, count: options.count, case, output: Some(files_of(unit, folder)) };
    (unit.experiment.run)(&options, &mut report)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Section { experiment: unit.experiment.name.into(), seconds, entries: report.into_entries(), plots: Vec::new() })
}

/// Measurements of other programs, by the names of their files; a line is a row or `{"note": …}`.
fn peers(folder: &Path) -> Result<Vec<(String, Vec<Entry>)>> {
    let Ok(found) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut files: Vec<PathBuf> = found.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let rows = text.lines().map(serde_json::from_str).collect::<Result<Vec<Map<String, Value>>, _>>();
        let rows = rows.with_context(|| format!("{} is not JSON, a line per row", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.push((name, rows.into_iter().map(entry).collect()));
    }
    Ok(all)
}

/// A row, or a note.
fn entry(row: Map<String, Value>) -> Entry {
    match row.get("note") {
        Some(note) => Entry::Note(note.as_str().unwrap_or_default().to_owned()),
        None => Entry::Row(row),
    }
}

/// Plots that the experiment drew itself.
fn plots(folder: &Path) -> Result<Vec<String>> {
    let Ok(found) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut files: Vec<PathBuf> = found.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "svg"));
    files.sort();
    files.iter().map(|file| Ok(std::fs::read_to_string(file)?)).collect()
}

/// Hash of version, executable and options: rows of another one are measured again.
fn fingerprint(options: &Options) -> Result<String> {
    let program = std::fs::read(std::env::current_exe()?)?;
    // FNV-1a.
    let hash = program.iter().fold(0xCBF2_9CE4_8422_2325u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01B3));
    let told = [
        options.quick.then(|| " --quick".to_owned()),
        options.count.map(|count| format!(" --count {count}")),
        options.case.as_ref().map(|case| format!(" --case {case}")),
    ];
    let told: String = told.into_iter().flatten().collect();
    Ok(format!("{} {hash:016x}{told}", env!("CARGO_PKG_VERSION")))
}

/// A first line that identifies the section, then a line per entry.
fn written(section: &Section, fingerprint: &str) -> String {
    let header = json!({"fingerprint": fingerprint, "experiment": section.experiment, "seconds": section.seconds,
                        "entries": section.entries.len()});
    let mut text = format!("{header}\n");
    for entry in &section.entries {
        let line = match entry {
            Entry::Note(note) => json!({"note": note}),
            Entry::Row(row) => Value::Object(row.clone()),
        };
        text += &format!("{line}\n");
    }
    text
}

/// The stored section, if it is whole and of this fingerprint.
fn read(file: &Path, fingerprint: &str) -> Option<Section> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut lines = text.lines().map(serde_json::from_str::<Map<String, Value>>);
    let header = lines.next()?.ok()?;
    if header.get("fingerprint")? != fingerprint {
        return None;
    }
    let entries: Vec<Entry> = lines.map(|line| line.ok().map(entry)).collect::<Option<_>>()?;
    let is_whole = header.get("entries")?.as_u64()? == entries.len() as u64;
    let experiment = header.get("experiment")?.as_str()?.to_owned();
    let seconds = header.get("seconds")?.as_f64()?;
    is_whole.then_some(Section { experiment, seconds, entries, plots: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_peers_are_read_by_file_and_what_is_no_json_is_named() {
        let folder = std::env::temp_dir().join(format!("pathproof-peers-{}", std::process::id()));
        assert!(peers(&folder).unwrap().is_empty());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("edges.jsonl"), "{\"note\":\"cannot be installed\"}\n{\"case\":\"1\",\"us\":2}\n")
            .unwrap();
        std::fs::write(folder.join("other.txt"), "no rows").unwrap();
        let read = peers(&folder).unwrap();
        assert!(matches!(&read[..], [(name, entries)] if name == "edges" && entries.len() == 2));
        assert_eq!(read[0].1[0], Entry::Note("cannot be installed".into()));
        std::fs::write(folder.join("cut.jsonl"), "{\"case\":").unwrap();
        assert!(peers(&folder).unwrap_err().to_string().contains("cut.jsonl"));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_section_is_read_as_it_was_written_and_refused_where_it_is_cut_or_of_another_program() {
        let mut report = Report::new(Output::Progress(String::new()));
        report.start("gjk");
        report.note("Paper: 1 < 2");
        report.row("fig3", json!({"vertices": 10, "ns": 0.1, "none": f64::NAN}));
        let section =
            Section { experiment: "gjk".into(), seconds: 1.5, entries: report.into_entries(), plots: Vec::new() };
        let file = std::env::temp_dir().join(format!("pathproof-all-{}.jsonl", std::process::id()));
        let text = written(&section, "this");
        std::fs::write(&file, &text).unwrap();
        let again = read(&file, "this").unwrap();
        assert_eq!((again.entries, again.seconds), (section.entries, 1.5));
        assert!(read(&file, "other").is_none());
        for length in 0..text.trim_end().len() {
            if text.is_char_boundary(length) {
                std::fs::write(&file, &text[..length]).unwrap();
                assert!(read(&file, "this").is_none(), "{length}");
            }
        }
        std::fs::remove_file(&file).unwrap();
    }
}
