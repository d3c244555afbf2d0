/** The routes of operations: for agents with a credential, and for people in the browser with the same bodies and checks. */
import type { H3Event } from "h3"
import { browserPath, type Operation } from "../contract/definitions/operation.ts"
import { operations } from "../contract/operations/index.ts"
import { batch, readBatch } from "../contract/operations/batch.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { schemaVersions } from "../contract/versions.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { json } from "../edge/answers/answer.ts"
import { readJsonBody } from "../edge/limits/body.ts"
import { bearer, countWrite, mustBeSignedIn, mustComeFromOwnPage, mustNotComeFromBrowser, personActor } from "../edge/identity/callers.ts"
import type { Edge } from "../edge/edge.ts"
import { pathParams } from "../edge/paths.ts"
import type { Routes } from "../edge/requests/routes.ts"
import { sendBatch, sendWrite } from "../edge/requests/writes.ts"

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

/** Each write of a batch counts against the caller's rate. */
async function admitBatch(edge: Edge, actor: Actor, event: H3Event) {
  const receipts = await sendBatch(edge, event, actor, async () => {
    const rehearse = rehearsed(event)
    const writes = readBatch(await readJsonBody(event))
    for (const _ of writes.slice(1)) countWrite(edge, actor, event)
    return { writes, rehearse }
  })
  return json(`{"schemaVersion":${schemaVersions.research},"receipts":[${receipts.join(",")}]}`)
}

/** Adds every operation of the registry, and the batch of several. */
export function writeRoutes(edge: Edge, routes: Routes): void {
  routes.add(batch.method, batch.path, (event) => {
    mustNotComeFromBrowser(event)
    return admitBatch(edge, bearer(edge, "research", event), event)
  })
  routes.add(batch.method, batch.browserPath, (event) => {
    mustComeFromOwnPage(edge, event)
    return admitBatch(edge, personActor(mustBeSignedIn(edge, event)), event)
  })
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
