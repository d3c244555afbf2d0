/** `research-room withhold`: something taken out of sight by an operator without a browser, in data that nobody serves. */
import { Command } from "commander"
import { copiesOf } from "../app/compose/backup-places.ts"
import { enumerations } from "../contract/schema/enumerations.ts"
import { isUuid } from "../contract/schema/fields.ts"
import { databaseFile } from "../ledger/storage/data.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import type { NamedWrite } from "../ledger/journal/withheld.ts"
import { oneLine, shortened } from "../contract/text.ts"
import { withWords } from "../contract/definitions/withheld-text.ts"
import { dataOption, option, UsageError } from "../settings.ts"
import { admitAs } from "./admit-as.ts"
import { operatorOf } from "./room.ts"
import { withInstance } from "./with-instance.ts"

interface Options {
  readonly data: string
  readonly sequence?: string
  readonly entry?: string
  readonly record?: string
  readonly fields?: string
  readonly reason?: string
  readonly explanation?: string
  readonly by?: string
}

/** Characters of a text that the plan shows. */
const SHOWN = 70

function namedBy({ sequence, entry, record }: Options): NamedWrite {
  const given = [sequence, entry, record].filter((each) => each !== undefined)
  if (given.length !== 1) throw new UsageError("Give exactly one of --sequence, --entry and --record.")
  if (sequence !== undefined && /^[1-9][0-9]{0,14}$/.test(sequence)) return { sequence: Number(sequence) }
  if (entry !== undefined && isUuid(entry)) return { entryId: entry.toLowerCase() }
  if (record !== undefined && isUuid(record)) return { versionId: record.toLowerCase() }
  throw new UsageError(`${given[0]} is ${sequence === undefined ? "no id" : "no number of an entry"}.`)
}

async function withhold(room: string, options: Options): Promise<void> {
  const roomId = room.toLowerCase()
  const of = namedBy(options)
  const { data, fields, reason, explanation } = options
  const isPlan = fields === undefined && reason === undefined && explanation === undefined
  if (!isPlan && (fields === undefined || reason === undefined || explanation === undefined))
    throw new UsageError(
      "--fields, --reason and --explanation must be given together. Without them the command lists what can be withheld.",
    )
  // A service that runs keeps in memory what it read; its own page withholds from it.
  const release = isPlan ? () => {} : lockFolder(data)
  try {
    await withInstance(data, async (instance) => {
      const { withheld, audit } = instance.tables
      const write = withheld.write(roomId, of)
      if (write === undefined) throw new UsageError(`There is no such write in a Room ${room}.`)
      if (isPlan) {
        console.log(
          `Entry ${write.sequence} of the Room's activity, ${write.target.label ?? write.target.kind}. What can be withheld of it, by its place for --fields:`,
        )
        for (const { place, text, isWithheld } of withheld.passages(write))
          console.log(`${place}  ${isWithheld ? "(withheld)" : shortened(oneLine(withWords(text)), SHOWN)}`)
        console.log(
          `Ids, labels, digests, who wrote it and when stay. It cannot be undone. Once it is withheld here:\n${copiesOf(databaseFile(data), audit, true)}`,
        )
        return
      }
      // Where a withholding before this one met a full disk.
      await instance.ledger.cleanse()
      const body = { of, fields: (fields ?? "").split(","), reason, explanation }
      const result = await admitAs(instance, operatorOf(instance, options.by), "withhold_content", { roomId }, body)
      console.log(`Withheld of entry ${write.sequence}: ${(Array.isArray(result.fields) ? result.fields : []).join(", ")}.`)
      console.log(String(result.mayStillHold ?? ""))
    })
  } finally {
    release()
  }
}

export const withholdCommand = (): Command =>
  new Command("withhold")
    .description(
      "withhold texts of a public record for good, in data that no service uses (for a running service, use its page); without --fields, list what can be withheld",
    )
    .argument("<room>", "the Room's id")
    .addOption(dataOption())
    .addOption(option("--sequence <number>", "the write, by its entry of the Room's activity"))
    .addOption(option("--entry <id>", "or by an entry of a timeline"))
    .addOption(option("--record <id>", "or by the record it made"))
    .addOption(option("--fields <places>", "places in the body, such as /text, separated by commas"))
    .addOption(option("--reason <reason>", "why").choices(enumerations.withholdingReason))
    .addOption(option("--explanation <text>", "why, in a public sentence"))
    .addOption(option("--by <username>", "the operator who does it (the default if there is only one)"))
    .action(withhold)
