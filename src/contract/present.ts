/** What was seen to be there before. @throws Error when it is not: a fault of the service, never of who asks */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("something that was there is gone")
  return value
}
