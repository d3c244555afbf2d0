/** Returns a value that must exist. @throws Error if it does not: a fault of the service, never of the caller */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("a value that must exist is missing")
  return value
}
