/** Values that change along the sequence of a Room, kept so that each can be read as of any place. */

/** The index of the first element for which `later` holds, in a list in which it holds for all that follow. */
export function firstWhere<T>(list: readonly T[], later: (item: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (later(list[middle] as T)) high = middle
    else low = middle + 1
  }
  return low
}

/** One value over time. Positions only grow. */
export class Versioned<T> {
  readonly #versions: { position: number; value: T }[] = []

  set(position: number, value: T): void {
    this.#versions.push({ position, value })
  }

  /** The value after the write at `position`; undefined before it existed. */
  at(position: number): T | undefined {
    return this.#versions[firstWhere(this.#versions, (version) => version.position > position) - 1]?.value
  }
}

/** A list that only grows. */
export class Grown<T> {
  readonly #items: { position: number; value: T }[] = []

  add(position: number, value: T): void {
    this.#items.push({ position, value })
  }

  countAt(position: number): number {
    return firstWhere(this.#items, (item) => item.position > position)
  }

  at(position: number): T[] {
    return this.#items.slice(0, this.countAt(position)).map(({ value }) => value)
  }
}

/** Values by id, each over time. */
export class Shelf<T> {
  readonly #values = new Map<string, Versioned<T>>()
  readonly #order = new Grown<string>()

  set(position: number, id: string, value: T): void {
    let versions = this.#values.get(id)
    if (versions === undefined) {
      versions = new Versioned<T>()
      this.#values.set(id, versions)
      this.#order.add(position, id)
    }
    versions.set(position, value)
  }

  at(position: number, id: unknown): T | undefined {
    return this.#values.get(String(id))?.at(position)
  }

  /** All that existed, in order of appearance. */
  all(position: number): T[] {
    return this.#order.at(position).map((id) => this.at(position, id) as T)
  }

  countAt(position: number): number {
    return this.#order.countAt(position)
  }
}
