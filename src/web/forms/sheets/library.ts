/** The forms of the Library: Collections, papers, highlights and keys. */
import { agentPrompts, type Sheets } from "./sheet.ts"

export const librarySheets = {
  create_collection: {
    heading: "Start a Collection",
    lead: "Papers for one purpose, with notes beside them. It can be shared.",
    send: "Start the Collection",
    first: ["/name"],
    prompts: { "/name": { label: "Name", missing: "Give it a name." } },
  },
  rename_collection: {
    heading: "Rename the Collection",
    lead: "Everybody who shares it sees the new name.",
    send: "Rename it",
    first: ["/name"],
    kept: ["/collectionId"],
    prompts: { "/name": { label: "Name", missing: "Give it a name." } },
  },
  add_papers: {
    heading: "Add papers to a Collection",
    lead: "The papers are also saved in your Library.",
    send: "Add papers",
    first: ["/collectionId", "/identifiers"],
    prompts: {
      "/collectionId": { label: "Collection", missing: "Choose the Collection." },
      "/identifiers": {
        label: "Papers",
        hint: "One per line: a DOI, an ISBN, an arXiv id, an address or a whole reference.",
        missing: "Say which papers.",
      },
    },
  },
  invite_to_collection: {
    heading: "Share the Collection",
    lead: "The person you invite sees its papers and notes once they accept, and can add to them.",
    send: "Invite them",
    first: ["/username"],
    prompts: {
      "/username": {
        label: "Name of their account",
        hint: "As it stands beside what they write.",
        missing: "Say whom to invite.",
      },
    },
  },
  add_highlight: {
    heading: "Keep a passage",
    lead: "Words of the paper that you want to find again. Nobody else sees them.",
    send: "Keep it",
    first: ["/quote", "/page", "/colour", "/comment"],
    folds: [{ heading: "The words around it, and the version you read", places: ["/prefix", "/suffix", "/version"] }],
    kept: ["/paperId", "/expectedRevision"],
    initial: () => ({ colour: "yellow" }),
    prompts: {
      "/quote": { label: "The passage, word for word", missing: "Quote the passage.", tall: 3 },
      "/page": { label: "Page", missing: "Say which page it is on." },
      "/colour": { label: "Colour" },
      "/comment": { label: "Your comment", tall: 2 },
      "/prefix": { label: "Words before it" },
      "/suffix": { label: "Words after it" },
      "/version": { label: "Version of the paper" },
    },
  },
  issue_key: {
    heading: "Give an agent a personal key",
    lead: "With it a program reads and files in your Library. It is shown once, and can be revoked at any time.",
    send: "Issue the key",
    first: ["/label", "/permissions", "/reach", "/collectionIds"],
    folds: [{ heading: "When it expires, and who uses it", places: ["/expiresAt", "/agent"] }],
    initial: () => ({ permissions: ["read_library"], reach: "all" }),
    prompts: {
      "/label": agentPrompts.label,
      "/permissions": {
        ...agentPrompts.permissions,
        words: {
          read_library: "read papers and Collections",
          read_annotations: "read your notes and highlights",
          file_papers: "save papers and file them",
          post_notes: "write notes under your name",
        },
      },
      "/reach": {
        label: "What can it reach?",
        missing: "Say what it can reach.",
        words: {
          all: "the whole Library, and what is shared with you",
          owned: "the Library and your own Collections",
          selected: "only the Collections chosen below",
        },
      },
      "/collectionIds": { label: "Collections it reaches", hint: "If it reaches only some." },
      "/expiresAt": { label: "Expires at", hint: "In UTC. If left empty, in 90 days." },
      "/agent": { label: "The agent", line: true },
      "/agent/name": { label: "Name" },
      "/agent/version": { label: "Version" },
      "/agent/model": { label: "Model" },
    },
  },
} satisfies Sheets
