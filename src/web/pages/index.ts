/** Every page of the browser app: the table of contents. */
import type { H3Event } from "h3"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import type { Edge } from "../../edge/edge.ts"
import type { Offloading } from "../../edge/requests/offload.ts"
import type { FormSubmission } from "./making.ts"
import { mustBeOperator } from "../../edge/identity/callers.ts"
import type { Routes } from "../../edge/requests/routes.ts"
import { OnThisThread } from "../../renderer/engines.ts"
import { Renderer } from "../../renderer/renderer.ts"
import { openAssets } from "../assets.ts"
import type { PageAddress } from "../../contract/objects/objects.ts"
import { feedRoutes } from "../feeds.ts"
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
import { boardPage, boardsPage } from "./board.ts"
import { comparePage, curvesPage } from "./compare.ts"
import { connectPage } from "./connect.ts"
import { experimentPage } from "./experiment.ts"
import { experimentsPage } from "./experiments.ts"
import { graphPage } from "./graph.ts"
import { addressHandler, formHandler, momentAsked, pageHandler, refusedHandler } from "./handlers.ts"
import { helpPage } from "./help.ts"
import { checkpointPage, conceptsPage, linkPage, materialPage, paperPage } from "./objects.ts"
import { peoplePage } from "./people.ts"
import { collectionPage } from "./library-collection.ts"
import { libraryPage } from "./library.ts"
import { metricsSent } from "./metrics-paste.ts"
import { pasteSent } from "./library-paste.ts"
import { libraryPaperPage } from "./library-paper.ts"
import { personPage } from "./person.ts"
import { made } from "./making.ts"
import { providerReturn, startAtProvider } from "./provider.ts"
import { picturesPage, pictureSent } from "./pictures.ts"
import { planPage } from "./plan.ts"
import { recordPage } from "./record.ts"
import { referenceOperationPage, referencePage } from "./reference.ts"
import { activityPage } from "./activity.ts"
import { findingsPage, hypothesesPage, linksPage, materialsPage, threadsPage } from "./room-lists.ts"
import { roomPage } from "./room.ts"
import { roomsPage } from "./rooms.ts"
import { searchPage } from "./search.ts"
import { repliesPage, threadPage } from "./thread.ts"
import { webhooksPage } from "./webhooks.ts"
import { attemptsPage } from "./workbench.ts"
import { seenSent } from "../parts/seen.ts"
import { themeSent } from "../parts/theme.ts"
import { type Sent, visitOf, type WebPage } from "../visit.ts"

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
  "/rooms/{roomId}/boards": boardsPage,
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

/** Pages with a form, and those about oneself. */
const acting = {
  "/do/{operation}": actPage,
  "/rooms/{roomId}/connect": connectPage,
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
const much: ReadonlySet<WebPage> = new Set([boardPage, graphPage, comparePage, curvesPage, attemptsPage, searchPage])
/** Pages that show what this thread alone knows: what a browser carries on its way in, and how people come in. */
const ofThisThread: ReadonlySet<WebPage> = new Set([signInPage, setUpPage, invitationPage, accountPage])
/** How reading threads take what is asked of a page; undefined where this thread answers. */
function offloadingOf(edge: Edge, press: FormSubmission, path: string, page: WebPage): Offloading | undefined {
  if (ofThisThread.has(page)) return undefined
  return {
    cost: much.has(page) ? "expensive" : "page",
    moment: (event) => momentAsked(path, event),
    refused: refusedHandler(edge, press, path),
  }
}

/** Every page by its address: the one of each kind of object among them, or this does not compile. */
export const pages: Readonly<Record<string, WebPage>> = {
  ...({ ...reading, ...acting } satisfies Readonly<Record<PageAddress, WebPage>>),
  ...administering,
}

/** What forms send; each works without a script. */
const sent: Readonly<Record<string, Sent>> = {
  ...actionForms,
  "/web/theme": themeSent,
  "/web/seen": seenSent,
  "/web/paste": pasteSent,
  "/web/metrics": metricsSent,
  "/web/pictures": pictureSent,
  "/web/{operation}": actSent,
}

/** Pages that wait for the identity provider before they can answer. */
const asked: Readonly<Record<string, Sent>> = { "/sign-in/provider": startAtProvider, "/sign-in/provider/back": providerReturn }

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
      offloadingOf(edge, press, path, page),
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
