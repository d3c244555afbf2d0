/** The logs and sessions that attempts reported. */
import type { LogKind } from "../../contract/definitions/attachments.ts"
import { known } from "../../contract/objects/no-such.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { logPage, type LogQuery, logText } from "../../attachments/log.ts"
import type { Attachments } from "../../ledger/journal/attachments.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Attempts } from "./attempts.ts"

interface Row {
  readonly digest: string
  readonly format: string | null
  readonly receivedAt: string
}

export type Logs = ReturnType<typeof logs>

export function logs(db: Db, attachments: Pick<Attachments, "logIndex" | "logPiece">) {
  const reported = db.prepare<Row>(
    `SELECT l.digest, l.format, e.body ->> '$.receivedAt' AS receivedAt
     FROM attempt_logs l JOIN attempt_events e USING (attempt_id, revision)
     WHERE l.attempt_id = +? AND l.kind = +? ORDER BY l.revision DESC LIMIT 50`,
  )
  /** Returns the logs of an attempt that are here, the newest first. One that was withheld is not. */
  const of = (attemptId: string, kind: LogKind) =>
    reported.all(attemptId, kind).flatMap((row) => {
      const log = attachments.logIndex(row.digest)
      return log === undefined ? [] : [{ ...row, bytes: log.bytes, lines: log.lines, cut: log.cut }]
    })
  return {
    of,
    newest: (attemptId: string, kind: LogKind) => of(attemptId, kind)[0] ?? null,
    /** @throws Refusal 404 if the attempt has no such log */
    page(attemptId: string, kind: LogKind, { digest, ...query }: LogQuery & { readonly digest?: string }) {
      const all = of(attemptId, kind)
      const place = digest === undefined ? 0 : all.findIndex((each) => each.digest === digest)
      const chosen = all[place]
      const log = chosen && attachments.logIndex(chosen.digest)
      if (chosen === undefined || log === undefined)
        throw new Refusal(
          "unknown_log",
          `The attempt has no ${digest === undefined ? kind : `${kind} with this digest`}.`,
        )
      const page = logPage(log, (piece) => attachments.logPiece(chosen.digest, piece), query)
      return { chosen, earlier: all.slice(place + 1), page, text: () => logText(page.lines) }
    },
  }
}

export function logReads({ attempts, logs: kept }: { attempts: Attempts; logs: Logs }) {
  const read = (
    kind: LogKind,
    given: string,
    { format, ...query }: LogQuery & { format?: string; digest?: string },
  ) => {
    const { attemptId } = known("attempt", attempts.read(given))
    const { chosen, earlier, page, text } = kept.page(attemptId, kind, query)
    return format === "text" ? text() : { attemptId, ...chosen, total: chosen.lines, earlier, ...page }
  }
  return {
    attempt_log: ({ params, query }) => read("log", params.attemptId, query),
    attempt_session: ({ params, query }) => read("session", params.attemptId, query),
  } satisfies Partial<Readers>
}
