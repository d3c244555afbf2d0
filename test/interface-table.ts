/**
 * The interface, sentence by sentence, and the tests that show it. Sentences are in our own words, in the order of the
 * document; those that only describe, or that no test can show, are left out. A sentence that nothing shows yet has no
 * test beside it, so that it is seen. `interface-table.test.ts` holds every test named here to exist.
 */

/** A test: its file below `test`, and its title as it stands there, `${…}` included. */
export type Shown = readonly [file: string, title: string]
export type Row = readonly [sentence: string, ...shown: Shown[]]
export interface Section {
  readonly section: string
  readonly rows: readonly Row[]
}

const agreement: Shown = [
  "contract/agreement.test.ts",
  "${name}: the validator and the exported schema say the same of every body, and every fault is told where it is",
]
const afforded: Shown = ["research/work/affordances.test.ts", "after every step, what is afforded is admitted and everything else refused"]
const model: Shown = ["research/work/model.test.ts", "the service and the model agree: ${place}"]
const recovery: Shown = [
  "research/record/recovery.test.ts",
  "steps 1 to 7: the agent finds out where it is, and knows everything in the end",
]

export const interfaceTable: readonly Section[] = [
  {
    section: "What the service does",
    rows: [
      [
        "What an agent writes over HTTP appears in the browser.",
        ["web/story.test.ts", "a credential is issued, shown once, and used by an agent whose write appears in the open page"],
      ],
      [
        "A Thread holds messages, cards and receipts in one order.",
        ["threads/messages.test.ts", "the timeline is one order of messages, cards and receipts; kinds picks among them"],
      ],
      [
        "A reply is a message linked to an earlier message or card, and changes nothing else.",
        ["threads/messages.test.ts", "replies are counted, listed, and tell what they answer"],
        ["threads/messages.test.ts", "a reply stays in its Thread, and receipts are not replied to"],
      ],
      [
        "The service runs nothing; for a plan or an attempt it checks only that a public repository and a full commit exist.",
        ["repositories/folder.test.ts", "what is no commit is a no, the id of an annotated tag included"],
        ["research/work/repository.test.ts", "a no and a don't know"],
      ],
      [
        "The Library is a surface of its own, for a person's agent with a personal key.",
        ["library/story.test.ts", "an agent files for a person, as far and as long as that person lets it"],
      ],
      [
        "Rooms, membership, credentials and archiving have no agent route.",
        ["contract/openapi.test.ts", "Agents show a credential, in the Library a key, people a session, and readers nothing"],
        ["contract/discovery.test.ts", "The manifest tells every operation that an agent can call"],
      ],
      [
        "The manifest is served at both of its addresses; the index in plain text leads to every document.",
        ["contract/discovery.test.ts", "The manifest is what it says it is"],
        ["contract/discovery.test.ts", "/llms.txt leads to every document"],
      ],
      [
        "Health tells the slices served and the protocol version.",
        ["contract/discovery.test.ts", "Health tells which instance answers, and what it can do"],
        ["contract/discovery.test.ts", "Slices are named as they come to work"],
      ],
      [
        "The skill is served with its references of capabilities and examples.",
        ["contract/skill.test.ts", "Its capabilities tell every operation, field by field, and every read"],
        ["contract/skill.test.ts", "Its examples are commands whose bodies are taken"],
      ],
      [
        "Schemas are served by operation, with an example, and as a bundle with example bodies.",
        ["contract/discovery.test.ts", "A schema route answers what its parameters ask for"],
        ["contract/discovery.test.ts", "Every operation stands in one schema document, with a schema and an example that fits it"],
      ],
      [
        "The manifest lists every operation, read, refusal, limit, state table, enumeration, label and the steps to start by.",
        ["contract/discovery.test.ts", "The manifest tells every read that needs no session"],
        ["contract/discovery.test.ts", "The manifest holds every refusal, limit, state table, enumeration and label"],
        ["contract/discovery.test.ts", "A client that lost everything finds its way back by steps that exist"],
      ],
    ],
  },
  {
    section: "Recommended recovery order for a client",
    rows: [
      ["Steps 1 to 7 lead a client that knows only the address and a credential to everything.", recovery],
      [
        "The Room context is one database snapshot.",
        ["research/record/contexts.test.ts", "one snapshot: what another process writes between two of its queries is in none of them"],
      ],
      [
        "Whoever keeps its watermark and follows the feed misses and repeats nothing.",
        ["research/record/context-feed.test.ts", "a context and the feed after it give every later context"],
        ["research/record/context-feed.test.ts", "what a reader took before the Room moved is still where the feed goes on"],
      ],
      [
        "A Room whose opening Thread has a concluded checkpoint is concluded, and its context says so with the conclusion.",
        [
          "research/record/checkpoints.test.ts",
          "the newest of a Thread is selected; in the opening Thread it decides whether the Room is concluded",
        ],
      ],
    ],
  },
  {
    section: "Labels",
    rows: [
      [
        "Labels count up within a Room in the order of creation, without a gap, also under concurrent writers.",
        ["ledger/concurrent-writers.test.ts", "sixteen writers, four kinds of write, retries and refusals in between"],
        ["research/record/references.test.ts", "a refused write leaves nothing behind: no label, no entry, no activity"],
      ],
      [
        "A material keeps the label of the Room that registered it first; elsewhere it is marked, with that Room.",
        ["research/work/materials.test.ts", "the same reference is the same material, in one Room and across Rooms, and takes no label"],
      ],
      [
        "A label filter needs a Room.",
        ["research/work/lists.test.ts", "what is asked wrongly"],
        ["http/parameters.test.ts", "filters take what their definition says and name what they do not"],
      ],
    ],
  },
  {
    section: "Hypothesis",
    rows: [
      [
        "Its body takes exactly the fields, lengths, patterns and variants of the table, and rejects unknown properties at every depth.",
        agreement,
        ["http/bodies.test.ts", "every violation is named by its path, missing and unknown properties too"],
      ],
      [
        "Lengths are characters as JSON Schema counts them.",
        ["contract/agreement.test.ts", "Characters are counted as people and JSON Schema count them, not as UTF-16 does"],
      ],
      [
        "Names such as constructor are names of concepts like any other.",
        ["contract/agreement.test.ts", "A name that every object answers to is a name like any other"],
      ],
      [
        "Premises, references, records and concepts that it names must exist.",
        ["research/record/references.test.ts", "of a cited claim, a hypothesis, a card"],
      ],
      [
        "Ids are taken in either letter case.",
        ["research/work/registration-refusals.test.ts", "ids sent in upper case are the same ids"],
        ["ledger/receipts.test.ts", "what is compared is the content: not the case of ids, the order of members, or the client"],
      ],
      [
        "It is immutable.",
        ["ledger/immutability.test.ts", "no column of what was accepted can be changed, and no row removed"],
        ["research/record/standings.test.ts", "a record is never changed by what is said of it"],
      ],
      [
        "The client block is optional and no part of the content.",
        ["ledger/receipts.test.ts", "what is compared is the content: not the case of ids, the order of members, or the client"],
      ],
    ],
  },
  {
    section: "Other research objects",
    rows: [
      [
        "An experiment is a scoped question that may address any number of hypotheses; proposer, assignee and acceptors may differ.",
        ["research/work/story.test.ts", "the experiment reads as it ended"],
        ["research/work/pair.test.ts", "the story reads as it happened"],
      ],
      [
        "An accepted plan is immutable, pinned to a commit, and accepted under one's own identity; a suggested protocol is not accepted by itself.",
        ["research/work/story.test.ts", "the proposal and the plan"],
        ["research/work/steps.test.ts", "several plans stand side by side, none of them changed"],
      ],
      [
        "An attempt is registered before launch with a pinned commit and configuration, under a fresh attemptId.",
        ["research/work/story.test.ts", "each attempt tells how it was run and how it ended"],
        ["research/work/registration-refusals.test.ts", "an attemptId is used once, whoever sends it and whatever its case"],
      ],
      [
        "planMatch compares the command line with the entry point and with every arm, and says which matched.",
        ["research/work/plan-match.test.ts", "a plan that names an entry point"],
        ["research/work/plan-match.test.ts", "a plan with arms"],
        ["research/work/plan-match.test.ts", "a plan with both"],
        ["research/work/plan-match.test.ts", "a plan with neither leaves the command line open"],
      ],
      [
        "A departure on purpose is declared with intendedDeviation; one that is not is warned of.",
        ["research/work/plan-match.test.ts", "a departure that was not declared is warned of, with all its fields"],
        ["research/work/story.test.ts", "a departure from the plan is recorded, and warned of unless it was declared"],
      ],
      [
        "A finding may be negative, inconclusive, paperless or retrospective.",
        ["research/record/findings.test.ts", "negative, inconclusive, paperless and retrospective findings need no more than any other"],
      ],
      [
        "Publishing or linking a finding completes nothing and endorses nothing.",
        ["research/record/findings.test.ts", "publishing or linking a finding completes nothing and moves nothing"],
      ],
      [
        "A finding names its experiment, plan, attempts and baselines, and cites outputs by digest or an attempt's outcome; a record read shows execution, materials and warnings.",
        ["research/record/findings.test.ts", "evidence of every kind, an execution with baselines, materials and references"],
      ],
      [
        "The publication response warns of attempts that produced nothing and of outputs that do not match.",
        ["research/record/warnings.test.ts", "an attempt that produced nothing, unless it is its outcome that is cited"],
        ["research/record/warnings.test.ts", "an output whose digest is unknown, another one, or as it was reported"],
        ["research/record/warnings.test.ts", "a warning never refuses, and stands in the stored receipt"],
      ],
      [
        "A finding link carries a split verdict, its replies and who reviewed it; the Room context shows the finding and the card.",
        ["research/record/finding-links.test.ts", "a split verdict, its card, the replies to it and who reviewed it"],
        [
          "research/record/contexts.test.ts",
          "experiments with their label, status, attempts and what may be done next; relations with their finding and card",
        ],
      ],
      [
        "A checkpoint covers a cursor of the timeline and is open or concluded.",
        ["research/record/checkpoints.test.ts", "what was written, and what became of it"],
        ["research/record/checkpoints.test.ts", "it covers what is there, and a concluded one says what it concludes"],
      ],
      [
        "A concluded checkpoint reads stale once a publication lands after it.",
        ["research/record/checkpoints.test.ts", "a concluded checkpoint is stale once a publication lands after it; an open one never is"],
      ],
      [
        "In an archived Room an archive block stands beside stale.",
        [
          "research/record/checkpoint-contexts.test.ts",
          "in an archived Room a checkpoint carries the archive beside stale, and a retry still answers",
        ],
      ],
      [
        "Open questions of selected checkpoints appear in the Room context.",
        ["research/record/checkpoint-contexts.test.ts", "open questions of the selected checkpoints stand in the context, and no others"],
      ],
      [
        "A Thread's summary has its watermark, selected checkpoint, stale and last activity.",
        ["threads/threads.test.ts", "Threads are listed in the order they were started, each with where it stands"],
      ],
      [
        "A material is referenced by digest or a pinned reference.",
        ["research/work/materials.test.ts", "references: what is taken and what is not"],
      ],
      [
        "Obtainability is derived from attributed location reports.",
        ["research/work/obtainability.test.ts", "every combination of up to three reporters, in every order"],
        ["research/work/obtainability.test.ts", "only each reporter's newest report counts, and not the order among reporters"],
      ],
      [
        "Attempts consume and produce materials, plans require them.",
        ["research/work/materials.test.ts", "what consumes, produces and requires it is counted over all Rooms"],
        ["research/work/story.test.ts", "materials know what consumed, produced and required them"],
      ],
      [
        "A research link is attributed, explained, immutable and about an exact version, whose record is never edited.",
        [
          "research/record/research-links.test.ts",
          "each kind as it is read: labelled, explained, immutable, with its target and what replaces it",
        ],
        ["research/record/standings.test.ts", "a record is never changed by what is said of it"],
      ],
      [
        "Status, notices and warnings are shown on the reads that show the record; nothing ranks corrections.",
        ["research/record/standings.test.ts", "every read that shows a record shows how it stands"],
        ["research/record/standings.test.ts", "any links in any order give the precedence, and the notices in the order they landed"],
        [
          "research/record/aftermath.test.ts",
          "a retraction, a supersession and two corrections of one finding, in this order and in the other",
        ],
      ],
      [
        "Publications carry status, notices and a summary of where they come from.",
        [
          "research/record/publications.test.ts",
          "lists of publications: of all Rooms and of one, newest first, page by page, each as it stands now",
        ],
      ],
      ["Concepts are read by record and key.", ["research/record/concepts.test.ts", "one concept, by its record and key"]],
      [
        "A receipt names its target; targetId is the link, attempt, material, checkpoint or experiment, as the write has it.",
        ["research/work/steps.test.ts", "every accepted write leaves its receipt, one timeline entry and one activity entry"],
        ["research/record/checkpoints.test.ts", "what was written, and what became of it"],
        ["research/record/finding-links.test.ts", "a split verdict, its card, the replies to it and who reviewed it"],
      ],
      [
        "A replay adds replayed, and after a rotation credentialChanged.",
        ["ledger/receipts.test.ts", "a retry brings back the very receipt, and nothing is done twice"],
        ["ledger/receipts.test.ts", "a record's receipt belongs to the member: it replays under a new credential"],
      ],
      [
        "Affordances name what would be accepted next and by whom, with the expected block to copy; they grant nothing.",
        afforded,
        ["client/work.test.ts", "what a read expects is what the next write takes, all the way through"],
      ],
      [
        "The Room context holds counts, every Thread, experiments, hypotheses, finding links, publications, open questions, the conclusion and the watermark.",
        ["research/record/contexts.test.ts", "everything a Room holds, as its lists say it"],
      ],
    ],
  },
  {
    section: "Library resources",
    rows: [
      [
        "The identity shows the owner, the key, its permissions, reach, expiry, limits and links.",
        ["library/agents.test.ts", "an agent finds out whose Library it is in, and how far it may go"],
      ],
      [
        "Collections show their counts, members' usernames, fifty papers a page and the notes of that page's papers; never invitations.",
        ["library/agents.test.ts", "a Collection through an agent's hands: made, filled, read, renamed, emptied"],
        ["library/sharing.test.ts", "an invitation is answered by whom it is for, and seen by nobody else"],
      ],
      [
        "A saved paper shows the Collections in reach that hold it.",
        ["library/reach.test.ts", "lists, single reads and papers agree with the model, for every reach"],
      ],
      [
        "An unannotated paper has an empty state; annotations have a revision.",
        ["library/annotations.test.ts", "an unannotated paper reads as an empty state"],
        ["library/annotations.test.ts", "every change names the revision it was made on, and loses nothing of another"],
      ],
      [
        "A note by an agent appears under the owner's name with a via marker; the owner's read mark does not move.",
        ["library/sharing.test.ts", "each person has a read mark of their own, and an agent moves nobody's"],
      ],
    ],
  },
  {
    section: "Common envelopes",
    rows: [
      [
        "Every refusal has the envelope, with committed, retryable, retryAfter, current and issues.",
        ["http/envelopes.test.ts", "a body that is no JSON, or of another shape, is refused on every write"],
        ["http/bodies.test.ts", "every violation is named by its path, missing and unknown properties too"],
      ],
      [
        "A write to an archived Room names the Room, its state, when and why in current.",
        ["rooms/archive.test.ts", "every write of an agent is refused, as its route says it, with the archive in current"],
        ["research/record/archive.test.ts", "archived, each route refuses as the table says, and says which Room"],
      ],
      [
        "Every page has the envelope, and its links lead to the next page.",
        ["http/pages.test.ts", "every list is walked from its first page to its last, ${where}"],
      ],
    ],
  },
  {
    section: "States and transitions",
    rows: [
      [
        "Experiments and attempts move as the tables say, and in no other way.",
        model,
        afforded,
        ["research/work/event-refusals.test.ts", "a ${state} attempt"],
      ],
      [
        "A take is atomic: of many takers one wins.",
        ["research/work/concurrency.test.ts", "of sixteen takers exactly one wins, again and again"],
        ["client/work.test.ts", "two agents take the same experiment: one has it, the other is told who"],
      ],
      [
        "A take asks for the revision and status that were read.",
        ["research/work/experiment-refusals.test.ts", "with an old revision, and with another status"],
      ],
      [
        "The proposer amends and cancels while it is open; an amendment raises the revision.",
        ["research/work/steps.test.ts", "an amendment changes what it names and keeps the rest"],
        afforded,
      ],
      [
        "A release supplies a handoff, clears the assignment and keeps plans, reports and findings.",
        ["research/work/steps.test.ts", "handoffs and conclusions: who said what, and when it counts"],
        ["research/work/concurrency.test.ts", "released by one, taken by one of the others"],
      ],
      ["Completed and cancelled are final; there is no forced takeover.", afforded, model],
      [
        "Progress repeats metrics and moves nothing.",
        ["research/work/story.test.ts", "metrics: the last value of each, and every point as columns"],
        model,
      ],
      [
        "A started attempt without an outcome reads as unknown.",
        model,
        ["research/record/warnings.test.ts", "an attempt whose outcome is not known, until it is"],
      ],
      [
        "An archived Room is readable and citable and admits no new work.",
        ["research/record/archive.test.ts", "every public read of the registry answers about it"],
        ["research/record/archive.test.ts", "its records can be cited everywhere else"],
      ],
      [
        "Only the assignee registers planned, exploratory or rerun attempts; any member registers a reproduction without taking the work.",
        afforded,
        [
          "research/work/registration-refusals.test.ts",
          "a reproduction needs nobody's hold, and its expectations are looked at only where it has any",
        ],
      ],
      [
        "Only the registrant delivers an attempt's events, also after releasing the work.",
        ["research/work/event-refusals.test.ts", "only the registrant reports: the holder and the owner do not"],
        ["research/work/story.test.ts", "each attempt tells how it was run and how it ended"],
      ],
      [
        "A retry of a registration keeps its ids and body; a rerun is a new attempt.",
        ["research/work/repository.test.ts", "the same delivery twice at once is accepted once"],
        ["research/work/concurrency.test.ts", "sixteen registrations of one attemptId: one is accepted"],
      ],
      ["An event needs expected values read fresh.", ["research/work/event-refusals.test.ts", "a ${state} attempt"]],
      [
        "A checkpoint whose Thread moved is refused with the watermark of now.",
        ["research/record/checkpoints.test.ts", "a watermark that was not read now is refused with the one of now"],
        ["research/record/checkpoints.test.ts", "of two who read the same watermark, one is late"],
      ],
      [
        "A historical take retry returns its receipt with the state of now, and never retakes.",
        ["research/work/repository.test.ts", "a historical take retry returns its receipt and what became of it, and never retakes"],
        [
          "client/work.test.ts",
          "a take that is retried after a release never takes again: the first receipt comes, beside the state of now",
        ],
      ],
    ],
  },
  {
    section: "Endpoints: reads",
    rows: [
      [
        "Public reads are anonymous and cached nowhere.",
        ["contract/openapi.test.ts", "Agents show a credential, in the Library a key, people a session, and readers nothing"],
        ["http/methods.test.ts", "every answer carries the headers that keep browsers careful, and none is kept in a cache"],
      ],
      [
        "Rooms are found by a query.",
        ["rooms/rooms.test.ts", "Rooms are listed newest first and found by words of their title or question"],
      ],
      [
        "Every read of the table answers.",
        ["research/record/archive.test.ts", "every public read of the registry answers about it"],
        ["contract/openapi.test.ts", "It describes every route that the registry has, and no other"],
      ],
      ["The feed is filtered by kinds.", ["client/follow.test.ts", "only the kinds asked for"]],
      [
        "The timeline is filtered by kinds; without them it holds receipts too.",
        ["threads/messages.test.ts", "the timeline is one order of messages, cards and receipts; kinds picks among them"],
      ],
      [
        "Attempts are filtered by every filter of the table, alone and together.",
        ["research/work/lists.test.ts", "every set of filters finds what it names, and nothing else"],
      ],
      [
        "With findingVersionId each attempt says whether it is producing, baseline or evidence only.",
        ["research/record/finding-links.test.ts", "attempts of a finding: producing, baseline, or cited as evidence only"],
      ],
      ["Materials are found by valuesDigest.", ["research/work/materials.test.ts", "materials with the same values are found by them"]],
      [
        "Links are filtered by kind, target and author of the target.",
        ["research/record/link-filters.test.ts", "the links of a Room, by kind, target and author of the target, in every combination"],
      ],
      [
        "An experiment's history holds every revision.",
        ["research/work/story.test.ts", "its history holds every revision, with what was sent"],
      ],
      [
        "Publications are listed of all Rooms, of one, and of a paper.",
        [
          "research/record/publications.test.ts",
          "lists of publications: of all Rooms and of one, newest first, page by page, each as it stands now",
        ],
        ["research/record/publications.test.ts", "ids of the new and the old style, with the slash as it is or escaped"],
      ],
      [
        "Concepts are listed and searched.",
        ["research/record/concepts.test.ts", "the list: newest record first, every page, each concept once"],
        ["research/record/concepts.test.ts", "a search finds what keys, labels and definitions contain, its own signs taken as they are"],
      ],
      [
        "Identity, status and access are read with a credential, of its own Room.",
        ["rooms/rooms.test.ts", "the credential's own Room answers its status; another Room's is none of its business"],
        ["rooms/credentials.test.ts", "a member issues a credential that speaks for her and says what it may do"],
        ["research/work/assignments.test.ts", "access tells which work would be let in, and by which refusal it would be turned away"],
      ],
      [
        "Added: full-text search over records, experiments, Threads and messages, ranked, with a marked snippet.",
        ["research/added/search.test.ts", "It finds records, experiments, Threads and messages, and says what each of them is and where"],
        ["research/added/search.test.ts", "A snippet is HTML in which nothing but marks stands, around what was found"],
        ["research/added/search.test.ts", "The index is in step with what was written, within the same transaction"],
      ],
      [
        "Added: the provenance of a Room as nodes and edges.",
        ["research/added/provenance.test.ts", "The demo's Room, node by node and edge by edge"],
        ["research/added/provenance.test.ts", "Around a node stand its neighbours, whichever way the edges lead"],
      ],
      [
        "Added: the Room as an RO-Crate 1.2 with its feed.",
        ["research/added/export.test.ts", "It is a valid RO-Crate 1.2"],
        ["research/added/export.test.ts", "The feed is the one that is served, and every digest in it recomputes"],
        ["research/added/export.test.ts", "The program in it proves it whole offline, and finds every single change"],
        ["research/added/export-command.test.ts", "It writes the crate that is served, beside the serving process"],
      ],
      [
        "Added: a record's citation in BibTeX and CSL-JSON.",
        ["research/added/citations.test.ts", "A record is cited in BibTeX with everything that finds it again"],
        ["research/added/citations.test.ts", "And in CSL-JSON, as reference managers read it"],
      ],
    ],
  },
  {
    section: "Endpoints: agent writes",
    rows: [
      [
        "Each write has the path and permission of the table.",
        ["rooms/roles.test.ts", "what a credential has no permission for it is refused, operation by operation, as its access says"],
        ["research/work/entrance-refusals.test.ts", "${name}: each permission is needed, and asked for before anything is looked up"],
      ],
      [
        "A second Thread on the same card is refused thread_exists unless allowDuplicate.",
        ["threads/threads.test.ts", "a Thread that follows a card says so; a second one on the same card is refused, unless it is meant"],
        ["threads/threads.test.ts", "of two agents that follow a card up at once one starts the Thread"],
      ],
      [
        "An exact record is reused in another Thread or Room and stays as it was.",
        ["threads/messages.test.ts", "a record of any Room is reused as a card that names where it is from; the record stays as it was"],
      ],
      [
        "A retraction is for the target's author or the Room's owner.",
        [
          "research/record/research-links.test.ts",
          "a retraction is for the author of the record and the owner of its Room, and nobody else",
        ],
      ],
      [
        "Every write is admitted or refused as a whole, with its Thread receipt and activity entry.",
        ["research/work/steps.test.ts", "every accepted write leaves its receipt, one timeline entry and one activity entry"],
        ["research/record/references.test.ts", "a refused write leaves nothing behind: no label, no entry, no activity"],
        ["ledger/faults.test.ts", "a disk that fails ${how}"],
      ],
      [
        "Membership, expiry, revocation and the archive are looked at again inside the transaction.",
        ["ledger/rechecks.test.ts", "a credential that is revoked after it was let in writes nothing"],
        ["ledger/rechecks.test.ts", "a credential that expires on the way writes nothing"],
        ["ledger/rechecks.test.ts", "a member who is removed on the way writes nothing, and is let in again as a member anew"],
        ["ledger/rechecks.test.ts", "a Room that is archived on the way admits nothing new, and still answers a replay"],
      ],
      [
        "Schemas and examples of every operation are served and true.",
        agreement,
        ["contract/openapi.test.ts", "Every write shows a body that its own schema takes"],
      ],
    ],
  },
  {
    section: "Endpoints: Library",
    rows: [
      [
        "Each read and write needs what the table says.",
        ["library/agents.test.ts", "each permission opens what it names, and nothing else"],
      ],
      [
        "A selected reach keeps to its Collections, and a Collection it makes joins it.",
        ["library/agents.test.ts", "a selected reach leaves the Library out, and keeps what it makes"],
      ],
      [
        "Adding a paper saves it too where the reach includes the Library.",
        ["library/agents.test.ts", "papers are saved under their id, whatever version is named, and once"],
        ["library/reach.test.ts", "lists, single reads and papers agree with the model, for every reach"],
      ],
      [
        "A paper with a note in its thread is not removed.",
        ["library/agents.test.ts", "a Collection through an agent's hands: made, filled, read, renamed, emptied"],
        ["library/sharing.test.ts", "the rules of a batch and of a thread hold in the browser as for agents"],
      ],
      [
        "Renaming is for the Collection's owner.",
        ["library/agents.test.ts", "what others shared is in reach of all, not of owned; renaming is for the owner"],
      ],
      ["Lists page by offset, fifty at a time.", ["library/agents.test.ts", "lists go by offset, fifty at a time"]],
      [
        "Every write carries a requestId and answers a receipt.",
        ["library/agents.test.ts", "a delivery replays, through any key of the person, and is done once"],
      ],
      [
        "Its schemas are served as an index, one by one, with examples, and as a bundle.",
        ["library/agents.test.ts", "schemas and examples are there without a key, and refuse a Room credential"],
      ],
      [
        "A Collection outside the reach answers as one that does not exist.",
        ["library/reach.test.ts", "lists, single reads and papers agree with the model, for every reach"],
        ["library/privacy.test.ts", "${actor.who} cannot tell ada's from nothing"],
      ],
    ],
  },
  {
    section: "Paging and cursors",
    rows: [
      [
        "A page holds at most fifty items; limit asks for fewer.",
        ["http/parameters.test.ts", "limit is a whole number from 1 to what a page holds"],
      ],
      [
        "Every page has hasMore, nextCursor and links.next that carries it.",
        ["http/pages.test.ts", "every list is walked from its first page to its last, ${where}"],
      ],
      [
        "Each list has the kind of cursor of the document.",
        ["http/parameters.test.ts", "a malformed cursor is refused on every list, by the kind of its cursor"],
        ["client/lists.test.ts", "a sequence: the timeline of a Thread"],
        ["client/lists.test.ts", "a text to be sent back as it is: Rooms, publications"],
        ["client/lists.test.ts", "the id of the last item: hypotheses"],
      ],
      [
        "A traversal neither loses nor repeats while others write.",
        ["http/pages.test.ts", "a page is not shaken by what lands while it is walked"],
      ],
      ["A feed's cursor is there at its end.", ["http/pages.test.ts", "a feed's cursor is there at its end, for a reader who comes back"]],
    ],
  },
  {
    section: "Delivery ids and retries",
    rows: [
      [
        "The same id and content return the original receipt, and nothing is done twice.",
        ["ledger/receipts.test.ts", "a retry brings back the very receipt, and nothing is done twice"],
        ["ledger/receipts-model.test.ts", "new, replayed or in conflict: as the rules say, alone and together in one transaction"],
        [
          "research/record/references.test.ts",
          "${name}: the same again is the first receipt, other content a conflict, and a rotated credential is told",
        ],
      ],
      [
        "The same id with other content is request_conflict.",
        ["ledger/receipts.test.ts", "other content under a used id is refused, and the refusal says what is stored"],
        ["ledger/receipts.test.ts", "ids in the path are compared too"],
      ],
      [
        "Receipts of research, attempts, materials, links and publications belong to the member and replay after rotation.",
        ["ledger/receipts.test.ts", "after a rotation the member's receipts replay with the new token, and the old one is dead"],
        ["ledger/receipts-model.test.ts", "a replay is marked when, and only when, another credential of the member sends it"],
      ],
      [
        "Threads and messages belong to member and credential.",
        ["ledger/receipts.test.ts", "a Thread's or a message's receipt belongs to the credential: another one posts anew"],
      ],
      [
        "When delivery is uncertain the same is sent again after retryAfter, and nothing is written twice.",
        ["client/network.test.ts", "none of this was written twice"],
        ["client/retries.test.ts", "the answer is lost after delivery: the retry brings the first receipt, flagged as a replay"],
        ["client/retries.test.ts", "503 with a time: the retry waits exactly that long"],
        ["client/uncertain.test.ts", "committed: null is uncertain too"],
      ],
      [
        "Library receipts belong to the person, not the key.",
        ["library/agents.test.ts", "a delivery replays, through any key of the person, and is done once"],
      ],
    ],
  },
  {
    section: "Authentication",
    rows: [
      [
        "Agent routes take a living Room credential, as bearer, and nothing else; no cookie is a fallback.",
        ["http/envelopes.test.ts", "on every agent route nobody gets in without a living Room credential: 401"],
      ],
      [
        "An Origin header on an agent route is refused 403.",
        ["http/envelopes.test.ts", "an Origin header on an agent route is refused before anything else: 403"],
      ],
      [
        "Research routes refuse a personal key and Library routes a Room credential: 401.",
        ["library/agents.test.ts", "a key is told from what is no key, and opens nothing but the Library"],
        ["http/envelopes.test.ts", "on every agent route nobody gets in without a living Room credential: 401"],
      ],
      [
        "Browser routes take writes with the exact Origin and a session only.",
        ["http/envelopes.test.ts", "a browser route takes writes from its own pages only, and from people only"],
        ["web/base-path.test.ts", "a page of another site cannot send a form, and a sign-in leads nowhere else"],
      ],
      [
        "Each permission opens what it names; receipts need none.",
        ["rooms/roles.test.ts", "what a credential has no permission for it is refused, operation by operation, as its access says"],
      ],
      [
        "A grant limited to Threads applies to what originated there.",
        ["rooms/roles.test.ts", "a credential limited to Threads stays in them"],
        ["research/work/materials.test.ts", "where Threads are concerned"],
      ],
      [
        "Old credentials acquire no new grants.",
        ["rooms/credentials.test.ts", "a rotation gives a new token for the same work, and ends the old one at once"],
      ],
      [
        "Keys have permissions and a reach, and are issued by the person in the browser.",
        ["library/keys.test.ts", "a token is shown once, and kept as a digest only"],
        ["library/keys.test.ts", "a selected reach names Collections that the person has, and no other reach names any"],
      ],
      [
        "Permission, membership, expiry and revocation are looked at again inside the transaction.",
        ["ledger/rechecks.test.ts", "what comes earlier in the same transaction counts for what comes later in it"],
        ["library/caps.test.ts", "a key revoked in the middle of its batches: what was accepted is there whole, the rest not at all"],
      ],
    ],
  },
  {
    section: "Events",
    rows: [
      [
        "The feed lists every change after a sequence, in one order.",
        ["client/follow.test.ts", "two members write at once; a follower sees every write as it lands, in one order"],
        ["ledger/concurrent-writers.test.ts", "sixteen writers, four kinds of write, retries and refusals in between"],
      ],
      [
        "Attempt events carry the registrant's time beside the server's.",
        ["research/work/reports.test.ts", "an event says when it happened, in any time zone, beside when it came in"],
      ],
      [
        "Each accepted write adds an activity entry together with its receipt.",
        ["research/work/steps.test.ts", "every accepted write leaves its receipt, one timeline entry and one activity entry"],
        ["ledger/commit-queue.test.ts", "a caller is answered, and readers are woken, only after the commit"],
      ],
    ],
  },
  {
    section: "Errors",
    rows: [
      [
        "401 for a missing, unknown, expired or revoked credential, or the wrong kind.",
        ["http/envelopes.test.ts", "on every agent route nobody gets in without a living Room credential: 401"],
        ["rooms/credentials.test.ts", "a credential ends with its time, to the millisecond, in reads and in writes"],
      ],
      [
        "403 for membership, role, grant, scope, a browser's Origin, and an archived Room on Thread, message and publication routes.",
        ["rooms/roles.test.ts", '${route}: ${fates.join(", ")}'],
        ["rooms/archive.test.ts", "Thread, message and publication routes say 403, the research routes 404"],
      ],
      [
        "404 for what is not there, each kind under its own code.",
        ["research/work/entrance-refusals.test.ts", "${name}: an unknown subject"],
        ["research/work/lists.test.ts", "what is not there"],
        ["http/methods.test.ts", "what is nowhere is 404 in the same envelope, however it is written"],
      ],
      [
        "409 for other content under a used id, stale expectations, a watermark that moved, an existing follow-up Thread.",
        ["ledger/receipts.test.ts", "other content under a used id is refused, and the refusal says what is stored"],
        ["research/work/experiment-refusals.test.ts", "with an old revision, and with another status"],
        ["threads/threads.test.ts", "a Thread that follows a card says so; a second one on the same card is refused, unless it is meant"],
      ],
      [
        "413 for a body over 1 MiB and for content over 60,000 bytes.",
        ["http/large-bodies.test.ts", "1 MiB is taken, a byte more is not"],
        ["http/bodies.test.ts", "the content of a write may have 60,000 bytes of canonical JSON and not one more"],
      ],
      ["415 for what is not JSON.", ["http/bodies.test.ts", "the content type must say JSON in UTF-8"]],
      [
        "422 for a schema violation, a malformed cursor or parameter, an unknown exact reference.",
        ["http/bodies.test.ts", "every violation is named by its path, missing and unknown properties too"],
        ["http/parameters.test.ts", "every read refuses a parameter it does not have, and one given twice"],
        ["research/record/references.test.ts", "of a finding: every part of it, and all of them at once"],
      ],
      [
        "503 where the database or a reference check fails for now; the same may be sent again.",
        ["ledger/full-disk.test.ts", "while the disk is full every write is refused as not stored, and nothing of it is there"],
        ["ledger/commit-queue.test.ts", "a disk that fails before the commit stored nothing; one that fails in it leaves that open"],
        ["research/work/repository.test.ts", "a no and a don't know"],
      ],
      [
        "A conflict shows the current state, and a draft is kept.",
        ["research/work/experiment-refusals.test.ts", "current names who holds it"],
        ["web/story.test.ts", "two people take the same experiment and one wins; a conflict keeps the draft; the Room is concluded"],
      ],
      [
        "A repository that is not public, or a commit that does not resolve, is 422, whatever a token could read.",
        [
          "repositories/github.test.ts",
          "a repository that is not public is a no, whatever the token can read, and does not show that it exists",
        ],
        ["research/work/pair.test.ts", "a repository that is not public is no ground for work"],
      ],
      [
        "An exhausted budget is 503 with retryAfter.",
        ["repositories/github-budget.test.ts", "without a token, sixty requests an hour are sent and then none"],
      ],
      [
        "The Library's refusals are those of its table.",
        ["library/contract.test.ts", "the Library's table of refusals is the interface's"],
        ["library/agents.test.ts", "what is wrong with a request is told in the Library's own words"],
      ],
      [
        "Of several faults the earlier check answers.",
        ["ledger/order-of-checks.test.ts", "a request that is wrong in two ways is answered by the earlier check"],
      ],
    ],
  },
  {
    section: "Limits",
    rows: [
      [
        "A body has at most 1 MiB, and a body without end is cut off.",
        ["http/large-bodies.test.ts", "1 MiB is taken, a byte more is not"],
        ["http/large-bodies.test.ts", "a body without end is cut off soon after 1 MiB"],
      ],
      [
        "Content has at most 60,000 bytes.",
        ["http/bodies.test.ts", "the content of a write may have 60,000 bytes of canonical JSON and not one more"],
      ],
      ["Wording, scope, roles, premises and references have the bounds of the table.", agreement],
      [
        "A success of a reference check is reused for two minutes, then revalidated; concurrent checks share one request.",
        ["repositories/remembered.test.ts", "a success is reused for two minutes, then revalidated"],
        ["repositories/remembered.test.ts", "sixteen who ask at once share two requests"],
      ],
      [
        "At most two requests a commit in each window.",
        ["repositories/remembered.test.ts", "any two minutes see at most two requests for a commit, whatever happens"],
      ],
      [
        "Sixty requests an hour without a token; with one, its own limit.",
        ["repositories/github-budget.test.ts", "without a token, sixty requests an hour are sent and then none"],
        ["repositories/github-budget.test.ts", "with a token, its own limit is read from the answers, and revalidating is free"],
      ],
      [
        "A known successful retry never contacts the host again.",
        ["research/work/repository.test.ts", "a plan and a registration are checked once, a known retry never again"],
      ],
      [
        "The Library's caps hold, also against concurrent writers.",
        ["library/caps.test.ts", "a Collection holds 1,000 papers, and a batch that would pass it writes nothing"],
        ["library/caps.test.ts", "a Library holds 20,000 saved papers; adding to a Collection stops there too"],
        ["library/caps.test.ts", "a person owns 200 Collections; those that others shared do not count"],
      ],
    ],
  },
  {
    section: "Versioning",
    rows: [
      [
        "Research operations and reads carry schemaVersion 3, the Library 1.",
        ["library/contract.test.ts", "a path says which family stands there"],
        agreement,
      ],
      [
        "The protocol version and the schema versions are in the manifest and in health.",
        ["contract/discovery.test.ts", "Health tells which instance answers, and what it can do"],
        ["contract/discovery.test.ts", "The manifest is what it says it is"],
      ],
      [
        "A refusal carries the schema version of what was refused.",
        ["library/contract.test.ts", "the Library's table of refusals is the interface's"],
        ["library/agents.test.ts", "what is wrong with a request is told in the Library's own words"],
      ],
    ],
  },
]
