/** A Room at a glance: what it asks, where it stands, and the evidence toward each hypothesis. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { enumerations } from "../../contract/enumerations.ts"
import { unprovedWords } from "../../contract/unproved.ts"
import { licenceUrl } from "../../contract/licences.ts"
import { activityChart } from "../charts/activity.ts"
import { verdictChart } from "../charts/verdicts.ts"
import { type Html, html, to } from "../html.ts"
import { markdownInLink, phrase } from "../markdown.ts"
import { act, doing, forMembers, roleIn, whyNot } from "../parts/actions.ts"
import { aboutRoom } from "../about.ts"
import { standsAt } from "../parts/conclusion.ts"
import { evidenceBeside, tally } from "../parts/evidence.ts"
import { stateBadge } from "../parts/marks.ts"
import { command, empty, heading, label, person, time, ways } from "../parts/parts.ts"
import { roomBanners, roomRail } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, words } from "../words.ts"
import { experimentTable } from "./experiments.ts"

export type Context = AnswerOf<"room_context">
/** What the overview shows of each list; the sections show all. */
const SHOWN = { hypotheses: 12, experiments: 8, threads: 6, syntheses: 3 }

function where({ room, conclusions, syntheses, openQuestions, threads }: Context): Html {
  const titles = new Map(threads.map(({ threadId, title }) => [threadId, title]))
  const newest = [...syntheses].sort((one, other) => (one.checkpointId < other.checkpointId ? 1 : -1)).slice(0, SHOWN.syntheses)
  const state = room.state === "archived" ? "archived" : "open"
  const said = state === "archived" ? "Archived without a conclusion" : "Open"
  const questions = openQuestions.map(
    ({ question, threadId }) => html`<li>${phrase(question)} <a class="meta" href="${to(`/threads/${threadId}`)}">Thread</a></li>`,
  )
  return html`${conclusions.length > 0 ? html`<ul class="answers">${conclusions.map((checkpoint) => standsAt(checkpoint, titles))}</ul>` : null}
${newest.length > 0 ? html`<ul class="answers">${newest.map((checkpoint) => standsAt(checkpoint, titles))}</ul>` : null}
<p>${conclusions.length > 0 ? null : stateBadge(state, said)}${
    questions.length === 0
      ? conclusions.length > 0
        ? "No question is left open by a checkpoint."
        : ", no question noted as open by a checkpoint."
      : conclusions.length > 0
        ? `${counted(questions.length, "question")} left open:`
        : `, with ${counted(questions.length, "open question")}:`
  }</p>
${questions.length === 0 ? null : html`<ul class="questions">${questions}</ul>`}`
}

/** A hypothesis in a list: where it stands, what counts for and against it, and the newest of what bears on it. */
export const hypothesisItem = (record: Context["hypotheses"][number], beside: ReturnType<typeof evidenceBeside>): Html =>
  html`<li data-entry><p class="meta"><span>${label("hypothesis", record.versionId, record.label)}</span>${
    record.status === "current" ? null : html`<span>${stateBadge(record.status)}</span>`
  }<span>${tally(record.evidenceTally)}</span><span>${person(record.author)}</span><span>${time(record.createdAt)}</span></p>
<a class="wording" href="${to(`/records/${record.versionId}`)}" dir="auto">${markdownInLink(record.wording)}</a>${beside(record.versionId)}</li>`

function hypotheses(visit: Visit, { room, hypotheses: all }: Context): Html {
  const newest = all.slice(-SHOWN.hypotheses).reverse()
  const beside = evidenceBeside(visit, newest)
  const rows = newest.map((record) => hypothesisItem(record, beside))
  const rest = room.counts.hypothesis - newest.length
  const nothing = empty(
    "No hypothesis yet. One states a prediction exactly enough to be wrong: its wording, the concepts it uses, its scope.",
    whyNot(visit, room) ??
      act("publish_hypothesis", { roomId: room.roomId, threadId: room.openingThreadId }, "Publish a hypothesis", "first"),
  )
  return html`<section aria-labelledby="hypotheses">${heading(2, "hypotheses", "Hypotheses and what bears on each", rest > 0 ? html`<a href="${to(`/rooms/${room.roomId}/hypotheses`)}">all ${room.counts.hypothesis}</a>` : null)}
<div id="live-hypotheses" data-live>${rows.length === 0 ? nothing : html`${verdictChart(newest)}<ul class="cards">${rows}</ul>`}</div></section>`
}

function experiments(visit: Visit, { room, experiments: all, findingLinks }: Context): Html {
  const counts = enumerations.experimentStatus.map(
    (status) => [status, all.filter((experiment) => experiment.status === status).length] as const,
  )
  const moved = [...all].sort((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1)).slice(0, SHOWN.experiments)
  const of = all.length < room.counts.experiment ? html` <span class="meta">of the newest ${all.length}</span>` : null
  const nothing = empty(
    "No experiment yet. One asks a scoped question that an agent or a person can take, plan and try.",
    whyNot(visit, room) ??
      act("propose_experiment", { roomId: room.roomId, threadId: room.openingThreadId }, "Propose an experiment", "first"),
  )
  return html`<section aria-labelledby="experiments">${heading(2, "experiments", "Experiments", room.counts.experiment > moved.length ? html`<a href="${to(`/rooms/${room.roomId}/experiments`)}">all ${room.counts.experiment}</a>` : null)}
<div id="live-experiments" data-live>${
    all.length === 0
      ? nothing
      : html`<p class="meta">${counts.filter(([, count]) => count > 0).map(([status, count]) => html`<span>${stateBadge(status, `${count} ${words(status)}`)}</span>`)}${of}</p>
  ${experimentTable(moved, findingLinks, "Experiments that moved last")}`
  }</div></section>`
}

