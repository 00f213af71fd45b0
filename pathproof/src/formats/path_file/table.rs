//! CSV: a header of columns, a waypoint (or a segment) a line. Rows are understood one at a time.

use std::io::Read;

use super::Source;
use crate::formats::{FormatError, excerpt};

/// Longest row in bytes: whoever forgot the line breaks gets a message, not a full memory.
const LONGEST_ROW: u64 = 16 << 20;

/// The waypoints of a path.
pub(super) fn waypoints(text: &str, source: &Source<'_>) -> Result<Vec<Vec<f64>>, FormatError> {
    let mut rows = Rows::new(text.as_bytes(), source)?;
    let variables = columns(rows.header.iter().map(String::as_str), source)?;
    let mut waypoints = Vec::new();
    while rows.advance(source)? {
        let place = format!("line {}, waypoint {}", rows.line, waypoints.len());
        waypoints.push(configuration(&variables, &rows.values(source)?, &place, source)?);
    }
    refuse_no_rows(waypoints.len(), source)?;
    Ok(waypoints)
}

/// The segments of a batch, understood as they come.
#[derive(Debug)]
pub(super) struct Segments<R> {
    rows: Rows<R>,
    /// For both ends, the columns and the variables they mean.
    sides: [Side; 2],
    taken: usize,
}

#[derive(Debug, Default)]
struct Side {
    columns: Vec<usize>,
    variables: Vec<usize>,
}

impl<R: Read> Segments<R> {
    /// Reads and understands the header.
    pub(super) fn new(stream: R, source: &Source<'_>) -> Result<Self, FormatError> {
        let rows = Rows::new(stream, source)?;
        let mut named = [Vec::new(), Vec::new()];
        for (index, name) in rows.header.iter().enumerate() {
            match (name.strip_prefix("a_"), name.strip_prefix("b_")) {
                (Some(column), _) => named[0].push((index, column)),
                (_, Some(column)) => named[1].push((index, column)),
                _ => {
                    let problem = format!("the column {:?} does not say which end it belongs to", excerpt(name));
                    return Err(source.error(
                        "line 1",
                        problem,
                        "write a_<column> for starts and b_<column> for goals",
                    ));
                }
            }
        }
        let mut sides = [Side::default(), Side::default()];
        for (named, side) in named.iter().zip(&mut sides) {
            side.columns = named.iter().map(|(index, _)| *index).collect();
            side.variables = columns(named.iter().map(|(_, column)| *column), source)?;
        }
        Ok(Self { rows, sides, taken: 0 })
    }

    /// The next segment; `None` after the last.
    pub(super) fn advance(&mut self, source: &Source<'_>) -> Result<Option<[Vec<f64>; 2]>, FormatError> {
        if !self.rows.advance(source)? {
            refuse_no_rows(self.taken, source)?;
            return Ok(None);
        }
        let place = format!("line {}, row {}", self.rows.line, self.taken);
        let row = self.rows.values(source)?;
        let mut ends = [Vec::new(), Vec::new()];
        for (end, side) in ends.iter_mut().zip(&self.sides) {
            let values: Vec<f64> = side.columns.iter().map(|&column| row[column]).collect();
            *end = configuration(&side.variables, &values, &place, source)?;
        }
        source.check_arc(&ends[0], &ends[1], &place)?;
        self.taken += 1;
        Ok(Some(ends))
    }
}

/// Asked after the header was understood: a file of numbers alone lacks its header, not its rows.
fn refuse_no_rows(rows: usize, source: &Source<'_>) -> Result<(), FormatError> {
    match rows {
        0 => Err(source.error("", "there is a header but no line of values", "write one line at least")),
        _ => Ok(()),
    }
}

/// The variables that columns mean, each once.
fn columns<'n>(names: impl Iterator<Item = &'n str>, source: &Source<'_>) -> Result<Vec<usize>, FormatError> {
    let mut variables: Vec<usize> = Vec::new();
    for name in names {
        if name.contains(';') {
            return Err(source.error("line 1", "the columns are separated by semicolons", "separate them by commas"));
        }
        let is_number = name.parse::<f64>().is_ok();
        if is_number {
            let remedy = format!("start the file with a line of joint names: {}", source.scene.variable_names());
            return Err(source.error(
                "line 1",
                format!("{:?} stands where a joint name is needed", excerpt(name)),
                remedy,
            ));
        }
        let variable = source.column(name, "line 1")?;
        if variables.contains(&variable) {
            return Err(source.error("line 1", format!("a second column {:?}", excerpt(name)), "leave one of them"));
        }
        variables.push(variable);
    }
    Ok(variables)
}

fn configuration(
    variables: &[usize],
    values: &[f64],
    place: &str,
    source: &Source<'_>,
) -> Result<Vec<f64>, FormatError> {
    let named: Vec<(usize, f64)> = variables.iter().copied().zip(values.iter().copied()).collect();
    source.within_limits(source.configuration(&named, place)?, place)
}

/// A header and, one at a time, the rows below it.
#[derive(Debug)]
struct Rows<R> {
    reader: csv::Reader<Limited<R>>,
    header: Vec<String>,
    record: csv::StringRecord,
    /// The line that the current row starts on.
    line: u64,
}

impl<R: Read> Rows<R> {
    fn new(stream: R, source: &Source<'_>) -> Result<Self, FormatError> {
        let stream = Limited { stream, left: LONGEST_ROW };
        let reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(stream);
        let mut rows = Self { reader, header: Vec::new(), record: csv::StringRecord::new(), line: 0 };
        if !rows.advance(source)? {
            let remedy = "write a header of joint names, then a waypoint a line";
            return Err(source.error("", "the file is empty", remedy));
        }
        rows.header = rows.record.iter().map(str::to_owned).collect();
        Ok(rows)
    }

    /// Goes to the next row; whether there is one.
    fn advance(&mut self, source: &Source<'_>) -> Result<bool, FormatError> {
        self.reader.get_mut().left = LONGEST_ROW;
        let is_there = self
            .reader
            .read_record(&mut self.record)
            .map_err(|error| source.error("", error.to_string(), "mend the CSV"))?;
        self.line = self.record.position().map_or(0, csv::Position::line);
        Ok(is_there)
    }

    /// A finite value for every column of the current row.
    fn values(&self, source: &Source<'_>) -> Result<Vec<f64>, FormatError> {
        let place = || format!("line {}", self.line);
        if self.record.len() != self.header.len() {
            let (found, named) = (self.record.len(), self.header.len());
            let problem = format!("{found} values where the header names {named} columns");
            return Err(source.error(&place(), problem, "write one value a column"));
        }
        let parse = |(word, column): (&str, &String)| {
            word.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
                let problem = format!("{:?} in the column {:?} is not a finite number", excerpt(word), excerpt(column));
                source.error(&place(), problem, "write a number such as 0.25")
            })
        };
        self.record.iter().zip(&self.header).map(parse).collect()
    }
}

/// A stream that fails where more is asked of it at a time than a row may have.
#[derive(Debug)]
struct Limited<R> {
    stream: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| std::io::Error::other(format!("a row is longer than {} MB", LONGEST_ROW >> 20)))?;
        Ok(read)
    }
}
