/** The bar of `terminal.ts`, in a file of its own: its package is loaded when a bar is needed. */
import { SingleBar } from "cli-progress"

/** @param format the line; `{bar}` is the bar itself */
export const progressBar = (format: string): SingleBar =>
  new SingleBar({
    format,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    etaBuffer: 100,
    fps: 5,
    barCompleteChar: "█",
    barIncompleteChar: "░",
  })
