/**
 * Makes clients of an OpenAPI document with the generators installed beside it, which need an older TypeScript than the
 * project's.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@hey-api/openapi-ts"
import openapiTypescript, { astToString } from "openapi-typescript"

/** openapi-typescript: types for openapi-fetch. */
export async function makeTypes(document: string, folder: string): Promise<void> {
  writeFileSync(join(folder, "schema.ts"), astToString(await openapiTypescript(new URL(`file://${document}`))))
}

/** @hey-api/openapi-ts: a function for each operation. */
export async function makeFunctions(document: string, folder: string): Promise<void> {
  await createClient({
    input: document,
    output: { path: join(folder, "functions") },
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    logs: { level: "silent" },
  })
}
