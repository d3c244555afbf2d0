/** Reads of the experiment at three sizes, in the formats for programs and agents. */
import type { Told } from "./three-sizes.ts"

/** Removes what differs between Rooms from an answer: ids, times, digests and the number of entries. */
const timeless = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/(?:sha256:)?[0-9a-f]{64}/g, "DIGEST")
    // Some ways of reporting need more events than others.
    .replaceAll(/at activity \d+/g, "at activity N")

/** Returns everything that readers see of the story, as texts by name. */
export async function readingsOf({ experimentId, roomId, findings, hypothesis, reader }: Told, baseUrl: string) {
  const [versionId = "", again = ""] = findings
  const read = async (path: string) => timeless(await (await fetch(`${baseUrl}${path}`)).text())
  const query = "metric=error&by=arm,labels&over=seed&against=arm:baseline"
  const measured = `/api/research/experiments/${experimentId}/measurements?${query}`
  const { effects } = await reader.read("record", { versionId })
  const { items } = await reader.read("record_evidence", { versionId })
  return {
    "the table": await read(measured),
    "the table as Markdown": await read(`${measured}&format=markdown`),
    "the table as CSV": await read(`${measured}&format=csv`),
    "the table of the first attempt": await read(`${measured}&intents=exploratory`),
    "the table at 400 labels": await read(`${measured}&where=labels:400`),
    "the effects": timeless(JSON.stringify(effects)),
    "the finding": await read(`/records/${versionId}.md`),
    "the finding that repeats it": await read(`/records/${again}.md`),
    "the reproduction": timeless(JSON.stringify(items)),
    "the hypothesis": await read(`/records/${hypothesis}.md`),
    "the effects gathered": await read(`/api/research/records/${hypothesis}/effects`),
    "the brief": await read(`/api/research/rooms/${roomId}/brief?format=markdown&budget=20000`),
  }
}
