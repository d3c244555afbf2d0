/** The forms for Rooms, their members and their agents' credentials. */
import { enumerations } from "../../../contract/schema/enumerations.ts"
import { agentPrompts, type Sheets, why } from "./sheet.ts"

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
