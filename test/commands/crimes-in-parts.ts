/** Crimes against what is kept in parts: materials, experiments, Threads and attempts. */
import type { Crime } from "./crimes.ts"

/** @param roomId the demo's main Room */
export const crimesInParts = (roomId: string): readonly Crime[] => [
  {
    what: "a material's digest of values is another",
    sql: [`UPDATE materials SET values_digest = 'sha256:${"0".repeat(64)}' WHERE label = 'M1'`],
    told: /^The columns of material [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a material says something else, and its digest too",
    sql: ["UPDATE materials SET content = json_set(content, '$.name', 'other'), name = 'other' WHERE label = 'M1'"],
    told: /^The content of material M1 \([0-9a-f-]+\), by register_material, is not what was accepted\.$/m,
  },
  {
    what: "a location of a material is another",
    sql: [
      "UPDATE material_reports SET uri = uri || 'x' WHERE explanation IS NOT NULL OR sequence = (SELECT max(sequence) FROM material_reports)",
    ],
    told: /^The content of material M\d+ .*, by report_material_location, is not what was accepted\.$/m,
  },
  ...["propose_experiment", "take_experiment", "amend_experiment", "report_experiment_status"].map((operation) => ({
    what: `what was sent with ${operation} is another`,
    sql: [`UPDATE experiment_revisions SET content = json_set(content, '$.requestId', 'another') WHERE operation = '${operation}'`],
    told: new RegExp(`^The content of experiment E1 \\([0-9a-f-]+\\), by ${operation}, is not what was accepted\\.$`, "m"),
  })),
  {
    what: "a revision of an experiment is gone",
    sql: ["DELETE FROM experiment_revisions WHERE revision = 2"],
    told: /^There are \d+ experiment_revisions; the Rooms' activity tells of \d+\.$/m,
  },
  {
    what: "an experiment asks something else",
    sql: ["UPDATE experiments SET question = question || ' Or not?'"],
    told: /^The question of experiment [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "an experiment is somebody else's",
    sql: ["UPDATE experiments SET status = 'claimed', assignee_id = proposer_id"],
    told: /^The state of experiment [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "the plan of a revision is another",
    sql: ["UPDATE experiment_revisions SET content = replace(content, 'Run each arm', 'Run no arm') WHERE plan_id IS NOT NULL"],
    told: /^The revision that accepted plan [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a Thread has another title",
    sql: [`UPDATE threads SET title = title || '?' WHERE sequence = 2 AND room_id = '${roomId}'`],
    told: /^The content of thread [0-9a-f-]+, by create_thread, is not what was accepted\.$/m,
  },
  {
    what: "the opening message of a Thread says something else",
    sql: [
      `UPDATE timeline_entries SET body = json_set(body, '$.message.text', 'Never mind.')
       WHERE kind = 'message' AND sequence = 2 AND thread_id IN (SELECT thread_id FROM threads WHERE sequence = 2 AND room_id = '${roomId}')`,
    ],
    told: /^The content of thread [0-9a-f-]+, by create_thread, is not what was accepted\.$/m,
  },
  {
    what: "a receipt's entry in the timeline tells of something else",
    sql: ["UPDATE timeline_entries SET body = json_set(body, '$.receipt.result.status', 'completed') WHERE kind = 'take_experiment'"],
    told: /^The timeline entry of experiment E1 .* is not what was accepted\.$/m,
  },
  {
    what: "a timeline entry is said to be somebody else's",
    sql: ["UPDATE timeline_entries SET author_id = (SELECT user_id FROM people WHERE username = 'mary') WHERE sequence = 1"],
    told: /^The columns of timeline entry [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "the card of a record shows another wording",
    sql: ["UPDATE timeline_entries SET body = json_set(body, '$.card.wording', 'The opposite.') WHERE kind = 'publication'"],
    told: /^The card of timeline entry [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "the note on a record that was used again says something else",
    sql: ["UPDATE timeline_entries SET body = json_set(body, '$.card.note', 'No.') WHERE body ->> '$.card.reused' = 1"],
    told: /^The content of \w+ \w+ .*, by reuse_record, is not what was accepted\.$/m,
  },
  {
    what: "what was reported of an attempt is another",
    sql: ["UPDATE attempt_events SET body = json_set(body, '$.reportedAt', '2020-01-01T00:00:00.000Z') WHERE revision = 2"],
    told: /^The content of attempt A\d+ .*, by report_attempt_event, is not what was accepted\.$/m,
  },
  {
    what: "a point of a metric is better than it was",
    sql: ["UPDATE attempt_metrics SET value = '0.001' WHERE ordinal = 2"],
    told: /^The content of attempt A\d+ .*, by report_attempt_event, is not what was accepted\.$/m,
  },
  {
    what: "a point of a metric is gone",
    sql: ["DELETE FROM attempt_metrics WHERE ordinal = (SELECT max(ordinal) FROM attempt_metrics)"],
    told: /^The number of metric points of attempt [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "an output has another digest",
    sql: [`UPDATE attempt_outputs SET body = json_set(body, '$.digest', 'sha256:${"0".repeat(64)}'), digest = 'sha256:${"0".repeat(64)}'`],
    told: /^The content of attempt A\d+ .*, by report_attempt_event, is not what was accepted\.$/m,
  },
  {
    what: "a failed attempt has succeeded",
    sql: ["UPDATE attempts SET status = 'succeeded' WHERE status = 'failed'"],
    told: /^The state of attempt [0-9a-f-]+ is not what was accepted\.$[^]*^The attempts of experiment|^The attempts of experiment[^]*^The state of attempt/m,
  },
  {
    what: "an attempt had another input",
    sql: ["UPDATE attempt_inputs SET name = 'something else'"],
    told: /^The inputs of attempt [0-9a-f-]+ is not what was accepted\.$/m,
  },
]
