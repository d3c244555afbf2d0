/** Every page of the browser app: the table of contents. */
import type { H3Event } from "h3"
import { limits } from "../../contract/limits.ts"
import { present } from "../../contract/present.ts"
import { checkParameters } from "../../contract/read.ts"
import { reads } from "../../contract/reads/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import { Answer, commonHeaders } from "../../edge/answer.ts"
import { type Edge, NotServed, type Refused } from "../../edge/edge.ts"
import { mustBeOperator } from "../../edge/callers.ts"
import { ownTurn } from "../../edge/own-turn.ts"
import { pastOf } from "../../edge/past.ts"
import type { Past } from "../../edge/pasts.ts"
import { pathParams } from "../../edge/paths.ts"
import { contextOf } from "../../edge/request-context.ts"
import type { Routes } from "../../edge/routes.ts"
import { OnThisThread } from "../../renderer/engines.ts"
import { Renderer } from "../../renderer/renderer.ts"
import { idsIn } from "../addresses.ts"
import { type Assets, openAssets } from "../assets.ts"
import { type PageAddress, pageOf } from "../../contract/objects.ts"
import { labelsIn } from "../../renderer/label-plugin.ts"
import type { Setting } from "../html.ts"
import { basePathOf } from "../../contract/base-path.ts"
import { feedRoutes } from "../feeds.ts"
import { fitted } from "../fitting.ts"
import { layout } from "../parts/layout.ts"
import { documentAnswer, documentAsked, documentParams, documentRefused, withDocument } from "../markdown-pages.ts"
import { accountPage } from "./account.ts"
import { actionForms } from "./action-forms.ts"
import { invitationPage, setUpPage, signInPage } from "./entrance.ts"
import { actPage, actSent } from "./act.ts"
import { adminCredentialsPage, adminInvitationsPage, adminKeysPage } from "./admin-access.ts"
import { adminAuditPage } from "./admin-audit.ts"
import { adminPage } from "./admin.ts"
import { adminPeoplePage } from "./admin-people.ts"
import { adminRoomPage, adminRoomsPage } from "./admin-rooms.ts"
import { attemptPage } from "./attempts.ts"
import { comparePage, curvesPage } from "./compare.ts"
import { experimentPage } from "./experiment.ts"
import { experimentsPage } from "./experiments.ts"
import { graphPage } from "./graph.ts"
import { helpPage } from "./help.ts"
import { checkpointPage, conceptsPage, linkPage, materialPage, paperPage } from "./objects.ts"
import { peoplePage } from "./people.ts"
import { collectionPage } from "./library-collection.ts"
import { libraryPage } from "./library.ts"
import { pasteSent } from "./library-paste.ts"
import { libraryPaperPage } from "./library-paper.ts"
import { personPage } from "./person.ts"
import { backFromProvider, startAtProvider } from "./provider.ts"
import { planPage } from "./plan.ts"
import { recordPage } from "./record.ts"
import { referenceOperationPage, referencePage } from "./reference.ts"
import { refusedPage, tooLargePage } from "./refused.ts"
import { activityPage, findingsPage, hypothesesPage, linksPage, materialsPage, threadsPage } from "./room-lists.ts"
import { roomPage } from "./room.ts"
import { roomsPage } from "./rooms.ts"
import { searchPage } from "./search.ts"
import { repliesPage, threadPage } from "./thread.ts"
import { attemptsPage } from "./workbench.ts"
import { looksBack, shownThen, staysAt } from "../parts/looking-back.ts"
import { themeSent } from "../parts/theme.ts"
import { waitingFor } from "../parts/waiting.ts"
import { linkHeader } from "../about.ts"
import { type Sent, type Fitting, type Shown, type Visit, visitOf, type WebPage } from "../visit.ts"

/** Pages that anybody may read, by their address. */
const reading = {
  "/": roomsPage,
  "/rooms/{roomId}": roomPage,
  "/rooms/{roomId}/threads": threadsPage,
  "/rooms/{roomId}/hypotheses": hypothesesPage,
  "/rooms/{roomId}/experiments": experimentsPage,
  "/rooms/{roomId}/attempts": attemptsPage,
  "/rooms/{roomId}/findings": findingsPage,
  "/rooms/{roomId}/materials": materialsPage,
  "/rooms/{roomId}/links": linksPage,
  "/rooms/{roomId}/graph": graphPage,
  "/rooms/{roomId}/activity": activityPage,
  "/rooms/{roomId}/people": peoplePage,
  "/threads/{threadId}": threadPage,
  "/threads/{threadId}/replies/{entryId}": repliesPage,
  "/records/{versionId}": recordPage,
  "/experiments/{experimentId}": experimentPage,
  "/plans/{planId}": planPage,
  "/attempts/compare": comparePage,
  "/attempts/curves": curvesPage,
  "/attempts/{attemptId}": attemptPage,
  "/materials/{materialId}": materialPage,
  "/links/{linkId}": linkPage,
  "/checkpoints/{checkpointId}": checkpointPage,
  "/papers/{arxivId}": paperPage,
  "/people/{username}": personPage,
  "/concepts": conceptsPage,
  "/search": searchPage,
  "/help": helpPage,
  "/reference": referencePage,
  "/reference/{operationId}": referenceOperationPage,
} as const satisfies Readonly<Record<string, WebPage>>

