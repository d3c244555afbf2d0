/** The yardstick of the pages, in a process of its own: the same framework and server, answering fixed bytes. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { H3, HTTPResponse } from "h3"
import { toNodeHandler } from "h3/node"
import { answering } from "./process.ts"

export interface Fixed {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const app = new H3()
const server = createServer((request, response) => void toNodeHandler(app)(request, response))

/** Answers a path with fixed bytes from now on, and says on which port. */
answering(async ({ path, headers, body }: Fixed): Promise<number> => {
  app.get(path, () => new HTTPResponse(body, { headers }))
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
})
