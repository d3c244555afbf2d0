/** The program and each of the threads that it starts, by the code they begin with: what is bundled, and what notices are looked for in. */
export const programs = {
  main: "src/main.ts",
  writer: "src/app/threads/writer-thread.ts",
  jobs: "src/app/jobs/jobs-thread.ts",
  reader: "src/app/threads/reader-thread.ts",
}

/** What every page loads. */
export const pages = { style: "src/web/style/main.css", script: "src/web/client/main.ts" }
