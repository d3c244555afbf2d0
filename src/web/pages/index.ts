/** The pages and forms by their paths. */
import type { H3Event } from "h3"
import { Refusal } from "../../contract/refusals.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import type { Edge } from "../../edge/edge.ts"
import type { Offloading, Routes } from "../../edge/requests/routes.ts"
import { type PageTools, addressHandler, formHandler, pageHandler, refusedHandler, makePage } from "./making.ts"
import { mustBeOperator } from "../../edge/identity/callers.ts"
import { OnThisThread, Renderer } from "../../renderer/renderer.ts"
import { openAssets, themeSent } from "../parts/layout.ts"
import type { PageAddress } from "../../contract/objects/objects.ts"
import { feedRoutes, addressesOf } from "../feeds.ts"
import { accountPage, personPage } from "./account.ts"
import { actionForms } from "./action-forms.ts"
import { invitationPage, setUpPage, signInPage, providerReturn, startAtProvider } from "./entrance.ts"
import { actPage, submitOperation } from "./act.ts"
import { adminCredentialsPage, adminInvitationsPage, adminKeysPage, adminPeoplePage } from "./admin-people.ts"
import { adminAuditPage, adminPage, adminRoomPage, adminRoomsPage } from "./admin.ts"
import { attemptPage } from "./attempts.ts"
import { boardPage, boardsPage } from "./board.ts"
import { checkpointPage } from "./checkpoint.ts"
import { comparePage, curvesPage } from "./compare.ts"
import { connectPage } from "./connect.ts"
import { effectTablePage } from "./effect-table.ts"
import { experimentPage, experimentsPage } from "./experiment.ts"
import { graphPage } from "./graph.ts"
import { momentAsked } from "./past.ts"
import { helpPage, referenceOperationPage, referencePage } from "./help.ts"
import { linkPage, conceptsPage, materialPage, paperPage } from "./objects.ts"
import { peoplePage } from "./people.ts"
import { collectionPage, libraryPage } from "./library.ts"
import { submitMetrics, submitPaste, picturesPage, submitPicture } from "./paste.ts"
import { libraryPaperPage } from "./library-paper.ts"
import { planPage } from "./plan.ts"
import { recordPage } from "./record.ts"
import { activityPage } from "./activity.ts"
import { findingsPage, hypothesesPage, linksPage, materialsPage, threadsPage } from "./room-lists.ts"
import { roomPage, roomsPage } from "./rooms.ts"
import { roomSettingsPage, webhooksPage } from "./room-settings.ts"
import { searchPage } from "./search.ts"
import { repliesPage, threadPage } from "./thread.ts"
import { attemptsPage } from "./workbench.ts"
import { seenSent } from "../parts/seen.ts"
import { type FormHandler, visitOf, type WebPage } from "../visit.ts"

/** Pages that anybody can read. */
const reading = {
  "/": roomsPage,
  "/rooms/{roomId}": roomPage,
  "/rooms/{roomId}/threads": threadsPage,
  "/rooms/{roomId}/hypotheses": hypothesesPage,
  "/rooms/{roomId}/experiments": experimentsPage,
  "/rooms/{roomId}/attempts": attemptsPage,
  "/rooms/{roomId}/findings": findingsPage,
  "/rooms/{roomId}/materials": materialsPage,
  "/rooms/{roomId}/boards": boardsPage,
  "/rooms/{roomId}/table": effectTablePage,
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
  "/boards/{boardId}": boardPage,
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

/** Pages with a form, and pages about the visitor. */
const acting = {
  "/do/{operation}": actPage,
  "/rooms/{roomId}/connect": connectPage,
  "/rooms/{roomId}/settings": roomSettingsPage,
  "/rooms/{roomId}/webhooks": webhooksPage,
  "/sign-in": signInPage,
  "/setup": setUpPage,
  "/invitations/{token}": invitationPage,
  "/account": accountPage,
  "/pictures": picturesPage,
  "/library": libraryPage,
  "/library/collections/{collectionId}": collectionPage,
  "/library/papers/{paperId}": libraryPaperPage,
} as const satisfies Readonly<Record<string, WebPage>>

/** Pages for operators. Everybody else gets the answer for an unknown address. */
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

/** Pages that are expensive to make. */
const expensive: ReadonlySet<WebPage> = new Set([
  boardPage,
  effectTablePage,
  graphPage,
  comparePage,
  curvesPage,
  attemptsPage,
  searchPage,
])
/** Pages that need state of the serving thread: cookies of a sign-in, and how people can sign in. */
const onServingThread: ReadonlySet<WebPage> = new Set([signInPage, setUpPage, invitationPage, accountPage])
/** Returns how reader threads make a page; undefined if the serving thread makes it. */
function offloadingOf(edge: Edge, tools: PageTools, path: string, page: WebPage): Offloading | undefined {
  if (onServingThread.has(page)) return undefined
  return {
    cost: expensive.has(page) ? "expensive" : "page",
    moment: (event) => momentAsked(path, event),
    refused: refusedHandler(edge, tools, path),
  }
}

/** All pages by path. The type requires the page of each kind of object. */
export const pages: Readonly<Record<string, WebPage>> = {
  ...({ ...reading, ...acting } satisfies Readonly<Record<PageAddress, WebPage>>),
  ...administering,
}

/** Handlers of forms. Each form works without a script. */
const sent: Readonly<Record<string, FormHandler>> = {
  ...actionForms,
  "/web/theme": themeSent,
  "/web/seen": seenSent,
  "/web/paste": submitPaste,
  "/web/metrics": submitMetrics,
  "/web/pictures": submitPicture,
  "/web/{operation}": submitOperation,
}

/**
 * Adds the routes of all pages and forms. @returns the handler for unknown addresses, which answers browsers with a
 * page
 */
export function pageRoutes(
  edge: Edge,
  routes: Routes,
): { readonly missing: (event: H3Event) => Promise<Answer> | null } {
  const assets = openAssets()
  const tools = { assets, renderer: edge.renderer ?? new Renderer(new OnThisThread()) }
  for (const [path, page] of Object.entries(administering))
    routes.add("GET", path, (event) =>
      makePage(edge, tools, page, () => {
        // Checked in the snapshot that the page reads.
        mustBeOperator(edge, event)
        return visitOf(edge, event)
      }),
    )
  for (const [path, page] of Object.entries({ ...reading, ...acting }))
    for (const address of addressesOf(path))
      routes.add(
        "GET",
        address,
        addressHandler(edge, tools, path, page),
        Object.hasOwn(reading, path) ? "visitors" : undefined,
        offloadingOf(edge, tools, path, page),
      )
  // These wait for the identity provider.
  routes.add("GET", "/sign-in/provider", formHandler(edge, tools, startAtProvider))
  routes.add("GET", "/sign-in/provider/back", formHandler(edge, tools, providerReturn))
  for (const [path, form] of Object.entries(sent)) routes.add("POST", path, formHandler(edge, tools, form))
  feedRoutes(edge, routes)
  routes.add("GET", "/assets/{name}", (event) => assets.answer(event.context.params?.name ?? ""), "here")
  const notFound = pageHandler(edge, tools, () => {
    throw new Refusal("unknown_operation", "There is no page at this address.")
  })
  const isForPeople = ({ url, req }: H3Event) =>
    !url.pathname.startsWith("/api/") && (req.headers.get("accept") ?? "").includes("text/html")
  return { missing: (event) => (isForPeople(event) ? notFound(event) : null) }
}
