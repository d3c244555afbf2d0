/**
 * Shows the values of curves under the pointer or the slider, and zooms to the range that is dragged over. Points are
 * fetched as JSON when they are first needed; another range is fetched as a page.
 */
interface Values {
  readonly curves: readonly {
    readonly attemptId: string
    readonly label: string
    readonly columns: { readonly step: readonly number[]; readonly value: readonly (number | string)[] }
  }[]
}

/** The maximum number of positions of the slider. */
const STOPS = 400
/** Pixels to drag along for a range of steps, and up or down for a range of values. */
const [ALONG, UP] = [8, 24]

const shown = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 })
const text = (value: number | string | undefined): string =>
  typeof value !== "number"
    ? (value ?? "–")
    : value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-4)
      ? value.toExponential(3)
      : shown.format(value)

function nearest(steps: readonly number[], step: number): number {
  let [low, high] = [0, steps.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((steps[middle] ?? 0) < step) low = middle + 1
    else high = middle
  }
  return low > 0 && step - (steps[low - 1] ?? 0) <= (steps[low] ?? 0) - step ? low - 1 : low
}

/** Converts between pixels and the steps and values of a picture, by the scales in its attributes. */
function fieldOf(plot: SVGSVGElement) {
  const scales: Record<string, number | undefined> = Object.fromEntries(
    Object.entries(plot.dataset).map(([name, value]) => [name, Number(value)]),
  )
  const { from: start = 0, to: end = 1, low: least = 0, high: most = 1, log } = scales
  const { top: above = 0, bottom: below = 1, left: west = 0, right: east = 1000 } = scales
  const rect = () => plot.getBoundingClientRect()
  const share = (pixel: number) => ((pixel / rect().width) * 1000 - west) / (east - west)
  return {
    start,
    end,
    above,
    below,
    stepAt: (pixel: number) => Math.round(start + (end - start) * Math.min(1, Math.max(0, share(pixel)))),
    percent: (step: number) => `${(west + ((step - start) / (end - start)) * (east - west)) / 10}%`,
    valueAt(pixel: number) {
      const part = (below - pixel) / (below - above)
      return log === 1 ? least * (most / least) ** part : least + (most - least) * part
    },
    x: (event: PointerEvent) => event.clientX - rect().left,
    y: (event: PointerEvent) => event.clientY - rect().top,
  }
}

/** Shows the values nearest to a step, in the list below the picture and as the slider's text for screen readers. */
function read(figure: HTMLElement, { curves }: Values, step: number, slider: HTMLInputElement): void {
  const base = curves.find(({ attemptId }) => attemptId === figure.dataset.baseline)
  const valueIn = ({ columns }: Values["curves"][number]) => columns.value[nearest(columns.step, step)]
  const from = base && valueIn(base)
  const items = figure.querySelectorAll(".readout li")
  const texts = curves.map((curve, index) => {
    const value = valueIn(curve)
    const at = curve.columns.step[nearest(curve.columns.step, step)]
    const by = typeof value === "number" && typeof from === "number" && curve !== base ? value - from : undefined
    const set = (name: string, content: string) => {
      const part = items[index]?.querySelector(name)
      if (part) part.textContent = content
    }
    set("[data-value]", text(value))
    const signed =
      by === undefined ? "" : by === 0 ? "±0" : `${by > 0 ? "+" : "−"}${text(Number(Math.abs(by).toPrecision(4)))}`
    set("[data-by]", `${signed}${at === undefined || at === step ? "" : ` at ${shown.format(at)}`}`)
    return `${curve.label} ${text(value)}`
  })
  const heading = figure.querySelector("[data-at]")
  if (heading) heading.textContent = `At step ${step.toLocaleString("en")}, or the nearest point`
  slider.setAttribute("aria-valuetext", `step ${step.toLocaleString("en")}: ${texts.join("; ")}`)
}

/** Replaces a figure with another view of the same metric. Headings, open parts and the focus stay. */
async function swap(figure: HTMLElement, address: string): Promise<void> {
  const response = await fetch(address, { headers: { accept: "text/html" } })
  if (!response.ok) return location.assign(address)
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const found = page.querySelector<HTMLElement>("[data-curves]")
  if (found === null) return location.assign(address)
  const fresh = document.importNode(found, true)
  for (const part of [fresh, ...fresh.querySelectorAll("[id], [for]")])
    for (const name of ["id", "for"]) {
      const value = part.getAttribute(name)
      if (value !== null) part.setAttribute(name, value.replace(found.id, figure.id))
    }
  const [heading, known] = [fresh.querySelector("h2, h3"), figure.querySelector("h2, h3")]
  if (heading && known) heading.replaceWith(known.cloneNode(true))
  const opened = [...figure.querySelectorAll("details")].map(({ open }) => open)
  for (const [at, details] of fresh.querySelectorAll("details").entries()) details.open = opened[at] ?? false
  const parts = "a[href], input, button, summary"
  const at = [...figure.querySelectorAll(parts)].indexOf(document.activeElement ?? figure)
  const id = document.activeElement?.id
  figure.replaceWith(fresh)
  activate(fresh)
  const focused =
    (id ? fresh.querySelector<HTMLElement>(`#${CSS.escape(id)}`) : null) ??
    fresh.querySelectorAll<HTMLElement>(parts)[at]
  if (at >= 0) focused?.focus({ preventScroll: true })
  if (location.pathname.endsWith("/attempts/curves")) history.replaceState(null, "", address)
}

