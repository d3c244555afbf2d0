/** The research by MCP: the official client, whose instructions and tools come first in the agent's context. */
import type { Input } from "../../../src/contract/definitions/requests.ts"
import { overHttp } from "../../mcp/agent.ts"
import type { Json } from "../../support/ask.ts"
import { Context } from "./context.ts"
import * as science from "./science.ts"
import type { Given, Walker } from "./walk.ts"

const text = (value: Json | undefined) => value as unknown as string
const list = (value: Json | undefined) => value as unknown as readonly Json[]

/** An agent by MCP, with what it has read. */
export async function openMcp({ baseUrl, token, wire }: Given) {
  const context = new Context(wire)
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
  async function write(input: object): Promise<Json> {
    const receipt = await call("write", input)
    context.wrote()
    return receipt
  }
  const schemas = (...operations: string[]) => call("schema", { name: operations.join(",") })
  const several = async (writes: readonly (readonly [as: string, operation: string, input: Input])[]) =>
    list((await write({ writes: writes.map(([as, operation, input]) => ({ as, operation, input })) })).receipts)
  return { context, agent, call, write, schemas, several }
}

export const mcp: Walker = async (given) => {
  const { repository } = given
  const { context, agent, call, write, schemas, several } = await openMcp(given)
  const from = (name: string, path: string) => ({ $from: name, path })
  const guardOf = (name: string) => ({
    expectedRevision: from(name, "/result/revision"),
    expectedStatus: from(name, "/result/status"),
  })

  await call("brief")
  const place = {
    roomId: context.find(/Room ([0-9a-f-]{36})/),
    threadId: context.find(/opening Thread ([0-9a-f-]{36})/),
  }
  await schemas("propose_experiment")
  const { target, result } = await write({ operation: "propose_experiment", input: science.proposal(place) })
  const experimentId = text(target?.id)

  await schemas("take_experiment", "accept_plan", "register_attempt", "report_attempt_event")
  const attemptId = context.freshId()
  const begun = await several([
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
  await write({
    operation: "report_attempt_event",
    input: science.event(attemptId, guard, "succeeded", science.outcome),
  })

  await schemas("publish_finding", "link_experiment_finding", "report_experiment_status", "post_research_checkpoint")
  const finding = from("finding", "/targetId")
  const held = { expectedRevision: planned?.revision, expectedStatus: planned?.status }
  await several([
    ["finding", "publish_finding", science.finding(place, experimentId, text(planned?.planId), attemptId)],
    ["link", "link_experiment_finding", science.link(experimentId, finding, attemptId)],
    ["completed", "report_experiment_status", science.completion(experimentId, held)],
    [
      "checkpoint",
      "post_research_checkpoint",
      science.checkpoint(place.threadId, from("completed", "/entry/sequence"), finding),
    ],
  ])
  await agent.close()
  return context
}
