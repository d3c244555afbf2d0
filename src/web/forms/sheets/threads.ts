/** Threads, what is said in them, and where they stand, as they are asked for. */
import { orNull } from "../../visit.ts"
import { pictureAsks, pictureFold } from "./pictures.ts"
import { ANOTHER, sheet, threadAsk } from "./sheet.ts"

export const threadSheets = {
  create_thread: sheet("create_thread", {
    heading: "Start a Thread",
    lead: "A question or a piece of work to talk about.",
    send: "Start the Thread",
    first: ["/title", "/message"],
    folds: [{ heading: "Where one follows the same card already", places: ["/allowDuplicate"] }],
    kept: ["/roomId"],
    asks: {
      "/title": { label: "Title", missing: "Give the Thread a title." },
      "/message": { label: "Message", hint: "Markdown and TeX.", tall: 3 },
      "/allowDuplicate": { label: "Start another one all the same" },
    },
  }),
  post_message: sheet("post_message", {
    heading: "Reply",
    lead: "Everybody can read it; it cannot be changed afterwards.",
    send: "Post",
    first: ["/text"],
    folds: [pictureFold],
    asks: {
      "/text": { label: "Your reply", hint: "Markdown, with TeX math between dollar signs.", missing: "Write something.", tall: 4 },
      ...pictureAsks,
    },
  }),
  reuse_record: sheet("reuse_record", {
    heading: "Reuse a record in a Thread",
    lead: "It appears in the Thread as a card. The record itself is not changed.",
    send: "Reuse it here",
    first: ["/versionId", "/note"],
    kept: ["/versionId"],
    asks: {
      "/versionId": { label: "Record", hint: ANOTHER, missing: "Choose the record." },
      "/note": { label: "Why here?", tall: 2 },
    },
  }),
  post_research_checkpoint: sheet("post_research_checkpoint", {
    heading: "Say where the Thread stands",
    lead: "A summary of everything up to now, for the next reader.",
    send: "Post the checkpoint",
    first: ["/synthesis", "/state", "/conclusion"],
    folds: [
      { heading: "Questions that stay open", places: ["/openQuestions"] },
      { heading: "Records it cites", places: ["/citations"] },
      pictureFold,
      { heading: "How far it covers", places: ["/coversThrough"] },
    ],
    kept: ["/threadId", "/expectedWatermark"],
    begins: (visit, draft) => {
      const context = orNull(() => visit.ask("thread_context", { threadId: draft.get("/threadId") ?? "" }))
      const read = Number(draft.get("/expectedWatermark") ?? context?.thread.timelineWatermark)
      return { state: "open", ...(Number.isSafeInteger(read) ? { expectedWatermark: read, coversThrough: read } : {}) }
    },
    asks: {
      "/synthesis": { label: "What has it come to?", hint: "Markdown and TeX.", missing: "Say what it has come to.", tall: 5 },
      "/state": {
        label: "Is the question settled?",
        missing: "Say whether the question is settled.",
        words: { open: "no, it stays open", concluded: "yes, this concludes it" },
      },
      "/conclusion": { label: "The conclusion, in a sentence or two", missing: "Say what the conclusion is." },
      "/openQuestions": { label: "Questions that stay open", hint: "One a line." },
      "/citations": { label: "Records it cites" },
      "/coversThrough": { label: "Covers the entries up to number" },
      ...pictureAsks,
      ...threadAsk,
    },
  }),
  claim_work: sheet("claim_work", {
    heading: "Say what you are working on",
    lead: "Others see it and can do something else. It ends by itself; what you write about it meanwhile renews it.",
    send: "Claim it",
    first: ["/what", "/minutes", "/note"],
    kept: ["/object", "/threadId"],
    asks: {
      "/object": { label: "What it is about" },
      "/threadId": { label: "Thread" },
      "/what": {
        label: "What are you doing?",
        missing: "Say what you are doing.",
        words: {
          run: "running it",
          reproduce: "reproducing it",
          write_finding: "writing a finding",
          write_checkpoint: "writing a checkpoint",
          review: "reviewing it",
        },
      },
      "/minutes": { label: "For how many minutes?", missing: "Say for how many minutes." },
      "/note": { label: "Anything others should know?", tall: 2 },
    },
  }),
  release_claim: sheet("release_claim", {
    heading: "Release the claim",
    lead: "Others see that you are no longer at it.",
    send: "Release it",
    first: [],
    kept: ["/claimId"],
    asks: { "/claimId": { label: "Claim" } },
  }),
} as const
