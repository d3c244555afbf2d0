/** How it is asked which code is run, and how, wherever in a body that stands. */

/** What is asked of a cost, wherever in the body it stands. */
export const costAsks = <const P extends string>(at: P, label: string) =>
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

/** Which code is run. */
export const repositoryAsks = {
  "/repository": { label: "The code", line: true },
  "/repository/url": {
    label: "Public repository",
    hint: "https://github.com/owner/name",
    missing: "Say which repository holds the code.",
    suggested: "repositories",
  },
  "/repository/commit": { label: "Commit", hint: "All of its 40 or 64 digits.", missing: "Say which commit is run." },
} as const
/** What is run, with which settings. */
export const runAsks = { "/argv": { label: "Command", hint: commandHint, missing: "Say which command is run." } } as const
export const configurationAsk = { label: "Configuration", hint: "A JSON object." } as const
