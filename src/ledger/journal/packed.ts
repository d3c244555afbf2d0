/** Compact storage of ids, digests and texts in the journal: whatever other columns of the row already say is left out, and restored on reading. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** The prefix of a digest in its text form. */
export const SHA256 = "sha256:"

/** A UUID as 16 bytes; any other id as the bytes of its text, padded if they would be 16. */
export function packedId(id: string): Buffer {
  if (UUID.test(id)) return Buffer.from(id.replaceAll("-", ""), "hex")
  const bytes = Buffer.from(id)
  return bytes.length === 16 ? Buffer.concat([bytes, Buffer.alloc(1)]) : bytes
}

export const packedDigest = (digest: string): Buffer => Buffer.from(digest.slice(SHA256.length), "hex")
export const unpackedDigest = (digest: Buffer): string => SHA256 + digest.toString("hex")
/** SQL for the text of a digest: the driver returns text faster than bytes. @param column SQL for the bytes */
export const DIGEST = (column: string): string => `'${SHA256}' || lower(hex(${column}))`

interface Places {
  readonly roomId: string | null
  readonly threadId: string | null
}
const placeNames = ["threadId", "roomId"] as const

/** Packs the ids of a path. If the write's Thread or Room is the only one, just its name is stored. @param params JSON */
export const packedParams = (params: string | null, places: Places): string | null =>
  placeNames.find((name) => params === `{"${name}":"${places[name]}"}`) ?? params
export function unpackedParams(params: string | null, places: Places): string | null {
  const name = placeNames.find((each) => each === params)
  return name === undefined ? params : `{"${name}":"${places[name]}"}`
}

/** Packs what a write took from the world. For most writes that is only the id of their entry, which the row has. @param given JSON */
export const packedGiven = (given: string | null, entryId: string | null): string | null =>
  entryId !== null && given === `{"ids":["${entryId}"]}` ? null : given
export const unpackedGiven = (given: string | null, entryId: string | null): string | null =>
  given === null && entryId !== null ? `{"ids":["${entryId}"]}` : given
