/** The schema and the steps that lead to it from every version ever released. */
import { packaged } from "../packaged.ts"

export interface Migration {
  /** The schema version after this step. */
  readonly to: number
  /** What turns the version before into this one. */
  readonly sql: string
}

/** Version 1 is `schema.sql` itself. Each later step is added here, and `schema.sql` kept equal to their sum. */
export const migrations: readonly Migration[] = [{ to: 1, sql: "" }]

/** The whole schema, as a new file gets it. */
export const schemaSql = (): string => packaged("schema.sql")
