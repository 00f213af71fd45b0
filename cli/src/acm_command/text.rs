//! Classes of all pairs as text.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pathproof_formats::output_file;

use super::audit::{self, Verdict};
use super::{Report, Written, class_name, explain, link_names};
use crate::numbers::counted;

const CLASSES: [&str; 5] = ["adjacent", "never", "always", "sometimes", "unproven"];

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let scene = report.scene();
    writeln!(out, "{}: {} pairs of links\n", report.robot, report.pairs.len())?;
    for class in CLASSES {
        let members: Vec<_> = report.pairs.iter().filter(|pair| class_name(&pair.class) == class).collect();
        if !members.is_empty() {
            writeln!(out, "{class}: {}", members.len())?;
        }
        for pair in members {
            let [a, b] = link_names(scene, pair);
            writeln!(out, "  {a} – {b}: {}", explain(scene, pair))?;
        }
    }
    write_counts(report, out)?;
    if let Some(audited) = report.audited {
        writeln!(out, "\naudit: {} disabled pairs", audited.len())?;
        let all = [Verdict::Refuted, Verdict::Unproven, Verdict::Proven, Verdict::Adjacent, Verdict::NoGeometry];
        for verdict in all {
            for pair in audited.iter().filter(|pair| pair.verdict == verdict) {
                let [a, b] = &pair.links;
                let found = match pair.pair {
                    Some(index) => explain(scene, &report.pairs[index]),
                    None => "a link without geometry".to_owned(),
                };
                let reason = if pair.reason.is_empty() { "no reason" } else { pair.reason.as_str() };
                let class = audit::class_of(pair, report.pairs);
                writeln!(out, "  {}: {a} – {b} ({reason}): {class}, {found}", verdict.name())?;
            }
        }
    }
    if let Some(Written { path, added }) = report.written {
        writeln!(out, "\nwritten: {}", path.display())?;
        if let Some(added) = added {
            writeln!(out, "  added to the file: {}; the rest is as it was", counted(added, "pair"))?;
        }
        let (urdf, beside) = (report.urdf, report.urdf.with_extension("srdf"));
        match output_file::is_same(path, &beside) {
            true => writeln!(out, "  used where {} is checked alone, for it has the same name", urdf.display())?,
            false => {
                writeln!(out, "  used where {} is checked alone, if it is called {}", urdf.display(), beside.display())?
            }
        }
        writeln!(
            out,
            "  in a scene file: srdf = {:?} under [[robots]], relative to that file",
            path.display().to_string()
        )?;
    }
    writeln!(out, "\nwarnings: {}", report.warnings.len())?;
    report.warnings.iter().try_for_each(|warning| writeln!(out, "  {warning}"))?;
    writeln!(out, "time: {:.1} s", report.seconds)
}

/// One line per number of joints between, one column per class.
fn write_counts(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut counts: BTreeMap<usize, [usize; 5]> = BTreeMap::new();
    for pair in report.pairs {
        let column = CLASSES.iter().position(|class| *class == class_name(&pair.class)).unwrap_or(0);
        counts.entry(pair.joints).or_default()[column] += 1;
    }
    write!(out, "\njoints between")?;
    CLASSES.iter().try_for_each(|class| write!(out, "  {class:>9}"))?;
    writeln!(out)?;
    for (joints, row) in counts {
        write!(out, "{joints:>14}")?;
        row.iter().try_for_each(|count| write!(out, "  {count:>9}"))?;
        writeln!(out)?;
    }
    Ok(())
}
