/** A bar chart of a Room's activity, with one bar per day. */
import { scaleLinear } from "d3-scale"
import { type Html, html } from "../html.ts"
import { counted, dateOf } from "../words.ts"

const DAY = 86_400_000
const [WIDTH, HEIGHT, BOTTOM] = [420, 110, 18]
const day = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)

/** Counts moments per day, including days without any, for the last 60 days at most. */
function daysOf(moments: readonly string[]): { day: string; count: number }[] {
  const perDay = Map.groupBy(moments, (at) => at.slice(0, 10))
  const known = [...perDay.keys()].sort()
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined) return []
  const days: { day: string; count: number }[] = []
  const start = Math.max(Date.parse(first), Date.parse(last) - 59 * DAY)
  for (let at = start; at <= Date.parse(last); at += DAY)
    days.push({ day: day(at), count: perDay.get(day(at))?.length ?? 0 })
  return days
}

/**
 * The bars of a Room's days; null for a Room of one day, whose list says the same.
 * @param moments the times of the newest writes @param all the number of all writes
 */
export function activityChart(moments: readonly string[], all: number): Html | null {
  const days = daysOf(moments)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || first === last) return null
  const most = Math.max(...days.map(({ count }) => count))
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, 12])
  const step = Math.min(28, WIDTH / days.length)
  const total = days.reduce((sum, { count }) => sum + count, 0)
  const entries = counted(total, "entry", "entries")
  const which = total < all ? `The newest ${entries},` : entries
  const caption = `${which} from ${dateOf(first.day)} to ${dateOf(last.day)}; at most ${most} in a day.`
  const width = days.length * step
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" \
role="img" aria-label="${caption}">
<path class="axis" d="M0 ${HEIGHT - BOTTOM}H${width.toFixed(0)}"/>
${days.map(({ day: on, count }, index) =>
  count === 0
    ? null
    : html`<rect class="bar" x="${(index * step + 1).toFixed(1)}" y="${y(count).toFixed(1)}" \
width="${(step - 2).toFixed(1)}" height="${(HEIGHT - BOTTOM - y(count)).toFixed(1)}">\
<title>${dateOf(on)}: ${count}</title></rect>`,
)}
<text x="0" y="${HEIGHT - 4}">${dateOf(first.day)}</text>${
    width < 150
      ? null
      : html`<text x="${width.toFixed(0)}" y="${HEIGHT - 4}" text-anchor="end">${dateOf(last.day)}</text>`
  }</svg>
<figcaption class="meta">${caption}</figcaption></figure>`
}
