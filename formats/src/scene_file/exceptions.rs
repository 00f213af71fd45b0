//! `[[pairs]]`: exceptions from the pairs that are checked, for two bodies or for sets of them, applied in order.

use super::build::Builder;
use super::names::{Named, Names};
use super::raw::{Lines, Place, RawPair, RawScene};
use crate::quantity::Length;
use crate::{FormatError, excerpt};
use pathproof::scene::{PairRule, PairRules, SceneParts, SetRule};

/// Maximum number of rules with wildcards: each is matched against every pair.
const MOST_SET_RULES: usize = 1000;

/// Adds all exceptions of the file.
pub(super) fn add(
    raw: &RawScene,
    lines: &Lines,
    robots: &[String],
    parts: &mut SceneParts,
    builder: &mut Builder<'_>,
) -> Result<(), FormatError> {
    let names = Names::new(parts, robots);
    let mut added = PairRules::default();
    for pair in &raw.pairs {
        let place = lines.place("pairs", &pair.get_ref().bodies.join(" – "), pair);
        add_one(pair.get_ref(), &place, &names, &mut added, builder)?;
    }
    (parts.rules.exceptions, parts.rules.set_rules) = (added.exceptions, added.set_rules);
    Ok(())
}

fn add_one(
    raw: &RawPair,
    place: &Place<'_>,
    names: &Names<'_>,
    rules: &mut PairRules,
    builder: &mut Builder<'_>,
) -> Result<(), FormatError> {
    let rule = rule(raw, place)?;
    let doubt = raw.clearance.and_then(Length::doubt);
    builder.warnings.extend(doubt.map(|doubt| place.warning(&doubt)));
    let mut sets = [Vec::new(), Vec::new()];
    let mut patterns = [None, None];
    for ((set, pattern), name) in sets.iter_mut().zip(&mut patterns).zip(&raw.bodies) {
        match names.find(name, "bodies", place)? {
            Named::Body(body) => set.push(body),
            Named::Bodies(bodies, written) if !bodies.is_empty() => (*set, *pattern) = (bodies, Some(written)),
            Named::Bodies(..) | Named::BareLink if rule == PairRule::Skip => {
                let message = format!("{:?} has no geometry and is never checked", excerpt(name));
                builder.warnings.push(place.warning(&message));
                return Ok(());
            }
            Named::Bodies(..) | Named::BareLink => {
                let problem = format!("{:?} has no geometry to check", excerpt(name));
                return Err(place.error("bodies", problem, "name a link with geometry, or attach an object to it"));
            }
        }
    }
    if let ([a], [b]) = (&sets[0][..], &sets[1][..])
        && a == b
    {
        return Err(place.error("bodies", "both names are the same body", "name two bodies"));
    }
    if patterns == [None, None] {
        rules.exceptions.push(([sets[0][0], sets[1][0]], rule));
        return Ok(());
    }
    if rules.set_rules.len() >= MOST_SET_RULES {
        let problem = format!("there are more than {MOST_SET_RULES} entries with wildcards");
        return Err(place.error("bodies", problem, "say the same with fewer and wider patterns"));
    }
    rules.set_rules.push(SetRule { sets, patterns, rule, after: rules.exceptions.len() });
    Ok(())
}

fn rule(raw: &RawPair, place: &Place<'_>) -> Result<PairRule, FormatError> {
    Ok(match (raw.clearance, raw.check) {
        (None, None) => {
            let remedy = "write clearance = METRES, check = false or check = true";
            return Err(place.error("", "neither clearance nor check is given", remedy));
        }
        (Some(_), Some(false)) => {
            let problem = "a pair that is not checked has no clearance";
            return Err(place.error("check", problem, "leave one of the two keys"));
        }
        (Some(clearance), _) => {
            place.check_finite("clearance", &[clearance.metres])?;
            PairRule::Clearance(clearance.metres)
        }
        (None, Some(true)) => PairRule::Check,
        (None, Some(false)) => PairRule::Skip,
    })
}
