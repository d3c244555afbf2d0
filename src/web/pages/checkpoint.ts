/** The page of a checkpoint: what its Thread concludes, or how far it has come. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { entryPath, readPath, type Html, html, joined, to } from "../html.ts"
import { inlineMarkdown, markdown } from "../markdown.ts"
import {
  whatChanged,
  whyStale,
  absent,
  doubts,
  failures,
  nothingOf,
  restsOn,
  reviewLine,
  reviewSection,
} from "../parts/judging.ts"
import { firstScreen, stands, type Room, roomBanners, roomRail, nextAct } from "../parts/room-frame.ts"
import { stateBadge } from "../parts/marks.ts"
import { nextOfCheckpoint } from "../parts/next-acts.ts"
import { numbersLine, numbersOf } from "../parts/numbers.ts"
import { digest, exactTime, facts, fold, label, list, pictures, person, section, ways } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { drawnOnce, effectFigure } from "./effects.ts"
import { asOfEntry } from "./past.ts"

type Checkpoint = AnswerOf<"checkpoint">

/** What takes away from a checkpoint: news since then, a newer one, or the state of its Room. */
const standing = (room: Room, checkpoint: Checkpoint, newestId: string | null): Html =>
  html`${
    checkpoint.stale
      ? html`<div class="banner warn" role="note" aria-label="Stale">\
${stateBadge("disputed", "Stale: news since then")}${whyStale(checkpoint.staleReasons)}</div>`
      : whyStale(checkpoint.staleReasons)
  }${
    checkpoint.selected
      ? null
      : html`<div class="banner quiet" role="note" aria-label="Replaced"><p>\
<a href="${to(`/checkpoints/${newestId ?? ""}`)}">A newer checkpoint</a> of this Thread replaces it.</p></div>`
  }${roomBanners(room)}`

/** How a checkpoint stands: its state, its reviews, what it rests on, and whether its numbers are in the record. */
const verdictOf = ({
  checkpointId,
  roomId,
  state,
  reviewed,
  numbersCheck,
  citations,
  coversThrough,
  activitySequence,
}: Checkpoint): Html =>
  stands(
    stateBadge(state, state === "concluded" ? "Concluded" : "So far, not concluded"),
    reviewLine(reviewed),
    citations.length === 0
      ? "It cites no record."
      : html`Rests on ${joined(citations.map(({ kind, versionId, label: text }) => label(kind, versionId, text)))}`,
    numbersLine(numbersCheck),
    html`<span class="quiet">Covers entries 1 to ${coversThrough}. See it \
<a href="${asOfEntry(`/checkpoints/${checkpointId}`, activitySequence)}">as it was posted</a>, or \
<a href="${asOfEntry(`/rooms/${roomId}`, activitySequence)}">the Room as it stood then</a>.</span>`,
  )

export function checkpointPage(visit: Visit): Shown {
  const checkpoint = visit.ask("checkpoint", visit.params)
  const { checkpointId, roomId, threadId, conclusion, answer, synthesis, openQuestions, table } = checkpoint
  const room = visit.room(roomId)
  const thread = visit.thread(threadId)
  const json = readPath("checkpoint", { checkpointId })
  const judged = visit.ask("checkpoint_case", visit.params)
  const { supersedesCheckpointId: replaced } = checkpoint
  const said = [answer, conclusion, synthesis].join(" ")
  const versionIds = checkpoint.citations.map(({ versionId }) => versionId)
  const numbered = (text: string) => numbersOf(visit, { roomId, versionIds, checkpointId, since: checkpoint.at }, text)
  const reasoning = markdown(synthesis, numbered(synthesis))
  const drawn =
    table &&
    drawnOnce(visit, ["checkpoint", checkpointId], () => effectFigure(visit, roomId, table, said, table.moved.length))
  return {
    title: `Checkpoint of ${thread.title}`,
    rail: roomRail(room),
    wide: true,
    json,
    body: html`${firstScreen({
      standing: standing(room, checkpoint, thread.selectedCheckpointId),
      meta: html`<span>checkpoint of <a href="${to(`/threads/${threadId}`)}" dir="auto">${thread.title}</a></span>\
<span>${person(checkpoint.author)}</span><span>${exactTime(checkpoint.at)}</span>`,
      sentence:
        conclusion === null
          ? html`<h1 dir="auto">${thread.title}</h1>`
          : html`<h1 class="statement" dir="auto">${inlineMarkdown(conclusion, numbered(conclusion))}</h1>`,
      scope: answer && html`<p class="lead" dir="auto">${inlineMarkdown(answer, numbered(answer))}</p>`,
      picture: html`${drawn}${conclusion === null ? reasoning : null}${pictures(checkpoint)}`,
      verdict: verdictOf(checkpoint),
      next: nextAct(visit, room, nextOfCheckpoint(visit, checkpoint, thread)),
    })}
${restsOn(judged)}
${whatChanged(checkpoint)}
${failures(judged)}
${doubts(judged, "which it cites")}
${section(
  "open",
  "Open questions",
  list("questions", openQuestions, (question) => html`<li dir="auto">${inlineMarkdown(question)}</li>`),
)}
${conclusion === null ? null : section("synthesis", "Reasoning", reasoning)}
${reviewSection(visit, room, checkpointId, checkpoint.reviews, checkpoint.reviewed)}
${fold(
  "about",
  "Provenance",
  "its digest and its place in the Thread",
  facts([
    ["Replaces", replaced && html`<a href="${to(`/checkpoints/${replaced}`)}">the checkpoint before it</a>`],
    ["Content digest", digest(checkpoint.contentDigest)],
    ["Posted at", html`<a href="${to(entryPath(threadId, checkpoint.entryId))}">its place in the Thread</a>`],
  ]),
)}
${nothingOf([...absent(judged), openQuestions.length === 0 && "No open questions."])}
${ways([["JSON", json]])}`,
  }
}
