/**
 * Reference for clients: the OpenAPI document of `/v1`, built from the schemas that validate and from the one table of
 * refusals, and the pages built from it. Pure: callers pass in the texts for people.
 */
export type { Advice } from "./errors";
export { installationText } from "./installation";
export { llmsText } from "./llms";
export { openApi } from "./openapi";
export { type DocPage as Page, findPage, groups, isInEnglishOnly, pageOfLink, pages } from "./pages";
export { operationsText, refusalsText } from "./reference-pages";
