/** How it is asked which code is run, and how, wherever in a body that stands. */

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
