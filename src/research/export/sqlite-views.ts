/**
 * The views of a Room's SQLite file: what a row of each is, and each column with its type, where it comes from, and what it says.
 * Rows are made from JSON as it is served: a source that begins with `$` is a path in it, any other is SQL over `d`, that JSON.
 */

type Column = readonly [type: "TEXT" | "INTEGER" | "REAL", source: string, about: string]
export interface View {
  readonly about: string
  readonly columns: Readonly<Record<string, Column>>
}

/** An agent. @param source where its name stands */
const agent = (source: string): Column => [
  "TEXT",
  source,
  "The name of the agent that wrote for the author; null for a person in the browser.",
]
/** The agent that made the object of a row, as the entry tells it that made the object. @param id where its id stands */
const agentBy = (id: string): Column =>
  agent(`(SELECT e.agent FROM _entries e WHERE e.target_id = d ->> '${id}' ORDER BY e.sequence LIMIT 1)`)

const record = {
  version_id: ["TEXT", "$.versionId", "The id of the record."],
  label: ["TEXT", "$.label", "Its label in the Room."],
  author: ["TEXT", "$.author.username", "Who published it."],
  agent: agent("$.author.agent"),
  created_at: ["TEXT", "$.createdAt", "When it was published (RFC 3339, UTC)."],
  wording: ["TEXT", "$.wording", "Its text in one line."],
  status: ["TEXT", "$.status", "What became of its text: current, corrected, superseded, retracted or disputed."],
  in_doubt: ["INTEGER", "$.inDoubt", "1 where it rests on a record that has fallen."],
  supports: ["INTEGER", "$.evidenceTally.supports", "Statements that count for it."],
  contradicts: ["INTEGER", "$.evidenceTally.contradicts", "Statements that count against it."],
  inconclusive: ["INTEGER", "$.evidenceTally.inconclusive", "Statements that count and decide nothing."],
  reproductions: ["INTEGER", "$.evidenceTally.reproductions", "Reproductions that agree."],
  failed_reproductions: ["INTEGER", "$.evidenceTally.failedReproductions", "Reproductions that do not."],
  independent: ["INTEGER", "$.evidenceTally.independent", "How many other people the statements come from."],
  content: ["TEXT", "$.content", "The whole record as it was accepted (JSON)."],
  content_digest: ["TEXT", "$.contentDigest", "SHA-256 of its canonical JSON."],
} as const satisfies View["columns"]

