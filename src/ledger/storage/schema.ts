/** The version of the data's schema. Data of every version from 1 on comes forward: its journal is replayed (src/app/compose/upgrade.ts). */
import { packaged } from "../../packaged.ts"

/** The version that this program makes and reads. */
export const latestSchema = 6

/** The whole schema, as a new file gets it. */
export const schemaSql = (): string => packaged("schema.sql")
