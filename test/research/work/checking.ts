/**
 * A fetch that holds every answer against its definition: reads against their answer schema, writes against the receipt
 * and their own result, refusals against the codes and statuses that the OpenAPI document promises for that route.
 */
import type { Fetch } from "research-room/client"
import * as v from "valibot"
import * as answers from "../../../src/contract/answers.ts"
import { operationRefusals, readRefusals } from "../../../src/contract/discovery/possible-refusals.ts"
import { browserPath } from "../../../src/contract/operation.ts"
import { operations } from "../../../src/contract/operations/index.ts"
import { reads } from "../../../src/contract/reads/index.ts"
import { type RefusalCode, refusals } from "../../../src/contract/refusals.ts"

interface Route {
  readonly method: string
  readonly path: RegExp
  readonly name: string
  readonly answers: readonly v.GenericSchema[]
  readonly codes: readonly RefusalCode[]
}

const pattern = (path: string) => new RegExp(`^${path.replace(/\{[a-zA-Z]+\}/g, "[^/]+")}$`)

/** What the receipt of an operation holds in `result`; the rest of the receipt is looked at by `answers.receipt`. */
const withResult = (result: v.GenericSchema) => v.looseObject({ result })

const routes: readonly Route[] = [
  ...reads.map((read) => ({ method: read.method, path: pattern(read.path), name: read.name, answers: [read.answer], codes: readRefusals(read) })),
  ...operations.flatMap((operation) => {
    const checked = { method: operation.method, name: operation.name, answers: [answers.receipt, withResult(operation.result)] }
    const browser = { ...checked, path: pattern(browserPath(operation)), codes: operationRefusals(operation, "browser") }
    return operation.surface === "browser" ? [browser] : [browser, { ...checked, path: pattern(operation.path), codes: operationRefusals(operation, "agent") }]
  }),
]

const told = (issues: readonly v.BaseIssue<unknown>[]) => issues.map((issue) => `${v.getDotPath(issue) ?? ""} ${issue.message}`).join("; ")

/** What is wrong with an answer, as a sentence; undefined when nothing is. */
export function fault(method: string, path: string, status: number, answer: unknown): string | undefined {
  const route = routes.find((one) => one.method === method && one.path.test(path))
  if (route === undefined) return `${method} ${path} is no route of the contract`
  const schemas = status === 200 ? route.answers : [answers.refusal]
  const wrong = schemas.flatMap((schema) => v.safeParse(schema, answer).issues ?? [])
  if (wrong.length > 0) return `${route.name} answered ${status} in another shape: ${told(wrong)}`
  if (status === 200) return undefined
  const { refusal } = answer as { refusal: RefusalCode }
  if (!route.codes.includes(refusal)) return `${route.name} was refused ${refusal}, which its route does not promise`
  return (refusals[refusal].status as readonly number[]).includes(status) ? undefined : `${refusal} came with status ${status}`
}

/** @throws Error when an answer is not as the contract promises it */
export const checking = (fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    const text = await response.text()
    const wrong = fault(init.method ?? "GET", new URL(url).pathname, response.status, JSON.parse(text))
    if (wrong !== undefined) throw new Error(wrong)
    return new Response(text, response)
  }
