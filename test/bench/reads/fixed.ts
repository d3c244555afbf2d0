/** The baseline of the pages, in a process of its own: the same framework and server, answering fixed bytes. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { H3, HTTPResponse } from "h3"
import { toNodeHandler } from "h3/node"
import { answering } from "../process.ts"

export interface Fixed {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The address of the fixed answer. */
export interface Fixture {
  readonly port: number
  readonly path: string
}

const app = new H3()
const server = createServer((request, response) => void toNodeHandler(app)(request, response))
const listening = new Promise<number>((resolve) =>
  server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
)
let made = 0

answering(async ({ headers, body }: Fixed): Promise<Fixture> => {
  const path = `/fixed/${made++}`
  app.get(path, () => new HTTPResponse(body, { headers }))
  return { port: await listening, path }
})
