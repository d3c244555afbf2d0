/** What stands beside a label that another Room gave (protocol, section 1). */

/** @param originRoomId where the label was given @param seenFrom the Room it is shown in; null outside of any */
export const fromOtherRoom = (originRoomId: string, seenFrom: string | null) =>
  seenFrom === null || originRoomId === seenFrom ? {} : { labelFromOtherRoom: true as const, originRoomId }

/** The same as two members of an SQL object, to be taken out by `withoutNulls` where the Rooms are one. */
export const FROM_OTHER_ROOM = (origin: string, seenFrom: string): string =>
  `'labelFromOtherRoom', json(iif(${origin} = ${seenFrom}, 'null', 'true')), 'originRoomId', iif(${origin} = ${seenFrom}, NULL, ${origin})`

/** Takes those members out of JSON text where they say nothing. */
export const withoutNulls = (text: string): string => text.replaceAll(',"labelFromOtherRoom":null,"originRoomId":null', "")
