/** Replaces the marks of withheld text in a response, in the words of its format. */
import type { Withholding } from "../../contract/answers/fields.ts"
import { holdsMark, inAnswers, inPage, withWords } from "../../contract/definitions/withheld-text.ts"
import { Answer } from "../answers/answer.ts"
import type { Edge } from "../edge.ts"

/** The response with each mark replaced. A streamed response replaces its own marks. */
export function withoutMarks({ instance }: Pick<Edge, "instance">, answer: Answer): Answer {
  const { body, status, headers } = answer
  if (typeof body !== "string" || !holdsMark(body)) return answer
  const type = headers["content-type"] ?? ""
  const { withheld, people } = instance.tables
  /** Describes one withholding. A person of another instance is shown with its host. */
  function find(key: string): Withholding | undefined {
    const told = withheld.told(key)
    const person = told && people.withId(withheld.toldHere(key) ?? told.by.userId)
    return told && (person === undefined ? told : { ...told, by: { userId: person.userId, username: person.username } })
  }
  const told = type.startsWith("application/json")
    ? inAnswers(body, find)
    : type.startsWith("text/html")
      ? inPage(body, find)
      : withWords(body)
  return new Answer(told, { status, headers })
}
