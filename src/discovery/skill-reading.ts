/** The part of the skill about reading: feeds, lists and evidence, and what the words of answers mean. */
import { blocks, bullets, get } from "./markdown.ts"
import { skillAdvice as advice, skillRules as rules } from "./skill-rules.ts"

export const readingPart = (): string =>
  blocks(
    "# Reading, and what the words stand for",
    "## What is there",
    bullets([
      rules.already_tried,
      `${get("room_next")}: ${rules.next}`,
      rules.attempts,
      rules.measurements,
      rules.evidence,
      `${rules.paging} ${advice.new_filter}`,
    ]),
    "## What changed",
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
