/** The entities of an RO-Crate. Their terms are from schema.org, as RO-Crate 1.2 requires. */
import { type Named, shownName } from "../../contract/nouns/people.ts"
import type { JsonObject } from "../../contract/json.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import { licenceIri, licenceUrl } from "../../contract/nouns/rooms.ts"

export type Entity = JsonObject & { "@id": string; "@type": string | string[] }

export const to = (id: string): { "@id": string } => ({ "@id": id })

/** Drops empty lists and nulls, and replaces a list of one item by the item, as RO-Crate requires. */
export const compact = (members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return []
      return [[name, Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value]]
    }),
  )

export const ids = {
  person: (userId: string) => `#person-${userId}`,
  experiment: (label: string) => `#experiment-${label}`,
  attempt: (attemptId: string) => `urn:uuid:${attemptId}`,
  material: (materialId: string) => `#material-${materialId}`,
  output: (attemptId: string, index: number) => `#output-${attemptId}-${index + 1}`,
  paper: (arxivId: string) => `https://arxiv.org/abs/${arxivId}`,
  /** A pinned commit, in the format of package tools. */
  software: ({ url, commit }: { url: string; commit: string }) => `git+${url}@${commit}`,
} as const

/** The author, the time and the page of an object. */
export const authorship = (kind: string, id: string, authorId: string, at: string, baseUrl: string): JsonObject => ({
  author: to(ids.person(authorId)),
  dateCreated: at,
  identifier: id,
  url: `${baseUrl}${pageOf(kind, id)}`,
})

/** The unknown licence of content stored elsewhere. */
export const licenceElsewhere: Entity = {
  "@id": "#licence-not-known-here",
  "@type": "CreativeWork",
  name: "Licence not known here",
  description: "The service does not know the licence of this content. The place where it is stored may state one.",
}

/** States that no licence has been given. */
const unknownLicence: Entity = {
  "@id": "#licence-not-stated",
  "@type": "CreativeWork",
  name: "Licence not stated",
  description:
    "No licence has been stated. Ask its authors before you reuse more than the law allows without permission.",
}
/** The licence of a Room's content, if its owner has stated one. */
export const licenceOf = (id: string | null): Entity =>
  id === null
    ? unknownLicence
    : {
        "@id": licenceIri(id),
        "@type": "CreativeWork",
        name: id,
        description: "The licence that the Room's owner chose, by its id in the SPDX list.",
        url: licenceUrl(id),
      }
/** @param agents the names of the agents that wrote for the person in this Room */
export const personEntity = (
  { userId, username, name, givenName, familyName }: Named,
  agents: readonly string[],
): Entity => ({
  "@id": ids.person(userId),
  "@type": "Person",
  name: shownName({ name, username }),
  identifier: userId,
  ...compact({ alternateName: name === null ? undefined : username, givenName, familyName }),
  ...(agents.length > 0 && {
    description: `Wrote here also through ${agents.map((each) => `agent ${each}`).join(", ")}.`,
  }),
})

/** A pinned commit. A SHA-1 commit also has its Software Heritage identifier. */
export const softwareEntity = ({ url, commit }: { url: string; commit: string }): Entity => ({
  "@id": ids.software({ url, commit }),
  // RO-Crate 1.2 requires this type for code. The id is an address that package tools can fetch.
  "@type": ["File", "SoftwareSourceCode"],
  name: new URL(url).pathname.slice(1),
  description: "The public repository and the full commit that plans and attempts pin.",
  codeRepository: url,
  url,
  version: commit,
  ...(commit.length === 40 ? { identifier: `swh:1:rev:${commit}` } : {}),
  license: to(licenceElsewhere["@id"]),
})
