/** The entry files of the program and its threads, for the bundles and the search for notices. */
export const programs = {
  main: "src/main.ts",
  writer: "src/app/threads/writer-thread.ts",
  jobs: "src/app/jobs/jobs-thread.ts",
  reader: "src/app/threads/reader-thread.ts",
}

/** The style sheet and script that every page loads. */
export const pages = { style: "src/web/style/main.css", script: "src/web/client/main.ts" }
