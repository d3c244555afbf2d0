/**
 * A scripted reader: asks each question of a Room over HTTP, keeps nothing from the question before, and counts calls
 * and bytes.
 */
import type { Json } from "../support/ask.ts"
import { questions } from "./questions.ts"
import type { Known } from "./rooms.ts"

export interface Asked {
  readonly name: string
  readonly asks: string
  readonly answer: string
  readonly isRight: boolean
  readonly calls: number
  /** The size of all answers, as sent. */
  readonly bytes: number
  readonly milliseconds: number
}

export async function askEverything(baseUrl: string, { roomId, watermark, answers }: Known): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const [name, { asks, answer }] of Object.entries(questions)) {
    let [calls, bytes] = [0, 0]
    const get = async (path: string): Promise<Json> => {
      const response = await fetch(`${baseUrl}${path}`)
      const text = await response.text()
      if (!response.ok) throw new Error(`${path}: ${text}`)
      calls += 1
      bytes += Buffer.byteLength(text)
      return JSON.parse(text) as Json
    }
    const before = performance.now()
    const told = await answer(get, roomId, watermark)
    asked.push({
      name,
      asks,
      answer: told,
      isRight: told === answers[name],
      calls,
      bytes,
      milliseconds: performance.now() - before,
    })
  }
  return asked
}
