/** The reads that span everything: search, briefs, similar work, provenance, citation, and a Room as a file. */
import * as v from "valibot"
import { connectPaths } from "../service.ts"
import { optionalText } from "../answers/fields.ts"
import { page } from "../answers/index.ts"
import * as answers from "../answers/overview.ts"
import { failure, nextSteps, roomBrief, threadBrief } from "../answers/overview.ts"
import { enumerations } from "../schema/enumerations.ts"
import { agentName, oneOf, plain, text, time, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { read } from "../definitions/read.ts"
import { between, wholeNumber, words } from "../definitions/parameters.ts"
import { subject } from "../schema/parts.ts"
import { similarAnswer } from "../answers/advice.ts"
import { described } from "../schema/validation.ts"
import { markdown } from "./shared.ts"

const budget = v.exactOptional(
  between(limits.briefMin, limits.briefMax, limits.brief, "The maximum size of the answer in bytes."),
)

/** The states of the objects that search finds. */
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
      "Full-text search over all content, best match first; if very many texts match, the newest are ranked. " +
      "Fallen records come after all others. Every word must occur, words in quotes as a phrase, and the last word " +
      "may be incomplete. A label or an id finds its object, a name its person (with roomId, a member of that " +
      "Room), a commit or an arXiv id what names it, newest first. status, agent and since filter the best " +
      "matches. Snippets are HTML with mark elements only.",
    parameters: {
      query: described(text(limits.searchQuery), "The words to search for; punctuation is ignored."),
      roomId: v.exactOptional(subject("room")),
      kinds: v.exactOptional(words(enumerations.searchKind)),
      status: v.exactOptional(oneOf(standings)),
      author: v.exactOptional(described(plain(limits.name), "A person's id or username.")),
      agent: v.exactOptional(agentName),
      since: v.exactOptional(time),
    },
    cursor: "offset",
    answer: page(answers.searchHit, {
      /** If nothing was found: the query with each unknown word corrected by one letter, if that finds something. */
      didYouMean: optionalText,
    }),
  }),
  read({
    name: "room_brief",
    costly: true,
    path: connectPaths.room_brief,
    summary:
      "A Room in one small read, never longer than its budget: the state of each question, hypotheses with their " +
      "evidence, findings, what failed and why, disputes, work, what to do next, open questions. " +
      "Items that are left out are counted, with a link to the whole list.",
    parameters: { budget },
    formats: markdown,
    answer: roomBrief,
  }),
  read({
    name: "thread_brief",
    costly: true,
    path: "/api/research/threads/{threadId}/brief",
    summary: "A Thread in one small read, in the form of a Room's brief.",
    parameters: { budget },
    formats: markdown,
    answer: threadBrief,
  }),
  read({
    name: "room_failures",
    path: "/api/research/rooms/{roomId}/failures",
    summary: "What failed in a Room and why, newest first: failed and diverged attempts, retractions.",
    cursor: "sequence",
    answer: page(failure),
  }),
  read({
    name: "room_next",
    path: "/api/research/rooms/{roomId}/next",
    summary:
      "What would advance a Room: each step with the reason, the operation for it, the permission it needs, " +
      "and the start of its body.",
    answer: nextSteps,
  }),
  read({
    name: "room_similar",
    path: "/api/research/rooms/{roomId}/similar",
    summary:
      "Similar work among a Room's hypotheses, experiments, findings and attempts, with its outcomes: " +
      "similar to a text or to one of these objects. For an attempt, also attempts with the same commit, " +
      "argv and configuration. Words are compared, with rare ones weighted most; " +
      "other forms of a word and other words for the same thing are not found.",
    parameters: {
      text: v.exactOptional(
        described(text(limits.explanation), "What you plan to propose, in a sentence or more. Required without like."),
      ),
      like: v.exactOptional(described(uuid, "The id of an object in this Room, instead of a text.")),
    },
    answer: similarAnswer,
  }),
  read({
    name: "room_provenance",
    costly: true,
    path: "/api/research/rooms/{roomId}/provenance",
    summary:
      "What rests on what in a Room, as nodes and edges: hypotheses, experiments, plans, attempts, findings, " +
      "claims, materials and links. With focus, only what is within depth steps (default 1) of one of them. " +
      "Edges are those that this Room states; objects of other Rooms that it names are included as end points.",
    parameters: { focus: v.exactOptional(uuid), depth: v.exactOptional(wholeNumber(limits.provenanceDepth)) },
    answer: answers.provenance,
  }),
  read({
    name: "room_citation",
    path: "/api/research/rooms/{roomId}/citation",
    summary:
      "The citation of a Room in its present state: its owner and members, and the last entry of its activity. " +
      "As BibTeX, RIS, CSL-JSON or CITATION.cff.",
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
      "The whole Room as an RO-Crate 1.2 in a zip: everything accepted, the feed with its digests, and a program " +
      "that verifies them offline. The same state of a Room gives the same bytes.",
    refusals: ["too_many_requests"],
    mediaType: "application/zip",
    answer: v.unknown(),
  }),
  read({
    name: "room_sqlite",
    path: "/api/research/rooms/{roomId}/room.sqlite",
    summary:
      "The Room as one SQLite file for Datasette, DuckDB, pandas and similar programs: " +
      "views of entries, experiments, plans, attempts, measurements, effects, findings, evidence and hypotheses, " +
      "with each column described in the view columns. Its name contains the head of the chain; " +
      "the same state of a Room gives the same bytes.",
    refusals: ["too_many_requests"],
    mediaType: "application/vnd.sqlite3",
    answer: v.unknown(),
  }),
] as const
