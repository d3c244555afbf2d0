/**
 * Attacks by bodies: JSON and forms that are expensive to read, in one piece or in chunks, with and without permission.
 */
import { bytesOf, type Shot, shot } from "../fuzz/shot.ts"
import { type Ground, proofLines } from "../fuzz/ground.ts"
import { type Target, targetsWith } from "../fuzz/targets.ts"
import { operationNamed } from "../../../src/contract/operations/index.ts"
import { limits } from "../../../src/contract/limits.ts"
import { fill } from "../../../src/web/forms/draft.ts"
import { formOf } from "../../../src/web/forms/fields.ts"
import type { Chance } from "../support/chance.ts"
import { addressOf } from "./heads.ts"
import { planted, textsFor } from "./planted.ts"
import { junk } from "./junk.ts"

/** Bytes of a body just below the limit. */
const MOST = limits.requestBodyBytes - 1_000
const full = (unit: string, close = ""): string => unit.repeat(Math.floor((MOST - close.length) / unit.length)) + close

const forms: Readonly<Record<string, () => string>> = {
  "thousands of fields": () => Array.from({ length: 80_000 }, (_, at) => `${at}=a`).join("&"),
  "one field, over and over": () => full("a=b&"),
  pointers: () => full("%2Fassertion%2Froles%2F0=a&"),
  "pointers as deep as they go": () => `${full("%2F0", "=a")}`,
  "empty fields": () => full("&"),
  escapes: () => `a=${full("%41").slice(0, -10)}`,
  counts: () => Array.from({ length: 40_000 }, (_, at) => `%23%2F${at}=200`).join("&"),
  "all lists at their longest": () => Array.from({ length: 30_000 }, (_, at) => `%23%2Fa%2F${at}=1e9`).join("&"),
}

const small = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

/** A body in chunks of a few bytes. */
function inChunks(text: string, size: number): string {
  return `${small(text, size)
    .map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`)
    .join("")}0\r\n\r\n`
}

interface Way {
  readonly isIn: boolean
  readonly isChunked: boolean
}
const ways: readonly Way[] = [
  { isIn: false, isChunked: false },
  { isIn: true, isChunked: false },
  { isIn: true, isChunked: true },
]

function junkShot(ground: Ground, target: Target, name: string, body: string, { isIn, isChunked }: Way): Shot[] {
  const path = addressOf(target, ground.people) ?? addressOf(target, ground.agents)
  if (path === null) return []
  const proof = target.isOfAccounts ? ground.spare : (ground.proofs[target.caller][0] ?? "")
  const headers = [
    ...(isIn
      ? proofLines(target.caller, proof, ground.baseUrl, target.method)
      : target.takesForm
        ? [`Origin: ${ground.baseUrl}`]
        : []),
    `Content-Type: application/${target.takesForm ? "x-www-form-urlencoded" : "json"}`,
    ...(isChunked ? ["Transfer-Encoding: chunked"] : []),
  ]
  const bytes = bytesOf({
    method: target.method,
    target: path,
    host: ground.host,
    headers,
    body: isChunked ? inChunks(body.slice(0, 60_000), 3) : body,
  })
  // If a request is refused before its body is read, the sender may find the connection closed.
  return [
    shot({
      attack: `body: ${name}${isIn ? "" : ", not signed in"}`,
      target: null,
      path,
      pieces: [bytes],
      methods: [target.method],
      isSound: false,
      ending: "keep",
    }),
  ]
}

/** Every route that accepts a body, with invalid bodies; `some` of all. */
export function junkShots(ground: Ground, chance: Chance, some: number): Shot[] {
  const takers = targetsWith(({ body, takesForm }) => body !== null || takesForm)
  // Made one by one: all of them at once would take a gigabyte.
  return Array.from({ length: some }, (_, at) => {
    const target = takers[(at * 7 + chance.between(0, 6)) % takers.length] as Target
    const [name, made] = chance.of(Object.entries(target.takesForm ? forms : junk)) as [string, () => string]
    return junkShot(ground, target, name, made(), chance.of(ways) as Way)
  }).flat()
}

/** The fields that a browser would send for a body. */
function draftOf(target: Target, body: object): URLSearchParams {
  const operation = operationNamed(target.path.split("/").at(-1) ?? "")
  const draft = new URLSearchParams()
  if (operation === undefined) return draft
  for (const field of formOf(operation).fields)
    fill(draft, field, `/${field.name}`, (body as Record<string, unknown>)[field.name])
  return draft
}

/** Previews of each costly text, by a caller who is not signed in. */
export const previewShots = (ground: Ground): Shot[] =>
  textsFor(null).map(({ name, text }) =>
    shot({
      attack: `looked at, not signed in: ${name}`,
      target: null,
      path: "/web/post_message",
      pieces: [
        bytesOf({
          method: "POST",
          target: "/web/post_message",
          host: ground.host,
          headers: [`Origin: ${ground.baseUrl}`, "Content-Type: application/x-www-form-urlencoded"],
          body: new URLSearchParams({
            "/text": text,
            _preview: "1",
            threadId: ground.cast.rooms.main.openingThreadId,
          }).toString(),
        }),
      ],
      methods: ["POST"],
      isSound: false,
      ending: "keep",
    }),
  )

/** The form of every operation with costly texts in it: previewed, made longer, made shorter, sent. */
export function formShots(ground: Ground, chance: Chance, each: number): Shot[] {
  return targetsWith(({ takesForm, body }) => takesForm && body !== null).flatMap((target) =>
    Array.from({ length: each }, () => {
      const text = chance.of(textsFor(target.body))
      const example = operationNamed(target.path.split("/").at(-1) ?? "")?.example ?? {}
      const draft = draftOf(target, text === undefined ? {} : planted(example, target.body ?? {}, text))
      const lists = [...draft.keys()].filter((name) => name.startsWith("#")).map((name) => name.slice(1))
      const button = chance.of(["_preview", "_preview", "_preview", "_add", "_remove"]) as string
      draft.set(button, button === "_preview" ? "1" : button === "_add" ? (lists[0] ?? "/x") : `${lists[0] ?? "/x"}/0`)
      const isIn = chance.oneIn(2)
      const headers = [
        ...(isIn
          ? proofLines("session", ground.proofs.session[0] ?? "", ground.baseUrl, "POST")
          : [`Origin: ${ground.baseUrl}`]),
        "Content-Type: application/x-www-form-urlencoded",
      ]
      const bytes = bytesOf({ method: "POST", target: target.path, host: ground.host, headers, body: draft.toString() })
      const attack = `form${isIn ? "" : ", not signed in"}: ${text?.name ?? ""}`
      return shot({
        attack,
        target,
        path: target.path,
        pieces: [bytes],
        methods: ["POST"],
        isSound: true,
        ending: "keep",
      })
    }),
  )
}
