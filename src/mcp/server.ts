/** The MCP server, for any transport. A new one is made for each request or connection; it keeps no state. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server"
import { serviceName } from "../contract/versions.ts"
import { tokenPrefixes } from "../people/tokens.ts"
import type { ServiceCaller } from "./door.ts"
import { NoAnswer } from "./door.ts"
import { fillPrompt, prompts } from "./prompts.ts"
import { listResources, readResource, templatesOf } from "./resources.ts"
import { instructions } from "./skill.ts"
import { type ToolAnswer, toolError } from "./tool-answer.ts"
import type { Tool } from "./tool.ts"
import { tools, toolsOf } from "./tools.ts"

const listedTool = ({ name, description, inputSchema, isRead }: Tool) => ({
  name,
  description,
  inputSchema,
  annotations: isRead ? { readOnlyHint: true } : { destructiveHint: false },
})

const result = ({ text, isError }: ToolAnswer): CallToolResult => ({ content: [{ type: "text", text }], isError })

function missing(name: string): ToolAnswer {
  if (!tools.some((tool) => tool.name === name))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name.slice(0, 100)}.`)
  return toolError(
    `${name} is not available to you: it needs a Room credential (${tokenPrefixes.credential}…) for research, ` +
      `or a personal key (${tokenPrefixes.personalKey}…) for a Library, sent as the bearer token. ` +
      "A person issues one in the browser.",
  )
}

/** @param onFault called with an unexpected error; the agent only learns that the call failed */
export function mcpServer(door: ServiceCaller, version: string, onFault: (error: unknown) => void): Server {
  const server = new Server(
    { name: serviceName, version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: instructions(door) },
  )
  const orProtocolError = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      if (error instanceof NoAnswer) throw new ProtocolError(ProtocolErrorCode.InternalError, error.message)
      onFault(error)
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        "The service failed while it handled this request. Ask again in a moment.",
      )
    }
  }

  server.setRequestHandler("tools/list", () => ({ tools: toolsOf(door).map(listedTool) }))
  server.setRequestHandler("tools/call", ({ params: { name, arguments: input = {} } }, { mcpReq: { signal } }) =>
    orProtocolError(async () => {
      const tool = toolsOf(door).find((known) => known.name === name)
      if (tool === undefined) return result(missing(name))
      try {
        return result(await tool.call({ door, input, signal, sender: server.getClientVersion() }))
      } catch (error) {
        if (error instanceof NoAnswer) return result(toolError(error.message))
        throw error
      }
    }),
  )
  server.setRequestHandler("resources/list", ({ params }, { mcpReq: { signal } }) =>
    orProtocolError(() => listResources(door, params?.cursor, signal)),
  )
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: templatesOf(door) }))
  server.setRequestHandler("resources/read", ({ params: { uri } }, { mcpReq: { signal } }) =>
    orProtocolError(() => readResource(door, uri, signal)),
  )
  server.setRequestHandler("prompts/list", () => ({
    prompts: prompts.map(({ name, description, arguments: inputs }) => ({ name, description, arguments: inputs })),
  }))
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: input = {} } }, { mcpReq: { signal } }) =>
    orProtocolError(() => fillPrompt(door, name, input, signal)),
  )
  return server
}
