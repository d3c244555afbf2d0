/** Shows the number of ticked rows on the button. A click with Shift ticks all rows from the last one to this one. */
export function countTicks(): void {
  const boxesOf = (form: Element) => [...form.querySelectorAll<HTMLInputElement>('tbody input[type="checkbox"]')]
  const showCount = (form: Element) => {
    const button = form.querySelector<HTMLElement>("[data-ticked]")
    const ticked = boxesOf(form).filter(({ checked }) => checked).length
    if (button !== null)
      button.textContent = ticked === 0 ? `${button.dataset.ticked} the ticked` : `${button.dataset.ticked} ${ticked}`
  }
  let last: HTMLInputElement | undefined
  document.addEventListener("click", (event) => {
    const box = event.target
    const form = box instanceof HTMLInputElement && box.type === "checkbox" ? box.closest("[data-ticks]") : null
    if (form === null || !(box instanceof HTMLInputElement)) return
    const boxes = boxesOf(form)
    const [from, to] = [last === undefined ? -1 : boxes.indexOf(last), boxes.indexOf(box)]
    if (event.shiftKey && from >= 0 && to >= 0)
      for (const each of boxes.slice(Math.min(from, to), Math.max(from, to) + 1)) each.checked = box.checked
    last = box
    showCount(form)
  })
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("[data-ticks]")) showCount(form)
  })
}
