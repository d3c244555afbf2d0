/**
 * Makes a page: reads its content in one snapshot, fits its lists, renders its texts and writes it, or writes a page
 * about the error.
 */
import type { H3Event } from "h3"
import { basePathOf } from "../../contract/service.ts"
import { limits } from "../../contract/limits.ts"
import { pageOf, labelsIn } from "../../contract/objects/objects.ts"
import { Refusal, type RefusalCode } from "../../contract/refusals.ts"
import { Answer, commonHeaders } from "../../edge/answers/answer.ts"
import { type Edge, NotServed, type Refused } from "../../edge/edge.ts"
import { ownTurn } from "../../edge/limits/budgets.ts"
import { contextOf } from "../../edge/limits/request-context.ts"
import type { Renderer } from "../../renderer/renderer.ts"
import { linkHeader } from "../about.ts"
import { loadFormulas } from "../markdown.ts"
import { type Assets, layout } from "../parts/layout.ts"
import { type Setting, html, to, type Html, type Content } from "../html.ts"
import { seenWith } from "../parts/seen.ts"
import { waitingFor } from "../parts/waiting.ts"
import { type Fitting, type Shown, type Visit, type WebPage, type FormHandler, visitOf, signInPath } from "../visit.ts"
import { documentAnswer, documentAsked, documentRefused, withDocument } from "../feeds.ts"
import { type View, viewOf } from "./past.ts"

// What a person can do after a refusal. The registry of refusals says it for programs.

const LOOK_UP = "It may be gone, or belong to another Room. Look it up in the lists of its Room."
const AGAIN = "Wait a moment, then try again."
const ADDRESS = "Check the address, or start from the list of Rooms."
const CORRECT = "Correct what is listed, then send it again."
const SHORTER = "Shorten it, or split it."
const OWNER = "Ask the Room's owner."

type Unknown = Extract<RefusalCode, `unknown_${string}`>

const remedies: Readonly<Record<Exclude<RefusalCode, Unknown>, Content> & Partial<Record<Unknown, Content>>> = {
  unknown_operation: ADDRESS,
  method_not_allowed: ADDRESS,
  not_authenticated: "Sign in and try again.",
  browser_origin: "Open the page from this service's own address, then try again.",
  not_a_member: "Ask the Room's owner to add you.",
  permission_missing: OWNER,
  scope_missing: OWNER,
  role_required: OWNER,
  room_archived: "You can read it and cite it.",
  room_mirrored: "Read and cite it here. Write to it where it comes from.",
  room_unavailable: "Look for it in the list of Rooms.",
  request_conflict: "This form was sent before with other content. Open the form again to send something new.",
  state_conflict: "Read what changed. If your draft still applies, send it again.",
  assignment_conflict: "Someone else has it, or nobody does. Look at the experiment, then decide.",
  experiment_not_open: "Look at the experiment to see what became of it.",
  thread_exists: "Post in the existing Thread.",
  link_exists: "Read the existing link.",
  attempt_exists: "Open the form again to register another attempt.",
  request_too_large: SHORTER,
  content_too_large: SHORTER,
  not_json: CORRECT,
  wrong_host: "Open the page at the address that your operator gave you.",
  invalid_schema: CORRECT,
  invalid_parameter: ADDRESS,
  past_too_large: "Look at the present, or at an earlier entry.",
  repository_unavailable:
    "Publish the repository or correct the commit, then send it again. If it could not be checked now, " +
    "wait a moment first.",
  malformed_request: AGAIN,
  request_timeout: AGAIN,
  too_many_requests: AGAIN,
  temporarily_unavailable: AGAIN,
  not_authorized: "Sign in, or ask the person who shares it with you.",
  unknown_collection: "It may be gone, or no longer shared with you. Look at your Library.",
  unknown_paper: "Check its identifier, or add the paper first.",
  thread_has_notes: "Keep the Collection, or ask the people who wrote the notes to delete them.",
  limit_reached: "File fewer papers, or file them elsewhere.",
  invalid_request: CORRECT,
}

export const remedyFor = (code: RefusalCode): Content => remedies[code] ?? LOOK_UP

