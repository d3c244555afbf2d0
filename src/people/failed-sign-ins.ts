/**
 * Writes failed sign-ins to the audit log. Failures are unlimited and the log only grows, so each hour the first ones
 * get a line of their own, and one line at the end of the hour counts the rest.
 */
import { limits } from "../contract/limits.ts"
import type { Audited } from "./audit.ts"

/** @param write writes a line in its own transaction */
export function failedSignIns(now: () => number, write: (line: Audited) => Promise<unknown>) {
  let [since, noted, counted] = [0, 0, 0]
  let timer: NodeJS.Timeout | undefined

  async function tryToWrite(line: Audited): Promise<void> {
    try {
      await write(line)
    } catch {
      // The disk is full or the service is stopping. The service's own log reports it.
    }
  }

  /** Writes the line that counts the rest. Runs when the hour is over and when the service stops. */
  async function settle(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const failures = counted
    counted = 0
    noted = 0
    if (failures > 0)
      await tryToWrite({ kind: "sign_ins_failed", detail: { failures, since: new Date(since).toISOString() } })
  }

  /** Logs or counts a failure. Does not throw if the log cannot be written, so that the request is still answered. */
  async function add(line: Audited): Promise<void> {
    if (now() - since >= limits.auditedFailuresSeconds * 1000) await settle()
    if (noted === 0) since = now()
    if (noted < limits.auditedFailures) {
      noted += 1
      await tryToWrite(line)
      return
    }
    counted += 1
    timer ??= setTimeout(() => void settle(), limits.auditedFailuresSeconds * 1000).unref()
  }

  return { add, settle }
}
