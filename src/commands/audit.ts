/** `research-room audit`: the audit log, for an operator without a browser. */
import { Command, InvalidArgumentError } from "commander"
import { type AuditEntry, type AuditKind, auditKindNames, auditKinds } from "../contract/answers/audit.ts"
import { dataOption, option } from "../settings.ts"
import { personNamed } from "./admit-as.ts"
import { jsonOption, printList } from "./table.ts"
import { withInstance } from "./with-instance.ts"

interface Options {
  readonly data: string
  readonly limit: number
  readonly before?: number
  readonly kind?: AuditKind
  readonly user?: string
  readonly json?: boolean
}

/** How many lines are printed at most, and where nothing is said. */
const MOST = 1_000
const USUALLY = 50

const count =
  (most: number) =>
  (value: string): number => {
    const number = Number(value)
    if (!/^[0-9]+$/.test(value) || number < 1 || number > most) throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`)
    return number
  }

const subjectOf = ({ subject }: AuditEntry) => (subject === null ? "" : `${subject.kind} ${subject.name ?? subject.id}`)
const byOf = ({ by, command }: AuditEntry) =>
  [by?.username, command && `${command.account}: ${command.name}`].filter((part) => part !== undefined && part !== null).join(", ")

export const auditCommand = (): Command =>
  new Command("audit")
    .description("print the audit log, the newest line first: who came in, and what was done to people, credentials, Rooms and data")
    .addOption(dataOption())
    .addOption(option("--limit <count>", "so many lines").argParser(count(MOST)).default(USUALLY))
    .addOption(option("--before <sequence>", "go on before this line").argParser(count(Number.MAX_SAFE_INTEGER)))
    .addOption(option("--kind <kind>", "lines of this kind alone").choices(auditKindNames))
    .addOption(option("--user <username>", "what this person did, and what was done to them"))
    .addOption(jsonOption())
    .action(({ data, limit, before, kind, user, ...how }: Options) =>
      withInstance(data, (instance) => {
        const userId = user === undefined ? undefined : personNamed(instance, user).userId
        const items = instance.tables.audit.page({ kind, userId }, before ?? null, limit)
        printList(items, how, ["LINE", "AT", "BY", "WHAT", "OF", "FROM"], (entry) => [
          String(entry.sequence),
          entry.at,
          byOf(entry),
          auditKinds[entry.kind],
          subjectOf(entry),
          entry.address ?? "",
        ])
      }),
    )
