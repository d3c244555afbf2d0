/** The sheets that there are. */
import type { OperationName } from "../../../contract/operations/index.ts"
import { roomSheets } from "./rooms.ts"
import type { Sheet } from "./sheet.ts"
import { spokenSheets } from "./spoken.ts"
import { statementSheets } from "./statements.ts"
import { stepSheets } from "./steps.ts"
import { workSheets } from "./work.ts"
import { isKeyOf } from "../../../contract/each.ts"

export const sheets = { ...statementSheets, ...workSheets, ...stepSheets, ...spokenSheets, ...roomSheets } satisfies Partial<
  Record<OperationName, Sheet>
>

/** The sheet of an operation; of one without, the form is what its schema says. */
export const sheetOf = (operation: string): Sheet | undefined => (isKeyOf(sheets, operation) ? sheets[operation] : undefined)
