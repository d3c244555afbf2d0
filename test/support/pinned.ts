/**
 * Answers that code which only moves leaves as they are. A file has a line for each: its name and digests of its parts.
 * After an intended change it is written again: `PIN=1 npm run tap -- FILE`. A run that fails prints the first places
 * that differ, if an earlier run of this checkout passed.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, resolve } from "node:path"
import type { Test } from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import type { DemoPerson } from "../../src/demo/story.ts"
import { openLog } from "../../src/log.ts"
import { openStudy } from "./study.ts"

/** The length of a digest in the file. */
const SHORT = 10
/** How many differences are shown. */
const SHOWN = 10
/** The demo's clock stands here after its story, and goes on by a millisecond at each reading. */
const NOW = /2026-11-14T09:0\d:\d\d(?:\.\d+)?Z/g
/** The clock of the study stands still, but for the hours that its story passes. */
const STUDIED = Date.parse("2026-11-14T09:00:00.000Z")

export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** The demo as it is each time, with a sign-in that returns a cookie. */
export async function openSameDemo(t: Test) {
  const demo = await startDemo({ host: "127.0.0.1", port: 0, deterministic: true, log: openLog("silent") })
  t.teardown(() => demo.close())
  const signIn = async ({ username, password }: DemoPerson) => {
    const headers = { "content-type": "application/json", origin: demo.baseUrl }
    const body = JSON.stringify({ username, password })
    const { headers: answered } = await fetch(`${demo.baseUrl}/api/session`, { method: "POST", headers, body })
    return answered
      .getSetCookie()
      .map((cookie) => cookie.split(";", 1)[0])
      .join("; ")
  }
  return { ...demo, signIn }
}

/** The Room that three agents filled, which has more measurements, reproductions and corrections than the demo. */
export const openSameStudy = (t: Test) => openStudy(t, () => STUDIED)

/** A text with ids and digests numbered as they come, and without cursors, the moment and the names of built files. */
export function steady(text: string): string {
  const ids = new Map<string, string>()
  return text
    .replace(NOW, "now")
    .replace(UUID, (id) => ids.get(id) ?? ids.set(id, `id${ids.size}`).get(id) ?? "")
    .replace(/ni:\/\/\/sha-256;[\w-]{43}/g, "ni")
    .replace(/\bWy[\w-]{20,}/g, "cursor")
    .replace(/[0-9a-f]{7}…[0-9a-f]{5}|(?<=-(?:room|[A-Z]\d+)-)[0-9a-f]{8}/g, "…")
    .replace(/[0-9a-f]{64}/g, (sum) => ids.get(sum) ?? ids.set(sum, `sum${ids.size}`).get(sum) ?? "")
    .replace(/\/assets\/[^"' )]+/g, "/assets/*")
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, SHORT)

/** Compares lines with those of a file, in any order. @returns those that differ */
export function holdLines(t: Test, file: string, lines: readonly string[]): string[] {
  if (process.env.PIN === "1") writeFileSync(file, `${lines.join("\n")}\n`)
  const pinned = new Set(readFileSync(file, "utf8").trimEnd().split("\n"))
  const now = new Set(lines)
  const differ = lines.filter((line) => !pinned.has(line))
  t.same(differ, [], "nothing new or changed")
  t.same(
    [...pinned].filter((line) => !now.has(line)),
    [],
    "nothing gone",
  )
  return differ
}

/** Compares answers, by name, with those of a file. @param parts what of an answer has a digest of its own */
export function holdPinned(
  t: Test,
  file: string,
  answers: ReadonlyMap<string, string>,
  parts: (answer: string) => readonly string[] = (answer) => [answer],
): void {
  const named = new Map(
    [...answers].map(([name, answer]) => [[name, ...parts(answer).map(digest)].join(" "), name] as const),
  )
  const differ = holdLines(t, file, [...named.keys()])
  const kept = resolve(`node_modules/.cache/research-room/${basename(file)}.json`)
  const before = existsSync(kept) ? (JSON.parse(readFileSync(kept, "utf8")) as Record<string, string>) : {}
  for (const line of differ.slice(0, SHOWN)) {
    const name = named.get(line) ?? ""
    const [now = "", then = ""] = [answers.get(name), before[name]]
    const at = [...now].findIndex((each, index) => each !== then[index])
    if (then !== "") t.comment(`${name}\n  was ${then.slice(at - 80, at + 80)}\n  is  ${now.slice(at - 80, at + 80)}`)
  }
  if (differ.length > 0) return
  mkdirSync(dirname(kept), { recursive: true })
  writeFileSync(kept, JSON.stringify(Object.fromEntries(answers)))
}
