/** How a Room is cited, as BibTeX, RIS, CSL-JSON and CITATION.cff: as the collection of a group's records that it is, never as a program. */
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

/** Names of authors that a citation gives; of more it says that there are others. */
const AUTHORS = 20

const authorOf = ({ userId, username, name, givenName, familyName, orcid }: Named): Named => ({
  userId,
  username,
  name,
  givenName,
  familyName,
  orcid,
})

/** YAML takes strings as JSON writes them. */
const yaml = (text: string): string => JSON.stringify(text)

export function roomCitationReads(rooms: Rooms, members: Members, people: People) {
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
  /** The authors that a citation names, and what stands for the others. */
  const named = <T>({ people: authors }: Cited, as: (author: Author) => T, others: T): T[] => [
    ...authors.slice(0, AUTHORS).map(as),
    ...(authors.length > AUTHORS ? [others] : []),
  ]

  /** What no field of a format is made for. */
  const noteOf = ({ throughSequence, license }: Cited): string =>
    `Room, through entry ${throughSequence}${license === null ? "" : `; licence ${license}`}`

  function bibtex(one: Cited): string {
    const { key, title, createdAt, url } = one
    const fields = {
      author: named(one, bibtexAuthor, "others").join(" and "),
      ...bibtexOrcids(one.people.slice(0, AUTHORS)),
      title: `{${texOf(title)}}`,
      howpublished: serviceName,
      year: createdAt.slice(0, 4),
      url,
      note: texOf(noteOf(one)),
    }
    return `@misc{${key},\n${Object.entries(fields)
      .map(([name, value]) => `  ${name} = {${value}}`)
      .join(",\n")}\n}\n`
  }

  const ris = (one: Cited): string =>
    risText([
      ["TY", "DATA"],
      ["ID", one.key],
      ["TI", one.title],
      ...named(one, risAuthor, "others").map((name) => ["AU", name] as const),
      ["PY", one.createdAt.slice(0, 4)],
      ["DA", one.createdAt.slice(0, 10).replaceAll("-", "/")],
      ["PB", serviceName],
      ["ET", String(one.throughSequence)],
      ["UR", one.url],
      ["N1", noteOf(one)],
    ])

  const csl = (one: Cited): string =>
    JSON.stringify([
      {
        id: one.key,
        "citation-key": one.key,
        type: "collection",
        title: one.title,
        author: named(one, cslAuthor, { literal: "others" }),
        issued: { "date-parts": [one.createdAt.slice(0, 10).split("-").map(Number)] },
        publisher: serviceName,
        version: String(one.throughSequence),
        URL: one.url,
        note: noteOf(one),
      },
    ])

  const cff = (one: Cited): string =>
    `cff-version: 1.2.0
message: "If you build on this Room, cite it as below."
type: dataset
title: ${yaml(one.title)}
authors:
${named(one, cffAuthor, { name: "others" })
  .map(
    (author) =>
      `  - ${Object.entries(author)
        .map(([name, value]) => `${name}: ${yaml(value)}\n`)
        .join("    ")}`,
  )
  .join("")}date-released: ${yaml(one.createdAt.slice(0, 10))}
version: ${yaml(String(one.throughSequence))}
${one.license === null ? "" : `license: ${yaml(one.license)}\n`}url: ${yaml(one.url)}
`

  return {
    room_citation({ params, query, baseUrl = "" }) {
      const one = cited(params.roomId, baseUrl)
      if (query.format === "bibtex") return new NamedText(`${one.key}.bib`, bibtex(one))
      if (query.format === "ris") return new NamedText(`${one.key}.ris`, ris(one))
      if (query.format === "csl") return new NamedText(`${one.key}.json`, csl(one))
      if (query.format === "cff") return new NamedText("CITATION.cff", cff(one))
      return one
    },
  } satisfies Partial<Readers>
}
