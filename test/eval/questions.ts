/** A newcomer's questions about a Room, and how a reader of the skill finds the answers. */
import { measuredQuestions } from "./measured-questions.ts"
import type { Json } from "../support/ask.ts"

/** Reads a path below the base address. */
export type Get = (path: string) => Promise<Json>

interface Question {
  readonly asks: string
  /** Finds the answer, given the Room and the place where the reader last stopped. */
  answer(get: Get, roomId: string, watermark: number): Promise<string>
}

const list = (value: Json | undefined) => (value ?? []) as unknown as readonly Json[]
const text = (value: Json | undefined) => value as unknown as string
const brief = async (get: Get, roomId: string) => get(`/api/research/rooms/${roomId}/brief`)
const hypothesis = async (get: Get, roomId: string, label: string) =>
  list((await get(`/api/research/hypotheses?roomId=${roomId}&label=${label}`)).items)[0]

export const questions: Readonly<Record<string, Question>> = {
  stands: {
    asks: "Where does the Room stand?",
    answer: async (get, roomId) => text(list((await brief(get, roomId)).stands)[0]?.says),
  },
  belief: {
    asks: "What do we believe of H3, and how sure?",
    async answer(get, roomId) {
      const found = await hypothesis(get, roomId, "H3")
      const {
        supports = 0,
        contradicts = 0,
        inconclusive = 0,
        independent,
      } = (found?.evidenceTally ?? {}) as unknown as Record<string, number>
      const words = supports + contradicts + inconclusive
      return `${found?.status}: ${supports} for, ${contradicts} against, ${independent} of ${words} independent`
    },
  },
  against: {
    asks: "What contradicts H3, and who says so?",
    async answer(get, roomId) {
      const { items } = await get(`/api/research/records/${(await hypothesis(get, roomId, "H3"))?.versionId}/evidence`)
      return list(items)
        .filter(({ verdict }) => text(verdict) === "contradicts")
        .map(({ by, author }) => `${by?.label}, ${author?.username}: ${by?.wording}`)
        .join("; ")
    },
  },
  failed: {
    asks: "Why did A1 fail?",
    async answer(get, roomId) {
      const [attempt] = list((await get(`/api/research/attempts?roomId=${roomId}&label=A1`)).items)
      return `${attempt?.failure?.stage}: ${attempt?.failure?.explanation}`
    },
  },
  lately: {
    asks: "What failed lately, and why?",
    async answer(get, roomId) {
      const [failure] = list((await brief(get, roomId)).failures)
      return `${failure?.label}: ${failure?.why}`
    },
  },
  underWay: {
    asks: "What is in progress, and whose?",
    answer: async (get, roomId) =>
      list((await brief(get, roomId)).work)
        .filter(({ status }) => text(status) === "in_progress")
        .map(({ label, assignee }) => `${label}: ${assignee}`)
        .join(", "),
  },
  next: {
    asks: "What should be done next, and how?",
    async answer(get, roomId) {
      const [step] = list((await brief(get, roomId)).next)
      return `${step?.what} ${step?.object?.label} by ${step?.operation}`
    },
  },
  since: {
    asks: "What changed since I stopped reading?",
    async answer(get, roomId, watermark) {
      const { items } = await get(`/api/research/rooms/${roomId}/activity?after=${watermark}`)
      const named = (kind: string) => kind === "attempt"
      return list(items)
        .map(({ operation, target }) => (named(text(target?.kind)) ? `${operation} ${target?.label}` : text(operation)))
        .join(", ")
    },
  },
  tried: {
    asks: "Was it tried before to clear the momentum at a restart?",
    async answer(get, roomId) {
      const { items } = await get(
        `/api/research/search?roomId=${roomId}&kinds=experiment&limit=3&query=momentum%20restart`,
      )
      return text(list(items)[0]?.label)
    },
  },
  replaced: {
    asks: "Does the finding about the data loader still stand, and what replaced it?",
    async answer(get, roomId) {
      const { items } = await get(
        `/api/research/search?roomId=${roomId}&kinds=finding&limit=5&query=spike%20%22data%20loader%22`,
      )
      const fallen = list(items).find(({ replacedBy }) => replacedBy !== null)
      return `${fallen?.label} ${fallen?.status} by ${fallen?.replacedBy?.label}`
    },
  },
  stale: {
    asks: "Which conclusions no longer hold, and why?",
    answer: async (get, roomId) =>
      list((await brief(get, roomId)).stands)
        .flatMap(({ title, staleReasons }) =>
          list(staleReasons)
            .filter(({ code }) => text(code) === "citation_fallen")
            .map(({ label, status }) => `${title}: ${label} ${status}`),
        )
        .join("; "),
  },
  open: {
    asks: "What is still an open question?",
    answer: async (get, roomId) =>
      list((await brief(get, roomId)).openQuestions)
        .map(({ question }) => text(question))
        .join("; "),
  },
  ...measuredQuestions,
}
