/** One message of an agent over HTTP, answered for itself alone: there are no sessions, and nothing is pushed. */
import { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import type { ServiceCaller } from "./door.ts"
import { mcpServer } from "./server.ts"

export interface HttpMessageParts {
  readonly door: ServiceCaller
  readonly version: string
  readonly onFault: (error: unknown) => void
}

/** @param request its headers alone; `message`: its body, read. Agents of both eras of the protocol are answered, each in JSON. */
export async function answerHttpMessage(
  { door, version, onFault }: HttpMessageParts,
  request: Request,
  message: unknown,
): Promise<Response> {
  const made = () => mcpServer(door, version, onFault)
  // No subscription is taken: whoever waits for a change asks the activity feed with `wait`.
  if (!(await isLegacyRequest(request, message)))
    return createMcpHandler(made, { legacy: "reject", maxSubscriptions: 0 }).fetch(request, { parsedBody: message })
  const server = made()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}
