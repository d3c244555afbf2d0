/** The chart of a Room's activity says what it counts: everything, or only the newest entries. */
import t from "tap"
import { activityChart } from "../../src/web/pages/activity.ts"

const written = (moments: readonly string[], all: number) =>
  activityChart(moments, all)?.write({ basePath: "", now: 0 }) ?? ""
const at = (day: string, count: number) => Array.from({ length: count }, () => `${day}T12:00:00.000Z`)

t.test("the chart counts every entry, or says that it counts only the newest", async (t) => {
  const moments = [...at("2026-11-01", 2), ...at("2026-11-03", 3)]
  t.match(written(moments, 5), ">5 entries from 1 Nov 2026 to 3 Nov 2026; at most 3 in a day.<")
  t.match(written(moments, 206), ">The newest 5 entries, from 1 Nov 2026 to 3 Nov 2026; at most 3 in a day.<")
  t.match(
    written([...at("2026-01-01", 1), ...moments], 6),
    ">The newest 5 entries, from 5 Sept 2026 to 3 Nov 2026;",
    "days long ago are omitted",
  )
  t.equal(written([], 0), "")
  t.equal(written(at("2026-11-01", 4), 4), "", "one day is no chart")
})
