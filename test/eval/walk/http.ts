/** The research over HTTP: an agent that knows the address and its credential, and follows what it reads. */
import type { Input } from "../../../src/contract/definitions/requests.ts"
import type { Json } from "../../support/ask.ts"
import { Context } from "./context.ts"
import * as science from "./science.ts"
import type { Given, Walker } from "./walk.ts"

const text = (value: Json | undefined) => value as unknown as string
const list = (value: Json | undefined) => value as unknown as readonly Json[]

/** An agent over HTTP, with what it has read. */
export function openHttp({ baseUrl, token, wire }: Given) {
  const context = new Context(wire)
  async function ask(path: string, body?: object): Promise<string> {
    const sent = body === undefined ? "" : JSON.stringify(body)
    const response = await fetch(`${baseUrl}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: sent }),
    })
    const answer = await response.text()
    context.exchanged(`${body === undefined ? "GET" : "POST"} ${path}\n${sent}`, answer)
    if (!response.ok) throw new Error(`${path}: ${answer}`)
    return answer
  }
  /** Reads a path that it was given, with the parameters filled in. */
  const read = (path: string, given: Readonly<Record<string, string>> = {}) => {
    context.mustKnow([path], "a read")
    return ask(path.replace(/\{(\w+)\}|NAME,NAME/g, (place, name: string | undefined) => given[name ?? place] ?? ""))
  }
  const schemas = (...operations: string[]) => {
    context.mustKnow(operations, "operations")
    return read("/api/research/research-schema?compact=1&operation=NAME,NAME", { "NAME,NAME": operations.join(",") })
  }
  const whole = (input: Input) => ({
    schemaVersion: Number(context.find(/schemaVersion: (\d)/)),
    requestId: context.freshId(),
    ...input,
  })
  /** @param pattern the path as it was told, if it has ids */
  async function send(path: string, body: object, pattern = path): Promise<Json> {
    context.mustKnow([pattern, "?receipt=small"], "a write")
    context.mustKnowBody(body, path)
    const receipt = JSON.parse(await ask(`${path}?receipt=small`, body)) as Json
    context.wrote()
    return receipt
  }
  const batch = async (writes: readonly (readonly [as: string, operation: string, input: Input])[]) =>
    list(
      (
        await send("/api/agent/research/batch", {
          writes: writes.map(([as, operation, input]) => ({ as, operation, body: whole(input) })),
        })
      ).receipts,
    )
  return { context, ask, read, schemas, whole, send, batch }
}

export const http: Walker = async (given) => {
  const { repository } = given
  const { context, ask, read, schemas, whole, send, batch } = openHttp(given)
  const from = (write: string, path: string) => ({ $from: write, path })
  const guardOf = (write: string) => ({
    expectedRevision: from(write, "/result/revision"),
    expectedStatus: from(write, "/result/status"),
  })

  await ask("/llms.txt")
  await ask(new URL(context.find(/\[skill\]\(([^)]+)\)/)).pathname)
  const { room } = JSON.parse(await read("/api/agent/research/identity")) as Json
  const [roomId, threadId] = [text(room?.id), text(room?.openingThreadId)]
  await read("/api/research/rooms/{roomId}/brief?format=markdown&budget=4000", { roomId })
  await schemas("propose_experiment")
  const { target, result } = await send(
    "/api/agent/research/propose_experiment",
    whole(science.proposal({ roomId, threadId })),
  )
  const experimentId = text(target?.id)

  await schemas("take_experiment", "accept_plan", "register_attempt", "report_attempt_event")
  const attemptId = context.freshId()
  const begun = await batch([
    ["taken", "take_experiment", { experimentId, expectedRevision: result?.revision, expectedStatus: result?.status }],
    ["planned", "accept_plan", science.plan(experimentId, guardOf("taken"), repository)],
    [
      "registered",
      "register_attempt",
      science.registration(attemptId, experimentId, from("planned", "/result/planId"), guardOf("planned"), repository),
    ],
    ["started", "report_attempt_event", science.event(attemptId, guardOf("registered"), "started")],
  ])
  const [, planned, , started] = begun.map((receipt) => receipt.result)
  const guard = { expectedRevision: started?.revision, expectedStatus: started?.status }
  await send(
    "/api/agent/research/report_attempt_event",
    whole(science.event(attemptId, guard, "succeeded", science.outcome)),
  )

  await schemas("publish_finding", "link_experiment_finding", "report_experiment_status", "post_research_checkpoint")
  const finding = from("finding", "/targetId")
  await batch([
    [
      "finding",
      "publish_finding",
      science.finding({ roomId, threadId }, experimentId, text(planned?.planId), attemptId),
    ],
    ["link", "link_experiment_finding", science.link(experimentId, finding, attemptId)],
    [
      "completed",
      "report_experiment_status",
      science.completion(experimentId, { expectedRevision: planned?.revision, expectedStatus: planned?.status }),
    ],
    [
      "checkpoint",
      "post_research_checkpoint",
      science.checkpoint(threadId, from("completed", "/entry/sequence"), finding),
    ],
  ])
  return context
}
