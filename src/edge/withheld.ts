/** The last door before the wire: whatever was withheld of what is answered says so, in the words of the answer's form. */
import { holdsMark, inAnswers, inPage, withWords } from "../contract/withheld.ts"
import { Answer } from "./answer.ts"
import type { Edge } from "./edge.ts"

/** The answer with what was withheld told in place of marks. What is sent while it is made tells of it itself. */
export function withoutMarks({ instance }: Pick<Edge, "instance">, answer: Answer): Answer {
  const { body, status, headers } = answer
  if (typeof body !== "string" || !holdsMark(body)) return answer
  const type = headers["content-type"] ?? ""
  const told = type.startsWith("application/json")
    ? inAnswers(body, instance.tables.withheld.told)
    : type.startsWith("text/html")
      ? inPage(body, instance.tables.withheld.told)
      : withWords(body)
  return new Answer(told, { status, headers })
}
