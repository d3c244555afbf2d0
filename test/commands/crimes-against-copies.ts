/** Crimes against what is kept a second time so that it can be found: links, verdicts, references, receipts and counts. */
import type { Crime } from "./crimes.ts"

export const crimesAgainstCopies: readonly Crime[] = [
  {
    what: "the verdict of a finding link is another",
    sql: [`UPDATE finding_links SET toward_question = json_set(toward_question, '$.verdict', 'does_not_answer')`],
    told: /^The content of finding_link [0-9a-f-]+, by link_experiment_finding, is not what was accepted\.$/m,
  },
  {
    what: "a verdict toward a hypothesis is another",
    sql: ["UPDATE finding_verdicts SET verdict = 'inconclusive'"],
    told: /^The content of finding_link [0-9a-f-]+, by link_experiment_finding, is not what was accepted\.$/m,
  },
  {
    what: "a link says something else",
    sql: ["UPDATE research_links SET content = json_set(content, '$.explanation', 'No.'), explanation = 'No.' WHERE label = 'L1'"],
    told: /^The content of link L1 \([0-9a-f-]+\) is not what was accepted\.$/m,
  },
  {
    what: "a link is about another record",
    sql: ["UPDATE research_links SET target_version_id = (SELECT version_id FROM records WHERE label = 'H1') WHERE label = 'L1'"],
    told: /^The columns of link [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a checkpoint concludes something else",
    sql: ["UPDATE checkpoints SET content = json_set(content, '$.synthesis', 'Nothing.')"],
    told: /^The content of checkpoint [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a checkpoint is open again",
    sql: ["UPDATE checkpoints SET state = 'open' WHERE state = 'concluded'"],
    told: /^The columns of checkpoint [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a record shows another wording than it has",
    sql: ["UPDATE records SET wording = 'The opposite.' WHERE label = 'H1'"],
    told: /^The columns of record [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a record rests on something else",
    sql: ["UPDATE record_references SET explanation = 'Because.' WHERE part = 'premise'"],
    told: /^The premises of record [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a reference is gone",
    sql: ["DELETE FROM record_references WHERE part = 'reference'"],
    told: /^The references of record [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a concept means something else",
    sql: ["UPDATE concepts SET definition = 'Whatever.' WHERE key = 'lowers'"],
    told: /^The concepts of record [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a finding turned out otherwise",
    sql: ["UPDATE findings SET outcome = CASE outcome WHEN 'positive' THEN 'negative' ELSE 'positive' END"],
    told: /^The columns of finding [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a finding offers other evidence",
    sql: ["DELETE FROM finding_evidence WHERE position = 0"],
    told: /^The evidence of record [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a plan requires another material",
    sql: ["UPDATE plan_materials SET purpose = 'none'"],
    told: /^The materials of plan [0-9a-f-]+ is not what was accepted\.$/m,
  },
  {
    what: "a receipt says something else",
    sql: ["UPDATE receipts SET body = json_set(body, '$.target.label', 'E7') WHERE operation = 'take_experiment'"],
    told: /^The receipt of take_experiment [0-9a-f-]+ is not what the Room's activity tells\.$/m,
  },
  {
    what: "a receipt is under another id",
    sql: ["UPDATE receipts SET delivery_id = 'mine' WHERE operation = 'amend_experiment'"],
    told: /^The receipt of amend_experiment mine does not hold together\.$/m,
  },
  {
    what: "a receipt is gone",
    sql: ["DELETE FROM receipts WHERE operation = 'amend_experiment'"],
    told: /^There are 0 receipts of amend_experiment; the Rooms' activity tells of 1\.$/m,
  },
  {
    what: "an entry has more replies than there are",
    sql: ["UPDATE timeline_entries SET reply_count = reply_count + 1 WHERE sequence = 1"],
    told: /^The replies to [0-9a-f-]+ should hold \d+ entries and holds \d+\.$/m,
  },
  {
    what: "a label was given that nothing bears",
    sql: ["UPDATE counters SET last = last + 1 WHERE kind = 'material'"],
    told: /^The labels of a kind in Room [0-9a-f-]+ should hold \d+ entries and holds \d+\.$/m,
  },
]
