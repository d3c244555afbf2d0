/** The members that mark a label as given by another Room (protocol, section 1). */
import { parse, type Stored, stored } from "../../contract/json.ts"

/**
 * @param originRoomId the Room that gave the label @param seenFrom the Room in which it is shown; null outside of any
 * Room
 */
export const fromOtherRoom = (originRoomId: string, seenFrom: string | null) =>
  seenFrom === null || originRoomId === seenFrom ? {} : { labelFromOtherRoom: true as const, originRoomId }

type Mark = ReturnType<typeof fromOtherRoom>

/** Adds a mark to each item of a stored list of labelled objects. */
export const marked = <T extends object>(items: Stored<T[]>, mark: Mark): Stored<T[]> =>
  stored(JSON.stringify(parse(items).map((item) => ({ ...item, ...mark }))))

/**
 * Reads the mark from the JSON text of an object; empty if it has none. Within a string value, its quotes would be
 * escaped.
 */
export function markIn(text: string): Mark {
  const [, originRoomId] = /"labelFromOtherRoom":true,"originRoomId":"([^"]+)"/.exec(text) ?? []
  return originRoomId === undefined ? {} : { labelFromOtherRoom: true, originRoomId }
}

/**
 * SQL for a JSON object that shows a labelled object, with a mark if another Room gave the label.
 * @param members SQL arguments for json_object @param origin SQL for the Room that gave the label @param seenFrom SQL
 * for the Room in which it is shown
 */
export const labelledObject = (members: string, origin: string, seenFrom: string): string =>
  `CASE WHEN ${origin} = ${seenFrom} THEN json_object(${members})
    ELSE json_object(${members}, 'labelFromOtherRoom', json('true'), 'originRoomId', ${origin}) END`
