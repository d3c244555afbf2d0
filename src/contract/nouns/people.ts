/** People: how they want to be cited, their sessions, and invitations. What they do is in operations/actions.ts. */
import * as v from "valibot"
import { text, shape } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { optionalText, count, id, at, freeText } from "../answers/fields.ts"
import { schemaVersion, person } from "../answers/parts.ts"
import { read } from "../definitions/read.ts"

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
export const howCited = { name: optionalText, givenName: optionalText, familyName: optionalText, orcid: optionalText }
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
export type Described = Readonly<Record<keyof typeof howCited, string | null>>
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

/** A person, and how they want to be cited; null if they have not said. */
export const describedPerson = shape({
  schemaVersion,
  userId: id,
  username: v.string(),
  ...howCited,
  /** The instance that the person belongs to; null for this one. */
  instanceId: v.nullable(id),
})

export const session = shape({
  schemaVersion,
  person: v.nullable(shape({ userId: id, username: v.string(), isOperator: v.boolean() })),
})

/** The present state of a person after an operator's action, and how many of their tokens were ended. */
export const operatedPerson = shape({
  schemaVersion,
  person: shape({ userId: id, username: v.string(), isOperator: v.boolean(), disabledAt: v.nullable(at) }),
  ended: shape({ credentials: v.number(), keys: v.number(), invitations: v.number() }),
})

/** A token that no longer works, and since when. */
export const ended = shape({ schemaVersion, id, of: person, revokedAt: at })

export const invitation = shape({
  schemaVersion,
  invitationId: id,
  invitedBy: v.string(),
  room: v.nullable(shape({ roomId: id, title: freeText })),
  expiresAt: at,
})

export const invitationIssued = shape({
  schemaVersion,
  invitationId: id,
  link: v.string(),
  token: v.string(),
  expiresAt: at,
})

export const peopleReads = [
  read({
    name: "person",
    path: "/api/research/people/{username}",
    summary:
      "A person, by username or id: how they want to be cited, if they have declared it. " +
      "The service does not ask ORCID who owns an ORCID.",
    answer: describedPerson,
  }),
  read({
    name: "session",
    surface: "visitor",
    path: "/api/session",
    summary: "The person who is signed in, or null.",
    answer: session,
  }),
  read({
    name: "invitation",
    surface: "visitor",
    path: "/api/invitations/{token}",
    summary: "What an invitation link offers, for the person who holds it.",
    answer: invitation,
  }),
] as const
