/** Answers that may never end, for tests that send every request. */

const EVENTS = "text/event-stream"

/** The text of an answer; of a stream of events only its beginning, then the connection is closed. */
export async function textOf(response: Response): Promise<string> {
  const { body, headers } = response
  if (body === null || headers.get("content-type")?.startsWith(EVENTS) !== true) return response.text()
  const reader = body.getReader()
  const { value } = await reader.read()
  // The connection of a cloned answer ends once both readers have cancelled.
  void reader.cancel()
  return new TextDecoder().decode(value)
}
