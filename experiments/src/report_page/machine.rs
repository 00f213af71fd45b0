//! Machine and program that made a report.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::Options;
use crate::plot::escaped;

/// A paragraph: program, options, processor, day.
pub(super) fn about(options: &Options, fingerprint: &str) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let size = match (options.quick, options.count) {
        (true, _) => "<strong>quick run: few samples per row, good for shapes and not for figures</strong>".to_owned(),
        (false, Some(count)) => format!("{count} samples per row where an experiment has such a number"),
        (false, None) => "full run".to_owned(),
    };
    format!(
        "<p>{size}; program and options <code>{}</code>; {} {}, {} ({cores} processors seen); written on {} (UTC). \
         Timings are of one thread, processor time unless said otherwise.</p>",
        escaped(fingerprint),
        std::env::consts::OS,
        std::env::consts::ARCH,
        escaped(&processor()),
        today()
    )
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(':')).map_or("unknown processor".into(), |(_, name)| name.trim().to_owned())
}

fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let [year, month, day] = date(seconds / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of a number of days since 1970-01-01, counting years from March so that leap days come last.
fn date(days: u64) -> [u64; 3] {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    [era * 400 + year + u64::from(month <= 2), month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (days, expected) in [(0, [1970, 1, 1]), (59, [1970, 3, 1]), (11_016, [2000, 2, 29]), (20_820, [2027, 1, 2])]
        {
            assert_eq!(date(days), expected);
        }
    }
}
