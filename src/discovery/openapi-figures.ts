/** The OpenAPI descriptions of the picture routes, whose bodies are not JSON. */
import { figureTypes, readFigure, uploadedFigure, uploadFigure } from "../contract/definitions/figure-routes.ts"
import { answerSchema } from "./components.ts"
import { byAnyone, byCredential, bySession, described, json, needs, responses, tags } from "./openapi-parts.ts"
import type { Content, OpenApiRoute } from "./openapi-types.ts"
import { pathParameters } from "./parameters.ts"
import { figureRefusals, uploadRefusals } from "./possible-refusals.ts"
import { sliceOf } from "./slices.ts"

const pictures: Content = Object.fromEntries(
  Object.keys(figureTypes).map((type) => [type, { schema: { type: "string", format: "binary" } }]),
)

export const uploadRoute = (caller: "agent" | "browser"): OpenApiRoute => ({
  path: caller === "agent" ? uploadFigure.path : uploadFigure.browserPath,
  slice: sliceOf(uploadFigure.path),
  method: uploadFigure.method.toLowerCase(),
  operation: {
    operationId: caller === "agent" ? uploadFigure.name : `${uploadFigure.name}_in_browser`,
    ...described(uploadFigure.summary, caller === "agent" && needs([uploadFigure.permission])),
    tags: [tags[caller].name],
    security: caller === "agent" ? byCredential : bySession,
    parameters: [],
    requestBody: { required: true, content: pictures },
    responses: responses("The digest that names the picture.", json(answerSchema(uploadedFigure)), uploadRefusals(caller)),
  },
})

export const figureRoute: OpenApiRoute = {
  path: readFigure.path,
  slice: sliceOf(readFigure.path),
  method: readFigure.method.toLowerCase(),
  operation: {
    operationId: readFigure.name,
    ...described(readFigure.summary),
    tags: [tags.public.name],
    security: byAnyone,
    parameters: pathParameters(readFigure.path),
    responses: responses("The picture.", pictures, figureRefusals),
  },
}
