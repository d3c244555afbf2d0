/**
 * A disk that is slow to synchronise or to write: a library of a few lines of C, compiled here, that is loaded before
 * the system's own.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { found } from "./disk.ts"

/**
 * Each synchronisation sleeps for the milliseconds in the file named by SLOW_SYNC, and each write for those in the file
 * named by SLOW_WRITE.
 */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void wait_for_disk(const char *which) {
  const char *name = getenv(which);
  FILE *file = name ? fopen(name, "r") : NULL;
  long ms = 0;
  if (file == NULL) return;
  if (fscanf(file, "%ld", &ms) != 1) ms = 0;
  fclose(file);
  struct timespec left = { ms / 1000, (ms % 1000) * 1000000L };
  while (nanosleep(&left, &left) != 0);
}
#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)
int fsync(int fd) { wait_for_disk("SLOW_SYNC"); return REAL(fsync, fd); }
int fdatasync(int fd) { wait_for_disk("SLOW_SYNC"); return REAL(fdatasync, fd); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { wait_for_disk("SLOW_WRITE"); return REAL(pwrite, fd, \
data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { wait_for_disk("SLOW_WRITE"); return \
REAL(pwrite64, fd, data, size, at); }
`

export interface SlowDisk {
  /** The environment of a program that uses this disk. */
  readonly env: Readonly<Record<string, string>>
  /** From now on each synchronisation takes this long, also in running programs. */
  takes(milliseconds: number): void
  /** From now on each write takes this long. A transaction has some five to fifty writes. */
  writesTake(milliseconds: number): void
}

/** Makes such a disk in a folder; null if the machine has no C compiler that makes a library for Linux. */
export function slowDisk(folder: string): SlowDisk | null {
  const compiler = found("cc")
  if (compiler === null || process.platform !== "linux") return null
  const [source, library, sync, write] = ["slow.c", "slow.so", "sync.ms", "write.ms"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string]
  writeFileSync(source, SOURCE)
  try {
    execFileSync(compiler, ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { stdio: "ignore" })
  } catch {
    return null
  }
  const [takes, writesTake] = [sync, write].map(
    (file) => (milliseconds: number) => writeFileSync(file, String(milliseconds)),
  ) as [SlowDisk["takes"], SlowDisk["writesTake"]]
  takes(0)
  writesTake(0)
  return { env: { LD_PRELOAD: library, SLOW_SYNC: sync, SLOW_WRITE: write }, takes, writesTake }
}
