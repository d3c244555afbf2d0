/** The sheets of all operations that have one. */
import { isKeyOf } from "../../../contract/typed.ts"
import { attemptSheets, boardSheets, materialSheets } from "./attempts.ts"
import { experimentSheets } from "./experiments.ts"
import { librarySheets } from "./library.ts"
import { linkSheets } from "./links.ts"
import { roomSheets, threadSheets } from "./rooms.ts"
import type { Sheet } from "./sheet.ts"
import { statementSheets } from "./statements.ts"

export const sheets: Readonly<Record<string, Sheet>> = {
  ...statementSheets,
  ...experimentSheets,
  ...attemptSheets,
  ...materialSheets,
  ...boardSheets,
  ...linkSheets,
  ...threadSheets,
  ...roomSheets,
  ...librarySheets,
}

/** The sheet of an operation. Without a sheet, the form follows the schema alone. */
export const sheetOf = (operation: string): Sheet | undefined =>
  isKeyOf(sheets, operation) ? sheets[operation] : undefined
