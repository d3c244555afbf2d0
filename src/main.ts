/** The entry point: sets up the allocator, which may restart the program, then loads everything else. */
import "./allocator.ts"

void import("./command-line.ts")
