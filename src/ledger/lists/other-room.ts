/** What stands beside a label that another Room gave (protocol, section 1). */
import { parse, type Stored, stored } from "../../contract/json.ts"

/** @param originRoomId where the label was given @param seenFrom the Room it is shown in; null outside of any */
export const fromOtherRoom = (originRoomId: string, seenFrom: string | null) =>
  seenFrom === null || originRoomId === seenFrom ? {} : { labelFromOtherRoom: true as const, originRoomId }

type Mark = ReturnType<typeof fromOtherRoom>

/** A list of labelled objects, as it is stored, with a mark beside each label. */
export const marked = <T extends object>(items: Stored<T[]>, mark: Mark): Stored<T[]> =>
  stored(JSON.stringify(parse(items).map((item) => ({ ...item, ...mark }))))

/** The mark in the stored text of one object that is shown by its label; empty where it has none. In a string it would be escaped. */
export function markIn(text: string): Mark {
  const [, originRoomId] = /"labelFromOtherRoom":true,"originRoomId":"([^"]+)"/.exec(text) ?? []
  return originRoomId === undefined ? {} : { labelFromOtherRoom: true, originRoomId }
}

/**
 * In SQL: a JSON object that shows an object by its label, and says so where another Room gave that.
 * @param members what stands in it, as json_object takes it @param origin SQL for the Room @param seenFrom likewise
 */
export const labelledObject = (members: string, origin: string, seenFrom: string): string =>
  `CASE WHEN ${origin} = ${seenFrom} THEN json_object(${members})
    ELSE json_object(${members}, 'labelFromOtherRoom', json('true'), 'originRoomId', ${origin}) END`
