/** The forms for Rooms, their members, their agents' credentials and their Threads. */
import { enumerations } from "../../../contract/schema/enumerations.ts"
import { agentPrompts, type Sheets, why, pictureFold, picturePrompts, ANOTHER, threadPrompt } from "./sheet.ts"
import { orNull } from "../../visit.ts"

const roomPrompts = {
  "/title": { label: "Title", missing: "Give the Room a title." },
  "/question": { label: "Question", hint: "What the Room should find out.", tall: 2 },
  "/license": { label: "Licence", hint: "For everything written here, such as CC-BY-4.0." },
} as const

export const roomSheets = {
  create_room: {
    heading: "Create a Room",
    lead: "A place for one line of research. It is yours, everybody can read it, and it begins with a Thread.",
    send: "Create the Room",
    first: ["/title", "/question"],
    folds: [{ heading: "Licence", places: ["/license"] }],
    prompts: roomPrompts,
  },
  amend_room: {
    heading: "Change the Room",
    lead: "Its title, question and licence.",
    send: "Change it",
    first: ["/title", "/question", "/license"],
    prompts: roomPrompts,
  },
  request_to_join: {
    heading: "Ask to join",
    lead: "The Room's owner sees your request and decides.",
    send: "Ask to join",
    first: ["/message"],
    prompts: { "/message": { label: "Message", hint: "Who you are, and what you want to do here.", tall: 2 } },
  },
  add_member: {
    heading: "Add a member",
    lead: "A person who has an account here. They can write in the Room from now on.",
    send: "Add them",
    first: ["/username"],
    prompts: {
      "/username": {
        label: "Name of their account",
        hint: "As it stands beside what they write.",
        missing: "Say whom to add.",
      },
    },
  },
  archive_room: {
    heading: "Archive the Room",
    lead: "It stays readable and citable, and takes no new work. Its owner can open it again.",
    send: "Archive the Room",
    first: ["/reason"],
    prompts: { "/reason": why("Why do you archive it?", "Say why you archive it.") },
  },
  restore_room: {
    heading: "Open the Room again",
    lead: "It takes new work from then on.",
    send: "Open it again",
    first: ["/reason"],
    prompts: { "/reason": why("Why do you open it again?", "Say why you open it again.") },
  },
  issue_credential: {
    heading: "Give an agent a credential",
    lead:
      "With it a program writes in this Room under your name and its own. " +
      "The token is shown once, and can be revoked at any time.",
    send: "Issue the credential",
    first: ["/label", "/permissions"],
    folds: [{ heading: "Limits (all Threads, 90 days)", places: ["/threadIds", "/expiresAt"] }],
    initial: () => ({ permissions: enumerations.permission }),
    prompts: {
      "/label": {
        label: "The agent's name",
        hint:
          "Everybody sees it beside your name, wherever the agent writes: ada · agent mcp. " +
          "Each of your agents in a Room has its own.",
        missing: "Give the agent a name.",
      },
      "/permissions": {
        ...agentPrompts.permissions,
        words: {
          post_thread: "write in Threads, relate findings, dispute and correct",
          publish_records: "publish hypotheses, findings and claims",
          manage_own_experiments: "propose and take experiments, register attempts",
        },
      },
      "/threadIds": { label: "Only in these Threads", hint: "Choose none to allow all of them." },
      "/expiresAt": { label: "Expires at", hint: "If left empty, in 90 days." },
    },
  },
  rotate_credential: {
    heading: "Give the credential a new token",
    lead: "The old token stops working at once. The permissions stay the same.",
    send: "Make a new token",
    first: ["/expiresAt"],
    prompts: { "/expiresAt": { label: "Expires at", hint: "In UTC. If left empty, in 90 days." } },
  },
} satisfies Sheets

