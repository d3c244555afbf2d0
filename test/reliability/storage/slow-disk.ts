/**
 * A disk that is slow to synchronise or to write, or that fails: a library of a few lines of C, compiled here, that is
 * loaded before the system's own.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { found } from "./disk.ts"

/**
 * Each synchronisation sleeps for the milliseconds in the file named by SLOW_SYNC, and each write for those in the file
 * named by SLOW_WRITE. After as many of both as the file named by FAIL_AFTER says, all others of the process fail.
 */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static long number_in(const char *which, long otherwise) {
  const char *name = getenv(which);
  FILE *file = name ? fopen(name, "r") : NULL;
  long number = otherwise;
  if (file == NULL) return otherwise;
  if (fscanf(file, "%ld", &number) != 1) number = otherwise;
  fclose(file);
  return number;
}
static int disk_fails(const char *which) {
  static _Atomic long done = 0;
  long ms = number_in(which, 0);
  long most = number_in("FAIL_AFTER", -1);
  struct timespec left = { ms / 1000, (ms % 1000) * 1000000L };
  while (nanosleep(&left, &left) != 0);
  if (most < 0 || done++ < most) return 0;
  errno = EIO;
  return 1;
}
#define REAL(which, name, ...) \
disk_fails(which) ? -1 : ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)
int fsync(int fd) { return REAL("SLOW_SYNC", fsync, fd); }
int fdatasync(int fd) { return REAL("SLOW_SYNC", fdatasync, fd); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return REAL("SLOW_WRITE", pwrite, fd, data, size, \
at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { return REAL("SLOW_WRITE", pwrite64, fd, data, \
size, at); }
`

export interface SlowDisk {
  /** The environment of a program that uses this disk. */
  readonly env: Readonly<Record<string, string>>
  /** From now on each synchronisation takes this long, also in running programs. */
  takes(milliseconds: number): void
  /** From now on each write takes this long. A transaction has some five to fifty writes. */
  writesTake(milliseconds: number): void
  /** From now on a process can write and synchronise this often; what follows fails. null repairs the disk. */
  failsAfter(times: number | null): void
}

/** Makes such a disk in a folder; null if the machine has no C compiler that makes a library for Linux. */
export function slowDisk(folder: string): SlowDisk | null {
  const compiler = found("cc")
  if (compiler === null || process.platform !== "linux") return null
  const [source, library, sync, write, fail] = ["slow.c", "slow.so", "sync.ms", "write.ms", "fail.after"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string, string]
  writeFileSync(source, SOURCE)
  try {
    execFileSync(compiler, ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { stdio: "ignore" })
  } catch {
    return null
  }
  const [takes, writesTake] = [sync, write].map(
    (file) => (milliseconds: number) => writeFileSync(file, String(milliseconds)),
  ) as [SlowDisk["takes"], SlowDisk["writesTake"]]
  const failsAfter = (times: number | null) => writeFileSync(fail, String(times ?? -1))
  takes(0)
  writesTake(0)
  failsAfter(null)
  const env = { LD_PRELOAD: library, SLOW_SYNC: sync, SLOW_WRITE: write, FAIL_AFTER: fail }
  return { env, takes, writesTake, failsAfter }
}
