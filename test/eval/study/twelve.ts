/**
 * A reader who was not there: twelve questions about who did what, what holds and what was picked, answered from what
 * the Room says in Markdown. The answers are compared with the record as JSON, by other reads.
 */
import type { StudyRoom } from "./room.ts"

/** All that the reader fetched, by what it is. */
interface Pages {
  readonly room: string
  readonly ledger: string
  readonly feed: string
  readonly reviews: string
}

/** @throws Error if the text has no match */
function found(text: string, pattern: RegExp): readonly string[] {
  const match = pattern.exec(text)
  if (match === null) throw new Error(`nothing that was read holds ${pattern}`)
  return match.slice(1)
}
const every = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, one = ""]) => one)
const sorted = (words: Iterable<string>): string =>
  [...words].sort((one, other) => one.localeCompare(other, "en", { numeric: true })).join(", ")

/** The line of a run in the ledger. */
const run = (ledger: string, label: string): string =>
  found(ledger, new RegExp(`^- \\*\\*${label}\\*\\* (.*)$`, "mu"))[0] ?? ""
const runs = (ledger: string): readonly (readonly [label: string, line: string])[] =>
  every(ledger, /^- \*\*(A\d+)\*\* /gmu).map((label) => [label, run(ledger, label)])
/** The lines of a section of the Room's document. */
const section = (room: string, title: string): string =>
  found(room, new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, "mu"))[0] ?? ""
const finding = (room: string, label: string): string =>
  found(section(room, "Findings"), new RegExp(`^- ${label}, (.*)$`, "mu"))[0] ?? ""

interface Question {
  readonly asks: string
  readonly answer: (pages: Pages) => string
  /** What the record says, read as JSON. */
  readonly truth: (study: StudyRoom) => Promise<string>
}

/** All attempts of the Room, as JSON. */
async function attempts({ reader, roomId }: StudyRoom) {
  const { items } = await reader.read("attempts", { roomId, order: "label", limit: 50 })
  return Promise.all(items.map(({ attemptId }) => reader.read("attempt", { attemptId })))
}
const inPoints = (fraction: number): string => (100 * fraction).toFixed(2).replace("-", "−")

