/** Cites a record as BibTeX and as CSL-JSON, by a key that never changes, with its current standing. */
import { isBalanced, risText } from "../../contract/text.ts"
import { type Described, orcidAddress, shownName, type Named } from "../../contract/nouns/people.ts"
import { noSuch } from "../../ledger/write/references.ts"
import { serviceName } from "../../contract/service.ts"
import { NamedText, type Readers } from "../../ledger/reads/reading.ts"
import type { Members } from "../../rooms/members.ts"
import { present } from "../../contract/typed.ts"
import type { People } from "../../people/people.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { LinkKind } from "../../contract/schema/enumerations.ts"
import { parsed } from "../../contract/json.ts"
import { objects, pageOf, type RecordKind } from "../../contract/objects/objects.ts"
import type { Findings } from "../findings/findings.ts"
import type { Records } from "../records/records.ts"
import type { Domain } from "../../ledger/domains/domain.ts"

// Escapes untrusted text for TeX. Outside formulas every special character is escaped. A formula is kept only if all
// its commands are known to do nothing but typeset symbols.

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\textbraceleft{}",
  "}": "\\textbraceright{}",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "&": "\\&",
  "%": "\\%",
  $: "\\$",
  "#": "\\#",
  _: "\\_",
}

const prose = (text: string): string => text.replace(/[\\{}^~&%$#_]/g, (character) => escapes[character] ?? "")

/** Commands allowed in a formula. */
const harmless = new Set(
  `alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho \
sigma varsigma tau upsilon phi varphi chi psi omega
  Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar partial nabla infty emptyset
  frac sqrt sum prod int lim log ln exp sin cos tan tanh max min sup inf arg argmax argmin det Pr gcd dim ker
  cdot times div pm mp ast star circ bullet oplus otimes le leq ge geq ne neq ll gg approx sim simeq equiv cong \
propto in notin subset subseteq supset cup cap setminus
  to rightarrow leftarrow Rightarrow Leftarrow leftrightarrow mapsto forall exists neg land lor mid parallel perp angle
  hat bar tilde vec dot ddot overline underline widehat widetilde mathbf mathrm mathit mathcal mathbb mathsf mathtt \
text operatorname boldsymbol
  left right big Big bigl bigr lfloor rfloor lceil rceil langle rangle lvert rvert lVert rVert \
ldots cdots dots prime quad qquad`.split(/\s+/),
)

/**
 * Whether a formula can be kept: it has only known commands, balanced braces, complete subscripts and superscripts, and
 * no other special characters.
 */
function isFormula(text: string): boolean {
  if (text.trim() === "" || /[%#~&]|[\^_]\s*(?:[\^_}]|$)/.test(text) || !isBalanced(text)) return false
  return [...text.matchAll(/\\([A-Za-z]+|.?)/gs)].every(
    ([, command = ""]) => harmless.has(command) || /^[,;:! |]$/.test(command),
  )
}

/** Matches formulas as messages and wordings do: `$5 and $6` is not a formula. */
const FORMULA = /(\$\$[^$]+\$\$|\$(?=\S)[^$]*[^\s$]\$(?![0-9]))/

/** Escapes a text for a BibTeX field. Formulas between dollar signs are kept. */
export function texOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line
    .split(FORMULA)
    .map((part, index) => {
      const formula = index % 2 === 1 ? part.replaceAll("$", "") : undefined
      return formula !== undefined && isFormula(formula) ? `$${formula}$` : prose(part)
    })
    .join("")
}

// Formats authors for each citation format: by the parts of their name if they gave them, otherwise as one name.

type Author = Described & { readonly username: string }

/** Formats part of a name for BibTeX. Plain letters are not put in braces, so that a style may abbreviate them. */
const part = (text: string): string =>
  /^[\p{L}\p{M} .'-]+$/u.test(text) && !/\band\b/i.test(text) ? text : `{${texOf(text)}}`

/** Formats an author for the `author` field of BibTeX. */
function bibtexAuthor({ familyName, givenName, ...author }: Author): string {
  if (familyName === null) return `{${texOf(shownName(author))}}`
  return givenName === null ? `{${texOf(familyName)}}` : `{${texOf(familyName)}}, ${part(givenName)}`
}

/** Writes the ORCIDs of authors as biblatex annotations, which other programs ignore. */
function bibtexOrcids(authors: readonly Author[]): Readonly<Record<string, string>> {
  const known = authors.flatMap(({ orcid }, index) => (orcid === null ? [] : [`${index + 1}="${orcidAddress(orcid)}"`]))
  return known.length === 0 ? {} : { "author+an:orcid": known.join("; ") }
}

/** Formats an author for the `AU` field of RIS. */
const risAuthor = ({ familyName, givenName, ...author }: Author): string =>
  familyName === null ? shownName(author) : givenName === null ? familyName : `${familyName}, ${givenName}`

/** Formats an author for the `author` member of CSL-JSON. The ORCID is in the member that Crossref uses. */
const cslAuthor = ({ familyName, givenName, orcid, ...author }: Author) => ({
  ...(familyName === null
    ? { literal: shownName(author) }
    : { family: familyName, ...(givenName !== null && { given: givenName }) }),
  ...(orcid !== null && { ORCID: orcidAddress(orcid) }),
})

/** Formats an author for the `authors` list of CITATION.cff: as a person, or as an entity with a single name. */
const cffAuthor = ({ familyName, givenName, orcid, ...author }: Author): Readonly<Record<string, string>> => ({
  ...(familyName === null
    ? { name: shownName(author) }
    : { "family-names": familyName, ...(givenName !== null && { "given-names": givenName }) }),
  ...(orcid !== null && { orcid: orcidAddress(orcid) }),
})

// Cites a Room as BibTeX, RIS, CSL-JSON and CITATION.cff: as a collection of records, not as software.

/** The most authors that a citation names. The rest become "others". */
const AUTHORS = 20

const authorOf = ({ userId, username, name, givenName, familyName, orcid }: Named): Named => ({
  userId,
  username,
  name,
  givenName,
  familyName,
  orcid,
})

/** Quotes a string for YAML, which accepts JSON strings. */
const yaml = (text: string): string => JSON.stringify(text)

export function roomCitationReads({ rooms, members, people }: { rooms: Rooms; members: Members; people: People }) {
  function cited(roomId: string, baseUrl: string) {
    const room = rooms.summary(roomId)
    if (room === undefined) throw noSuch("room")
    const { title, owner, license, createdAt, activityWatermark: throughSequence } = room
    const others = members.of(roomId).filter(({ userId }) => userId !== owner.userId)
    const all = [present(people.described(owner.userId)), ...others].map(authorOf)
    return {
      key: `${owner.username}${createdAt.slice(0, 4)}-room-${roomId.slice(-8)}`,
      title,
      authors: all.map(shownName),
      people: all,
      license,
      createdAt,
      throughSequence,
      url: `${baseUrl}/rooms/${roomId}`,
    }
  }
  type Cited = ReturnType<typeof cited>
  /** Formats the authors that a citation names, and adds `others` if there are more. */
  const named = <T>({ people: authors }: Cited, as: (author: Author) => T, others: T): T[] => [
    ...authors.slice(0, AUTHORS).map(as),
    ...(authors.length > AUTHORS ? [others] : []),
  ]

  /** The facts that have no field in a format. */
  const noteOf = ({ throughSequence, license }: Cited): string =>
    `Room, through entry ${throughSequence}${license === null ? "" : `; licence ${license}`}`

  function bibtex(citation: Cited): string {
    const { key, title, createdAt, url } = citation
    const fields = {
      author: named(citation, bibtexAuthor, "others").join(" and "),
      ...bibtexOrcids(citation.people.slice(0, AUTHORS)),
      title: `{${texOf(title)}}`,
      howpublished: serviceName,
      year: createdAt.slice(0, 4),
      url,
      note: texOf(noteOf(citation)),
    }
    return `@misc{${key},\n${Object.entries(fields)
      .map(([name, value]) => `  ${name} = {${value}}`)
      .join(",\n")}\n}\n`
  }

  const ris = (citation: Cited): string =>
    risText([
      ["TY", "DATA"],
      ["ID", citation.key],
      ["TI", citation.title],
      ...named(citation, risAuthor, "others").map((name) => ["AU", name] as const),
      ["PY", citation.createdAt.slice(0, 4)],
      ["DA", citation.createdAt.slice(0, 10).replaceAll("-", "/")],
      ["PB", serviceName],
      ["ET", String(citation.throughSequence)],
      ["UR", citation.url],
      ["N1", noteOf(citation)],
    ])

  const csl = (citation: Cited): string =>
    JSON.stringify([
      {
        id: citation.key,
        "citation-key": citation.key,
        type: "collection",
        title: citation.title,
        author: named(citation, cslAuthor, { literal: "others" }),
        issued: { "date-parts": [citation.createdAt.slice(0, 10).split("-").map(Number)] },
        publisher: serviceName,
        version: String(citation.throughSequence),
        URL: citation.url,
        note: noteOf(citation),
      },
    ])

  const cff = (citation: Cited): string =>
    `cff-version: 1.2.0
message: "If you build on this Room, cite it as below."
type: dataset
title: ${yaml(citation.title)}
authors:
${named(citation, cffAuthor, { name: "others" })
  .map(
    (author) =>
      `  - ${Object.entries(author)
        .map(([name, value]) => `${name}: ${yaml(value)}\n`)
        .join("    ")}`,
  )
  .join("")}date-released: ${yaml(citation.createdAt.slice(0, 10))}
version: ${yaml(String(citation.throughSequence))}
${citation.license === null ? "" : `license: ${yaml(citation.license)}\n`}url: ${yaml(citation.url)}
`

  return {
    room_citation({ params, query, baseUrl = "" }) {
      const citation = cited(params.roomId, baseUrl)
      if (query.format === "bibtex") return new NamedText(`${citation.key}.bib`, bibtex(citation))
      if (query.format === "ris") return new NamedText(`${citation.key}.ris`, ris(citation))
      if (query.format === "csl") return new NamedText(`${citation.key}.json`, csl(citation))
      if (query.format === "cff") return new NamedText("CITATION.cff", cff(citation))
      return citation
    },
  } satisfies Partial<Readers>
}

interface Notice {
  readonly kind: LinkKind
  readonly label: string
  readonly withdrawn?: object
}

/** Returns the noun of a kind, capitalized: "Cited claim". */
const kindOf = (kind: RecordKind): string => objects[kind].noun[0].replace(/^./, (first) => first.toUpperCase())
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

export type Citations = ReturnType<typeof citations>

export interface CitationTables {
  readonly records: Records
  readonly rooms: Rooms
  readonly findings: Findings
  readonly people: People
}

export function citations({ records, rooms, findings, people }: CitationTables) {
  /** Says how many of its experiment's attempts a finding names. */
  function denominator(versionId: string, roomId: string): string {
    const execution = findings.read(versionId, roomId).execution
    if (execution === null) return "no recorded execution behind it"
    const { named, attempts } = execution.denominator
    return (
      `naming ${named.producing} of ${attempts} ${attempts === 1 ? "attempt" : "attempts"} of ` +
      `${execution.experimentLabel}`
    )
  }

  function paperOf(versionId: string): string | undefined {
    const content = records.read(versionId)?.content
    const { paper } = content === undefined ? {} : parsed<{ paper?: { arxivId: string; version?: number } }>(content)
    return paper && `arXiv:${paper.arxivId}${paper.version === undefined ? "" : `v${paper.version}`}`
  }

  /** Collects the data of a citation. @throws Refusal `unknown_record` */
  function cited(versionId: string, baseUrl: string) {
    const record = records.summary(versionId)
    if (record === undefined) throw noSuch("record")
    const { kind, label, author, createdAt, wording, status, contentDigest, outcome } = record
    const paper = kind === "cited_claim" ? paperOf(versionId) : undefined
    const all = parsed<Notice[]>(record.notices)
    // A notice that its author withdrew no longer counts.
    const notices = all.filter(({ withdrawn }) => withdrawn === undefined)
    const standing =
      notices.length === 0
        ? []
        : [`${status}: ${notices.map((notice) => `${notice.label} ${notice.kind} it`).join(", ")}`]
    const what =
      kind === "finding"
        ? [`${kindOf(kind)} ${label}, ${outcome}, ${denominator(versionId, record.roomId)}`]
        : [`${kindOf(kind)} ${label}${paper === undefined ? "" : ` of ${paper}`}`]
    return {
      key:
        `${author.username}${createdAt.slice(0, 4)}-${label}-` +
        `${contentDigest.slice("sha256:".length, "sha256:".length + 8)}`,
      kind,
      label,
      wording,
      author: present(people.described(author.userId)),
      date: [Number(createdAt.slice(0, 4)), Number(createdAt.slice(5, 7)), Number(createdAt.slice(8, 10))] as const,
      room: rooms.summary(record.roomId)?.title ?? "",
      url: `${baseUrl}${pageOf(kind, versionId)}`,
      status,
      note: [...what, ...standing, contentDigest].join("; "),
    }
  }

  return {
    /** A BibTeX entry. For programs that ignore `url`, the Room and the digest in the note identify the record. */
    bibtex(versionId: string, baseUrl: string): string {
      const { key, label, wording, author, date, room, url, note } = cited(versionId, baseUrl)
      const fields = {
        author: bibtexAuthor(author),
        ...bibtexOrcids([author]),
        title: `{${texOf(wording)}}`,
        howpublished: `${serviceName}: ${texOf(room)}, ${label}`,
        year: String(date[0]),
        url,
        note: texOf(note),
      }
      const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},\n`)
      return `@misc{${key},\n${lines.join("")}  month = ${MONTHS[date[1] - 1]}\n}\n`
    },

    /** CSL-JSON for reference managers: an array of one item. */
    csl(versionId: string, baseUrl: string): string {
      const { key, kind, label, wording, author, date, room, url, status, note } = cited(versionId, baseUrl)
      const item = {
        id: key,
        "citation-key": key,
        type: "document",
        genre: kindOf(kind),
        number: label,
        title: wording,
        author: [cslAuthor(author)],
        issued: { "date-parts": [date] },
        "container-title": room,
        publisher: serviceName,
        URL: url,
        status,
        note,
      }
      return JSON.stringify([item])
    },
  }
}

export const domain = {
  reads: [roomCitationReads],
} satisfies Domain
