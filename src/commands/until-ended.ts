/** Keeps a service running until a signal ends it, and shuts it down cleanly. */
import type { Service } from "../app/service.ts"
import { releaseMemory } from "../app/threads/memory.ts"

/**
 * Waits for SIGTERM, Ctrl-C or a failure of the service, then lets open requests finish and closes the database. A
 * second signal ends the process at once. Call it before the address is printed, because the caller may end the service
 * from then on. Until it ends, the process belongs to the service, which returns memory after busy periods.
 * @param onBroken called before the shutdown if the service failed
 */
export async function untilEnded(
  service: Pick<Service, "broken" | "close"> & Partial<Pick<Service, "files">>,
  onBroken = () => {},
): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve())
  })
  const broken = service.broken.then(() => {
    process.exitCode = 1
    onBroken()
  })
  const keepMemory = releaseMemory()
  await Promise.race([signalled, broken])
  keepMemory()
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(1))
  await service.close()
  // A normal exit closes the database, which would copy its log into the data file.
  if (service.files?.isSpoilt()) process.exit(1)
}
