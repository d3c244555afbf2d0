/** Authors as each format of citations writes them: by the parts of their name where they gave them, else as one name. */
import { type Described, orcidAddress, shownName } from "../../contract/answers/description.ts"
import { texOf } from "./tex.ts"

export type Author = Described & { readonly username: string }

/** Part of a name in BibTeX: in braces unless it is plain letters, which a style may shorten. */
const part = (text: string): string => (/^[\p{L}\p{M} .'-]+$/u.test(text) && !/\band\b/i.test(text) ? text : `{${texOf(text)}}`)

/** For the `author` of BibTeX. */
export function bibtexAuthor({ familyName, givenName, ...author }: Author): string {
  if (familyName === null) return `{${texOf(shownName(author))}}`
  return givenName === null ? `{${texOf(familyName)}}` : `{${texOf(familyName)}}, ${part(givenName)}`
}

/** The ORCIDs of a list of authors, as biblatex annotates names; programs that know no annotations pass them by. */
export function bibtexOrcids(authors: readonly Author[]): Readonly<Record<string, string>> {
  const known = authors.flatMap(({ orcid }, index) => (orcid === null ? [] : [`${index + 1}="${orcidAddress(orcid)}"`]))
  return known.length === 0 ? {} : { "author+an:orcid": known.join("; ") }
}

/** For `AU` of RIS. */
export const risAuthor = ({ familyName, givenName, ...author }: Author): string =>
  familyName === null ? shownName(author) : givenName === null ? familyName : `${familyName}, ${givenName}`

/** For the `author` of CSL-JSON; ORCIDs stand where Crossref puts them. */
export const cslAuthor = ({ familyName, givenName, orcid, ...author }: Author) => ({
  ...(familyName === null ? { literal: shownName(author) } : { family: familyName, ...(givenName !== null && { given: givenName }) }),
  ...(orcid !== null && { ORCID: orcidAddress(orcid) }),
})

/** For the `authors` of CITATION.cff: a person, or what goes by one name. */
export const cffAuthor = ({ familyName, givenName, orcid, ...author }: Author): Readonly<Record<string, string>> => ({
  ...(familyName === null
    ? { name: shownName(author) }
    : { "family-names": familyName, ...(givenName !== null && { "given-names": givenName }) }),
  ...(orcid !== null && { orcid: orcidAddress(orcid) }),
})
