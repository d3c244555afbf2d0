/** Writes of Threads: messages, reused records, follow-ups and checkpoints. */
import { inTurn, times } from "../../data/house.ts"
import { hypothesis, some } from "../../data/targets.ts"
import type { Recipes } from "../recipes.ts"

/** About a kilobyte of ordinary text. */
export const messageText = `${(
  "With peak rate $\\eta$ and ramp $n_w$, step $t$ uses $$\\eta_t = \\eta \\cdot \\min(1, t / n_w).$$ Two of our " +
    "runs *disagree* about it. "
).repeat(7)}What is different?`

export const discussion: Recipes<"create_thread" | "post_message" | "reuse_record" | "post_research_checkpoint"> = {
  create_thread: ({ roomId }, count) => times(count, () => ({ said: { roomId } })),
  post_message: ({ threadId }, count) => times(count, () => ({ said: { threadId, text: messageText } })),
  reuse_record(house, count) {
    const known = some(() => hypothesis(house))
    return times(count, (index) => ({ said: { threadId: house.threadId, versionId: inTurn(known, index) } }))
  },
  // Each in a Thread of its own: one checkpoint moves the watermark that the next would have to expect.
  post_research_checkpoint(house, count) {
    const cited = hypothesis(house)
    return times(count, () => {
      const { threadId } = house.does("create_thread", { roomId: house.roomId, message: undefined }).result
      const watermark = house.instance.tables.threads.summary(threadId)?.timelineWatermark ?? 0
      return { said: { threadId, expectedWatermark: watermark, coversThrough: watermark, citations: [cited] } }
    })
  },
}