/** Returns the index after the last item that fits on a page starting at `from`. A page holds at least one item. */
async function endOf(items: readonly Html[], from: number, renderer: Renderer, setting: Setting): Promise<number> {
  let bytes = 0
  for (const [index, item] of items.slice(from).entries()) {
    bytes += Buffer.byteLength(item.write({ ...setting, texts: await renderer.markupOf(item.texts) }))
    if (bytes > limits.pageTextBytes && index > 0) return from + index
  }
  return items.length
}

/** Returns the page with as many items as fit. It starts at the chosen item if that would not fit otherwise. */
async function paginate({ items, chosen = -1, shown }: Fitting, renderer: Renderer, setting: Setting): Promise<Shown> {
  const until = await endOf(items, 0, renderer, setting)
  return chosen < until ? shown(0, until) : shown(chosen, await endOf(items, chosen, renderer, setting))
}

/** Characters of texts that are tried on one page: nearly all fit, so most pages are written once and not measured. */
const TRIED = limits.pageTextBytes / 4

/** Writes a page with as many items as fit. */
async function fitted(
  content: Shown | Fitting,
  write: (shown: Shown) => Promise<string>,
  renderer: Renderer,
  setting: Setting,
): Promise<readonly [Shown, string]> {
  if ("body" in content) return [content, await write(content)]
  const { items, shown } = content
  const texts = items.flatMap((item) => item.texts)
  if (texts.reduce((sum, { text }) => sum + text.length, 0) <= TRIED) {
    const all = shown(0, items.length)
    const whole = await write(all)
    if (Buffer.byteLength(whole) <= limits.pageTextBytes) return [all, whole]
  }
  const page = await paginate(content, renderer, setting)
  return [page, await write(page)]
}

/** Returns a message in place of a page that is too large. */
function tooLargePage({ title, rail, json }: Shown): Shown {
  return {
    title,
    ...(rail && { rail }),
    ...(json === undefined ? {} : { json }),
    body: html`<h1>${title}</h1><p class="lead">This page would be larger than ${limits.pageBytes / 1_000_000} MB, so \
it is not shown.</p>
<p>${
      json === undefined
        ? "You can read its content in parts, in the lists of its Room."
        : html`You can read all of it <a href="${to(json)}">as JSON</a>.`
    }</p>`,
  }
}

const signingIn = (entrance: string): Html =>
  html`<a class="button" href="${to(entrance)}">Sign in</a> and come back to where you were.`

const isReadingIn = ({ event: { req } }: Visit): boolean => req.method === "GET" || req.method === "HEAD"

/**
 * Returns the page for a refusal. @param isReading whether the request could not have stored anything
 * @param entrance the address of the sign-in page, which leads back
 */
export function refusedPage(refusal: Refusal, isReading: boolean, entrance: string): Shown {
  const { code, status, details } = refusal
  const missing = status === 404
  // That message names a read and its parameters, for programs.
  const isWrongAddress = isReading && refusal.message.startsWith("A query parameter of ")
  return {
    title: missing ? "Not found" : isWrongAddress ? "Wrong address" : "Not possible",
    status,
    ...(details.retryAfter === undefined ? {} : { headers: { "retry-after": String(details.retryAfter) } }),
    body: html`<h1>${
      missing ? "Nothing found here" : isWrongAddress ? "Something in this address is wrong" : "This could not be done"
    }</h1>\
<p class="lead">${isWrongAddress ? "It asks for something that this page does not have." : refusal.message}</p>
${
  missing
    ? null
    : html`<p>${
        isReading
          ? null
          : details.committed === null
            ? "It is not known whether anything was stored."
            : "Nothing was stored."
      } ${code === "not_authenticated" ? signingIn(entrance) : remedyFor(code)}</p>`
}<p><a href="${to("/")}">All Rooms</a></p>`,
  }
}

/** The tools for writing pages. */
export interface PageTools {
  readonly assets: Assets
  readonly renderer: Renderer
}

