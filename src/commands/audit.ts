/** `research-room audit`: the audit log, for an operator without a browser. */
import type { Command } from "commander"
import type { AuditEntry } from "../contract/answers/audit.ts"
import { type AuditKind, auditKindNames, auditKinds } from "../contract/audit-kinds.ts"
import { option, wholeNumber } from "../settings.ts"
import { type ListOptions, jsonOption, printList } from "./terminal.ts"
import { dataCommand, personNamed } from "./with-instance.ts"

interface Options extends ListOptions {
  readonly limit: number
  readonly before?: number
  readonly kind?: AuditKind
  readonly user?: string
}

const MOST_LINES = 1_000
const DEFAULT_LINES = 50

const subjectOf = ({ subject }: AuditEntry) => (subject === null ? "" : `${subject.kind} ${subject.name ?? subject.id}`)
const byOf = ({ by, command }: AuditEntry) =>
  [by?.username, command && `${command.account}: ${command.name}`]
    .filter((part) => part !== undefined && part !== null)
    .join(", ")

export const auditCommand = (): Command =>
  dataCommand(
    "audit",
    "print the audit log, newest line first: sign-ins, and what was done to people, credentials, Rooms and data",
  )
    .addOption(
      option("--limit <count>", "the most lines to print").argParser(wholeNumber(1, MOST_LINES)).default(DEFAULT_LINES),
    )
    .addOption(
      option("--before <sequence>", "only lines before this one").argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    )
    .addOption(option("--kind <kind>", "only lines of this kind").choices(auditKindNames))
    .addOption(option("--user <username>", "only what this person did, and what was done to them"))
    .addOption(jsonOption())
    .work((instance, { limit, before, kind, user, ...format }: Options) => {
      const userId = user === undefined ? undefined : personNamed(instance, user).userId
      const items = instance.tables.audit.page({ kind, userId }, before ?? null, limit)
      printList(items, format, {
        LINE: "sequence",
        AT: "at",
        BY: byOf,
        WHAT: ({ kind: did }) => auditKinds[did],
        OF: subjectOf,
        FROM: "address",
      })
    })