export const twelve: readonly Question[] = [
  {
    asks: "Who ran A4, and with how many updates?",
    answer({ ledger }) {
      const line = run(ledger, "A4")
      return [...found(line, /registrant (.+?);/u), ...found(line, /settings \(updates (\d+)\)/u)].join(", ")
    },
    async truth(study) {
      const { registrant, argv } = await study.reader.read("attempt", { attemptId: study.idOf("A4") })
      return `${registrant.username} · agent ${registrant.agent}, ${argv[argv.indexOf("--updates") + 1]}`
    },
  },
  {
    asks: "Which experiment did another agent take over, who left it, and who has it?",
    answer({ feed }) {
      const takers = Map.groupBy(feed.matchAll(/Z (\S+ · agent \S+) took (?:over )?(E\d+)/gu), ([, , label]) => label)
      return [...takers]
        .filter(([, taken]) => taken.length > 1)
        .map(([label, taken]) => `${label}: ${taken.map(([, taker]) => taker).join(" → ")}`)
        .join("; ")
    },
    async truth({ reader, roomId }) {
      const { items } = await reader.read("experiments", { roomId })
      const taken = await Promise.all(
        items.map(async ({ experimentId, label }) => {
          const history = await reader.read("experiment_history", { experimentId })
          const takers = history.items
            .filter(({ operation }) => operation === "take_experiment")
            .map(({ author }) => `${author.username} · agent ${author.agent}`)
          return takers.length > 1 ? `${label}: ${takers.join(" → ")}` : ""
        }),
      )
      return taken.filter((each) => each !== "").join("; ")
    },
  },
  {
    asks: "Who reproduced F1, in which attempts, and whose code was their own?",
    answer: ({ ledger }) =>
      runs(ledger)
        .filter(([, line]) => /reproduces \([^)]*label F1;/u.test(line))
        .map(([label, line]) => {
          const [who] = found(line, /registrant (.+?);/u)
          return `${label} ${who}${line.includes("implementation own") ? " (own code)" : ""}`
        })
        .join(", "),
    truth: async (study) =>
      (await attempts(study))
        .filter(({ reproduces }) => JSON.stringify(reproduces ?? {}).includes(study.idOf("F1")))
        .map(
          ({ label, registrant, reproduction }) =>
            `${label} ${registrant.username} · agent ${registrant.agent}` +
            (reproduction?.implementation === "own" ? " (own code)" : ""),
        )
        .join(", "),
  },
  {
    asks: "Who corrected F4, and what does it say now?",
    answer: ({ room }) =>
      found(section(room, "What changed"), /^- F4, corrected: .* is now "(.*?)"\. .*\((.*?), L\d+/mu).join(" "),
    async truth({ reader, roomId, idOf }) {
      const { items } = await reader.read("room_links", { roomId })
      const link = items.find(({ kind, target }) => kind === "corrects" && target.versionId === idOf("F4"))
      const { correction } = (link?.content ?? {}) as { correction?: string }
      return `${correction} ${link?.author.username} · agent ${link?.author.agent}`
    },
  },
  {
    asks: "Who reviewed F1, and what did they check?",
    answer: ({ reviews }) => found(reviews, /label F1; .*?author (.+?); .*verdict (\w+); checked (.+?);/u).join(": "),
    async truth({ reader, roomId, idOf }) {
      const { items } = await reader.read("room_reviews", { roomId })
      const { author, verdict, checked } = items.find(({ target }) => target.id === idOf("F1")) ?? {}
      return `${author?.username} · agent ${author?.agent}: ${verdict}: ${checked?.join(", ")}`
    },
  },
  {
    asks: "Which runs have no outcome, and whose are they?",
    answer: ({ ledger }) =>
      runs(ledger)
        .filter(([, line]) => /status (?:registered|started);/u.test(line))
        .map(([label, line]) => `${label} ${found(line, /registrant (.+?);/u)[0]}`)
        .join(", "),
    truth: async (study) =>
      (await attempts(study))
        .filter(({ status }) => status === "registered" || status === "started")
        .map(({ label, registrant }) => `${label} ${registrant.username} · agent ${registrant.agent}`)
        .join(", "),
  },
  {
    asks: "Which change helps most with 50 labels after 5,000 updates, by how much, and is it told apart?",
    answer({ room }) {
      const columns = found(room, /^ *\| arm \| (.*) \|$/mu)[0]?.split(" | ") ?? []
      const at = columns.indexOf("labels 50, updates 5000")
      const cells = [...room.matchAll(/^ *\| (\w+) \| (.*) \|$/gmu)].flatMap(([, arm = "", row = ""]) => {
        const told = row.split(" | ")[at]?.trim() ?? ""
        const [, sign = "", value, star] = /^(−?)([\d.]+) ±[\d.]+(\*?)$/u.exec(told) ?? []
        return value === undefined ? [] : [{ arm, value, signed: `${sign}${value}`, isDistinct: star === "*" }]
      })
      const best = cells.sort((one, other) => points(one.signed) - points(other.signed))[0]
      return `${best?.arm} ${best?.signed} ${best?.isDistinct === true ? "told apart" : "not told apart"}`
    },
    async truth({ reader, roomId }) {
      const asked = { metric: "error", split: "test", by: ["arm", "labels"], over: "seed", against: "arm:baseline" }
      const { groups } = await reader.read("room_measurements", { roomId, ...asked })
      const [best] = groups
        .filter(({ key, contrast, settings }) => contrast !== null && key.labels === 50 && settings.updates === 5000)
        .sort((one, other) => (one.contrast?.estimate ?? 0) - (other.contrast?.estimate ?? 0))
      const { key, contrast } = best ?? {}
      const isDistinct = contrast?.corrected?.isDistinct === true
      return `${key?.arm} ${inPoints(contrast?.estimate ?? 0)} ${isDistinct ? "told apart" : "not told apart"}`
    },
  },
  {
    asks: "Does H1 hold, by which finding, and how many other agents reproduced that?",
    answer: ({ room }) =>
      found(section(room, "Hypotheses"), /^- H1, (\w+) by .*newest: (F\d+) .*which (\d+) other agents/mu).join(", "),
    async truth(study) {
      const { verdict, verdictFrom } = await study.record("H1")
      const [first] = verdictFrom?.reproduced ?? []
      return `${verdict}, ${first?.label}, ${first?.otherAgents}`
    },
  },
  {
    asks: "Which findings could not be reproduced, and who tried?",
    answer: ({ ledger }) =>
      runs(ledger)
        .filter(([, line]) => line.includes("verdict does_not_reproduce"))
        .map(([, line]) => `${found(line, /label (F\d+);/u)[0]} ${found(line, /registrant (.+?);/u)[0]}`)
        .join(", "),
    async truth(study) {
      const { items } = await study.reader.read("room_publications", { roomId: study.roomId, kinds: ["finding"] })
      const said = await Promise.all(
        items.map(async ({ label, versionId }) => {
          const { items: evidence } = await study.reader.read("record_evidence", { versionId })
          return evidence
            .filter(({ source, verdict }) => source === "reproduction" && verdict === "does_not_reproduce")
            .map(({ author }) => `${label} ${author.username} · agent ${author.agent}`)
        }),
      )
      return said.flat().join(", ")
    },
  },
  {
    asks: "Which finding is disputed without an answer, and why?",
    answer: ({ room }) =>
      found(section(room, "Unanswered disputes and objections"), /^- (F\d+): .* Disputed by [^:]*: (.*)$/mu).join(": "),
    async truth(study) {
      const { items } = await study.reader.read("room_links", { roomId: study.roomId })
      const link = items.find(({ kind, target }) => kind === "disputes" && target.status === "disputed")
      return `${link?.target.label}: ${link?.explanation}`
    },
  },
  {
    asks: "Which runs of its experiment, made before it, does F1 not name?",
    answer({ ledger, room }) {
      const [count = "0"] = found(finding(room, "F1"), /(\d+) attempts? of its experiment (?:is|are) not named/u)
      const left = runs(ledger).filter(
        ([, line]) =>
          line.includes("experimentLabel E1") && !line.includes("reproduces (") && !/label F1; role/u.test(line),
      )
      return `${count}: ${sorted(left.map(([label]) => label))}`
    },
    async truth(study) {
      const { createdAt, content } = await study.record("F1")
      const { execution } = (content as { provenance: { execution: { attemptIds: string[] } } }).provenance
      const left = (await attempts(study)).filter(
        ({ attemptId, experimentId, registeredAt, reproduces }) =>
          experimentId === study.idOf("E1") &&
          registeredAt < createdAt &&
          reproduces === null &&
          !execution.attemptIds.includes(attemptId),
      )
      return `${left.length}: ${sorted(left.map(({ label }) => label))}`
    },
  },
  {
    asks: "Which arms were measured and stand in no finding?",
    answer({ ledger, room }) {
      const measured = runs(ledger).flatMap(([, line]) => /measured \(arm ([^;)]*)/u.exec(line)?.[1]?.split(", ") ?? [])
      const told = every(section(room, "Findings"), /error \(test\) of (\w+) − baseline/gu)
      return sorted(new Set(measured.filter((arm) => arm !== "baseline" && !told.includes(arm))))
    },
    async truth(study) {
      const { reader, roomId } = study
      const asked = { metric: "error", split: "test", by: ["arm"], over: "seed" }
      const { groups } = await reader.read("room_measurements", { roomId, ...asked })
      const { items } = await reader.read("room_publications", { roomId, kinds: ["finding"] })
      const records = await Promise.all(items.map(({ versionId }) => reader.read("record", { versionId })))
      const told = records.flatMap(({ effects }) => (effects ?? []).map(({ of }) => String(of.arm)))
      const arms = groups.map(({ key }) => String(key.arm))
      return sorted(new Set(arms.filter((arm) => arm !== "baseline" && !told.includes(arm))))
    },
  },
]

/** The most that the twelve answers may cost together, at the wire. */
export const twelveAim = 60_000

/** Reads the Room and answers all. @param change what a test does to what was read */
export async function askTwelve(study: StudyRoom, change: (text: string) => string = (text) => text) {
  const before = study.wire()
  let requests = 0
  const get = async (path: string): Promise<string> => {
    requests += 1
    const response = await fetch(`${study.baseUrl}${path}`, { headers: { "accept-encoding": "identity" } })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${text}`)
    return change(text)
  }
  const api = `/api/research/rooms/${study.roomId}`
  const pages: Pages = {
    room: await get(`/rooms/${study.roomId}.md`),
    ledger: await get(`${api}/ledger.md`),
    reviews: await get(`${api}/reviews.md`),
    feed: await get(`${api}/activity?format=lines&kinds=take_experiment`),
  }
  const told = twelve.map(({ answer }) => answer(pages))
  const bytes = study.wire() - before
  const questions = await Promise.all(
    twelve.map(async ({ asks, truth }, at) => {
      const [said = "", is] = [told[at], await truth(study)]
      return { asks, answer: said, truth: is, isRight: said === is && said !== "" }
    }),
  )
  return { questions, requests, bytes }
}

/** Points as a table prints them. */
const points = (printed: string): number => Number(printed.replace("−", "-"))
