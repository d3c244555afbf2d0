/** Parts of many answers: people, targets, the page of a list, and what may be done next. */
import * as v from "valibot"
import { anyCursor, at, count, id, optionalText } from "./fields.ts"
import { described } from "./description.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"
import { oneLine } from "../text.ts"
import { schemaVersions } from "../versions.ts"

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

export type Person = v.InferOutput<typeof person>
export type Author = v.InferOutput<typeof author>

/** A person, and how they want to be cited; null if they have not said. */
export const describedPerson = shape({
  schemaVersion,
  userId: id,
  username: v.string(),
  ...described,
  /** The instance that the person belongs to; null for this one. */
  instanceId: v.nullable(id),
})

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
