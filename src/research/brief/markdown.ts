/** A brief as Markdown. */
import { changedInWords } from "../../contract/answers/changed.ts"
import { partInWords, words } from "../../contract/definitions/sentence.ts"
import { type KnownThen, knownThenSentence, staleSentence, tallyInWords } from "../../contract/answers/evidence.ts"
import { termsInWords } from "../../contract/answers/experiments.ts"
import { writerName } from "../../contract/answers/index.ts"
import { type BriefList, briefLists } from "../../contract/answers/brief.ts"
import { oneLine as line } from "../../contract/text.ts"
import type { Brief, BriefFormat } from "./brief.ts"

/** The title of each list, and an item of it in one line. */
const sections: { readonly [L in BriefList]: readonly [title: string, line: (item: Brief[L][number]) => string] } = {
  stands: [
    "Where it stands",
    ({ threadId, title, state, says, by, agent, at, stale, staleReasons, knownThen = [], reviewed, numbers, table }) =>
      `${line(title)} (${state}, ${reviewed}${numbers === null ? "" : `, ${numbers}`}` +
      `${stale ? `, stale: ${staleReasons.map(staleSentence).join(" ")}` : ""}` +
      `${known(knownThen)}): ${line(says)} (${writerName({ username: by, agent })}, ${at.slice(0, 10)}) ` +
      `Thread ${threadId}${inset(table)}`,
  ],
  hypotheses: [
    "Hypotheses",
    ({ label, versionId, says, verdict, verdictBy, status, evidence, inDoubt }) =>
      `${label}, ${verdict}${verdictBy === null ? "" : ` ${verdictBy}`}${standing(status, inDoubt)}: ` +
      `${line(says)} [${tallyInWords(evidence) ?? "not yet checked by anyone"}] ${versionId}`,
  ],
  findings: [
    "Findings",
    ({
      label,
      versionId,
      outcome,
      says,
      effects,
      omittedEffects,
      status = "current",
      evidence,
      inDoubt = false,
      reviewed = null,
      blemishes = null,
      by,
      agent,
    }) =>
      `${label}, ${outcome}${standing(status, inDoubt)}: ${line(says)}${effectsInWords(effects, omittedEffects)} ` +
      `[${(evidence && tallyInWords(evidence)) ?? "not reproduced yet"}${reviewed === null ? "" : `; ${reviewed}`}` +
      `${blemishes === null ? "" : `; ${blemishes}`}] (${writerName({ username: by, agent })}) ${versionId}`,
  ],
  changed: ["What changed", changedInWords],
  failures: [
    "What failed, and why",
    ({ kind, label, id, why, at, by, agent }) =>
      `${label ?? id} (${words(kind)}, ${writerName({ username: by, agent })}, ${at.slice(0, 10)}): ${line(why)}`,
  ],
  disputes: [
    "Unanswered disputes and objections",
    ({ source, kind, label, says, why, by, agent, part }) =>
      `${label ?? words(kind)}: ` +
      `${says === null ? "" : `${line(says)} `}${source === "dispute" ? "Disputed" : "Objected to"} by ` +
      `${writerName({ username: by, agent })}` +
      `${part === undefined ? "" : ` in ${line(partInWords(part))}`}: ${line(why)}`,
  ],
  work: [
    "Work",
    ({ label, question, status, assignee, agent, silentSince, experimentId, ...terms }) =>
      `${label} (${status.replaceAll("_", " ")}` +
      `${assignee === null ? "" : `, ${writerName({ username: assignee, agent })}`}${termsInWords(terms)}` +
      `${silentSince === null ? "" : `, silent since ${silentSince.slice(0, 10)}`}): ${line(question)} ${experimentId}`,
  ],
  claims: [
    "Claimed by agents at work",
    ({ what, object, by, agent, until, note, claimId }) =>
      `${words(what)} ${object.label ?? `${words(object.kind)} ${object.id}`} (${writerName({ username: by, agent })}` +
      `, until ${until})${note === null ? "" : `: ${line(note)}`} ${claimId}`,
  ],
  next: [
    "What to do next",
    ({ what, object, why, operation }) =>
      `${what.replaceAll("_", " ")} ${object.label ?? object.id}: ${line(why)} (${operation})`,
  ],
  openQuestions: ["Open questions", ({ question }) => line(question)],
  messages: [
    "Recent messages",
    ({ says, by, agent, at, entryId }) =>
      `${writerName({ username: by, agent })}, ${at.slice(0, 10)}: ${line(says)} ${entryId}`,
  ],
}
/** A table below an item of a list. */
const inset = (table: string | undefined): string =>
  table === undefined ? "" : `\n\n${table.replace(/^(?=.)/gm, "  ")}\n`
const effectsInWords = (effects: readonly string[] = [], omitted = 0): string =>
  effects.length === 0
    ? ""
    : ` Measured: ${[...effects.map(line), ...(omitted > 0 ? [`${omitted} more`] : [])].join("; ")}.`
/** What was fallen or doubted when a checkpoint landed, in words. */
const known = (then: readonly KnownThen[]): string =>
  then.length === 0 ? "" : `, known when it was written: ${then.map(knownThenSentence).join(" ")}`

const standing = (status: string, inDoubt: boolean): string =>
  `${status === "current" ? "" : ` (${status})`}${inDoubt ? " (rests on what has fallen)" : ""}`
const lineOf = <L extends BriefList>(list: L, item: Brief[L][number]): string => `- ${sections[list][1](item)}\n`

function section<L extends BriefList>(brief: Brief, list: L): string {
  const items: readonly Brief[L][number][] = brief[list]
  const omitted = brief.omitted[list]
  const left =
    omitted === undefined ? "" : `- and ${omitted.count} more${omitted.link === undefined ? "" : `: ${omitted.link}`}\n`
  return items.length === 0 && left === ""
    ? ""
    : `\n## ${sections[list][0]}\n${items.map((item) => lineOf(list, item)).join("")}${left}`
}

function briefMarkdown(brief: Brief): string {
  const head =
    "room" in brief
      ? `# ${line(brief.room.title)}\n\n${brief.room.question === null ? "" : `${line(brief.room.question)}\n\n`}` +
        `Room ${brief.room.roomId}, opening Thread ${brief.room.openingThreadId}, ` +
        `${brief.room.state}${brief.room.concluded ? ", concluded" : ""}, at activity ${brief.activityWatermark}.\n`
      : `# ${line(brief.thread.title)}\n\nThread ${brief.thread.threadId} of Room ${brief.thread.roomId}, ` +
        `at entry ${brief.thread.timelineWatermark}.\n`
  const table = brief.table === undefined ? "" : `\n${brief.table}\n`
  const again = brief.reproductions === undefined ? "" : `\n${brief.reproductions}\n`
  const isShort = Object.values(brief.omitted).some(({ link }) => link === undefined)
  const more = isShort ? "\nA larger budget tells what is left out.\n" : ""
  return [head, table, again, ...briefLists.map((list) => section(brief, list)), more].join("")
}

/** Writes the lists as sections, in their order. */
export const asMarkdown: BriefFormat = {
  write: briefMarkdown,
  cost: (list, item) => Buffer.byteLength(lineOf(list, item)),
  first: (lists) => lists,
}
