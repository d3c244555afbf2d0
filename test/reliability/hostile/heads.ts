/** Attacks in the head of a request: queries, cookies, headers and tokens, each as expensive as a head may be. */
import { sessionCookie } from "../../../src/contract/operations/actions.ts"
import { pathNames } from "../../../src/contract/definitions/operation.ts"
import { type Anchors, known } from "../fuzz/anchors.ts"
import { type Ground, proofLines } from "../fuzz/ground.ts"
import { type Shot, soundly } from "../fuzz/shot.ts"
import { type Target, targetsWith } from "../fuzz/targets.ts"

/** Characters of a head that are certainly read. */
const HEAD = 13_000

const times = (count: number, made: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => made(index))
const upTo = (text: string): string => text.slice(0, HEAD)

/** The address of a target about existing objects; null if no fitting object is known. */
export function addressOf(target: Target, anchors: Anchors, pick = 0): string | null {
  const names = pathNames(target.path)
  const choices = names.map((name) => known(anchors, name))
  if (choices.some((values) => values.length === 0)) return null
  return names.reduce((path, name, at) => {
    const values = choices[at] as readonly unknown[]
    return path.replace(`{${name}}`, encodeURIComponent(String(values[pick % values.length])))
  }, target.path)
}

/** A valid request without a body, with additions. */
export function askShot(
  ground: Ground,
  attack: string,
  target: Target,
  path: string,
  lines: readonly string[] = [],
  proof?: string,
): Shot {
  const own = target.isOfAccounts ? ground.spare : (ground.proofs[target.caller][0] ?? "")
  return soundly(attack, target, {
    method: target.method,
    target: path,
    host: ground.host,
    headers: [...proofLines(target.caller, proof ?? own, ground.baseUrl, target.method), ...lines],
  })
}

export const reading = targetsWith(({ method, isOfAccounts }) => method === "GET" && !isOfAccounts)

const queries: Readonly<Record<string, (names: readonly string[], anchors: Anchors) => string>> = {
  "a thousand parameters": () => upTo(times(2_200, (at) => `${at}=`).join("&")),
  "one parameter, over and over": (names) => upTo(`${names[0] ?? "a"}=1&`.repeat(3_000)),
  "each parameter very long": (names) =>
    upTo(names.map((name) => `${name}=${"a".repeat(HEAD / Math.max(1, names.length) - 20)}`).join("&")),
  "lists within parameters": (names) =>
    upTo(names.map((name) => `${name}=${"message,".repeat(HEAD / 8 / Math.max(1, names.length) - 4)}`).join("&")),
  "ids within parameters": (_, anchors) =>
    upTo(
      `ids=${times(340, (at) =>
        String(known(anchors, "attemptId")[at % Math.max(1, known(anchors, "attemptId").length)] ?? at),
      ).join(",")}`,
    ),
  escapes: (names) => upTo(`${names[0] ?? "query"}=${"%F0%9D%94%9E".repeat(1_000)}`),
  "the largest numbers": (names) => names.map((name) => `${name}=9007199254740991`).join("&"),
  "the deepest graph": () => "depth=5&limit=50",
}

/** Every read and page with every costly query. */
export const queryShots = (ground: Ground): Shot[] =>
  reading.flatMap((target) => {
    const path = addressOf(target, ground.agents)
    if (path === null) return []
    const names = Object.keys(target.query).filter((name) => name !== "wait")
    return Object.entries(queries).map(([name, made]) =>
      askShot(ground, `query: ${name}`, target, `${path}?${made(names, ground.agents)}`),
    )
  })

/** Words for a search: common ones, repeated, as prefixes, as syntax. */
const searched = [
  "z",
  "zz",
  "zz zz zz",
  "zz ".repeat(66),
  "z ".repeat(100),
  "zz yy ".repeat(33),
  "zz*",
  "a e i o u",
  times(66, (at) => `z${at % 10}`).join(" "),
  "x".repeat(200),
  "𝔞".repeat(200),
  '"zz zz" '.repeat(25),
  "(".repeat(200),
  "NEAR(zz zz, 9)",
]

/** Every read and page that searches by words. */
export const searchShots = (ground: Ground): Shot[] =>
  reading
    .filter(({ query, name }) => Object.hasOwn(query, "query") || /search/.test(name))
    .flatMap((target) => {
      const path = addressOf(target, ground.agents)
      return path === null
        ? []
        : searched.map((words) =>
            askShot(ground, "search", target, `${path}?query=${encodeURIComponent(words.slice(0, 200))}`),
          )
    })

const crowdedHeads: Readonly<Record<string, readonly string[]>> = {
  "a thousand cookies": [`Cookie: ${upTo(times(1_800, (at) => `c${at}=`).join("; "))}`],
  "one cookie, over and over": [`Cookie: ${upTo(`${sessionCookie}=x; `.repeat(600))}`],
  "a cookie of escapes": [`Cookie: ${sessionCookie}=${upTo("%41".repeat(4_200))}`],
  "many small headers": times(1_200, (at) => `X${at}: a`),
  "one header, over and over": times(1_100, () => "Accept: a/b"),
  "kinds of answer": [`Accept: ${upTo("a/b;q=0.1,".repeat(1_300))}`],
  encodings: [`Accept-Encoding: ${upTo("br;q=0.1,gzip,".repeat(900))}`],
  languages: [`Accept-Language: ${upTo("en;q=0.1,".repeat(1_400))}`],
  tags: [`If-None-Match: ${upTo('W/"a",'.repeat(2_100))}`],
  ranges: [`Range: bytes=${upTo("0-1,".repeat(3_200))}`],
  forwarders: [`X-Forwarded-For: ${upTo("1.2.3.4,".repeat(1_600))}`, `Forwarded: ${"for=1.2.3.4,".repeat(20)}`],
}

export const headShots = (ground: Ground): Shot[] =>
  reading.flatMap((target) => {
    const path = addressOf(target, ground.agents)
    if (path === null || target.caller === "session")
      return path === null ? [] : crowd(ground, { ...target, caller: "anyone" }, path)
    return crowd(ground, target, path)
  })

const crowd = (ground: Ground, target: Target, path: string): Shot[] =>
  Object.entries(crowdedHeads).map(([name, lines]) => ({
    ...askShot(ground, `head: ${name}`, target, path, lines),
    target: null,
    isSound: false,
  }))

/** Tokens of every odd shape, at every address that requires one. */
export function tokenShots(ground: Ground): Shot[] {
  const digits = "0".repeat(36)
  const odd = [
    "x",
    `rrc_${digits}`,
    `rrk_${digits}`,
    `rru_${digits}`,
    `rrc_${"a".repeat(12_000)}`,
    `rrk_${"é".repeat(3_000)}`,
    "rrc_",
    "a b",
    "=".repeat(8_000),
  ]
  return targetsWith(({ caller }) => caller === "credential" || caller === "key").flatMap((target) => {
    const path = addressOf(target, ground.agents)
    return path === null ? [] : odd.map((token) => askShot(ground, "token", target, path, [], token))
  })
}
