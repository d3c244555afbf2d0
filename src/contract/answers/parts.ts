/** Parts of many answers: people, targets, the page of a list, and what may be done next. */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import { schemaVersions } from "../service.ts"
import { id, optionalText, anyCursor, at, count } from "./fields.ts"
import { oneLine } from "../text.ts"
import { isObject } from "../json.ts"
import { fromOtherRoom } from "./evidence.ts"
import { enumerations } from "../schema/enumerations.ts"

// What the columns of a table of values were read as.

export const readAs = shape({
  metrics: v.array(shape({ column: v.string(), values: v.number(), missing: v.number() })),
  dimensions: v.array(v.string()),
  /** The column of the steps. */
  step: v.nullable(v.string()),
  /** Columns of times, of numbered rows, of ranges that a chart adds, and without any cell. */
  ignored: v.array(v.string()),
})
/** What the columns of a table were read as: a metric's column, or in the long form its name, with its cells. */
export type ReadAs = v.InferOutput<typeof readAs>

export const schemaVersion = v.literal(schemaVersions.research)

export const person = shape({ userId: id, username: v.string() })

/** Who wrote something, and the name of their agent at the time; null for a person in the browser. */
export const author = shape({ ...person.entries, agent: v.nullable(v.string()) })

/** An author's name as it is shown: "ada", or "ada · agent mcp". */
export const writerName = ({
  username,
  agent,
}: {
  readonly username: string
  readonly agent?: string | null | undefined
}): string => (agent == null ? username : `${username} · agent ${oneLine(agent)}`)

/** What an author is to the person behind it: "you", or "your agent mcp". */
export const writerToSelf = ({ agent }: Author): string => (agent === null ? "you" : `your agent ${oneLine(agent)}`)

/** The name of a writer in an answer of any shape; undefined for another value. */
export const writerIn = (value: unknown): string | undefined =>
  isObject(value) && typeof value.username === "string" && "userId" in value
    ? writerName({ username: value.username, agent: typeof value.agent === "string" ? value.agent : null })
    : undefined

export type Person = v.InferOutput<typeof person>
export type Author = v.InferOutput<typeof author>

/** The object that a write made or changed. In the Library, a paper has its paper id. */
export const target = shape({ kind: v.string(), id: v.string(), label: optionalText, ...fromOtherRoom })

/** A page of a list. @param more members beyond those that every page has */
export const page = <S extends v.GenericSchema, M extends v.ObjectEntries = Record<never, never>>(
  item: S,
  more: M = {} as M,
) =>
  shape({
    schemaVersion,
    items: v.array(item),
    nextCursor: anyCursor,
    hasMore: v.boolean(),
    generatedAt: at,
    links: shape({ self: v.string(), next: optionalText }),
    ...more,
  })

/** The answer of a list that is always short and has no pages. */
export function wholeList<S extends v.GenericSchema>(item: S) {
  return v.strictObject({ schemaVersion: schemaVersion, items: v.array(item) })
}

const affordance = shape({
  operation: v.string(),
  path: v.string(),
  permission: optionalText,
  by: v.string(),
  userId: v.nullable(id),
  values: v.exactOptional(v.record(v.string(), v.array(v.string()))),
})
/** What the service would accept next, and from whom, with the block to copy into the write as its guard. */
export const affordances = <S extends v.GenericSchema>(status: S) =>
  shape({ expected: shape({ expectedRevision: count, expectedStatus: status }), operations: v.array(affordance) })

// The verdict on a hypothesis: what the counted evidence says together, and where it comes from.

