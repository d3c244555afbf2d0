/**
 * A newcomer's questions about numbers: how large an effect, how sure, over how many seeds, reproduced by whom, where
 * it holds, and which is best.
 */
import type { Json } from "../support/ask.ts"
import type { Get } from "./questions.ts"

const list = (value: Json | undefined) => (value ?? []) as unknown as readonly Json[]
const text = (value: Json | undefined) => value as unknown as string

/** The finding about the shift, found by search. */
async function found(get: Get, roomId: string): Promise<Json | undefined> {
  const { items } = await get(
    `/api/research/search?roomId=${roomId}&kinds=finding&limit=1&query=%22shift%20lowers%20the%20error%22`,
  )
  return list(items)[0]
}
/** The effect at 50 labels. */
async function effect(get: Get, roomId: string) {
  const { effects } = await get(`/api/research/records/${(await found(get, roomId))?.id}`)
  return list(effects)[0] as unknown as { estimate: number; low: number; high: number; unit: string; pairs: number }
}

export const measuredQuestions = {
  byHowMuch: {
    asks: "By how much does the shift lower the error at 50 labels?",
    async answer(get: Get, roomId: string) {
      const { estimate, unit } = await effect(get, roomId)
      return `${estimate.toFixed(3)} ${unit}`
    },
  },
  howSure: {
    asks: "How sure is that?",
    async answer(get: Get, roomId: string) {
      const { low, high } = await effect(get, roomId)
      return `${low.toFixed(3)} to ${high.toFixed(3)}`
    },
  },
  seeds: {
    asks: "Over how many seeds?",
    answer: async (get: Get, roomId: string) => `${(await effect(get, roomId)).pairs} pairs`,
  },
  reproduced: {
    asks: "Who reproduced it, and with which code?",
    async answer(get: Get, roomId: string) {
      const { items } = await get(`/api/research/records/${(await found(get, roomId))?.id}/evidence`)
      const said = list(items).find(({ source }) => text(source) === "reproduction") as unknown as {
        author: { username: string }
        independence: { code: boolean; commit: boolean }
        verdict: string
      }
      const { code, commit } = said.independence
      const by = code ? "with other code" : commit ? "at another commit" : "with the same code"
      return `${said.author.username} ${by}: ${said.verdict}`
    },
  },
  whereItHolds: {
    asks: "At which numbers of labels does it hold?",
    async answer(get: Get, roomId: string) {
      const hit = list(
        (await get(`/api/research/search?roomId=${roomId}&kinds=experiment&limit=1&query=shift%20labels`)).items,
      )[0]
      const asked = "metric=error&by=arm,labels&over=seed&against=arm:baseline"
      const { groups } = await get(`/api/research/experiments/${hit?.id}/measurements?${asked}`)
      return list(groups)
        .filter(({ contrast }) => (contrast?.corrected?.isDistinct as unknown) === true)
        .map(({ key }) => text(key?.labels))
        .join(", ")
    },
  },
  best: {
    asks: "Which is best at 50 labels?",
    async answer(get: Get, roomId: string) {
      const [board] = list((await get(`/api/research/rooms/${roomId}/boards?limit=1`)).items)
      return text((await get(`/api/research/boards/${board?.boardId}`)).best?.arm)
    },
  },
} as const
