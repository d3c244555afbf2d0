/** The forms for materials and their locations. */
import { type Sheets, threadPrompt } from "./sheet.ts"

export const materialSheets = {
  register_material: {
    heading: "Register a material",
    lead:
      "Data, a model or a file that work uses or makes, identified by its digest or by a pinned address. " +
      "Nothing is uploaded.",
    send: "Register the material",
    first: ["/name", "/reference", "/location"],
    folds: [{ heading: "More about it", places: ["/description", "/mediaType", "/sizeBytes", "/valuesDigest"] }],
    kept: ["/roomId", "/threadId"],
    prompts: {
      ...threadPrompt,
      "/name": { label: "What is it?", missing: "Say what it is." },
      "/reference": {
        label: "Which one exactly?",
        hint: "sha256: and its digest; or hf:// or git:// with a full commit.",
        missing: "Say which one it is exactly.",
      },
      "/location": { label: "Where can people get it?", hint: "An address. Leave it empty if you do not know one." },
      "/description": { label: "What should others know about it?" },
      "/mediaType": { label: "Media type", hint: "application/json, for instance." },
      "/sizeBytes": { label: "Size in bytes" },
      "/valuesDigest": {
        label: "Digest of its values",
        hint: "sha256: of the values themselves, if files differ but their values do not.",
      },
    },
  },
  report_material_location: {
    heading: "Say where people can get it",
    lead: "An address, and whether people can get the material there. The service never opens it.",
    send: "Report it",
    first: ["/uri", "/state"],
    folds: [{ heading: "What was found there", places: ["/observedDigest", "/explanation"] }],
    kept: ["/materialId"],
    initial: () => ({ state: "available" }),
    prompts: {
      "/materialId": { label: "Material", missing: "Choose the material." },
      "/uri": {
        label: "Where?",
        hint: "An address that begins with https, s3, gs, hf, git, doi or ipfs.",
        missing: "Say where.",
      },
      "/state": {
        label: "Can people get it there?",
        missing: "Say whether people can get it there.",
        words: { available: "yes", restricted: "only some people can", unavailable: "no, not any more" },
      },
      "/observedDigest": { label: "Digest of what was found", hint: "sha256: and 64 digits." },
      "/explanation": { label: "Anything else?", tall: 2 },
    },
  },
} satisfies Sheets
