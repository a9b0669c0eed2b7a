/**
 * What clients can look up: the OpenAPI document of `/v1`, made of the schemas that validate and of the one table of
 * refusals, and the pages made of it. Pure: whoever serves it brings what is written for people.
 */
export type { Advice } from "./errors";
export { llmsText } from "./llms";
export { openApi } from "./openapi";
export { findPage, isInEnglishOnly, type Page, pageOfLink, pages } from "./pages";
export { operationsText, refusalsText } from "./reference-pages";
