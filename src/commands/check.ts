/** `research-room check`: proves the data whole. */
import { Command } from "commander"
import { checkData } from "../ledger/check.ts"
import { dataOption } from "../settings.ts"
import { withInstance } from "./with-instance.ts"

export const checkCommand = (): Command =>
  new Command("check")
    .description("verify the database, every record's content and every Room's chain of digests")
    .addOption(dataOption())
    .action(({ data }: { data: string }) =>
      withInstance(data, ({ db }) => {
        const { rooms, activityEntries, records, problems } = checkData(db)
        for (const problem of problems) console.error(problem)
        console.log(
          `${rooms} Rooms, ${activityEntries} activity entries and ${records} records checked: ${problems.length === 0 ? "all whole" : `${problems.length} problems`}.`,
        )
        if (problems.length > 0) process.exitCode = 1
      }),
    )
