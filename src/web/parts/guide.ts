/** The steps from a hypothesis to a verdict, with the place of this page among them, and the next action. */
import { enumerations } from "../../contract/schema/enumerations.ts"
import { type Html, html, attributes, type Content } from "../html.ts"
import { title } from "../words.ts"
import { actionButton } from "./parts.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { address } from "../addresses.ts"
import type { Visit } from "../visit.ts"
import { type RoomLike, wayIn } from "./actions.ts"

// A request to join a Room, with the buttons that answer it.

type Asking = { readonly [N in "roomId" | "userId" | "username"]: string } & { readonly message: string | null }

/** The message and a button for each answer. After it the browser shows `next`, or the Room's people by default. */
export const joining = ({ roomId, userId, username, message }: Asking, next?: string): Html => {
  const given = { roomId, userId }
  return html`${message === null ? null : html`<p class="said" dir="auto">${message}</p>`}<div class="actions">\
${enumerations.joinDecision.map((decision) =>
  actionButton("decide_join_request", { ...given, "/decision": decision }, `${title(decision)} ${username}`, {
    ...(next !== undefined && { next }),
    danger: decision === "decline",
  }),
)}</div>`
}

const kinds = ["hypothesis", "experiment", "plan", "attempt", "finding"] as const
type Kind = (typeof kinds)[number]
interface Place {
  readonly id: string
  readonly label: string
}
/** The objects of the steps that the page knows, and the verdict, if there is one. */
type Way = { readonly [K in Kind]?: Place | undefined } & { readonly verdict?: Content }

/** Renders the steps. Those with an object are links. */
export const steps = (here: Kind, way: Way): Html =>
  html`<ol class="steps" aria-label="From hypothesis to verdict">${kinds.map((kind) => {
    const place = way[kind]
    const name = html`${title(kind)}${place === undefined ? null : html` <span class="label">${place.label}</span>`}`
    const link = place === undefined || kind === here ? name : html`<a href="${address(kind, place.id)}">${name}</a>`
    return html`<li class="${place === undefined ? "ahead" : "there"}"${attributes({
      "aria-current": kind === here ? "step" : null,
    })}>${link}</li>`
  })}<li class="${way.verdict ? "there" : "ahead"}">Verdict${way.verdict ? html`: ${way.verdict}` : null}</li></ol>`

/** The next action: its button, and the reason for it. */
export interface Next {
  readonly button: Html | null
  readonly why: Content
}

const isClosed = (room: RoomLike): boolean => room.state === "archived" || room.origin != null

/**
 * Renders the next action; visitors see how to take part instead. Null on a page that only shows, and in a Room
 * that takes no writes.
 */
export function nextAct(visit: Visit, room: RoomLike, next: Next | null): Html | null {
  if (next === null || !visit.canAct || isClosed(room)) return null
  const way = next.button === null ? null : wayIn(visit, room)
  return html`<div class="next-act" role="group" aria-label="Next">${way === null ? next.button : null}<span>\
<strong>Next:</strong> ${next.why} ${way}</span></div>`
}

/**
 * Returns the findings that name an experiment or an attempt, newest first. @param linked the findings that a link
 * relates to it
 */
export function findingsOf(
  visit: Visit,
  of: { readonly experimentId: string } | { readonly attemptId: string },
  linked: ReadonlySet<string>,
) {
  const { findings } = visit.tables
  const ids = "attemptId" in of ? findings.ofAttempt(of.attemptId) : findings.ofExperiment(of.experimentId)
  const found = ids.flatMap((versionId) => {
    const record = visit.record(versionId)
    if (record === null) return []
    // Not every page shows them.
    const effects = () => visit.effects(versionId)
    return [{ ...record, effects }]
  })
  const standing = found.filter(({ status }) => status !== "retracted" && status !== "superseded")
  return {
    all: found,
    newest: standing[0] ?? found[0],
    unlinked: standing.find(({ versionId }) => !linked.has(versionId)),
  }
}

export type Found = ReturnType<typeof findingsOf>

/** The findings that a link relates to the experiment. Links that were withdrawn do not count. */
export const linkedIn = (links: AnswerOf<"experiment_findings">["items"]): Set<string> =>
  new Set(links.filter(({ withdrawn }) => withdrawn == null).map(({ finding }) => finding.versionId))
