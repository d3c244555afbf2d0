/** A brief as Markdown: for whoever reads rather than parses. */
import { staleSentence, tallyInWords } from "../../contract/evidence.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { oneLine as line } from "../../contract/text.ts"

type Brief = AnswerOf<"room_brief"> | AnswerOf<"thread_brief">

const section = (title: string, items: readonly string[], left: string | undefined): string =>
  items.length === 0 && left === undefined
    ? ""
    : `\n## ${title}\n${items.map((item) => `- ${item}\n`).join("")}${left === undefined ? "" : `- ${left}\n`}`

export function briefMarkdown(brief: Brief): string {
  const left = (list: string): string | undefined => {
    const omitted = brief.omitted[list]
    return omitted && `and ${omitted.count} more${omitted.link === undefined ? "" : `: ${omitted.link}`}`
  }
  const head =
    "room" in brief
      ? `# ${line(brief.room.title)}\n\n${brief.room.question === null ? "" : `${line(brief.room.question)}\n\n`}Room ${brief.room.roomId}, ${brief.room.state}${brief.room.concluded ? ", concluded" : ""}, at activity ${brief.activityWatermark}.\n`
      : `# ${line(brief.thread.title)}\n\nThread ${brief.thread.threadId} of Room ${brief.thread.roomId}, at entry ${brief.thread.timelineWatermark}.\n`
  return [
    head,
    section(
      "Where it stands",
      brief.stands.map(
        ({ title, state, says, by, at, stale, staleReasons }) =>
          `${line(title)} (${state}${stale ? `, stale: ${staleReasons.map(staleSentence).join(" ")}` : ""}): ${line(says)} (${by}, ${at.slice(0, 10)})`,
      ),
      left("stands"),
    ),
    section(
      "Hypotheses",
      brief.hypotheses.map(
        ({ label, versionId, says, status, evidence }) =>
          `${label}${status === "current" ? "" : ` (${status})`}: ${line(says)} [${tallyInWords(evidence) ?? "nothing counts for or against it yet"}] ${versionId}`,
      ),
      left("hypotheses"),
    ),
    section(
      "What failed, and why",
      brief.failures.map(
        ({ kind, label, id, why, at }) => `${label ?? id} (${kind.replaceAll("_", " ")}, ${at.slice(0, 10)}): ${line(why)}`,
      ),
      left("failures"),
    ),
    section(
      "Disputes not answered",
      brief.disputes.map(({ label, says, why, by }) => `${label}: ${line(says)} Disputed by ${by}: ${line(why)}`),
      left("disputes"),
    ),
    section(
      "Work",
      brief.work.map(
        ({ label, question, status, assignee, silentSince, experimentId }) =>
          `${label} (${status.replaceAll("_", " ")}${assignee === null ? "" : `, ${assignee}`}${silentSince === null ? "" : `, silent since ${silentSince.slice(0, 10)}`}): ${line(question)} ${experimentId}`,
      ),
      left("work"),
    ),
    section(
      "What to do next",
      brief.next.map(
        ({ what, object, why, operation }) => `${what.replaceAll("_", " ")} ${object.label ?? object.id}: ${line(why)} (${operation})`,
      ),
      left("next"),
    ),
    section(
      "Open questions",
      brief.openQuestions.map(({ question }) => line(question)),
      left("openQuestions"),
    ),
  ].join("")
}
