/** The reads that look across everything: full-text search, the provenance of a Room, and the Room as a file. */
import * as v from "valibot"
import { page } from "../answers.ts"
import { enumerations } from "../enumerations.ts"
import { text, uuid } from "../fields.ts"
import { limits } from "../limits.ts"
import * as answers from "../overview-answers.ts"
import { read, wholeNumber, words } from "../read.ts"
import { subject } from "../ref.ts"

export const overviewReads = [
  read({
    name: "search",
    path: "/api/research/search",
    summary:
      "Full text of records, experiments, Threads and messages, best match first, of very many matches the newest. Every word must occur, the last one by its beginning; snippets are HTML in which only mark elements stand.",
    parameters: {
      query: v.pipe(text(limits.searchQuery), v.description("Words to look for; signs between them mean nothing.")),
      roomId: v.exactOptional(subject("room")),
      kinds: v.exactOptional(words(enumerations.searchKind)),
    },
    cursor: "offset",
    answer: page(answers.searchHit),
  }),
  read({
    name: "room_provenance",
    path: "/api/research/rooms/{roomId}/provenance",
    summary:
      "What rests on what in a Room, as nodes and edges: hypotheses, experiments, plans, attempts, findings, claims, materials and links. With focus, what lies around one of them within depth steps, 1 when left out. Edges are those that this Room states; what it names of other Rooms stands at their ends.",
    parameters: { focus: v.exactOptional(uuid), depth: v.exactOptional(wholeNumber(limits.provenanceDepth)) },
    answer: answers.provenance,
  }),
  read({
    name: "room_export",
    path: "/api/research/rooms/{roomId}/export",
    summary:
      "The whole Room as an RO-Crate 1.2 in a zip: everything accepted, the feed with its digests, and a program that verifies them offline. The same state of a Room gives the same bytes.",
    refusals: ["too_many_requests"],
    mediaType: "application/zip",
    answer: v.unknown(),
  }),
] as const
