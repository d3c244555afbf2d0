/** Prompts for code, commands, costs and pictures, which several forms share. */

/** Prompts for a cost at any place of a body. */
export const costPrompts = <const P extends string>(at: P, label: string) =>
  ({
    [at]: { label, line: true },
    [`${at}/gpuHours`]: { label: "GPU hours" },
    [`${at}/tokens`]: { label: "Tokens" },
    [`${at}/money`]: { label: "Money", line: true },
    [`${at}/money/amount`]: { label: "Amount", missing: "Say how much money." },
    [`${at}/money/currency`]: { label: "Currency", hint: "Such as EUR or USD.", missing: "Say in which currency." },
    [`${at}/wallSeconds`]: { label: "Seconds from start to end" },
  }) as const

export const commandHint = "As you would type it in a terminal."

export const repositoryPrompts = {
  "/repository": { label: "The code", line: true },
  "/repository/url": {
    label: "Public repository",
    hint: "https://github.com/owner/name",
    missing: "Say which repository holds the code.",
    suggested: "repositories",
  },
  "/repository/commit": { label: "Commit", hint: "All of its 40 or 64 digits.", missing: "Say which commit is run." },
} as const
export const runPrompts = {
  "/argv": { label: "Command", hint: commandHint, missing: "Say which command is run." },
} as const
export const configurationPrompt = { label: "Configuration", hint: "A JSON object." } as const

export const pictureFold = { heading: "Pictures", places: ["/figures"] } as const
export const picturePrompts = {
  "/figures": { label: "Pictures", row: "picture", rows: 1 },
  "/figures/*/digest": {
    label: "Picture",
    hint: "Its digest, which the upload gives.",
    missing: "Choose picture {n}.",
    isPicture: true,
  },
  "/figures/*/alt": {
    label: "What it shows",
    hint: "For people who cannot see it.",
    missing: "Say what picture {n} shows.",
    tall: 2,
  },
} as const
