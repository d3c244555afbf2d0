/** Values that exist: every id, label, cursor and expectation that the service returns, by its name in the answer. */
import { pathNames } from "../../../src/contract/definitions/operation.ts"
import type { Target } from "./targets.ts"

export type Anchors = ReadonlyMap<string, readonly unknown[]>
type Growing = Map<string, unknown[]>

const MOST = 24

/** Objects kept whole under their name, besides their members. */
const wholes: ReadonlySet<string> = new Set(["repository", "expected"])

function put(anchors: Growing, name: string, value: unknown): void {
  const known = anchors.get(name) ?? []
  anchors.set(name, known)
  const text = JSON.stringify(value)
  if (known.length < MOST && !known.some((each) => JSON.stringify(each) === text)) known.push(value)
}

/** Experiments and attempts with their present revision and status. */
export const situations = "situations"

/**
 * Collects the values of an answer; a list's values are kept under the singular name (`versionIds` gives a
 * `versionId`).
 */
export function gather(anchors: Growing, value: unknown, name = ""): void {
  if (Array.isArray(value)) {
    for (const inner of value) gather(anchors, inner, name.replace(/s$/, ""))
  } else if (typeof value === "object" && value !== null) {
    if (wholes.has(name)) put(anchors, name, value)
    const { affordances, experimentId, attemptId } = value as Partial<Record<string, { expected?: object } & string>>
    // The expectations for a write on it: each with its own, or every one of them would be stale.
    if (affordances?.expected !== undefined)
      put(anchors, situations, { ...(attemptId ? { attemptId } : { experimentId }), ...affordances.expected })
    for (const [member, inner] of Object.entries(value)) gather(anchors, inner, member)
  } else if (typeof value === "number" || (typeof value === "string" && value.length <= 200)) put(anchors, name, value)
}

/** Other names: an id comes as `versionId` and is used as `targetVersionId`. */
const elsewhere: Readonly<Record<string, string>> = {
  expectedWatermark: "timelineWatermark",
  coversThrough: "timelineWatermark",
  targetEntryId: "entryId",
  replyToEntryId: "entryId",
  rerunOf: "attemptId",
  versionIds: "versionId",
  after: "nextCursor",
  offset: "nextOffset",
  findingVersionId: "versionId",
  targetVersionId: "versionId",
  replacementVersionId: "versionId",
  replyToNoteId: "noteId",
  throughNoteId: "noteId",
  arxivIds: "arxivId",
  hypotheses: "versionId",
  citations: "versionId",
  key: "key",
}

/** The known values of a name. */
export const known = (anchors: Anchors, name: string): readonly unknown[] => {
  const found = anchors.get(name) ?? anchors.get(elsewhere[name] ?? "") ?? []
  return found.length > 0 ? found : (anchors.get(name.replace(/s$/, "")) ?? [])
}

type Ask = (path: string, target: Target) => Promise<unknown>

/** The paths of a read with known values filled in; none while too few are known. */
function pathsOf(target: Target, anchors: Anchors): string[] {
  const names = pathNames(target.path)
  const choices = names.map((name) => known(anchors, name))
  if (choices.some((values) => values.length === 0)) return []
  return [0, 1, 2, 3].map((pick) =>
    names.reduce(
      (path, name, index) =>
        path.replace(`{${name}}`, encodeURIComponent(String(choices[index]?.[pick % (choices[index]?.length ?? 1)]))),
      target.path,
    ),
  )
}

/** Sends every read for all known values, with one item per page, and again as more values become known. */
export async function explore(
  reads: readonly Target[],
  ask: Ask,
  begin: Readonly<Record<string, readonly unknown[]>>,
): Promise<Anchors> {
  const anchors: Growing = new Map()
  const seen = new Set<string>()
  for (const [name, values] of Object.entries(begin)) for (const value of values) put(anchors, name, value)
  for (let round = 0; round < 3; round += 1) {
    for (const target of reads) {
      const paging = Object.hasOwn(target.query, "limit") ? "?limit=1" : ""
      for (const path of pathsOf(target, anchors)) {
        if (seen.has(`${target.name} ${path}`)) continue
        seen.add(`${target.name} ${path}`)
        gather(anchors, await ask(path + paging, target))
      }
    }
  }
  return anchors
}