/** Pages with a form, and those about oneself. */
const acting = {
  "/do/{operation}": actPage,
  "/sign-in": signInPage,
  "/setup": setUpPage,
  "/invitations/{token}": invitationPage,
  "/account": accountPage,
  "/library": libraryPage,
  "/library/collections/{collectionId}": collectionPage,
  "/library/papers/{arxivId}": libraryPaperPage,
} as const satisfies Readonly<Record<string, WebPage>>

/** Pages for operators; to everybody else nothing is there. */
const administering: Readonly<Record<string, WebPage>> = {
  "/admin": adminPage,
  "/admin/people": adminPeoplePage,
  "/admin/rooms": adminRoomsPage,
  "/admin/rooms/{roomId}": adminRoomPage,
  "/admin/credentials": adminCredentialsPage,
  "/admin/keys": adminKeysPage,
  "/admin/invitations": adminInvitationsPage,
  "/admin/audit": adminAuditPage,
}

/** Pages that are drawn of much at once. */
const much: ReadonlySet<WebPage> = new Set([graphPage, comparePage, curvesPage, attemptsPage, searchPage])
/** Pages that show what this thread alone knows: what a browser carries on its way in, and how people come in. */
const ofThisThread: ReadonlySet<WebPage> = new Set([signInPage, setUpPage, invitationPage, accountPage])
const costOf = (page: WebPage) => (ofThisThread.has(page) ? undefined : much.has(page) ? "much" : "some")

/** Every page by its address: the one of each kind of object among them, or this does not compile. */
export const pages: Readonly<Record<string, WebPage>> = {
  ...({ ...reading, ...acting } satisfies Readonly<Record<PageAddress, WebPage>>),
  ...administering,
}

/** What forms send; each works without a script. */
const sent: Readonly<Record<string, Sent>> = {
  ...actionForms,
  "/web/theme": themeSent,
  "/web/paste": pasteSent,
  "/web/{operation}": actSent,
}

/** What is asked of somebody else before anything can be shown. */
const asked: Readonly<Record<string, Sent>> = { "/sign-in/provider": startAtProvider, "/sign-in/provider/back": backFromProvider }

/** Writes a page, once its texts are rendered. One that would be too large says so in its place. */
async function write(visit: Visit, { assets, renderer }: Press, given: Shown | Fitting, labels?: Setting["labels"]): Promise<Answer> {
  const { past, edge } = visit
  const now = edge.instance.world.now()
  const setting = {
    basePath: basePathOf(edge),
    now,
    ...(labels && { labels }),
    ...(past && { stays: staysAt(past), at: past.asOf.sequence }),
  }
  const shown = "items" in given ? await fitted(given, renderer, setting) : given
  const page = layout(visit, assets, shown)
  const whole = page.write({ ...setting, texts: await renderer.markupOf(page.texts) })
  const fits = Buffer.byteLength(whole) <= limits.pageBytes
  return new Answer(fits ? whole : layout(visit, assets, tooLargePage(shown)).write(setting), {
    status: shown.status ?? 200,
    headers: {
      ...commonHeaders,
      "content-type": "text/html; charset=utf-8",
      ...(shown.about && { link: linkHeader(shown.about, visit.edge.baseUrl) }),
      ...shown.headers,
    },
  })
}

const failed = new Refusal("temporarily_unavailable", "The service failed while it made this page.", { committed: null })

/** What went wrong on the way to a page, as a page. */
function wrong(visit: Visit, error: unknown): Shown {
  if (error instanceof Refusal) return refusedPage(error)
  visit.edge.journal?.failed(contextOf(visit.event), error)
  return refusedPage(failed)
}

/** What a page shows, or what went wrong on the way to it. */
function shownBy(page: WebPage, visit: Visit): ReturnType<WebPage> {
  try {
    return page(visit)
  } catch (error) {
    return wrong(visit, error)
  }
}

/** Where the labels in a page's texts lead: those of its Room. */
function labelsOf({ edge }: Visit, shown: Shown | Fitting): Setting["labels"] {
  const { rail, body } = "items" in shown ? shown.shown(0, 0) : shown
  if (rail === undefined) return undefined
  const texts = [body, ...("items" in shown ? shown.items : [])].flatMap((part) => part.texts)
  const named = labelsIn(texts.filter(({ isLinked }) => isLinked).map(({ text }) => text))
  return new Map(edge.instance.tables.labelled(rail.roomId, named).map(({ label, kind, id }) => [label, pageOf(kind, id) ?? "/"]))
}

