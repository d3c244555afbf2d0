/** The metric series of some attempts, put together by metric and split. */
import type { Metric, Series } from "../charts/metrics.ts"
import type { Visit } from "../visit.ts"

interface Named {
  readonly attemptId: string
  readonly label: string
}

/** Pages of points read for one attempt at most. */
const PAGES = 10

function pointsOf(visit: Visit, { attemptId }: Named) {
  const points: { name: string; split: string | null; unit: string | null; x: number; value: number | string }[] = []
  for (let page = 0, after = 0; page < PAGES; page += 1) {
    const { columns, hasMore, nextCursor } = visit.ask("attempt_metrics", { attemptId }, { after })
    columns.name.forEach((name, index) => {
      points.push({
        name,
        split: columns.split[index] ?? null,
        unit: columns.unit[index] ?? null,
        x: columns.step[index] ?? columns.ordinal[index] ?? 0,
        value: columns.value[index] ?? "NaN",
      })
    })
    if (!hasMore) break
    after = Number(nextCursor)
  }
  return points
}

/** Every metric that any of the attempts reported, each with the attempts' points in order of steps. */
export function metricsOf(visit: Visit, attempts: readonly Named[]): Metric[] {
  const metrics = new Map<string, { name: string; unit: string | null; series: Series[] }>()
  for (const attempt of attempts) {
    const bySeries = Map.groupBy(pointsOf(visit, attempt), ({ name, split }) => (split === null ? name : `${name} (${split})`))
    for (const [name, points] of bySeries) {
      const metric = metrics.get(name) ?? { name, unit: points[0]?.unit ?? null, series: [] }
      const inOrder = points.map(({ x, value }) => ({ x, value })).sort((one, other) => one.x - other.x)
      metric.series.push({ attemptId: attempt.attemptId, label: attempt.label, points: inOrder })
      metrics.set(name, metric)
    }
  }
  return [...metrics.values()]
}
