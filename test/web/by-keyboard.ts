/** Fills and sends forms without a mouse in an empty Room; what was accepted is read back over HTTP. */
import t from "tap"
import { type OperationName, operationOf } from "../../src/contract/operations/index.ts"
import { fill } from "../../src/web/forms/draft.ts"
import { formOf } from "../../src/web/forms/fields.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { Typist } from "./typist.ts"
import { watched } from "./watched.ts"

export const { demo, browser } = await demoInBrowser()
export const { roomId, openingThreadId: threadId } = demo.rooms.empty
export const at = `roomId=${roomId}&threadId=${threadId}`

// biome-ignore lint/suspicious/noExplicitAny: answers of every kind are looked into
type Answer = any
export const read = async (path: string): Promise<Answer> => (await fetch(`${demo.baseUrl}/api/research${path}`)).json()

/** The owner's browser, signed in, and the errors seen in it. */
export const { page, troubles } = await watched(browser, demo.baseUrl, {}, [409, 422])
await signIn(page, demo, "owner")

/** Opens a form, has it filled, and returns the id in the address that it leads to. */
export async function filled(
  operation: string,
  query: string,
  fill: (typist: Typist) => Promise<void>,
): Promise<{ id: string; typist: Typist }> {
  await page.goto(`${demo.baseUrl}/do/${operation}?${query}`)
  const typist = new Typist(page)
  const began = performance.now()
  await fill(typist)
  await page.waitForURL(/done=/)
  t.comment(
    `${operation}: ${typist.fields} fields, ${typist.keys} keys beside the text, ` +
      `${Math.round(performance.now() - began)} ms`,
  )
  return { id: new URL(page.url()).pathname.split("/").at(-1) ?? "", typist }
}

/** Writes the sentence of a statement, and waits for the words and roles that the page proposes. */
export const wholeStatement = async (typist: Typist, wording: string, of: string): Promise<void> => {
  await typist.write(of, wording)
  await page.locator("[data-structure] .tag").first().waitFor()
}

/** Counts the inputs that the schema has for an accepted body, without those that the page fills in itself. */
function inputsOf(operation: OperationName, content: object): number {
  const draft = new URLSearchParams()
  fill(draft, formOf(operationOf(operation)), "", content)
  return [...draft.keys()].filter((name) => !name.startsWith("#") && !["/roomId", "/threadId", "/kind"].includes(name))
    .length
}

/** Asserts that a form asks for at most half as many fields as the schema has inputs. */
export function isHalf(
  t: { ok(is: boolean, what: string): unknown },
  operation: OperationName,
  fields: number,
  content: object,
): void {
  const before = inputsOf(operation, content)
  t.ok(fields * 2 <= before, `${operation} asks for ${fields} fields, its schema has ${before} for the same`)
}
