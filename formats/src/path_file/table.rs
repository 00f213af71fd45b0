//! CSV: a header of columns, a waypoint (or a segment) per line. Rows are parsed one at a time.
//!
//! Commas separate columns, or semicolons or tabs if the header has no comma. Lines that start with `#` are comments. A
//! column `time` holds seconds; `J_velocity` and `J_acceleration` hold rates for the controller.

use std::io::{BufRead, BufReader, Read};

use super::columns::{Columns, check_times};
use super::rates::{self, Rates};
use super::{Derivatives, PathPoints, Source, lists};
use crate::{FormatError, excerpt};

/// Longest row in bytes: a file without line breaks gets a message instead of filling the memory.
const LONGEST_ROW: u64 = 16 << 20;

/// Path of a table.
pub(super) fn path(text: &str, source: &Source<'_>) -> Result<PathPoints, FormatError> {
    let mut rows = Rows::new(text.as_bytes(), source)?;
    let (others, rates) = rates::split(rows.header.iter().map(String::as_str).enumerate(), source);
    let columns = columns(others.into_iter(), Times::Allowed, &rows.place(), source)?;
    let rates = Rates::new(rates, &columns, &rows.place(), source)?;
    let (mut waypoints, mut times, mut derivatives) = (Vec::new(), Vec::new(), Derivatives::default());
    while rows.advance(source)? {
        let place = format!("line {}, waypoint {}", rows.line, waypoints.len());
        let values = rows.values(source)?;
        waypoints.push(columns.configuration(&values, &[], &place, source)?);
        times.extend(columns.time().map(|column| values[column]));
        rates.add(&values, &mut derivatives, source);
    }
    refuse_no_rows(waypoints.len(), source)?;
    check_times(&times, source)?;
    let derivatives = rates.is_any().then_some(derivatives);
    Ok(PathPoints { waypoints, times: columns.time().map(|_| times), derivatives, ..PathPoints::default() })
}

/// Location of one end of a segment.
#[derive(Debug)]
enum Side {
    /// A column per joint.
    Columns(Columns),
    /// A list in one column.
    List(usize),
}

/// Segments of a batch, parsed as they arrive.
#[derive(Debug)]
pub(super) struct Segments<R> {
    rows: Rows<R>,
    /// For both ends.
    sides: [Side; 2],
    taken: usize,
}

impl<R: Read> Segments<R> {
    /// Reads and parses the header.
    pub(super) fn new(stream: R, source: &Source<'_>) -> Result<Self, FormatError> {
        let rows = Rows::new(stream, source)?;
        if let Some(ends) = lists::ends(&rows.header) {
            return Ok(Self { rows, sides: ends.map(Side::List), taken: 0 });
        }
        let mut named = [Vec::new(), Vec::new()];
        for (index, name) in rows.header.iter().enumerate() {
            match (name.strip_prefix("a_"), name.strip_prefix("b_")) {
                (Some(column), _) => named[0].push((index, column)),
                (_, Some(column)) => named[1].push((index, column)),
                _ => {
                    let problem = format!("the column {:?} does not say which end it belongs to", excerpt(name));
                    let remedy =
                        "write a_<column> for starts and b_<column> for goals, or lists in the columns a and b alone";
                    return Err(source.error(&rows.place(), problem, remedy));
                }
            }
        }
        let side = |named: &Vec<(usize, &str)>| {
            columns(named.iter().copied(), Times::Unknown, &rows.place(), source).map(Side::Columns)
        };
        let sides = [side(&named[0])?, side(&named[1])?];
        Ok(Self { rows, sides, taken: 0 })
    }

    /// The next segment; `None` after the last.
    pub(super) fn advance(&mut self, source: &Source<'_>) -> Result<Option<[Vec<f64>; 2]>, FormatError> {
        if !self.rows.advance(source)? {
            refuse_no_rows(self.taken, source)?;
            return Ok(None);
        }
        let place = format!("line {}, row {}", self.rows.line, self.taken);
        let mut ends = [Vec::new(), Vec::new()];
        for (end, side) in ends.iter_mut().zip(&self.sides) {
            *end = match side {
                Side::Columns(columns) => columns.configuration(&self.rows.values(source)?, &[], &place, source)?,
                Side::List(column) => lists::configuration(self.rows.field(*column, source)?, &place, source)?,
            };
        }
        source.check_arc(&ends[0], &ends[1], &place)?;
        self.taken += 1;
        Ok(Some(ends))
    }
}

/// Called after the header is parsed: a file of numbers alone lacks its header, not its rows.
fn refuse_no_rows(rows: usize, source: &Source<'_>) -> Result<(), FormatError> {
    match rows {
        0 => Err(source.error("", "there is a header but no line of values", "write one line at least")),
        _ => Ok(()),
    }
}

/// Permission for a column of times.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    Allowed,
    Unknown,
}

