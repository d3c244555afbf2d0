/** Tampering with redundant data that exists to be compared: links, verdicts, references, receipts and counts. */
import { changed, type Tampering, gone } from "./tampering.ts"

export const tamperingWithCopies: readonly Tampering[] = [
  {
    what: "the verdict of a finding link was changed",
    sql: [`UPDATE finding_links SET toward_question = json_set(toward_question, '$.verdict', 'does_not_answer')`],
    told: changed("finding_links", "toward_question"),
  },
  {
    what: "a verdict on a hypothesis was changed",
    sql: ["UPDATE finding_verdicts SET verdict = 'inconclusive'"],
    told: changed("finding_verdicts", "verdict"),
  },
  {
    what: "a link says something else",
    sql: [
      `UPDATE journal
        SET content = json_set(content, '$.explanation', 'No.')
        WHERE position = (SELECT history_position FROM research_links WHERE label = 'L1')`,
      "UPDATE research_links SET explanation = 'No.' WHERE label = 'L1'",
    ],
    told: /^The content of link L1 \([0-9a-f-]+\) is not what was accepted\.$/m,
  },
  {
    what: "a link is about another record",
    sql: [
      `UPDATE research_links
        SET target_version_id = (SELECT version_id FROM records WHERE label = 'H1')
        WHERE label = 'L1'`,
    ],
    told: changed("research_links", "target_version_id"),
  },
  {
    what: "a checkpoint concludes something else",
    sql: [
      `UPDATE journal
        SET content = json_set(content, '$.synthesis', 'Nothing.')
        WHERE operation = 'post_research_checkpoint'`,
    ],
    told: /^The content of checkpoint [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a checkpoint is open again",
    sql: ["UPDATE checkpoints SET state = 'open' WHERE state = 'concluded'"],
    told: changed("checkpoints", "state"),
  },
  {
    what: "a record shows a wording that is not its own",
    sql: ["UPDATE records SET wording = 'The opposite.' WHERE label = 'H1'"],
    told: changed("records", "wording"),
  },
  {
    what: "a record rests on something else",
    sql: ["UPDATE record_references SET explanation = 'Because.' WHERE part = 'premise'"],
    told: changed("record_references", "explanation"),
  },
  {
    what: "a reference is gone",
    sql: ["DELETE FROM record_references WHERE part = 'reference'"],
    told: gone("record_references"),
  },
  {
    what: "a concept means something else",
    sql: ["UPDATE concepts SET definition = 'Whatever.' WHERE key = 'lowers'"],
    told: changed("concepts", "definition"),
  },
  {
    what: "a finding has another outcome",
    sql: ["UPDATE findings SET outcome = CASE outcome WHEN 'positive' THEN 'negative' ELSE 'positive' END"],
    told: changed("findings", "outcome"),
  },
  {
    what: "a finding offers other evidence",
    sql: ["DELETE FROM finding_evidence WHERE position = 0"],
    told: gone("finding_evidence"),
  },
  {
    what: "a plan requires another material",
    sql: ["UPDATE plan_materials SET purpose = 'none'"],
    told: changed("plan_materials", "purpose"),
  },
  {
    what: "a receipt says something else",
    sql: ["UPDATE journal SET label = 'E7' WHERE operation = 'take_experiment'"],
    told: changed("journal", "label"),
  },
  {
    what: "a receipt is under another id",
    sql: ["UPDATE journal SET delivery_id = CAST('mine' AS BLOB) WHERE operation = 'amend_experiment'"],
    told: changed("journal", "delivery_id"),
  },
  {
    what: "a receipt is gone",
    sql: ["UPDATE journal SET delivery_id = NULL WHERE operation = 'take_experiment'"],
    told: changed("journal", "delivery_id"),
  },
  {
    what: "an entry has more replies than there are",
    sql: ["UPDATE timeline_entries SET reply_count = reply_count + 1 WHERE sequence = 1"],
    told: changed("timeline_entries", "reply_count"),
  },
  {
    what: "a label was assigned to nothing",
    sql: ["UPDATE counters SET last = last + 1 WHERE kind = 'material'"],
    told: changed("counters", "last"),
  },
]
