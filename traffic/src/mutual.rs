//! Checks each agent against all others. Reports each finding for both agents.
//!
//! `hulls` never proves an agent free that another collides with. Within the tolerance one of two may be proven apart
//! and the other found too close, and samples of one may miss what those of the other find: [`Traffic::agree`] settles
//! both.

use super::query::{Answer, Method, Query, Report, verdict_of_all};
use super::traffic::Traffic;
use super::verdict::{Finding, Verdict};

/// Answer for one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentAnswer {
    /// Number of the agent in the traffic.
    pub agent: usize,
    /// Answer of [`Traffic::check_agent`].
    pub answer: Answer,
    /// With [`Report::All`], the [`super::TrafficScratch::findings`] after it.
    pub findings: Vec<Finding>,
}

impl Query {
    /// The query to run for every agent before [`Traffic::agree`]. Samples are those of one agent's poses, so all their
    /// findings are wanted.
    pub fn among_agents(&self) -> Self {
        let report = match self.method {
            Method::Hulls(_) => self.report,
            Method::Naive(_) | Method::Isolated(_) | Method::Trees(_) => Report::All,
        };
        Self { report, ..*self }
    }
}

impl Traffic {
    /// Adds to each agent's answer what the others found of it. The answers are those of [`Traffic::check_agent`] to
    /// [`Query::among_agents`], one per moving agent, in any order; afterwards they are answers to `query` itself.
    pub fn agree(&self, query: &Query, answers: &mut [AgentAnswer]) {
        let is_sampled = !matches!(query.method, Method::Hulls(_));
        let mut told: Vec<Vec<Finding>> = vec![Vec::new(); self.agents().len()];
        for asked in answers.iter() {
            let of_verdict = asked.answer.verdict.finding().filter(|_| asked.findings.is_empty());
            for finding in asked.findings.iter().chain(of_verdict) {
                told[finding.agent].push(self.mirrored(asked.agent, finding, is_sampled));
            }
        }
        for answered in answers {
            let told = std::mem::take(&mut told[answered.agent]);
            match query.among_agents().report {
                Report::All => answered.take_all(told, query.report),
                Report::First => told.iter().for_each(|finding| answered.take_earlier(finding)),
                Report::Any { .. } => told.iter().for_each(|finding| answered.take_graver(finding)),
            }
        }
    }

    /// A finding of the agent `asked`, from the point of view of the other agent.
    fn mirrored(&self, asked: usize, finding: &Finding, is_sampled: bool) -> Finding {
        let trajectory = &self.agents()[finding.agent].trajectory;
        let knot = trajectory.knot_before(finding.agent_time);
        let last_piece = trajectory.pieces().saturating_sub(1);
        Finding {
            time: finding.agent_time,
            agent_time: finding.time,
            agent: asked,
            piece: if is_sampled { knot } else { knot.min(last_piece) },
            parts: [finding.parts[1], finding.parts[0]],
            ..*finding
        }
    }
}

impl AgentAnswer {
    /// One finding per piece and agent, preferably a collision, and the agent's own before another's.
    fn take_all(&mut self, told: Vec<Finding>, report: Report) {
        self.findings.extend(told);
        self.findings.sort_by_key(|finding| (finding.piece, finding.agent, !finding.is_collision));
        self.findings.dedup_by_key(|finding| (finding.piece, finding.agent));
        if report == Report::All {
            self.answer.verdict = verdict_of_all(&self.findings).unwrap_or(self.answer.verdict.clone());
            return;
        }
        // All findings of samples are collisions.
        let earliest = self.findings.drain(..).min_by(|a, b| a.time.total_cmp(&b.time));
        if let Some(finding) = earliest {
            self.answer.verdict = Verdict::Collision(finding);
        }
    }

    fn take_earlier(&mut self, told: &Finding) {
        let free_until = match &self.answer.verdict {
            Verdict::Free | Verdict::NoneFound => told.time,
            Verdict::Undecided(open) => open.interval[0],
            Verdict::Collision(own) | Verdict::TooClose(own) if own.time <= told.time => return,
            Verdict::Collision(own) | Verdict::TooClose(own) => own.free_until.unwrap_or(own.time),
        };
        let free_until = Some(if free_until < told.time { free_until } else { told.time });
        self.answer.verdict = verdict_of(Finding { free_until, ..*told });
    }

    fn take_graver(&mut self, told: &Finding) {
        let is_graver = match &self.answer.verdict {
            Verdict::Free | Verdict::NoneFound | Verdict::Undecided(_) => true,
            Verdict::TooClose(_) => told.is_collision,
            Verdict::Collision(_) => false,
        };
        if is_graver {
            self.answer.verdict = verdict_of(*told);
        }
    }
}

fn verdict_of(finding: Finding) -> Verdict {
    if finding.is_collision { Verdict::Collision(finding) } else { Verdict::TooClose(finding) }
}
