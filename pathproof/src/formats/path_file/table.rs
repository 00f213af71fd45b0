//! CSV: a header of columns, a waypoint (or a segment) a line.

use super::Source;
use crate::formats::{FormatError, excerpt};

/// A row not yet understood, and the line it starts on. The header comes first: what is wrong there spoils all rows.
struct Row {
    line: u64,
    record: csv::StringRecord,
}

/// The waypoints of a path.
pub(super) fn waypoints(text: &str, source: &Source<'_>) -> Result<Vec<Vec<f64>>, FormatError> {
    let (header, rows) = read(text, source)?;
    let variables = columns(header.iter().map(String::as_str), source)?;
    refuse_no_rows(&rows, source)?;
    let mut waypoints = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let place = format!("line {}, waypoint {index}", row.line);
        waypoints.push(configuration(&variables, &values(row, &header, source)?, &place, source)?);
    }
    Ok(waypoints)
}

/// The segments of a batch.
pub(super) fn segments(text: &str, source: &Source<'_>) -> Result<Vec<[Vec<f64>; 2]>, FormatError> {
    let (header, rows) = read(text, source)?;
    let mut sides = [Vec::new(), Vec::new()];
    for (index, name) in header.iter().enumerate() {
        match (name.strip_prefix("a_"), name.strip_prefix("b_")) {
            (Some(column), _) => sides[0].push((index, column)),
            (_, Some(column)) => sides[1].push((index, column)),
            _ => {
                let problem = format!("the column {:?} does not say which end it belongs to", excerpt(name));
                return Err(source.error("line 1", problem, "write a_<column> for starts and b_<column> for goals"));
            }
        }
    }
    let mut variables = [Vec::new(), Vec::new()];
    for (side, variables) in sides.iter().zip(&mut variables) {
        *variables = columns(side.iter().map(|(_, column)| *column), source)?;
    }
    refuse_no_rows(&rows, source)?;
    let mut segments = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let place = format!("line {}, row {index}", row.line);
        let mut ends = [Vec::new(), Vec::new()];
        let row_values = values(row, &header, source)?;
        for side in 0..2 {
            let values: Vec<f64> = sides[side].iter().map(|(column, _)| row_values[*column]).collect();
            ends[side] = configuration(&variables[side], &values, &place, source)?;
        }
        segments.push(ends);
    }
    Ok(segments)
}

/// Asked after the header was understood: a file of numbers alone lacks its header, not its rows.
fn refuse_no_rows(rows: &[Row], source: &Source<'_>) -> Result<(), FormatError> {
    match rows.is_empty() {
        true => Err(source.error("", "there is a header but no line of values", "write one line at least")),
        false => Ok(()),
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

/// Header and rows.
fn read(text: &str, source: &Source<'_>) -> Result<(Vec<String>, Vec<Row>), FormatError> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let mut header: Option<Vec<String>> = None;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| source.error("", error.to_string(), "mend the CSV"))?;
        let line = record.position().map_or(0, csv::Position::line);
        match &header {
            None => header = Some(record.iter().map(str::to_owned).collect()),
            Some(_) => rows.push(Row { line, record }),
        }
    }
    let header = header.ok_or_else(|| {
        source.error("", "the file is empty", "write a header of joint names, then a waypoint a line")
    })?;
    Ok((header, rows))
}

/// A finite value for every column.
fn values(row: &Row, header: &[String], source: &Source<'_>) -> Result<Vec<f64>, FormatError> {
    let (record, place) = (&row.record, format!("line {}", row.line));
    if record.len() != header.len() {
        let problem = format!("{} values where the header names {} columns", record.len(), header.len());
        return Err(source.error(&place, problem, "write one value a column"));
    }
    let parse = |(word, column): (&str, &String)| {
        word.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
            let problem = format!("{:?} in the column {:?} is not a finite number", excerpt(word), excerpt(column));
            source.error(&place, problem, "write a number such as 0.25")
        })
    };
    record.iter().zip(header).map(parse).collect()
}
