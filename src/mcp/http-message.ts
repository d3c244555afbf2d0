/** Answers one MCP message over HTTP. There are no sessions and no server messages. */
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import type { ServiceCaller } from "./door.ts"
import { mcpServer } from "./server.ts"

/**
 * @param request only its headers are used @param message its parsed body. Agents of the older and the newer protocol
 * both get JSON.
 */
export async function answerHttpMessage(
  door: ServiceCaller,
  version: string,
  onFault: (error: unknown) => void,
  request: Request,
  message: unknown,
): Promise<Response> {
  const makeServer = () => mcpServer(door, version, onFault)
  // Subscriptions are not supported: an agent waits for changes with the activity feed's `wait`.
  if (!(await isLegacyRequest(request, message)))
    return createMcpHandler(makeServer, { legacy: "reject", maxSubscriptions: 0 }).fetch(request, {
      parsedBody: message,
    })
  const server = makeServer()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}
