/**
 * The calls of `/v1`, each declared once: its path, its names, who may make it, its body, its answers and its refusals,
 * and for a forwarded call also the reader of what it costs. Both servers' paths, the gateway's tables, the names in
 * the log and the metrics, the reference and the console's examples are derived from this list. Pure.
 */

export { behindModels, deploymentIn, locate, rightPath } from "./addresses";
export { Model } from "./answers/model-answers";
export {
  type DocumentedResponse,
  type Endpoint,
  EVENTS,
  type NamedSchema,
  type Parameter,
  tags,
} from "./endpoint";
export { geminiPath } from "./gemini";
export { images } from "./images";
export {
  type EndpointId,
  type EndpointName,
  endpointLabels,
  endpointNames,
  endpoints,
  examplesByKind,
  forwardedEndpoints,
  forwardedNames,
  operationsByKind,
  type ReadName,
  readEndpoints,
} from "./list";
