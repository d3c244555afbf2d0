/** Shorthands for the links that members assert about records, with a default explanation. */
import type { ResearchRoomClient } from "research-room/client"
import { because } from "../../support/bodies.ts"

export const retract = (client: ResearchRoomClient, targetVersionId: string, explanation = because) =>
  client.write("assert_retraction", { targetVersionId, explanation })
export const dispute = (client: ResearchRoomClient, targetVersionId: string, explanation = because) =>
  client.write("assert_dispute", { targetVersionId, explanation })
export const correct = (
  client: ResearchRoomClient,
  targetVersionId: string,
  explanation = because,
  correction = "Read 7.",
) => client.write("assert_correction", { targetVersionId, explanation, correction })
export const supersede = (
  client: ResearchRoomClient,
  targetVersionId: string,
  replacementVersionId: string,
  explanation = because,
) => client.write("assert_supersession", { targetVersionId, replacementVersionId, explanation })
