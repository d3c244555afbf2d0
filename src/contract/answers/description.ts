/** How people want to be cited: a name, its parts for citation styles that sort or shorten it, and an ORCID. */
import * as v from "valibot"
import { count, optionalText } from "./fields.ts"
import { text } from "../schema/fields.ts"
import { limits } from "../limits.ts"

const ORCID = /^(?:https?:\/\/(?:www\.)?orcid\.org\/)?[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx]$/u

const oneLine = v.pipe(
  text(limits.title),
  v.transform((value) => value.trim().replace(/\s+/g, " ")),
)
/** An ORCID, alone or as an address, converted to the former. A pattern cannot check its last character. */
const orcid = v.pipe(
  v.string("must be a string"),
  v.regex(ORCID, "must be an ORCID such as 0000-0002-1825-0097 or https://orcid.org/0000-0002-1825-0097"),
  v.transform((value) => value.slice(-19).toUpperCase()),
)

/** How a person describes themselves. A property that is left out is removed. */
export const description = {
  name: v.exactOptional(oneLine),
  givenName: v.exactOptional(oneLine),
  familyName: v.exactOptional(oneLine),
  orcid: v.exactOptional(orcid),
}

/** The same properties in answers. */
export const described = { name: optionalText, givenName: optionalText, familyName: optionalText, orcid: optionalText }
/** An author in CSL-JSON: the parts of their name, or one literal name. */
const cslAuthor = v.looseObject({
  literal: v.exactOptional(v.string()),
  family: v.exactOptional(v.string()),
  given: v.exactOptional(v.string()),
  ORCID: v.exactOptional(v.string()),
})
/** The citation of something of this service as CSL-JSON. */
export const cslItemsOf = <const T extends string, M extends v.ObjectEntries>(type: T, more: M) =>
  v.array(
    v.looseObject({
      id: v.string(),
      type: v.literal(type),
      title: v.string(),
      author: v.array(cslAuthor),
      issued: v.looseObject({ "date-parts": v.array(v.array(count)) }),
      URL: v.string(),
      ...more,
    }),
  )
/** The ORCID is without `https://orcid.org/`. */
export type Described = Readonly<Record<keyof typeof described, string | null>>
/** A person's description, with their id and username. */
export interface Named extends Described {
  readonly userId: string
  readonly username: string
}

/** Whether the last character of an ORCID is the check digit of the others (ISO 7064, MOD 11-2). */
export function isOrcid(orcid: string): boolean {
  const digits = orcid.replaceAll("-", "")
  const sum = [...digits.slice(0, -1)].reduce((before, digit) => (before + Number(digit)) * 2, 0)
  const last = (12 - (sum % 11)) % 11
  return digits.at(-1) === (last === 10 ? "X" : String(last))
}

/** The address of an ORCID, which other services use too. */
export const orcidAddress = (orcid: string): string => `https://orcid.org/${orcid}`

/** The name under which a person is cited. */
export const shownName = ({ name, username }: Pick<Named, "name" | "username">): string => name ?? username