export const verdict = {
  /** Findings that rest on effects decide it if there are any; a dispute without an answer makes it contested. */
  verdict: v.picklist(enumerations.evidenceBearing),
  /** Null if no evidence counts. */
  verdictFrom: v.nullable(
    shape({
      /** Whether findings that rest on effects decide it. */
      basis: v.picklist(enumerations.verdictBasis),
      /** People other than its author whose statements count. */
      independent: count,
      /** The authors of the newest statements. */
      people: v.array(v.string()),
      /** Verdicts on a part of it, each with the finding's label. */
      inPart: v.array(
        shape({ part: v.string(), verdict: v.picklist(enumerations.hypothesisVerdict), label: v.string() }),
      ),
      /** The findings that count and that were run again, with what came of it. */
      reproduced: v.array(
        shape({
          versionId: id,
          label: v.string(),
          ...fromOtherRoom,
          reproductions: count,
          failedReproductions: count,
          /** Other agents than the finding's that reproduced it, and reproductions with other code. */
          otherAgents: count,
          otherCode: count,
        }),
      ),
      newest: shape({
        verdict: v.picklist(enumerations.hypothesisVerdict),
        by: shape({ kind: v.string(), id, label: v.string(), ...fromOtherRoom }),
        author,
        independent: v.boolean(),
        at,
      }),
    }),
  ),
}
export type Verdict = { readonly [M in keyof typeof verdict]: v.InferOutput<(typeof verdict)[M]> }

const bases = { effects: "measured effects", words: "what findings say" } as const

const isoDay = (at: string): string => at.slice(0, 10)

/**
 * "by measured effects; newest: F3 supports it (grace · agent mcp, another person, 2026-03-02)": where a verdict comes
 * from, in words. @param dayOf how a day is written: pages write it for people
 */
export function verdictFromInWords(
  { basis, newest, inPart, reproduced }: NonNullable<Verdict["verdictFrom"]>,
  { measured, dayOf = isoDay }: { readonly measured?: string | undefined; readonly dayOf?: typeof isoDay } = {},
): string {
  const { id: newestId, label, labelFromOtherRoom } = newest.by
  const whose = newest.independent ? "another person" : "its author"
  const from = `${writerName(newest.author)}, ${whose}, ${dayOf(newest.at)}`
  const says = (verdict: string) => (verdict === "inconclusive" ? "is inconclusive" : `${verdict} it`)
  const parts = inPart.map(({ part, verdict, label: by }) => `${by} ${says(verdict)} ${part}`)
  const partly = parts.length === 0 ? "" : `; in part: ${parts.join(", ")}`
  const other = labelFromOtherRoom === undefined ? "" : " of another Room"
  const own = reproduced.find(({ versionId }) => versionId === newestId)
  const others = reproduced.filter((each) => each !== own).map((each) => `; ${each.label}, ${reproducedInWords(each)}`)
  return [
    `${parts.length === 0 ? "" : "in part, "}by ${bases[basis]}; `,
    `newest: ${label}${other} ${says(newest.verdict)} (${from})`,
    own === undefined ? "" : `, ${reproducedInWords(own)}`,
    measured === undefined ? "" : `, measured ${measured}`,
    ...others,
    partly,
  ].join("")
}

/** "which 2 other agents reproduced, 1 with other code": what came of running a finding again. */
function reproducedInWords({
  reproductions,
  failedReproductions: failed,
  otherAgents,
  otherCode,
}: NonNullable<Verdict["verdictFrom"]>["reproduced"][number]): string {
  const who = otherAgents === 0 ? "its author alone" : `${otherAgents} other agent${otherAgents === 1 ? "" : "s"}`
  const code = otherCode === 0 ? "" : `, ${otherCode} with other code`
  const not = failed === 0 ? "" : `${failed} reproduction${failed === 1 ? "" : "s"} failed`
  if (reproductions === 0) return `of which ${not}`
  return `which ${who} reproduced${code}${not === "" ? "" : `, and of which ${not}`}`
}
/** "F1 reproduced by 2 other agents": which of the findings behind a verdict others reproduced; null if none. */
export function reproducedByOthers({ reproduced }: NonNullable<Verdict["verdictFrom"]>): string | null {
  const found = reproduced.flatMap(({ label, otherAgents }) =>
    otherAgents === 0 ? [] : `${label} reproduced by ${otherAgents} other agent${otherAgents === 1 ? "" : "s"}`,
  )
  return found.length === 0 ? null : found.join(", ")
}
export const verdictInWords = ({ verdict, verdictFrom }: Verdict): string =>
  verdictFrom === null ? verdict : `${verdict} ${verdictFromInWords(verdictFrom)}`
