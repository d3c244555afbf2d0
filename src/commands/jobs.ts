/** `research-room jobs`: an internal command. The executable starts itself with it for work that may cost too much. */
import { Command } from "commander"
import { loadEngine } from "../ledger/storage/opening.ts"
import { hostJobs } from "../jobs/host.ts"

export const jobsCommand = (): Command =>
  new Command("jobs").argument("<megabytes>").action((megabytes: string) => {
    // The worker thread uses the SQLite engine that this process has loaded.
    loadEngine()
    hostJobs(Number(megabytes))
  })