/** Makes a page: all that it asks, and who asks, is of one moment; its texts are rendered, and it is written, after that. */
async function made(edge: Edge, press: Press, page: WebPage, visiting: () => Visit): Promise<Answer> {
  await ownTurn()
  const [visit, shown, labels] = edge.instance.ledger.snapshot(() => {
    const visit = visiting()
    waitingFor(visit)
    const shown = shownBy(page, visit)
    return [visit, shown, shown instanceof Answer ? undefined : labelsOf(visit, shown)] as const
  })
  try {
    return shown instanceof Answer ? shown : await write(visit, press, shown, labels)
  } catch (error) {
    return write(visit, press, wrong(visit, error))
  }
}

/** What pages are written with. */
interface Press {
  readonly assets: Assets
  readonly renderer: Renderer
}

const pageHandler = (edge: Edge, press: Press, page: WebPage) => (event: H3Event) => made(edge, press, page, () => visitOf(edge, event))

const roomRead = present(reads.find(({ name }) => name === "room"))

/** The entry that a page is asked for as of; undefined for one of now. @throws Refusal `invalid_parameter` */
function entryAsked(path: string, { url }: H3Event): number | undefined {
  const given = url.searchParams.getAll("at")
  if (given.length === 0 || !looksBack(path)) return undefined
  const { at } = checkParameters(roomRead, new URLSearchParams(given.map((each) => ["at", each])))
  return typeof at === "number" ? at : undefined
}

const thenShown =
  (page: WebPage, past: Past): WebPage =>
  (visit) => {
    const shown = page(visit)
    return "body" in shown && !(shown instanceof Answer) ? shownThen(visit, past, shown) : shown
  }

/** A page at its address, or the same for agents; as of an earlier entry, once its Room is there as it was. */
const addressHandler = (edge: Edge, press: Press, path: string, page: WebPage) => {
  return async (event: H3Event): Promise<Answer> => {
    const document = documentAsked(path, event)
    const params = document === undefined ? pathParams(event) : documentParams(event)
    using held = new DisposableStack()
    let past: Past | undefined
    let asked = page
    try {
      const entry = entryAsked(path, event)
      if (entry !== undefined) {
        past = held.use(await pastOf(edge, { params, query: { attemptIds: idsIn(event.url) } }, entry))
        asked = thenShown(page, past)
      }
    } catch (error) {
      if (document !== undefined) return documentRefused(error)
      asked = () => {
        throw error
      }
    }
    if (document !== undefined) return documentAnswer(edge, event, document, past)
    return withDocument(path, event, await made(edge, press, asked, () => visitOf(edge, event, past)))
  }
}

/** A page in place of one that another thread was to make and did not. */
const refusedHandler =
  (edge: Edge, press: Press, path: string): Refused =>
  (event, error) => {
    if (documentAsked(path, event) !== undefined) return documentRefused(error)
    const page = () => {
      throw error
    }
    return pageHandler(edge, press, page)(event)
  }

const formHandler = (edge: Edge, press: Press, form: Sent) => async (event: H3Event) => {
  const visit = visitOf(edge, event)
  try {
    const next = await form(visit)
    return next instanceof Answer ? next : await made(edge, press, next, () => visit)
  } catch (error) {
    if (error instanceof NotServed) throw error
    return write(visit, press, wrong(visit, error))
  }
}

/** Adds every page, and answers what a browser asks for that is none. */
export function pageRoutes(edge: Edge, routes: Routes): { readonly missing: (event: H3Event) => Promise<Answer> | null } {
  const assets = openAssets()
  const press = { assets, renderer: edge.renderer ?? new Renderer(new OnThisThread()) }
  for (const [path, page] of Object.entries(administering))
    routes.add("GET", path, (event) =>
      made(edge, press, page, () => {
        // In the same moment as all that the page shows.
        mustBeOperator(edge, event)
        return visitOf(edge, event)
      }),
    )
  for (const [path, page] of Object.entries({ ...reading, ...acting }))
    routes.add(
      "GET",
      path,
      addressHandler(edge, press, path, page),
      Object.hasOwn(reading, path) ? "visitors" : undefined,
      costOf(page),
      refusedHandler(edge, press, path),
    )
  for (const [path, form] of Object.entries(asked)) routes.add("GET", path, formHandler(edge, press, form))
  for (const [path, form] of Object.entries(sent)) routes.add("POST", path, formHandler(edge, press, form))
  feedRoutes(edge, routes)
  routes.add("GET", "/assets/{name}", (event) => assets.answer(event.context.params?.name ?? ""), "here")
  const nothing = pageHandler(edge, press, () => {
    throw new Refusal("unknown_operation", "No page of this service has this address.")
  })
  const isForPeople = ({ url, req }: H3Event) =>
    !url.pathname.startsWith("/api/") && (req.headers.get("accept") ?? "").includes("text/html")
  return { missing: (event) => (isForPeople(event) ? nothing(event) : null) }
}
