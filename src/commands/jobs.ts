/** `research-room jobs`: what the executable starts itself as, for work that may cost too much. It is for nobody to call. */
import { Command } from "commander"
import { loadEngine } from "../ledger/storage/opening.ts"
import { hostJobs } from "../jobs/host.ts"

export const jobsCommand = (): Command =>
  new Command("jobs").argument("<megabytes>").action((megabytes: string) => {
    // The thread that works takes the engine which its program has loaded.
    loadEngine()
    hostJobs(Number(megabytes))
  })
