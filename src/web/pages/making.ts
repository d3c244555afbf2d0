/** How a page is made: what it shows is asked in one moment, its texts are rendered, and it is written; or what went wrong is. */
import { basePathOf } from "../../contract/base-path.ts"
import { limits } from "../../contract/limits.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { Answer, commonHeaders } from "../../edge/answers/answer.ts"
import type { Edge } from "../../edge/edge.ts"
import { ownTurn } from "../../edge/limits/turns.ts"
import { contextOf } from "../../edge/limits/request-context.ts"
import { labelsIn } from "../../contract/objects/labels.ts"
import type { Renderer } from "../../renderer/renderer.ts"
import { linkHeader } from "../about.ts"
import type { Assets } from "../assets.ts"
import { paginate } from "../fitting.ts"
import type { Setting } from "../html.ts"
import { layout } from "../parts/layout.ts"
import { staysAt } from "../parts/looking-back.ts"
import { seenWith } from "../parts/seen.ts"
import { waitingFor } from "../parts/waiting.ts"
import type { Fitting, Shown, Visit, WebPage } from "../visit.ts"
import { refusedPage, tooLargePage } from "./refused.ts"

/** What pages are written with. */
export interface FormSubmission {
  readonly assets: Assets
  readonly renderer: Renderer
}

/** Writes a page, once its texts are rendered. One that would be too large says so in its place. */
export async function write(
  visit: Visit,
  { assets, renderer }: FormSubmission,
  given: Shown | Fitting,
  { labels, unread, headers }: Railed = {},
): Promise<Answer> {
  const { past, edge } = visit
  const now = edge.instance.world.now()
  const setting = {
    basePath: basePathOf(edge),
    now,
    ...(labels && { labels }),
    ...(past && { stays: staysAt(past), at: past.asOf.sequence }),
  }
  const shown = "items" in given ? await paginate(given, renderer, setting) : given
  const page = layout(visit, assets, shown, unread?.sections)
  const whole = page.write({ ...setting, texts: await renderer.markupOf(page.texts) })
  const fits = Buffer.byteLength(whole) <= limits.pageBytes
  return new Answer(fits ? whole : layout(visit, assets, tooLargePage(shown), unread?.sections).write(setting), {
    status: shown.status ?? 200,
    headers: {
      ...commonHeaders,
      "content-type": "text/html; charset=utf-8",
      ...(shown.about && { link: linkHeader(shown.about, visit.edge.baseUrl) }),
      ...headers,
      ...shown.headers,
    },
  })
}

const failed = new Refusal("temporarily_unavailable", "The service failed while it made this page.", { committed: null })

/** What went wrong on the way to a page, as a page. */
export function wrong(visit: Visit, error: unknown): Shown {
  const isReading = visit.event.req.method === "GET" || visit.event.req.method === "HEAD"
  if (error instanceof Refusal) return refusedPage(error, isReading)
  visit.edge.requestLog?.failed(contextOf(visit.event), error)
  return refusedPage(failed, isReading)
}

/** What a page shows, or what went wrong on the way to it. */
function shownBy(page: WebPage, visit: Visit): ReturnType<WebPage> {
  try {
    return page(visit)
  } catch (error) {
    return wrong(visit, error)
  }
}

/** What a page of a Room knows of it: where the labels in its texts lead, and what is new to its reader. */
interface Railed extends Partial<ReturnType<typeof seenWith>> {
  readonly labels?: Setting["labels"]
}

function railed(visit: Visit, shown: Shown | Fitting): Railed {
  const { edge } = visit
  const { rail, body } = "items" in shown ? shown.shown(0, 0) : shown
  if (rail === undefined) return {}
  const texts = [body, ...("items" in shown ? shown.items : [])].flatMap((part) => part.texts)
  const named = labelsIn(texts.filter(({ isLinked }) => isLinked).map(({ text }) => text))
  const labels = new Map(edge.instance.tables.labelled(rail.roomId, named).map(({ label, kind, id }) => [label, pageOf(kind, id) ?? "/"]))
  return { labels, ...seenWith(visit, rail) }
}

/** Makes a page: all that it asks, and who asks, is of one moment; its texts are rendered, and it is written, after that. */
export async function made(edge: Edge, press: FormSubmission, page: WebPage, visiting: () => Visit): Promise<Answer> {
  await ownTurn()
  const [visit, shown, known] = edge.instance.ledger.snapshot(() => {
    const visit = visiting()
    waitingFor(visit)
    const shown = shownBy(page, visit)
    return [visit, shown, shown instanceof Answer ? undefined : railed(visit, shown)] as const
  })
  try {
    return shown instanceof Answer ? shown : await write(visit, press, shown, known)
  } catch (error) {
    return write(visit, press, wrong(visit, error))
  }
}
