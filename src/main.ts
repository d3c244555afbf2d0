/** Where the program begins: the allocator's settings first, for which it may begin again, and then everything else. */
import "./allocator.ts"

void import("./command-line.ts")
