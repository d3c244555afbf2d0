/** The working path by MCP: the official client, whose instructions and tools are the first things in the agent's context. */
import type { Input } from "../../../src/contract/definitions/requests.ts"
import { overHttp } from "../../mcp/agent.ts"
import type { Json } from "../../support/ask.ts"
import { Context } from "./context.ts"
import * as science from "./science.ts"
import type { Walker } from "./walk.ts"

const text = (value: Json | undefined) => value as unknown as string

export const mcp: Walker = async ({ baseUrl, token, repository }) => {
  const context = new Context()
  const agent = await overHttp(baseUrl, token)
  context.exchanged("initialize", agent.client.getInstructions() ?? "")
  context.exchanged("tools/list", JSON.stringify((await agent.client.listTools()).tools))
  async function call(tool: string, input: object = {}): Promise<Json> {
    context.mustKnow([`"${tool}"`], "a tool")
    context.mustKnowBody(input, tool)
    const { text: told, isError, body } = await agent.call(tool, input)
    context.exchanged(JSON.stringify({ name: tool, arguments: input }), told)
    if (isError) throw new Error(`${tool}: ${told}`)
    return body
  }
  async function write(operation: string, input: Input): Promise<Json> {
    await call("schema", { name: operation })
    return send(operation, input)
  }
  async function send(operation: string, input: Input): Promise<Json> {
    const receipt = await call("write", { operation, input })
    context.wrote()
    return receipt
  }

  const { room } = await call("whoami")
  const roomId = text(room?.id)
  await call("brief", { roomId })
  await call("open", { roomId })
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
  await agent.close()
  return context
}
