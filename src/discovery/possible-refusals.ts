/** Derives the refusals that a route can answer with from its definition. */
import * as v from "valibot"
import { uploadFigure } from "../contract/definitions/attachments.ts"
import type { Action } from "../contract/operations/actions.ts"
import { unknownIn, unknownOf } from "../contract/objects/objects.ts"
import { type Operation, pathNames } from "../contract/definitions/operation.ts"
import type { Read } from "../contract/definitions/read.ts"
import { refersIn } from "../contract/schema/parts.ts"
import { type Circumstance, refusalCodes, codeIn, type RefusalCode, refusals } from "../contract/refusals.ts"
import { states } from "../contract/states.ts"
import type { Family } from "../contract/service.ts"

interface Facts {
  readonly family: Family
  readonly circumstances: readonly (Circumstance | false)[]
  readonly path: string
  /** The schema of the body or the query. */
  readonly input: v.GenericSchema
  /** The codes that the definition lists. */
  readonly own: readonly RefusalCode[]
}

/** The codes that apply, in the order of the table and under the family's names. */
function codes({ family, circumstances, path, input, own }: Facts): RefusalCode[] {
  const inPath = pathNames(path)
  const here = new Set(circumstances)
  here.add("any")
  const isOwn = (code: RefusalCode) => refusals[code].family === undefined || family === "library"
  if (!inPath.every((name) => unknownIn(name).some((code) => isOwn(code) && code !== "room_unavailable")))
    here.add("subject")
  const unknown = new Set([
    ...inPath.flatMap(unknownIn).filter(isOwn),
    ...refersIn(input).flatMap(({ refers }) => (refers.isSubject ? refers.named.map(unknownOf) : [])),
  ])
  const fits = (code: RefusalCode) =>
    own.includes(code) || unknown.has(code) || refusals[code].when?.some((circumstance) => here.has(circumstance))
  return [...new Set(refusalCodes.filter(fits).map((code) => codeIn(code, family)))]
}

/** The possible refusals of an operation, for an agent or, on the browser's path, for a person. */
export function operationRefusals(operation: Operation, caller: "agent" | "browser"): RefusalCode[] {
  const { family, path, body, permissions, by, archived, expected, refusals: own } = operation
  const inRooms = family === "research"
  const named = refersIn(body)
  const steps = states.experiment.transitions.filter((transition) => transition.operation === operation.name)
  const isAgent = caller === "agent"
  const inRoom = pathNames(path).length > 0 || named.length > 0
  return codes({
    family,
    circumstances: [
      "origin",
      "caller",
      "body",
      "query",
      "delivery",
      inRooms && by !== "person" && "membership",
      (by === "owner" || steps.some((step) => step.by === "proposer")) && "role",
      inRooms && isAgent && "scope",
      isAgent && permissions.length > 0 && "permission",
      named.some(({ refers }) => !refers.isSubject) && "reference",
      expected.length > 0 && "expectation",
      steps.length > 0 && "assignment",
    ],
    path,
    input: body,
    own: [
      ...own,
      ...(inRooms && inRoom ? (["room_mirrored"] as const) : []),
      ...(inRoom && archived !== "admitted" ? [archived] : []),
    ],
  })
}

const nothing = v.object({})
/** The possible refusals of an upload of a picture. */
export const uploadRefusals = (caller: "agent" | "browser"): RefusalCode[] =>
  codes({
    family: "research",
    circumstances: ["origin", "caller", "body", caller === "agent" && "permission"],
    path: uploadFigure.path,
    input: nothing,
    own: [],
  })
export const figureRefusals = codes({
  family: "research",
  circumstances: [],
  path: "",
  input: nothing,
  own: ["unknown_figure"],
})

export const actionRefusals = ({ path, body, by, refusals: own }: Action): RefusalCode[] =>
  codes({ family: "research", circumstances: ["origin", "body", by !== "anyone" && "caller"], path, input: body, own })

/** @param caller an agent, or a person on the browser's path */
export function readRefusals(
  { family, path, permissions, query, surface, refusals: own }: Read,
  caller: "agent" | "browser" = "agent",
): RefusalCode[] {
  const ofRoom =
    family === "research" && pathNames(path).some((name) => name !== "userId" && unknownIn(name).length > 0)
  const credential = (surface === "credential" || surface === "key") && caller === "agent"
  const session = surface === "session" || (surface === "key" && caller === "browser")
  return codes({
    family,
    circumstances: [
      "query",
      (credential || session) && "caller",
      credential && "origin",
      credential && permissions.length > 0 && "permission",
      credential && ofRoom && "scope",
      session && ofRoom && "membership",
    ],
    path,
    input: query,
    own,
  })
}

/** The refusals possible on any path, before its route runs. */
export const httpRefusals: readonly RefusalCode[] = refusalCodes.filter((code) => refusals[code].when?.includes("http"))

/** Groups codes by HTTP status, in ascending order. */
export function byStatus(found: readonly RefusalCode[]): [status: number, codes: RefusalCode[]][] {
  const groups = new Map<number, RefusalCode[]>()
  for (const code of found)
    for (const status of refusals[code].status) groups.getOrInsertComputed(status, () => []).push(code)
  return [...groups].sort(([one], [other]) => one - other)
}
