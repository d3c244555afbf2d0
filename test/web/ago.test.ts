/** How long ago something was, in words: the last moment of each unit, and the first of the next. */
import { test } from "tap"
import { ago } from "../../src/web/words.ts"

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]
const spoken: readonly (readonly [seconds: number, words: string])[] = [
  [44, "just now"],
  [45, "1 min ago"],
  [45 * MINUTE - 1, "45 min ago"],
  [45 * MINUTE, "1 h ago"],
  [22 * HOUR - 1, "22 h ago"],
  [22 * HOUR, "1 day ago"],
  [44 * DAY, "44 days ago"],
  [45 * DAY, "1 month ago"],
  [549 * DAY, "18 months ago"],
  [550 * DAY, "2 years ago"],
  [-45, "just now"],
  [-46, "in 1 min"],
]

test("the words for a time change where its unit does", async (t) => {
  const now = Date.parse("2026-11-14T09:00:00.000Z")
  for (const [seconds, words] of spoken)
    t.equal(ago(new Date(now - seconds * 1_000).toISOString(), now), words, `${seconds} s`)
})
