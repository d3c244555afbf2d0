/**
 * What each task took on commit ec2a644a of 23 November 2026, before the pages had a next action. `klm.ts` counted it
 * in a browser window of the same size, over the same demo and with the same words, along the shortest path. On that
 * commit:
 * - A statement asked for its words and roles: "lowers", "Makes it smaller.", "linear warm-up" and "loss" are typed.
 * - An attempt and an experiment led to no finding: it is published from the Room's front page and related to its
 * experiment with
 *   a second form, which asked for two explanations ("It is lower.").
 * - A comparison had no groups and no intervals: the values of 16 attempts are read one by one beside their settings.
 * How certain
 *   the difference of the best was could not be read at all.
 * - Three of the seven questions were answered on a Room's first screen; findings, failures and work had a page each.
 * - No page told what had happened since: each Room's activity names the writes, and their text is one page further.
 * Two Rooms and
 *   three entries are looked through.
 * - A DOI was refused because it is not an arXiv paper: the count is the same for an arXiv id.
 */
const before = {
  "set-up to credential": 31.7,
  "join and reply": 22.6,
  hypothesis: 32.9,
  "experiment to reported attempt": 81.9,
  "finding with verdict": 66.6,
  "compare 16, say which arm is best and why": 31.4,
  "read of a Room, seven questions": 20.5,
  "file any paper into a shared Collection": 8.4,
  withhold: 19.3,
  "catch up since yesterday": 34.9,
} as const

export type TaskName = keyof typeof before
/** Seconds. */
export const secondsBefore: { readonly [Name in TaskName]: number } = before
