/** A disk that takes long to synchronise: a library of some lines of C, which a C compiler makes here, stands before the system's own. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { found } from "./disk.ts"

/** Each synchronisation sleeps as many milliseconds as the file says that SLOW_SYNC names. */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static void wait_for_disk(void) {
  const char *name = getenv("SLOW_SYNC");
  FILE *file = name ? fopen(name, "r") : NULL;
  long ms = 0;
  if (file == NULL) return;
  if (fscanf(file, "%ld", &ms) != 1) ms = 0;
  fclose(file);
  struct timespec left = { ms / 1000, (ms % 1000) * 1000000L };
  while (nanosleep(&left, &left) != 0);
}
int fsync(int fd) { wait_for_disk(); return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd); }
int fdatasync(int fd) { wait_for_disk(); return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd); }
`

export interface SlowDisk {
  /** What a program is started with so that it meets this disk. */
  readonly env: Readonly<Record<string, string>>
  /** From now on each synchronisation takes so long, in programs that run too. */
  takes(milliseconds: number): void
}

/** Makes such a disk in a folder; null where the machine has no C compiler that makes a library for Linux. */
export function slowDisk(folder: string): SlowDisk | null {
  const compiler = found("cc")
  if (compiler === null || process.platform !== "linux") return null
  const [source, library, time] = ["slow.c", "slow.so", "slow.ms"].map((name) => join(folder, name)) as [string, string, string]
  writeFileSync(source, SOURCE)
  try {
    execFileSync(compiler, ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { stdio: "ignore" })
  } catch {
    return null
  }
  const takes = (milliseconds: number) => writeFileSync(time, String(milliseconds))
  takes(0)
  return { env: { LD_PRELOAD: library, SLOW_SYNC: time }, takes }
}
