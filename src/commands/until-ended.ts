/** Keeps a service running until it is told to end, and ends it in good order. */
import type { Service } from "../app/service.ts"

/**
 * Resolves after SIGTERM or Ctrl-C, or when the service can no longer do its work, once requests under way are finished and the database is closed. A second signal ends at once.
 * @param onBroken told first when the service can no longer do its work
 * Call it before anybody is told that the service is there: from then on it may be ended.
 */
export async function untilEnded(service: Pick<Service, "broken" | "close">, onBroken = () => {}): Promise<void> {
  const told = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve())
  })
  const broken = service.broken.then(() => {
    process.exitCode = 1
    onBroken()
  })
  await Promise.race([told, broken])
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(1))
  await service.close()
}
