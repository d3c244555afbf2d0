/** How people want to be cited: a name, its parts where styles sort and shorten by them, and an ORCID. */
import * as v from "valibot"
import { optionalText } from "./fields.ts"
import { text } from "../schema/fields.ts"
import { limits } from "../limits.ts"

const ORCID = /^(?:https?:\/\/(?:www\.)?orcid\.org\/)?[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx]$/u

/** On one line, without white space around it. */
const oneLine = v.pipe(
  text(limits.title),
  v.transform((said) => said.trim().replace(/\s+/g, " ")),
)
/** An ORCID by itself or as an address, carried on by itself. Its last sign is not checked here: no pattern says which it is. */
const orcid = v.pipe(
  v.string("must be a string"),
  v.regex(ORCID, "must be an ORCID such as 0000-0002-1825-0097 or https://orcid.org/0000-0002-1825-0097"),
  v.transform((said) => said.slice(-19).toUpperCase()),
)

/** What somebody says of themselves; what is left out they say no longer. */
export const description = {
  name: v.exactOptional(oneLine),
  givenName: v.exactOptional(oneLine),
  familyName: v.exactOptional(oneLine),
  orcid: v.exactOptional(orcid),
}

/** The same in answers. */
export const described = { name: optionalText, givenName: optionalText, familyName: optionalText, orcid: optionalText }
/** An author in CSL-JSON: by the parts of their name, or by one. */
export const cslAuthor = v.looseObject({
  literal: v.exactOptional(v.string()),
  family: v.exactOptional(v.string()),
  given: v.exactOptional(v.string()),
  ORCID: v.exactOptional(v.string()),
})
export interface Described {
  readonly name: string | null
  readonly givenName: string | null
  readonly familyName: string | null
  /** Without the address before it. */
  readonly orcid: string | null
}
/** Somebody with what they are called in the service. */
export interface Named extends Described {
  readonly userId: string
  readonly username: string
}

/** Whether the last sign of an ORCID is the one that follows from the others (ISO 7064, MOD 11-2). */
export function isOrcid(said: string): boolean {
  const digits = said.replaceAll("-", "")
  const sum = [...digits.slice(0, -1)].reduce((before, digit) => (before + Number(digit)) * 2, 0)
  const last = (12 - (sum % 11)) % 11
  return digits.at(-1) === (last === 10 ? "X" : String(last))
}

/** The address that an ORCID is, by which others know somebody too. */
export const orcidAddress = (said: string): string => `https://orcid.org/${said}`

/** What somebody is called where they are cited. */
export const shownName = ({ name, username }: Pick<Named, "name" | "username">): string => name ?? username
