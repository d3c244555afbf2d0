/** What the health routes answer. */
import type * as v from "valibot"
import { protocolVersion, schemaVersions } from "../contract/versions.ts"
import type * as answers from "./answers.ts"
import { slices } from "./slices.ts"

export interface Running {
  readonly instanceId: string
  /** The instances it was restored from, the first one first. */
  readonly lineage: readonly string[]
  readonly softwareVersion: string
}

/** The process answers. */
export const healthLive = (): v.InferOutput<typeof answers.healthLive> => ({ status: "live" })

/** The service takes requests; with what a client needs to know before it trusts a cached manifest. */
export const healthReady = (
  { instanceId, lineage, softwareVersion }: Running,
  datedAhead: string | null,
): v.InferOutput<typeof answers.healthReady> => ({
  status: "ready",
  protocolVersion,
  schemaVersions,
  slices: [...slices],
  instanceId,
  lineage: [...lineage],
  softwareVersion,
  datedAhead,
})
