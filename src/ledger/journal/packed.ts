/** How the journal keeps ids, digests and texts small: what a row says already is left out, and put back as it is read. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** What a digest begins with, where it is text. */
export const SHA256 = "sha256:"

/** A UUID as 16 bytes; any other id as the bytes of its text, of which there are never 16. */
export function packedId(id: string): Buffer {
  if (UUID.test(id)) return Buffer.from(id.replaceAll("-", ""), "hex")
  const bytes = Buffer.from(id)
  return bytes.length === 16 ? Buffer.concat([bytes, Buffer.alloc(1)]) : bytes
}

export const packedDigest = (digest: string): Buffer => Buffer.from(digest.slice(SHA256.length), "hex")
export const unpackedDigest = (digest: Buffer): string => SHA256 + digest.toString("hex")
/** SQL for the same: the driver hands over a text faster than bytes. @param column of a row that has one */
export const DIGEST = (column: string): string => `'${SHA256}' || lower(hex(${column}))`

interface Places {
  readonly roomId: string | null
  readonly threadId: string | null
}
const placeNames = ["threadId", "roomId"] as const

/** The ids in a path. Where its Thread or Room is the only one, the name alone. @param params JSON */
export const packedParams = (params: string | null, places: Places): string | null =>
  placeNames.find((name) => params === `{"${name}":"${places[name]}"}`) ?? params
export function unpackedParams(params: string | null, places: Places): string | null {
  const name = placeNames.find((each) => each === params)
  return name === undefined ? params : `{"${name}":"${places[name]}"}`
}

/** What the world gave. Of most writes that is the id of their entry, and nothing else. @param given JSON */
export const packedGiven = (given: string | null, entryId: string | null): string | null =>
  entryId !== null && given === `{"ids":["${entryId}"]}` ? null : given
export const unpackedGiven = (given: string | null, entryId: string | null): string | null =>
  given === null && entryId !== null ? `{"ids":["${entryId}"]}` : given
