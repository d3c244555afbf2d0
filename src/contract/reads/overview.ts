/** The reads that look across everything: full-text search, the provenance of a Room, and the Room as a file. */
import * as v from "valibot"
import { dated, optionalText } from "../answers/fields.ts"
import { page } from "../answers/index.ts"
import { failure, nextSteps, roomBrief, threadBrief } from "../answers/brief.ts"
import { enumerations } from "../schema/enumerations.ts"
import { agentName, oneOf, plain, text, time, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import * as answers from "../answers/overview.ts"
import { read } from "../definitions/read.ts"
import { between, wholeNumber, words } from "../definitions/parameters.ts"
import { subject } from "../schema/ref.ts"
import { similarAnswer } from "../answers/similar.ts"
import { described } from "../schema/described.ts"

const budget = v.exactOptional(between(limits.briefMin, limits.briefMax, limits.brief, "Bytes that the answer may have as it is sent."))

/** How an object that search finds may stand. */
const standings = [
  ...new Set([
    ...enumerations.recordStatus,
    ...enumerations.experimentStatus,
    ...enumerations.attemptStatus,
    ...enumerations.questionVerdict,
    ...enumerations.linkKind,
    ...enumerations.checkpointState,
  ]),
]

export const overviewReads = [
  read({
    name: "search",
    costly: true,
    path: "/api/research/search",
    summary:
      "Full text of everything that was said, best match first, of very many matches the newest; what has fallen stands below what has not. Every word must occur, words in quotes together, the last one by its beginning; a label or an id leads to its object, a name to its person (with roomId, to a member of that Room), a commit or an arXiv id to what names it, newest first. status, agent and since look among the best matches. Snippets are HTML in which only mark elements stand.",
    parameters: {
      query: described(text(limits.searchQuery), "Words to look for; signs between them mean nothing."),
      roomId: v.exactOptional(subject("room")),
      kinds: v.exactOptional(words(enumerations.searchKind)),
      status: v.exactOptional(oneOf(standings)),
      author: v.exactOptional(described(plain(limits.name), "The id or the name of a person.")),
      agent: v.exactOptional(agentName),
      since: v.exactOptional(time),
    },
    cursor: "offset",
    answer: page(answers.searchHit, {
      /** Where nothing was found: the query with words that no text holds put right by one letter each, if that finds something. */
      didYouMean: optionalText,
    }),
  }),
  read({
    name: "room_brief",
    costly: true,
    at: true,
    path: "/api/research/rooms/{roomId}/brief",
    summary:
      "A Room in one small read, never longer than its budget: where each question stands, hypotheses with the evidence toward them, findings, what failed and why, disputes, work, what to do next, open questions. What is left out is counted, with the link that lists it.",
    parameters: { budget },
    formats: { markdown: { mediaType: "text/markdown", answer: v.string() } },
    answer: roomBrief,
  }),
  read({
    name: "thread_brief",
    costly: true,
    at: true,
    path: "/api/research/threads/{threadId}/brief",
    summary: "A Thread in one small read, as the brief of a Room.",
    parameters: { budget },
    formats: { markdown: { mediaType: "text/markdown", answer: v.string() } },
    answer: threadBrief,
  }),
  read({
    name: "room_failures",
    at: true,
    path: "/api/research/rooms/{roomId}/failures",
    summary: "What failed in a Room and why, newest first: failed and diverged attempts, retractions.",
    cursor: "sequence",
    answer: page(failure, dated),
  }),
  read({
    name: "room_next",
    at: true,
    path: "/api/research/rooms/{roomId}/next",
    summary: "What would move a Room: each step with why, the operation that would do it, the permission it needs, and its body begun.",
    answer: nextSteps,
  }),
  read({
    name: "room_similar",
    path: "/api/research/rooms/{roomId}/similar",
    summary:
      "What is near to a text, or to one of the Room's hypotheses, experiments, findings or attempts, among the newest of these, and what came of each; of an attempt also where the same commit, argv and configuration was run. It compares stems of words, rare ones most: the same said in other words is not found.",
    parameters: {
      text: v.exactOptional(
        described(text(limits.explanation), "Whatever is to be proposed, in a sentence or more; needed where like is not given."),
      ),
      like: v.exactOptional(described(uuid, "An object of this Room, instead of a text.")),
    },
    answer: similarAnswer,
  }),
  read({
    name: "room_provenance",
    costly: true,
    path: "/api/research/rooms/{roomId}/provenance",
    summary:
      "What rests on what in a Room, as nodes and edges: hypotheses, experiments, plans, attempts, findings, claims, materials and links. With focus, what lies around one of them within depth steps, 1 when left out. Edges are those that this Room states; what it names of other Rooms stands at their ends.",
    parameters: { focus: v.exactOptional(uuid), depth: v.exactOptional(wholeNumber(limits.provenanceDepth)) },
    answer: answers.provenance,
  }),
  read({
    name: "room_citation",
    path: "/api/research/rooms/{roomId}/citation",
    summary:
      "How a Room is cited, as it stands now: its owner and members, and through which entry of its activity. As BibTeX, RIS, CSL-JSON or CITATION.cff.",
    answer: answers.roomCitation,
    formats: {
      bibtex: { mediaType: "application/x-bibtex", answer: v.string() },
      ris: { mediaType: "application/x-research-info-systems", answer: v.string() },
      csl: { mediaType: "application/vnd.citationstyles.csl+json", answer: answers.roomCslItems },
      cff: { mediaType: "application/yaml", answer: v.string() },
    },
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
  read({
    name: "room_sqlite",
    path: "/api/research/rooms/{roomId}/room.sqlite",
    summary:
      "The Room as one SQLite file for Datasette, DuckDB, pandas and the like: views of entries, experiments, plans, attempts, measurements, effects, findings, evidence and hypotheses, each column described in the view columns. It is named by the head of the chain; the same state of a Room gives the same bytes.",
    refusals: ["too_many_requests"],
    mediaType: "application/vnd.sqlite3",
    answer: v.unknown(),
  }),
] as const
