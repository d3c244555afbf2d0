/** Formats authors for each citation format: by the parts of their name if they gave them, otherwise as one name. */
import { type Described, orcidAddress, shownName } from "../../contract/answers/description.ts"
import { texOf } from "./tex.ts"

export type Author = Described & { readonly username: string }

/** Formats part of a name for BibTeX. Plain letters are not put in braces, so that a style may abbreviate them. */
const part = (text: string): string =>
  /^[\p{L}\p{M} .'-]+$/u.test(text) && !/\band\b/i.test(text) ? text : `{${texOf(text)}}`

/** Formats an author for the `author` field of BibTeX. */
export function bibtexAuthor({ familyName, givenName, ...author }: Author): string {
  if (familyName === null) return `{${texOf(shownName(author))}}`
  return givenName === null ? `{${texOf(familyName)}}` : `{${texOf(familyName)}}, ${part(givenName)}`
}

/** Writes the ORCIDs of authors as biblatex annotations, which other programs ignore. */
export function bibtexOrcids(authors: readonly Author[]): Readonly<Record<string, string>> {
  const known = authors.flatMap(({ orcid }, index) => (orcid === null ? [] : [`${index + 1}="${orcidAddress(orcid)}"`]))
  return known.length === 0 ? {} : { "author+an:orcid": known.join("; ") }
}

/** Formats an author for the `AU` field of RIS. */
export const risAuthor = ({ familyName, givenName, ...author }: Author): string =>
  familyName === null ? shownName(author) : givenName === null ? familyName : `${familyName}, ${givenName}`

/** Formats an author for the `author` member of CSL-JSON. The ORCID is in the member that Crossref uses. */
export const cslAuthor = ({ familyName, givenName, orcid, ...author }: Author) => ({
  ...(familyName === null
    ? { literal: shownName(author) }
    : { family: familyName, ...(givenName !== null && { given: givenName }) }),
  ...(orcid !== null && { ORCID: orcidAddress(orcid) }),
})

/** Formats an author for the `authors` list of CITATION.cff: as a person, or as an entity with a single name. */
export const cffAuthor = ({ familyName, givenName, orcid, ...author }: Author): Readonly<Record<string, string>> => ({
  ...(familyName === null
    ? { name: shownName(author) }
    : { "family-names": familyName, ...(givenName !== null && { "given-names": givenName }) }),
  ...(orcid !== null && { orcid: orcidAddress(orcid) }),
})