export const views = {
  entries: {
    about: "Every accepted write of the Room, in order: its activity.",
    columns: {
      sequence: ["INTEGER", "$.sequence", "The place in the Room's activity, from 1."],
      at: ["TEXT", "$.at", "When it was accepted (RFC 3339, UTC)."],
      author: ["TEXT", "$.actor.username", "Who wrote it."],
      agent: agent("$.actor.agent"),
      operation: ["TEXT", "$.operation", "The operation."],
      kind: ["TEXT", "$.kind", "What kind of activity it is."],
      target_kind: ["TEXT", "$.target.kind", "What kind of object it made or names."],
      target_id: ["TEXT", "$.target.id", "The id of that object."],
      label: ["TEXT", "$.target.label", "The label of that object; null where it has none."],
      thread_id: ["TEXT", "$.threadId", "The Thread it stands in; null where it stands in none."],
      entry_id: ["TEXT", "$.entryId", "Its entry in the Thread's timeline; null where it has none."],
      body: ["TEXT", "$.body", "What was accepted (canonical JSON)."],
      content_digest: ["TEXT", "$.contentDigest", "SHA-256 of what was accepted."],
      digest: ["TEXT", "$.digest", "The entry's place in the chain: it covers the digest of the entry before it."],
    },
  },
  experiments: {
    about: "Experiments, as they stand.",
    columns: {
      experiment_id: ["TEXT", "$.experimentId", "The id of the experiment."],
      label: ["TEXT", "$.label", "Its label in the Room."],
      proposer: ["TEXT", "$.proposer.username", "Who proposed it."],
      agent: agentBy("$.experimentId"),
      created_at: ["TEXT", "$.createdAt", "When it was proposed (RFC 3339, UTC)."],
      status: ["TEXT", "$.status", "How far it has come."],
      question: ["TEXT", "$.question", "What it asks."],
      scope: ["TEXT", "$.scope", "What it covers."],
      hypotheses: ["TEXT", "$.hypotheses", "The version ids of the hypotheses it tests (a JSON list)."],
      conclusion: ["TEXT", "$.conclusion", "What was said at its end (JSON); null before."],
      revisions: ["TEXT", "$.revisions", "Each change to it, with who made it (a JSON list)."],
    },
  },
  plans: {
    about: "Accepted plans of experiments.",
    columns: {
      plan_id: ["TEXT", "$.planId", "The id of the plan."],
      label: ["TEXT", "$.label", "Its label in the Room."],
      experiment: ["TEXT", "$.experimentLabel", "The label of its experiment."],
      accepted_by: ["TEXT", "$.acceptedBy", "Who accepted it."],
      agent: agentBy("$.planId"),
      accepted_at: ["TEXT", "$.acceptedAt", "When it was accepted (RFC 3339, UTC)."],
      content: ["TEXT", "$.content", "The whole plan as it was accepted (JSON)."],
      content_digest: ["TEXT", "$.contentDigest", "SHA-256 of its canonical JSON."],
    },
  },
  attempts: {
    about: "Attempts to carry an experiment out: what somebody ran elsewhere.",
    columns: {
      attempt_id: ["TEXT", "$.attemptId", "The id of the attempt."],
      label: ["TEXT", "$.label", "Its label in the Room."],
      experiment: ["TEXT", "$.experimentLabel", "The label of its experiment."],
      plan: ["TEXT", "$.planLabel", "The label of the plan it follows; null where it follows none."],
      registrant: ["TEXT", "$.registrant.username", "Who registered it."],
      agent: agentBy("$.attemptId"),
      registered_at: ["TEXT", "$.registeredAt", "When it was registered (RFC 3339, UTC)."],
      intent: ["TEXT", "$.intent", "Why it was run: planned, exploratory, rerun or reproduction."],
      status: ["TEXT", "$.status", "What came of it."],
      rerun_of: ["TEXT", "$.rerunOf", "The id of the attempt that it runs again; null where it is no rerun."],
      reproduces: ["TEXT", "$.reproduces", "The id of the attempt or finding that it reproduces; null where it is no reproduction."],
      reproduction: ["TEXT", "$.reproduction", "What it says of what it reproduces (JSON); null before it says anything."],
      repository: ["TEXT", "$.content.repository.url", "The repository whose code ran."],
      commit_id: ["TEXT", "$.content.repository.commit", "The commit that ran."],
      argv: ["TEXT", "$.content.argv", "The command line (a JSON list)."],
      plan_match: ["TEXT", "$.planMatch", "How it compares with its plan (JSON); null without one."],
      events: ["TEXT", "$.events", "What was reported of it, in order (a JSON list)."],
      outputs: ["TEXT", "$.outputs", "What came out of it (a JSON list)."],
      content: ["TEXT", "$.content", "The whole registration as it was accepted (JSON)."],
    },
  },
  measurements: {
    about: "Every value that attempts reported, in the order reported.",
    columns: {
      attempt_id: ["TEXT", "$.attemptId", "The id of the attempt."],
      attempt: ["TEXT", "$.attempt", "The label of the attempt."],
      ordinal: ["INTEGER", "$.ordinal", "The place among the attempt's values, from 1."],
      metric: ["TEXT", "$.metric", "The name of the metric."],
      split: ["TEXT", "$.split", "The part of the data it was measured on; null where nothing was said."],
      dimensions: ["TEXT", "$.dimensions", "What it was measured at, such as an arm and a seed (a JSON object); null without any."],
      unit: ["TEXT", "$.unit", "The unit; null where none was told."],
      step: ["INTEGER", "$.step", "Time within the run; null for a value of the whole run."],
      value: ["REAL", "iif(json_type(d, '$.value') = 'text', NULL, d ->> '$.value')", "The value; null where it is no finite number."],
      not_finite: [
        "TEXT",
        "iif(json_type(d, '$.value') = 'text', d ->> '$.value', NULL)",
        "NaN, Infinity or -Infinity; null for a finite value.",
      ],
      reported_at: ["TEXT", "$.reportedAt", "When it was reported (RFC 3339, UTC)."],
    },
  },
  effects: {
    about: "Differences that findings rest on, each as it was worked out when its finding landed.",
    columns: {
      version_id: ["TEXT", "$.versionId", "The id of the finding."],
      finding: ["TEXT", "$.finding", "The label of the finding."],
      position: ["INTEGER", "$.position", "The place among the finding's effects, from 0."],
      experiment: ["TEXT", "$.experimentLabel", "The label of the experiment."],
      metric: ["TEXT", "$.metric", "The metric."],
      split: ["TEXT", "$.split", "The part of the data; null where nothing was said."],
      of_group: ["TEXT", "$.of", "The group (a JSON object of dimensions)."],
      against_group: ["TEXT", "$.against", "The group it is compared with (a JSON object of dimensions)."],
      over: ["TEXT", "$.over", "The dimension that repeats, such as seed; null for none."],
      at_place: ["TEXT", "$.where", "Where it was measured (a JSON object of dimensions)."],
      method: ["TEXT", "$.method", "paired, or Welch's for groups without pairs."],
      estimate: ["REAL", "$.estimate", "The mean of the group less that of the other."],
      se: ["REAL", "$.se", "The standard error of the estimate."],
      low: ["REAL", "$.low", "The lower end of the 95 % interval."],
      high: ["REAL", "$.high", "The upper end of the 95 % interval."],
      p: ["REAL", "$.p", "The p-value of a t test against no difference."],
      unit: ["TEXT", "$.unit", "The unit; null where none was told."],
      pairs: ["INTEGER", "$.pairs", "How many pairs; null where it is not paired."],
      of_count: ["INTEGER", "$.ofCount", "Values of the group."],
      against_count: ["INTEGER", "$.againstCount", "Values of the other group."],
      sentence: ["TEXT", "$.sentence", "The same in a sentence."],
      is_stale: ["INTEGER", "$.isStale", "1 where the values under it have changed or were withheld since."],
      now: ["TEXT", "$.now", "What it comes to now (JSON); null where that is the same, or cannot be worked out."],
      repeats: ["TEXT", "$.repeats", "The effect of another finding that it repeats, and what it says of it (JSON); null for none."],
    },
  },
  findings: {
    about: "Findings, with where each stands now.",
    columns: {
      ...record,
      outcome: ["TEXT", "$.outcome", "How it came out."],
      provenance: ["TEXT", "$.provenanceSummary", "Where it comes from, in a sentence."],
      reviewed: ["TEXT", "$.reviewed", "How others reviewed it (JSON)."],
    },
  },
  evidence: {
    about: "What bears on each record: links, references and reproductions, newest first of each.",
    columns: {
      version_id: ["TEXT", "$.versionId", "The id of the record that it bears on."],
      record: ["TEXT", "$.record", "The label of that record."],
      sequence: ["INTEGER", "$.sequence", "The place among what bears on the record, in the order it landed."],
      source: ["TEXT", "$.source", "finding_link, reference, reproduction or research_link."],
      verdict: ["TEXT", "$.verdict", "What it says of the record; null where it has not said anything yet."],
      by_kind: ["TEXT", "$.by.kind", "What kind of object says it."],
      by_id: ["TEXT", "$.by.id", "The id of that object."],
      by_label: ["TEXT", "$.by.label", "The label of that object."],
      author: ["TEXT", "$.author.username", "Who says it."],
      agent: agent("$.author.agent"),
      independent: ["INTEGER", "$.independent", "1 where another person says it than the author of the record."],
      other_agent: ["INTEGER", "$.independence.agent", "1 where another agent says it; null where that can't be told."],
      other_code: ["INTEGER", "$.independence.code", "1 where other code ran behind it; null where that can't be told."],
      standing: ["TEXT", "$.standing", "Whether it counts: counted, uncounted, replaced, fallen or withdrawn."],
      comparison: ["TEXT", "$.comparison", "What the effect of a reproduction says of the one it repeats; null without one."],
      explanation: ["TEXT", "$.explanation", "Why, in the author's words."],
      at: ["TEXT", "$.at", "When it was said (RFC 3339, UTC)."],
    },
  },
  hypotheses: {
    about: "Hypotheses, with what bears on each.",
    columns: {
      ...record,
      verdict: ["TEXT", "$.verdict", "What the evidence says: supported, contradicted, contested, inconclusive or untested."],
    },
  },
} as const satisfies Readonly<Record<string, View>>

export type ViewName = keyof typeof views
