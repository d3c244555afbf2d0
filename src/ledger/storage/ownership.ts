/**
 * Makes sure that only one process serves a data folder. The claim is a lock on a small SQLite file beside the data,
 * and another that the operating system keeps for a process, since somebody may delete the file. On Linux that is a
 * socket without a file, named after the folder's device and inode; on macOS a lock on the folder itself. On Windows
 * the lock file cannot be deleted while it is held. The system releases both when the process ends, however it ends, so
 * neither is ever stale.
 */
import { codeOf } from "../../contract/refusals.ts"
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { DataError, openLock } from "./opening.ts"

/** A flag of open(2) on macOS: lock the file, or fail at once. */
const O_EXLOCK = 0x20

/**
 * Claims a data folder until the returned function is called or the process ends.
 * @throws DataError if another process has it, or the folder cannot be written
 */
export function lockFolder(folder: string): () => void {
  const note = join(folder, "serve.pid")
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new DataError(`The data folder ${folder} cannot be made (${codeOf(error)}).`)
  }
  const unlock = openLock(join(folder, "serve.lock"))
  if (unlock === null) throw taken(folder, holder(note))
  const claimed = claimFromSystem(folder)
  if (typeof claimed !== "function") {
    unlock()
    throw taken(folder, claimed.holder === null ? "" : ` (${claimed.holder})`)
  }
  try {
    writeFileSync(note, `${process.pid}\n`)
  } catch (error) {
    claimed()
    unlock()
    throw new DataError(`The data folder ${folder} cannot be written (${codeOf(error)}).`)
  }
  return () => {
    rmSync(note, { force: true })
    claimed()
    unlock()
  }
}

const taken = (folder: string, by: string) =>
  new DataError(
    `Another research-room process${by} serves ${folder} already. Stop it, or choose another --data folder.`,
  )

/** The process id in the note, for the message. */
function holder(note: string): string {
  try {
    return ` (${readFileSync(note, "utf8").trim()})`
  } catch {
    return ""
  }
}

/** @returns a function that releases the claim, or the id of the process that has it; null if it is unknown */
function claimFromSystem(folder: string): (() => void) | { readonly holder: number | null } {
  if (process.platform === "linux") return claimName(folder)
  if (process.platform === "darwin") return lockOnMac(folder)
  return () => {}
}

function claimName(folder: string): (() => void) | { holder: number } {
  const { dev, ino } = statSync(folder, { bigint: true })
  const name = `research-room-${dev}-${ino}`
  const server = createServer((socket) => socket.destroy())
  // The result is read below; without a listener an error would end the program.
  server.on("error", () => {})
  server.listen(`\0${name}`)
  if (server.listening) {
    server.unref()
    return () => void server.close()
  }
  const holder = holderOf(name)
  // Any user may take any name. A name held by another user's process does not count.
  return holder === null ? () => {} : { holder }
}

/** Finds the process of this user that listens under an abstract socket name. */
function holderOf(name: string): number | null {
  try {
    const line = readFileSync("/proc/net/unix", "utf8")
      .split("\n")
      .find((each) => each.endsWith(` @${name}`))
    const link = `socket:[${line?.trim().split(/\s+/)[6]}]`
    return (
      readdirSync("/proc")
        .filter((entry) => /^[0-9]+$/.test(entry) && isOwn(entry))
        .map(Number)
        .find((pid) => holds(pid, link)) ?? null
    )
  } catch {
    return null
  }
}

function isOwn(pid: string): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.()
}

function holds(pid: number, link: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${descriptor}`) === link
      } catch {
        return false
      }
    })
  } catch {
    return false
  }
}

function lockOnMac(folder: string): (() => void) | { holder: null } {
  try {
    const handle = openSync(folder, constants.O_RDONLY | constants.O_NONBLOCK | O_EXLOCK)
    return () => closeSync(handle)
  } catch (error) {
    // On a file system without such locks, the lock file alone decides.
    return codeOf(error) === "EAGAIN" ? { holder: null } : () => {}
  }
}