/** Renders the texts of a page and writes it. A page that would be too large is replaced with a message. */
async function writePage(
  visit: Visit,
  { assets, renderer }: PageTools,
  content: Shown | Fitting,
  { labels, unread, headers }: RoomDetails = {},
): Promise<Answer> {
  const { edge } = visit
  const now = edge.instance.world.now()
  const setting = {
    basePath: basePathOf(edge),
    now,
    ...(labels && { labels }),
  }
  const write = async (shown: Shown): Promise<string> => {
    const page = layout(visit, assets, shown, unread?.sections)
    return page.write({ ...setting, texts: await renderer.markupOf(page.texts) })
  }
  const [shown, whole] = await fitted(content, write, renderer, setting)
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

const failed = new Refusal("temporarily_unavailable", "The service failed while it made this page.", {
  committed: null,
})

/** Returns a page about an error, and logs it if it is not a refusal. */
function errorPage(visit: Visit, error: unknown): Shown {
  const [isReading, entrance] = [isReadingIn(visit), signInPath(visit)]
  if (error instanceof Refusal) return refusedPage(error, isReading, entrance)
  visit.edge.requestLog?.failed(contextOf(visit.event), error)
  return refusedPage(failed, isReading, entrance)
}

function shownBy(page: WebPage, visit: Visit): ReturnType<WebPage> {
  try {
    return page(visit)
  } catch (error) {
    return errorPage(visit, error)
  }
}

/** What the page of a Room needs to be written: the paths of labels in its texts, and what is new to the reader. */
interface RoomDetails extends Partial<ReturnType<typeof seenWith>> {
  readonly labels?: Setting["labels"]
}

function roomDetails(visit: Visit, shown: Shown | Fitting): RoomDetails {
  const { edge } = visit
  const { rail, body } = "items" in shown ? shown.shown(0, 0) : shown
  if (rail === undefined) return {}
  const texts = [body, ...("items" in shown ? shown.items : [])].flatMap((part) => part.texts)
  const named = labelsIn(texts.filter(({ isLinked }) => isLinked).map(({ text }) => text))
  const labels = new Map(
    edge.instance.tables.labelled(rail.roomId, named).map(({ label, kind, id }) => [label, pageOf(kind, id) ?? "/"]),
  )
  return { labels, ...seenWith(visit, rail) }
}

/** Makes a page. The visitor and all reads are from one snapshot. The texts are rendered after it. */
export async function makePage(edge: Edge, tools: PageTools, page: WebPage, visiting: () => Visit): Promise<Answer> {
  await Promise.all([ownTurn(), loadFormulas()])
  const [visit, shown, known] = edge.instance.ledger.snapshot(() => {
    const visit = visiting()
    waitingFor(visit)
    const shown = shownBy(page, visit)
    return [visit, shown, shown instanceof Answer ? undefined : roomDetails(visit, shown)] as const
  })
  try {
    return shown instanceof Answer ? shown : await writePage(visit, tools, shown, known)
  } catch (error) {
    return writePage(visit, tools, errorPage(visit, error))
  }
}

// Request handlers for pages and forms: the page as of now or of an earlier entry, its Markdown for agents, or a
// refusal.

export const pageHandler = (edge: Edge, tools: PageTools, page: WebPage) => (event: H3Event) =>
  makePage(edge, tools, page, () => visitOf(edge, event))

/** Handles requests for a page or its Markdown. */
export const addressHandler =
  (edge: Edge, tools: PageTools, path: string, page: WebPage) =>
  async (event: H3Event): Promise<Answer> => {
    const document = documentAsked(path, event)
    using held = new DisposableStack()
    let view: View
    try {
      view = held.use(await viewOf(edge, path, event))
    } catch (error) {
      return withDocument(path, event, await refusedHandler(edge, tools, path)(event, error))
    }
    if (document !== undefined) return view.leaving(documentAnswer(edge, event, document, view.edge))
    const made = await makePage(edge, tools, view.framed(page), () => visitOf(edge, event, view.edge))
    return withDocument(path, event, view.leaving(made))
  }

/** Answers a refusal in place of a page that a reader thread failed to make. */
export const refusedHandler =
  (edge: Edge, tools: PageTools, path: string): Refused =>
  (event, error) => {
    if (documentAsked(path, event) !== undefined) return documentRefused(error)
    const page = () => {
      throw error
    }
    return pageHandler(edge, tools, page)(event)
  }

export const formHandler = (edge: Edge, tools: PageTools, form: FormHandler) => async (event: H3Event) => {
  const visit = visitOf(edge, event)
  try {
    const next = await form(visit)
    return next instanceof Answer ? next : await makePage(edge, tools, next, () => visit)
  } catch (error) {
    if (error instanceof NotServed) throw error
    return writePage(visit, tools, errorPage(visit, error))
  }
}
