/** The routes of operations: for agents with a credential, and for people in the browser with the same bodies and checks. */
import type { H3Event } from "h3"
import { browserPath, type Operation } from "../contract/definitions/operation.ts"
import { operations } from "../contract/operations/index.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { json } from "../edge/answers/answer.ts"
import { readJsonBody } from "../edge/limits/body.ts"
import { bearer, mustBeSignedIn, mustComeFromOwnPage, mustNotComeFromBrowser, personActor } from "../edge/identity/callers.ts"
import type { Edge } from "../edge/edge.ts"
import { pathParams } from "../edge/paths.ts"
import type { Routes } from "../edge/requests/routes.ts"
import { sendWrite } from "../edge/requests/writes.ts"

/** Whether the write is a rehearsal. @throws Refusal `invalid_parameter` for any other query */
function rehearsed(event: H3Event): boolean {
  const query = event.url.searchParams
  if (query.size === 0) return false
  if (query.size === 1 && query.get("rehearse") === "1") return true
  const issues = [...new Set(query.keys())].map((name) => ({
    path: `/${name}`,
    message: name === "rehearse" ? "must be 1, once" : "is not a parameter of a write",
  }))
  throw new Refusal("invalid_parameter", "A write takes one query parameter only: rehearse=1.", { issues })
}

async function admit(edge: Edge, operation: Operation, actor: Actor, event: H3Event) {
  const receipt = await sendWrite(edge, event, operation, actor, async () => {
    const rehearse = rehearsed(event)
    return { params: pathParams(event), body: await readJsonBody(event), rehearse }
  })
  return json(receipt)
}

/** Adds every operation of the registry. */
export function writeRoutes(edge: Edge, routes: Routes): void {
  for (const operation of operations) {
    if (operation.surface === "agent") {
      routes.add(operation.method, operation.path, (event) => {
        mustNotComeFromBrowser(event)
        return admit(edge, operation, bearer(edge, operation.family, event), event)
      })
    }
    routes.add(operation.method, browserPath(operation), (event) => {
      mustComeFromOwnPage(edge, event)
      return admit(edge, operation, personActor(mustBeSignedIn(edge, event)), event)
    })
  }
}
