/** The answers of the health routes. */
import type * as v from "valibot"
import { enumerations } from "../contract/schema/enumerations.ts"
import { protocolVersion, schemaVersions } from "../contract/versions.ts"
import type * as answers from "./answers.ts"
import type { Running } from "./facts.ts"

/** Says that the process runs. */
export const healthLive = (): v.InferOutput<typeof answers.healthLive> => ({ status: "live" })

/** Says that the service is ready, with what a client needs to validate a cached manifest. */
export const healthReady = (
  { instanceId, lineage, softwareVersion }: Omit<Running, "baseUrl">,
  datedAhead: string | null,
): v.InferOutput<typeof answers.healthReady> => ({
  status: "ready",
  protocolVersion,
  schemaVersions,
  slices: [...enumerations.slice],
  instanceId,
  lineage: [...lineage],
  softwareVersion,
  datedAhead,
})
