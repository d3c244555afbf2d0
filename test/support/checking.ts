/**
 * A fetch that checks every answer against the contract, and every refusal against the codes that its route declares in
 * the OpenAPI document.
 */
import type { Fetch } from "research-room/client"
import { operationRefusals, readRefusals } from "../../src/discovery/openapi-parts.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { reads } from "../../src/contract/reads/index.ts"
import type { RefusalCode } from "../../src/contract/refusals.ts"
import { holdToContract } from "./contract.ts"

interface Route {
  readonly method: string
  readonly path: RegExp
  readonly name: string
  readonly codes: readonly RefusalCode[]
}

const pattern = (path: string) => new RegExp(`^${path.replace(/\{[a-zA-Z]+\}/g, "[^/]+")}$`)
const routes: readonly Route[] = [
  ...reads.map((read) => ({
    method: read.method,
    path: pattern(read.path),
    name: read.name,
    codes: readRefusals(read),
  })),
  ...operations.map((operation) => ({
    method: operation.method,
    path: pattern(operation.path),
    name: operation.name,
    codes: operationRefusals(operation, operation.surface === "agent" ? "agent" : "browser"),
  })),
]

/** @throws Error for a refusal that the route does not declare */
function mustBePromised(method: string, path: string, { refusal }: { refusal: RefusalCode }): void {
  const route = routes.find((one) => one.method === method && one.path.test(path))
  if (route?.codes.includes(refusal) === false)
    throw new Error(`${route.name} was refused ${refusal}, which its route does not promise`)
}

/** @throws Error if an answer does not match the contract */
export const checking =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    const text = await response.text()
    const { pathname, searchParams } = new URL(url)
    const method = init.method ?? "GET"
    holdToContract(method, pathname, response, text, searchParams)
    if (!response.ok) mustBePromised(method, pathname, JSON.parse(text) as { refusal: RefusalCode })
    return new Response(text, response)
  }