function threads(visit: Visit, { room, threads: all }: Context): Html {
  const newest = [...all].sort((one, other) => (one.lastActivityAt < other.lastActivityAt ? 1 : -1)).slice(0, SHOWN.threads)
  return html`<section aria-labelledby="threads">${heading(
    2,
    "threads",
    "Threads",
    roleIn(visit, room) === "nobody"
      ? html`<a href="${to(`/rooms/${room.roomId}/threads`)}">all ${all.length}</a>`
      : html`<a href="${to(`/rooms/${room.roomId}/threads`)}">all ${all.length}</a> <a href="${to(`/do/create_thread?roomId=${room.roomId}`)}">start one</a>`,
  )}
<ul class="cards" id="live-threads" data-live>${newest.map(
    (thread) =>
      html`<li><a href="${to(`/threads/${thread.threadId}`)}" dir="auto">${thread.title}</a>${thread.opening ? html` <span class="tag">opening</span>` : null}<br><span class="meta"><span>${person(thread.author)}</span><span>${counted(thread.timelineWatermark, "entry", "entries")}</span><span>last ${time(thread.lastActivityAt)}</span></span></li>`,
  )}</ul>
  </section>`
}

const agents = (visit: Visit, roomId: string): Html => {
  const { baseUrl } = visit.edge
  return html`<details><summary>Bring an agent</summary>
    <p>Agents read this Room without a key. To write, one needs a credential of a member, issued under <a href="${to(`/rooms/${roomId}/people`)}">People</a>.</p>
    ${command(`curl ${baseUrl}/api/research/rooms/${roomId}/research-context`)}</details>`
}

/** Which entries of the Room no digest proves; nothing where all are proved. */
function unproved(visit: Visit, roomId: string): Html | null {
  const words = unprovedWords(visit.ask("room", { roomId }).unproved)
  return words === "" ? null : html`<p class="meta" id="unproved">${words}</p>`
}

/** Under which licence what stands here may be used. */
const terms = (license: string | null): Html =>
  html`<p class="meta">${license === null ? "Nobody has stated under which licence this Room may be used." : html`<span>Licence <a rel="license" href="${licenceUrl(license)}">${license}</a></span>`}</p>`

export function roomPage(visit: Visit): Shown {
  const roomId = visit.id("roomId")
  const context = visit.ask("room_context", { roomId })
  const { room } = context
  const at = { roomId, threadId: room.openingThreadId }
  return {
    title: room.title,
    rail: roomRail(room, ""),
    json: `/api/research/rooms/${roomId}/research-context`,
    follow: { roomId, after: context.activityWatermark },
    about: aboutRoom(room, visit.ask("person", { username: room.owner.userId })),
    body: html`<h1 dir="auto">${room.title}</h1>
${room.question === null ? null : html`<p class="lead" dir="auto">${room.question}</p>`}
${roomBanners(room)}
<section aria-label="Where it stands" id="live-where" data-live>${where(context)}</section>
${doing(visit, () => html`<section aria-label="Actions">${forMembers(visit, room, html`${act("publish_hypothesis", at, "Publish a hypothesis")}${act("propose_experiment", at, "Propose an experiment")}${act("publish_finding", at, "Publish a finding")}${act("publish_cited_claim", at, "Cite a claim")}${act("register_material", at, "Register a material")}`)}</section>`)}
${hypotheses(visit, context)}
${experiments(visit, context)}
<div class="columns">${threads(visit, context)}
<section aria-labelledby="activity">${heading(2, "activity", "Activity", html`<a href="${to(`/rooms/${roomId}/activity`)}">all ${context.activityWatermark}</a>`)}<div id="live-activity" data-live>${activityChart(context.activityWatermark === 0 ? [] : recent(visit, roomId, context.activityWatermark).map(({ at: when }) => when), context.activityWatermark)}</div>
  </section></div>
${doing(visit, () => agents(visit, roomId))}
${unproved(visit, roomId)}
${terms(room.license)}
${ways([
  ["Graph of the Room", `/rooms/${roomId}/graph`],
  ["Cite it as BibTeX", `/api/research/rooms/${roomId}/citation?format=bibtex`],
  ["RIS", `/api/research/rooms/${roomId}/citation?format=ris`],
  ["CSL-JSON", `/api/research/rooms/${roomId}/citation?format=csl`],
  ["CITATION.cff", `/api/research/rooms/${roomId}/citation?format=cff`],
  ["JSON", `/api/research/rooms/${roomId}/research-context`],
])}`,
  }
}

/** The newest entries of a Room's activity: a few pages at most. */
export function recent(visit: Visit, roomId: string, watermark: number) {
  const found: AnswerOf<"room_activity">["items"] = []
  for (let after = Math.max(0, watermark - 200); after < watermark; ) {
    const page = visit.ask("room_activity", { roomId }, { after })
    found.push(...page.items)
    if (!page.hasMore || page.items.length === 0) break
    after = Number(page.nextCursor)
  }
  return found
}