/** Threads, messages, checkpoints and claims of work. */
export const threadSheets = {
  create_thread: {
    heading: "Start a Thread",
    lead: "A question or a piece of work to talk about.",
    send: "Start the Thread",
    first: ["/title", "/message"],
    folds: [{ heading: "If a Thread already follows the same card", places: ["/allowDuplicate"] }],
    kept: ["/roomId"],
    prompts: {
      "/title": { label: "Title", missing: "Give the Thread a title." },
      "/message": { label: "Message", hint: "Markdown and TeX.", tall: 3 },
      "/allowDuplicate": { label: "Start another Thread anyway" },
    },
  },
  post_message: {
    heading: "Reply",
    lead: "Everybody can read it; it cannot be changed afterwards.",
    send: "Post",
    first: ["/text"],
    folds: [pictureFold],
    prompts: {
      "/text": {
        label: "Your reply",
        hint: "Markdown, with TeX math between dollar signs.",
        missing: "Write something.",
        tall: 4,
      },
      ...picturePrompts,
    },
  },
  reuse_record: {
    heading: "Reuse a record in a Thread",
    lead: "It appears in the Thread as a card. The record itself is not changed.",
    send: "Reuse it here",
    first: ["/versionId", "/note"],
    kept: ["/versionId"],
    prompts: {
      "/versionId": { label: "Record", hint: ANOTHER, missing: "Choose the record." },
      "/note": { label: "Why here?", tall: 2 },
    },
  },
  post_research_checkpoint: {
    heading: "Sum up the Thread",
    lead: "A summary of everything up to now, for the next reader.",
    send: "Post the checkpoint",
    first: ["/synthesis", "/state", "/conclusion", "/answer"],
    folds: [
      { heading: "Open questions", places: ["/openQuestions"] },
      { heading: "Records it cites", places: ["/citations"] },
      { heading: "The table it rests on", places: ["/table"] },
      pictureFold,
      { heading: "How far it goes", places: ["/coversThrough"] },
    ],
    kept: ["/threadId", "/expectedWatermark"],
    initial: (visit, draft) => {
      const context = orNull(() => visit.ask("thread_context", { threadId: draft.get("/threadId") ?? "" }))
      const read = Number(draft.get("/expectedWatermark") ?? context?.thread.timelineWatermark)
      return { state: "open", ...(Number.isSafeInteger(read) ? { expectedWatermark: read, coversThrough: read } : {}) }
    },
    prompts: {
      "/synthesis": {
        label: "Where do things stand?",
        hint: "Markdown and TeX.",
        missing: "Say where things stand.",
        tall: 5,
      },
      "/state": {
        label: "Is the question settled?",
        missing: "Say whether the question is settled.",
        words: { open: "no, it stays open", concluded: "yes, this concludes it" },
      },
      "/conclusion": { label: "The conclusion, in a sentence or two", missing: "Say what the conclusion is." },
      "/answer": { label: "The answer in two sentences", hint: "For people who read nothing else.", tall: 2 },
      "/table/metric": { label: "Metric" },
      "/table/split": { label: "Split", hint: "Such as test." },
      "/table/by": { label: "Rows and columns", hint: "Dimensions, such as arm and labels; one per line." },
      "/table/over": { label: "Repeated over", hint: "Such as seed." },
      "/table/against": { label: "Compared with", hint: "Such as arm:baseline." },
      "/table/where": { label: "Only values with" },
      "/table/pool": { label: "Settings to merge" },
      "/table/experimentIds": { label: "Only of these experiments" },
      "/openQuestions": { label: "Open questions", hint: "One per line." },
      "/citations": { label: "Records it cites" },
      "/coversThrough": { label: "Number of the last entry it covers" },
      ...picturePrompts,
      ...threadPrompt,
    },
  },
  claim_work: {
    heading: "Say what you are working on",
    lead:
      "Others see it and can do something else. It ends by itself; anything you write about it until then renews " +
      "it.",
    send: "Claim it",
    first: ["/what", "/minutes", "/note"],
    kept: ["/object", "/threadId"],
    prompts: {
      "/object": { label: "Its subject" },
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
  },
  release_claim: {
    heading: "Release the claim",
    lead: "Others see that you are no longer working on it.",
    send: "Release it",
    first: [],
    kept: ["/claimId"],
    prompts: { "/claimId": { label: "Claim" } },
  },
} satisfies Sheets
