/** Cites a Room as BibTeX, RIS, CSL-JSON and CITATION.cff: as a collection of records, not as software. */
import { type Named, shownName } from "../../contract/answers/description.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { serviceName } from "../../contract/versions.ts"
import { NamedText, type Readers } from "../../ledger/reads/reading.ts"
import type { Members } from "../../rooms/members.ts"
import { risText } from "../../contract/ris.ts"
import { present } from "../../contract/present.ts"
import type { People } from "../../people/people.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { type Author, bibtexAuthor, bibtexOrcids, cffAuthor, cslAuthor, risAuthor } from "./authors.ts"
import { texOf } from "./tex.ts"

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
