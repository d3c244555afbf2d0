/** The part of the OpenAPI types that this service uses. */
import type { Slice } from "../contract/schema/enumerations.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import type { Parameter } from "./parameters.ts"

/** The content of a body or response, by media type. */
export type Content = Readonly<Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>>

/** A response, or a reference to a shared one. */
export interface DescribedAnswer {
  readonly $ref?: string
  readonly description?: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Content
  readonly "x-refusals"?: readonly string[]
}

export interface DescribedRoute {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: true; readonly content: Content }
  readonly responses: Readonly<Record<string, DescribedAnswer>>
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: object
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** By path, then by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedRoute>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, DescribedAnswer>>
    readonly securitySchemes: object
  }
}

export interface OpenApiRoute {
  readonly path: string
  /** The slice of the service; null for documents and accounts. */
  readonly slice: Slice | null
  readonly method: string
  readonly operation: DescribedRoute
}
