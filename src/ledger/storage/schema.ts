/** The version of the data's schema. Data of every earlier version is upgraded by replaying its journal (src/app/compose/upgrade.ts). */
import { packaged } from "../../packaged.ts"

/** The version that this program creates and reads. */
export const latestSchema = 6

/** Returns the SQL that creates all tables in a new file. */
export const schemaSql = (): string => packaged("schema.sql")