/// Resolves columns, each once.
fn columns<'n>(
    names: impl Iterator<Item = (usize, &'n str)>,
    times: Times,
    place: &str,
    source: &Source<'_>,
) -> Result<Columns, FormatError> {
    let mut time = None;
    let mut joints = Vec::new();
    for (column, name) in names {
        let is_number = name.parse::<f64>().is_ok();
        if is_number {
            let remedy = format!("start the file with a line of joint names: {}", source.scene.variable_names());
            return Err(source.error(
                place,
                format!("{:?} stands where a joint name is needed", excerpt(name)),
                remedy,
            ));
        }
        // A joint may have this name.
        let is_time =
            times == Times::Allowed && name.eq_ignore_ascii_case("time") && source.scene.column(name).is_err();
        match (is_time, time) {
            (false, _) => joints.push((column, name)),
            (true, None) => time = Some(column),
            (true, Some(_)) => return Err(source.error(place, "a second column of times", "leave one of them")),
        }
    }
    Ok(Columns::new(joints.into_iter(), place, source)?.with_time(time))
}

/// Header, and the rows below it one at a time.
#[derive(Debug)]
struct Rows<R> {
    reader: csv::Reader<Lines<R>>,
    header: Vec<String>,
    record: csv::StringRecord,
    /// The line of the current row, from 1.
    line: u64,
}

impl<R: Read> Rows<R> {
    fn new(stream: R, source: &Source<'_>) -> Result<Self, FormatError> {
        let mut lines = Lines { stream: BufReader::new(stream), current: Vec::new(), given: 0, number: 0 };
        lines.advance().map_err(|error| FormatError::io(source.file, "read it", &error))?;
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .delimiter(delimiter(&lines.current))
            .from_reader(lines);
        let mut rows = Self { reader, header: Vec::new(), record: csv::StringRecord::new(), line: 0 };
        if !rows.advance(source)? {
            let remedy = "write a header of joint names, then a waypoint per line";
            return Err(source.error("", "the file is empty", remedy));
        }
        rows.header = rows.record.iter().map(str::to_owned).collect();
        Ok(rows)
    }

    fn place(&self) -> String {
        format!("line {}", self.line)
    }

    /// Advances to the next row; true if there is one.
    fn advance(&mut self, source: &Source<'_>) -> Result<bool, FormatError> {
        let is_there = self
            .reader
            .read_record(&mut self.record)
            .map_err(|error| source.error("", error.to_string(), "mend the CSV"))?;
        self.line = self.reader.get_ref().number;
        Ok(is_there)
    }

    /// The text in a column of the current row.
    fn field(&self, column: usize, source: &Source<'_>) -> Result<&str, FormatError> {
        self.check_width(source)?;
        Ok(&self.record[column])
    }

    fn check_width(&self, source: &Source<'_>) -> Result<(), FormatError> {
        if self.record.len() != self.header.len() {
            let (found, named) = (self.record.len(), self.header.len());
            let problem = format!("{found} values where the header names {named} columns");
            return Err(source.error(&self.place(), problem, "write one value per column; lists stand in quotes"));
        }
        Ok(())
    }

    /// A finite value for every column of the current row.
    fn values(&self, source: &Source<'_>) -> Result<Vec<f64>, FormatError> {
        self.check_width(source)?;
        let parse = |(word, column): (&str, &String)| {
            word.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
                let problem = format!("{:?} in the column {:?} is not a finite number", excerpt(word), excerpt(column));
                source.error(&self.place(), problem, "write a number with a point, such as 0.25")
            })
        };
        self.record.iter().zip(&self.header).map(parse).collect()
    }
}

/// Delimiter of a header's columns: a comma if there is one.
fn delimiter(header: &[u8]) -> u8 {
    [b',', b';', b'\t'].into_iter().find(|delimiter| header.contains(delimiter)).unwrap_or(b',')
}

/// Stream read line by line, without blank lines and comments, that keeps the line of a row.
#[derive(Debug)]
struct Lines<R> {
    stream: BufReader<R>,
    current: Vec<u8>,
    /// Number of bytes of the current line that were read.
    given: usize,
    /// The number of the current line, from 1.
    number: u64,
}

impl<R: Read> Lines<R> {
    /// Advances to the next line with content; at the end the line is empty.
    fn advance(&mut self) -> std::io::Result<()> {
        self.given = 0;
        loop {
            self.current.clear();
            let mut limited = (&mut self.stream).take(LONGEST_ROW + 1);
            let read = limited.read_until(b'\n', &mut self.current)?;
            if read as u64 > LONGEST_ROW {
                return Err(std::io::Error::other(format!("a row is longer than {} MB", LONGEST_ROW >> 20)));
            }
            self.number += 1;
            let mut content = self.current.iter().filter(|byte| !matches!(byte, b' ' | b'\r' | b'\n'));
            if read == 0 || !matches!(content.next(), None | Some(b'#')) {
                return Ok(());
            }
        }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.current.len() {
            self.advance()?;
        }
        let count = buffer.len().min(self.current.len() - self.given);
        buffer[..count].copy_from_slice(&self.current[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}
