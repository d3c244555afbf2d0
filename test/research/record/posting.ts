/** Posts checkpoints at a Thread's current watermark, and reads them back. */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import type { LabRoom } from "../../support/lab.ts"

type Checkpoint = WriteInput<"post_research_checkpoint">

/** Helpers for checkpoint tests, for any Room of a lab. */
export function posting(reader: ResearchRoomClient) {
  const watermarkOf = async (threadId: string) =>
    (await reader.read("thread_context", { threadId })).thread.timelineWatermark

  /** Posts a checkpoint that covers the whole timeline. */
  async function post(client: ResearchRoomClient, threadId: string, more: Partial<Checkpoint> = {}) {
    const watermark = await watermarkOf(threadId)
    return client.write("post_research_checkpoint", {
      threadId,
      expectedWatermark: watermark,
      coversThrough: watermark,
      state: "open",
      synthesis: "So far.",
      openQuestions: [],
      citations: [],
      ...more,
    })
  }

  return {
    watermarkOf,
    post,
    conclude: (client: ResearchRoomClient, threadId: string, more: Partial<Checkpoint> = {}) =>
      post(client, threadId, { state: "concluded", conclusion: "It does.", ...more }),
    read: (checkpointId: string) => reader.read("checkpoint", { checkpointId }),
    threadOf: async ({ roomId, threadId }: Pick<LabRoom, "roomId" | "threadId">) =>
      (await reader.read("room_threads", { roomId })).items.find((each) => each.threadId === threadId),
    contextOf: (roomId: string) => reader.read("room_context", { roomId }),
  }
}
