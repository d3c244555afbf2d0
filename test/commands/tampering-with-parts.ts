/** Tampering with data stored in parts: materials, experiments, Threads and attempts. */
import { changed, type Tampering, gone } from "./tampering.ts"

/** @param roomId the demo's main Room */
export const tamperingWithParts = (roomId: string): readonly Tampering[] => [
  {
    what: "a material's digest of values was changed",
    sql: [`UPDATE materials SET values_digest = 'sha256:${"0".repeat(64)}' WHERE label = 'M1'`],
    told: changed("materials", "values_digest"),
  },
  {
    what: "a material says something else, and its digest too",
    sql: [
      `UPDATE journal
        SET content = json_set(content, '$.name', 'other')
        WHERE position = (SELECT history_position FROM materials WHERE label = 'M1')`,
      "UPDATE materials SET name = 'other' WHERE label = 'M1'",
    ],
    told: /^The content of material M1 \([0-9a-f-]+\) is not what was accepted\.$/m,
  },
  {
    what: "a location of a material was changed",
    sql: [
      `UPDATE material_reports
        SET uri = uri || 'x'
        WHERE explanation IS NOT NULL OR sequence = (SELECT max(sequence) FROM material_reports)`,
    ],
    told: changed("material_reports", "uri"),
  },
  ...["propose_experiment", "take_experiment", "amend_experiment", "report_experiment_status"].map((operation) => ({
    what: `what was sent with ${operation} is another`,
    sql: [`UPDATE journal SET content = json_set(content, '$.requestId', 'another') WHERE operation = '${operation}'`],
    told: /^The content of experiment E1 \([0-9a-f-]+\) is not what was accepted\.$/m,
  })),
  {
    what: "a revision of an experiment is gone",
    sql: ["DELETE FROM experiment_revisions WHERE revision = 2"],
    told: gone("experiment_revisions"),
  },
  {
    what: "an experiment asks something else",
    sql: ["UPDATE experiments SET question = question || ' Or not?'"],
    told: changed("experiments", "question"),
  },
  {
    what: "an experiment belongs to another user",
    sql: ["UPDATE experiments SET status = 'claimed', assignee_id = proposer_id"],
    told: changed("experiments", "assignee_id", "status"),
  },
  {
    what: "the plan of a revision was changed",
    sql: ["UPDATE experiment_revisions SET history_position = history_position - 1 WHERE plan_id IS NOT NULL"],
    told: changed("experiment_revisions", "history_position"),
  },
  {
    what: "a Thread has another title",
    sql: [`UPDATE threads SET title = title || '?' WHERE sequence = 2 AND room_id = '${roomId}'`],
    told: changed("threads", "title"),
  },
  {
    what: "the opening message of a Thread says something else",
    sql: [
      "UPDATE journal SET content = json_set(content, '$.message', 'Never mind.') WHERE operation = 'create_thread'",
    ],
    told: /^The content of thread [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a receipt's entry in the timeline names something else",
    sql: ["UPDATE journal SET result = json_set(result, '$.status', 'completed') WHERE operation = 'take_experiment'"],
    told: changed("journal", "result"),
  },
  {
    what: "a timeline entry names another author",
    sql: ["UPDATE writers SET shown_as = 'mary' WHERE writer = 2"],
    told: changed("writers", "shown_as"),
  },
  {
    what: "the card of a record shows another wording",
    sql: ["UPDATE journal SET card = json_set(card, '$.wording', 'The opposite.') WHERE card IS NOT NULL"],
    told: changed("journal", "card"),
  },
  {
    what: "the note on a reused record says something else",
    sql: ["UPDATE journal SET card = json_set(card, '$.note', 'No.') WHERE card ->> '$.reused' = 1"],
    told: changed("journal", "card"),
  },
  {
    what: "a reported event of an attempt was changed",
    sql: [
      "UPDATE attempt_events SET body = json_set(body, '$.reportedAt', '2020-01-01T00:00:00.000Z') WHERE revision = 2",
    ],
    told: changed("attempt_events", "body"),
  },
  {
    what: "a point of a metric is better than it was",
    sql: ["UPDATE attempt_metrics SET value = '0.001' WHERE ordinal = 2"],
    told: changed("attempt_metrics", "value"),
  },
  {
    what: "a point of a metric is gone",
    sql: ["DELETE FROM attempt_metrics WHERE ordinal = (SELECT max(ordinal) FROM attempt_metrics)"],
    told: gone("attempt_metrics"),
  },
  {
    what: "a curve is better than its points",
    sql: ["UPDATE attempt_curves SET points = zeroblob(length(points))"],
    told: changed("attempt_curves", "points"),
  },
  {
    what: "an output has another digest",
    sql: [
      `UPDATE attempt_outputs
        SET body = json_set(body, '$.digest', 'sha256:${"0".repeat(64)}'), digest = 'sha256:${"0".repeat(64)}'`,
    ],
    told: changed("attempt_outputs", "digest", "body"),
  },
  {
    what: "a failed attempt has succeeded",
    sql: ["UPDATE attempts SET status = 'succeeded' WHERE status = 'failed'"],
    told: changed("attempts", "status"),
  },
  {
    what: "an attempt had another input",
    sql: ["UPDATE attempt_inputs SET name = 'something else'"],
    told: changed("attempt_inputs", "name"),
  },
]
