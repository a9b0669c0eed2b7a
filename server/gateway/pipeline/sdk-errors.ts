/** Decides which clients get more in an error than the envelope that the specification fixes. */
import type { HeaderReader } from "@/server/base/client-request";
import type { EndpointName } from "@/server/endpoints";

/**
 * The endpoints of the specification, whose plain clients get its envelope and nothing else (docs/spec.md, 4.1 to 4.6
 * and 7.3).
 */
const SPECIFIED: readonly EndpointName[] = [
  "models",
  "chat.completions",
  "messages",
  "embeddings",
  "videos.submit",
  "videos.status",
];

/** The headers that the official SDKs of OpenAI, Anthropic and Google send with every call. */
const SDK_HEADER = /^(?:x-stainless-|x-goog-api-client$)/;

/**
 * Programs and libraries with their own clients (docs/clients.md), as a user agent names a product (RFC 9110, 10.1.5):
 * from the beginning of a word to its slash, with the parts that they add (`codex_cli_rs`, `GeminiCLI-a2a`). Otherwise
 * unrelated programs such as `check-ai/2` and `goosefs/1` would match.
 */
const PROGRAM =
  /(?:^|\s)(?:codex|claude-(?:cli|code)|gemini-?cli|google-genai|opencode|ai-sdk|ai|cline|roo-?code|kilo-?code|aider|litellm|langchain|llama-?index|promptfoo|goose|continue|zed|cursor)(?:[-_.][a-z0-9]+){0,4}\//i;

/** Whether an error of this endpoint gets the members that SDKs read, judged by the call's headers. */
export const readsSdkErrors = (endpoint: string, headers: HeaderReader): boolean =>
  !SPECIFIED.some((name) => name === endpoint) ||
  PROGRAM.test(headers.get("user-agent") ?? "") ||
  [...headers.keys()].some((name) => SDK_HEADER.test(name));
