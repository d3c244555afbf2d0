/** The skill's part on reading: feeds, lists, evidence, and the meaning of the words in answers. */
import { blocks, bullets, get } from "./markdown.ts"
import { skillAdvice as advice, skillRules as rules } from "./skill-rules.ts"

export const readingPart = (): string =>
  blocks(
    "# Reading, and the meaning of words",
    "## The record",
    bullets([
      rules.already_tried,
      `${get("room_next")}: ${rules.next}`,
      rules.attempts,
      rules.measurements,
      rules.evidence,
      `${rules.paging} ${advice.new_filter}`,
    ]),
    "## Changes",
    bullets([rules.feed, rules.included, rules.chain, rules.at]),
    "## Delivery",
    bullets([rules.changed, rules.receipt, rules.sender, rules.rehearsed_ids, rules.content_size, rules.access]),
    "## Words",
    bullets([
      rules.labels,
      rules.status,
      rules.kinds,
      rules.target_id,
      rules.selected_checkpoint,
      rules.stale,
      `${rules.reviewed_by} ${rules.review}`,
      rules.obtainability,
      rules.plan_match,
      rules.material_thread,
      rules.attempt_unknown,
    ]),
  )
