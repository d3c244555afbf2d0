/** The last step before an answer is sent: it says what was withheld, in the words of its form. */
import type { Withholding } from "../../contract/answers/fields.ts"
import { holdsMark, inAnswers, inPage, withWords } from "../../contract/definitions/withheld-text.ts"
import { Answer } from "../answers/answer.ts"
import type { Edge } from "../edge.ts"

/** The answer with what was withheld told in place of marks. What is sent while it is made tells of it itself. */
export function withoutMarks({ instance }: Pick<Edge, "instance">, answer: Answer): Answer {
  const { body, status, headers } = answer
  if (typeof body !== "string" || !holdsMark(body)) return answer
  const type = headers["content-type"] ?? ""
  const { withheld, people } = instance.tables
  /** Names the person as they are shown here: one of another instance with its host. */
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
