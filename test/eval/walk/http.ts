/** The working path over HTTP: an agent that knows the address and its credential, and does what it reads. */
import type { Input } from "../../../src/contract/definitions/requests.ts"
import type { Json } from "../../support/ask.ts"
import { Context } from "./context.ts"
import * as science from "./science.ts"
import type { Walker } from "./walk.ts"

const text = (value: Json | undefined) => value as unknown as string

export const http: Walker = async ({ baseUrl, token, repository }) => {
  const context = new Context()
  async function ask(path: string, body?: object): Promise<string> {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const response = await fetch(`${baseUrl}${path}`, {
      method: sent === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, ...(sent !== undefined && { "content-type": "application/json" }) },
      ...(sent !== undefined && { body: sent }),
    })
    const answer = await response.text()
    context.exchanged(`${sent === undefined ? "GET" : "POST"} ${path}\n${sent ?? ""}`, answer)
    if (!response.ok) throw new Error(`${path}: ${answer}`)
    return answer
  }
  const json = async (path: string, body?: object) => JSON.parse(await ask(path, body)) as Json
  /** Reads what stands at a path that it was told, ids put in. */
  const read = (path: string, ids: Readonly<Record<string, string>> = {}) => {
    context.mustKnow([path], "a read")
    return ask(path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ""))
  }
  async function write(operation: string, input: Input): Promise<Json> {
    const address = context.find(new RegExp("`(/api/research/[a-z-]+\\?operation=NAME&compact=1)`".replace("`(", "`GET (")))
    const isPublication = operation === "publish_finding"
    await ask(address.replace("NAME", operation).replace("research-schema", isPublication ? "publication-schema" : "research-schema"))
    return send(operation, input)
  }
  async function send(operation: string, input: Input): Promise<Json> {
    const own = operation === "publish_finding" ? context.find(/publish_finding \(`([^`]+)`\)/) : `/api/agent/research/${operation}`
    const body = { schemaVersion: 3, requestId: context.freshId(), ...input }
    context.mustKnowBody(body, operation)
    const receipt = await json(own, body)
    context.wrote()
    return receipt
  }

  await ask("/llms.txt")
  const skill = context.find(/\[skill\]\(([^)]+)\)/)
  await ask(new URL(skill).pathname)
  const identity = JSON.parse(await read("/api/agent/research/identity")) as Json
  const roomId = text(identity.room?.id)
  await read("/api/research/rooms/{roomId}/brief?format=markdown", { roomId })
  await read("/rooms/{roomId}.md", { roomId })
  const place = { roomId, threadId: context.find(/\/threads\/([0-9a-f-]{36})\.md/) }

  const guard = ({ result }: Json) => ({ expectedRevision: result?.revision, expectedStatus: result?.status })
  const proposed = await write("propose_experiment", science.proposal(place))
  const experimentId = text(proposed.targetId)
  const taken = await write("take_experiment", { experimentId, ...guard(proposed) })
  const planned = await write("accept_plan", science.plan(experimentId, guard(taken), repository))
  const planId = text(planned.result?.planId)
  const attemptId = context.freshId()
  const registered = await write("register_attempt", science.registration(attemptId, experimentId, planId, guard(planned), repository))
  const started = await write("report_attempt_event", science.event(attemptId, guard(registered), "started"))
  await send("report_attempt_event", science.event(attemptId, guard(started), "succeeded", science.outcome))
  const published = await write("publish_finding", science.finding(place, experimentId, planId, attemptId))
  const linked = await write("link_experiment_finding", science.link(experimentId, text(published.targetId), attemptId))
  await write("post_research_checkpoint", science.checkpoint(place.threadId, linked.entry?.sequence, text(published.targetId)))
  return context
}
