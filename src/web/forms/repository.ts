/** Reads what people paste for a repository and a commit: an SSH address, and the beginning of a known commit. */
import { orNull, type Visit } from "../visit.ts"
import type { Draft } from "./draft.ts"

const SSH = /^(?:ssh:\/\/)?git@([\w.-]{1,253})[:/]([\w.-]{1,100})\/([\w.-]{1,100})\/?$/
const SHORT = /^[0-9a-f]{7,39}$/i
/** The most signs of an address that a sentence repeats. */
const MOST_SIGNS = 80
/** How many of a Room's newest attempts are read for their commits. */
const LOOKED_INTO = 30

/** The public address of a repository that is named as its server is asked by SSH; undefined for any other text. */
export function publicAddress(text: string): string | undefined {
  const [, host, owner, name = ""] = SSH.exec(text.trim()) ?? []
  return host === undefined ? undefined : `https://${host.toLowerCase()}/${owner}/${name.replace(/\.git$/, "")}`
}

/** The commits that attempts of a Room ran of a repository, with the label of an attempt. */
function commitsOf(visit: Visit, roomId: string | undefined, url: string): ReadonlyMap<string, string> {
  if (roomId === undefined) return new Map()
  const { items } = visit.ask("attempts", {}, { roomId, limit: LOOKED_INTO })
  const runs = items.flatMap(({ attemptId }) => orNull(() => visit.ask("attempt", { attemptId })) ?? [])
  return new Map(
    runs.flatMap(({ repository, label }) => (repository.url === url ? [[repository.commit, label] as const] : [])),
  )
}

/**
 * Replaces an SSH address by the public one, and a short commit by the only one of the Room's that begins with it.
 * @returns the draft, and a sentence for each text that became another
 */
export function withRepository(
  visit: Visit,
  room: () => string | undefined,
  draft: Draft,
): { readonly draft: Draft; readonly became: readonly string[] } {
  const made = new URLSearchParams(draft)
  const became: string[] = []
  for (const name of [...draft.keys()].filter((each) => each.endsWith("/repository/url"))) {
    const given = draft.get(name) ?? ""
    const url = publicAddress(given) ?? given.trim()
    if (url !== given.trim()) {
      made.set(name, url)
      became.push(`“${given.trim()}” is ${url}.`)
    }
    const place = name.replace(/url$/, "commit")
    const short = (draft.get(place) ?? "").trim().toLowerCase()
    if (!SHORT.test(short)) continue
    const [found, ...others] = [...commitsOf(visit, room(), url)].filter(([commit]) => commit.startsWith(short))
    if (found === undefined || others.length > 0) continue
    made.set(place, found[0])
    became.push(`“${short}” is ${found[0]}, which ${found[1]} ran.`)
  }
  return { draft: made, became }
}

/** Says what to write for an address or a commit that names no repository or commit; undefined for any other input. */
export function aboutRepository(at: string, given: string): string | undefined {
  const text = given.trim()
  if (text === "" || text.length > MOST_SIGNS) return undefined
  if (at.endsWith("/repository/commit"))
    return SHORT.test(text)
      ? `No commit that this Room has run begins with “${text}”. ` + `Give all of it: git rev-parse ${text} prints it.`
      : `“${text}” is not a commit. Give all of its 40 or 64 digits, as git rev-parse HEAD prints them.`
  if (!at.endsWith("/repository/url")) return undefined
  const [host = "", owner, name, ...deeper] = text.replace(/^[a-z]+:\/\//i, "").split("/")
  if (owner !== undefined && name !== undefined && deeper.length > 0)
    return `“${text}” is a page within a repository. Give the repository: https://${host}/${owner}/${name}.`
  return host.includes(".") && owner !== undefined && owner !== "" && name === undefined
    ? `“${text}” names no owner. Give the whole address: https://${host}/owner/${owner}.`
    : `“${text}” is not the address of a repository. Give the whole address, as in https://github.com/owner/name.`
}