function brushing(figure: HTMLElement, plot: SVGSVGElement): void {
  const field = fieldOf(plot)
  const brush = plot.querySelector("rect.brush")
  let start: { x: number; y: number } | undefined
  const size = (values: Readonly<Record<string, number>>) => {
    for (const [name, value] of Object.entries(values)) brush?.setAttribute(name, String(value))
  }
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch") return
    event.preventDefault()
    start = { x: field.x(event), y: field.y(event) }
    plot.setPointerCapture(event.pointerId)
  })
  plot.addEventListener("pointermove", (event) => {
    if (start === undefined) return
    const [x, y] = [field.x(event), field.y(event)]
    const isBand = Math.abs(y - start.y) > UP
    const [top, height] = isBand
      ? [Math.min(y, start.y), Math.abs(y - start.y)]
      : [field.above, field.below - field.above]
    size({ x: Math.min(x, start.x), width: Math.abs(x - start.x), y: top, height })
  })
  plot.addEventListener("pointerup", (event) => {
    if (start === undefined) return
    const [x, y] = [field.x(event), field.y(event)]
    const [from, to] = [field.stepAt(Math.min(x, start.x)), field.stepAt(Math.max(x, start.x))]
    const [isWide, isBand] = [Math.abs(x - start.x) > ALONG && to > from, Math.abs(y - start.y) > UP]
    const band = [Math.max(y, start.y), Math.min(y, start.y)].map(field.valueAt)
    start = undefined
    size({ width: 0, height: 0 })
    const form = figure.querySelector<HTMLFormElement>("form.range")
    if (form === null || !isWide) return
    const set = (name: string, value: string) => {
      const input = form.elements.namedItem(name)
      if (input instanceof HTMLInputElement) input.value = value
    }
    set("from", String(from))
    set("to", String(to))
    if (isBand)
      for (const [at, name] of ["low", "high"].entries()) set(name, String(Number((band[at] ?? 0).toPrecision(4))))
    form.requestSubmit()
  })
}

const addressOf = (form: HTMLFormElement): string => {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === "string" && value !== "") query.append(name, value)
  return `${form.action}?${query}`
}

/** Adds the slider, the pointer and the links of a figure. */
function activate(figure: HTMLElement): void {
  const plot = figure.querySelector<SVGSVGElement>("svg.plot")
  const place = figure.querySelector(".reach")
  const { values } = figure.dataset
  if (plot === null || place === null || values === undefined) return
  const field = fieldOf(plot)
  const stops = Math.min(STOPS, Math.max(1, field.end - field.start))
  const slider = Object.assign(document.createElement("input"), { type: "range", min: "0", max: String(stops) })
  slider.value = slider.max
  slider.ariaLabel = `Read ${figure.querySelector("h2, h3")?.textContent} at a step`
  slider.ariaValueText = "the last step shown"
  place.append(slider)

  let loading: Promise<Values> | undefined
  const load = () =>
    (loading ??= fetch(values, { headers: { accept: "application/json" } }).then(
      (response): Promise<Values> => response.json(),
    ))
  let wanted: number | undefined
  const show = (step: number) => {
    const isWaiting = wanted !== undefined
    wanted = step
    const cursor = plot.querySelector(".cursor")
    cursor?.setAttribute("x1", field.percent(step))
    cursor?.setAttribute("x2", field.percent(step))
    plot.classList.add("reading")
    if (isWaiting) return
    void load().then((found) =>
      requestAnimationFrame(() => {
        if (wanted !== undefined) read(figure, found, wanted, slider)
        wanted = undefined
      }),
    )
  }
  slider.addEventListener("focus", () => void load())
  slider.addEventListener("input", () =>
    show(Math.round(field.start + ((field.end - field.start) * Number(slider.value)) / stops)),
  )
  plot.addEventListener("pointermove", (event) => {
    const step = field.stepAt(field.x(event))
    slider.value = String(Math.round(((step - field.start) / (field.end - field.start)) * stops))
    show(step)
  })
  plot.addEventListener("dblclick", () => figure.querySelector<HTMLAnchorElement>("a[data-whole]")?.click())
  brushing(figure, plot)
  for (const link of figure.querySelectorAll<HTMLAnchorElement>("a[data-swap]"))
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      void swap(figure, link.href)
    })
  const form = figure.querySelector<HTMLFormElement>("form.range")
  form?.addEventListener("submit", (event) => {
    event.preventDefault()
    void swap(figure, addressOf(form))
  })
}

export function readCurves(): void {
  for (const figure of document.querySelectorAll<HTMLElement>("[data-curves]")) activate(figure)
}
