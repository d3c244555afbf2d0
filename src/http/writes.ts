/**
 * The routes of operations, for agents with a credential and for people in the browser with the same bodies and checks;
 * and those of actions, such as signing in.
 */
import type { H3Event } from "h3"
import type { Receipt } from "../contract/answers/index.ts"
import { smallReceiptOf } from "../contract/operations/receipts.ts"
import { checkParameters } from "../edge/requests/reads.ts"
import { browserPath, type Operation } from "../contract/definitions/operation.ts"
import { type WriteParameters, writeParameters } from "../contract/definitions/parameters.ts"
import { trusted } from "../contract/json.ts"
import { actions } from "../contract/operations/actions.ts"
import { operations } from "../contract/operations/index.ts"
import { batch, readBatch } from "../contract/operations/batch.ts"
import { shape } from "../contract/schema/fields.ts"
import { schemaVersions } from "../contract/service.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { json, versioned } from "../edge/answers/answer.ts"
import { hasBody, readJsonBody } from "../edge/limits/body.ts"
import { agentCaller, countWrite, pageCaller, writingAgent } from "../edge/identity/callers.ts"
import { type Edge, pathParams } from "../edge/edge.ts"
import { prepareAction } from "../edge/requests/actions.ts"
import type { Routes } from "../edge/requests/routes.ts"
import { sendBatch, sendWrite } from "../edge/requests/writes.ts"

const parameters = shape(writeParameters)

/** The query parameters of a write. @throws Refusal `invalid_parameter` */
const parametersOf = (event: H3Event, name: string): WriteParameters =>
  event.url.searchParams.size === 0
    ? {}
    : checkParameters({ name, query: parameters }, event.url.searchParams, "a write")

const sized = (receipt: string, { receipt: form }: WriteParameters): string =>
  form === "small" ? JSON.stringify(smallReceiptOf(trusted<Receipt>(receipt))) : receipt

async function admit(edge: Edge, operation: Operation, actor: Actor, event: H3Event) {
  let requested: WriteParameters = {}
  const receipt = await sendWrite(edge, event, operation, actor, async () => {
    requested = parametersOf(event, operation.name)
    return { params: pathParams(event), body: await readJsonBody(event), rehearse: requested.rehearse !== undefined }
  })
  return json(sized(receipt, requested))
}

/** Each write of a batch counts against the caller's rate. */
async function admitBatch(edge: Edge, actor: Actor, event: H3Event) {
  let requested: WriteParameters = {}
  const receipts = await sendBatch(edge, event, actor, async () => {
    requested = parametersOf(event, batch.name)
    const writes = readBatch(await readJsonBody(event))
    for (const _ of writes.slice(1)) countWrite(edge, actor, event)
    return { writes, rehearse: requested.rehearse !== undefined }
  })
  return json(
    `{"schemaVersion":${schemaVersions.research},"receipts":[` +
      `${receipts.map((receipt) => sized(receipt, requested)).join(",")}]}`,
  )
}

/** Adds the operations of the registry, and the batch. */
export function writeRoutes(edge: Edge, routes: Routes): void {
  routes.add(batch.method, batch.path, (event) => admitBatch(edge, agentCaller(edge, "research", event), event))
  routes.add(batch.method, batch.browserPath, (event) => admitBatch(edge, pageCaller(edge, event), event))
  for (const operation of operations) {
    const { method, path, family, surface } = operation
    if (surface === "agent")
      routes.add(method, path, (event) =>
        writingAgent(edge, family, event, (actor) => admit(edge, operation, actor, event)),
      )
    routes.add(method, browserPath(operation), (event) => admit(edge, operation, pageCaller(edge, event), event))
  }
}

/** Adds the actions of the registry. */
export function actionRoutes(edge: Edge, routes: Routes): void {
  for (const { method, path, name } of actions) {
    routes.add(method, path, async (event) => {
      const act = prepareAction(edge, event, name)
      const { answer, headers } = await act(method === "DELETE" && !hasBody(event) ? {} : await readJsonBody(event))
      return json(versioned(answer), 200, headers)
    })
  }
}
