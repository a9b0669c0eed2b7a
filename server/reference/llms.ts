/** `/llms.txt` (llmstxt.org): for a language model that is about to write a client. In English. */
import { tags } from "@/server/endpoints";
import { operations } from "./components";
import { pages } from "./pages";

/** `baseUrl`: without `/v1`. */
export function llmsText(baseUrl: string): string {
  const operationLines = Object.entries(tags).flatMap(([tag, name]) => [
    `- ${name.en}: ${operations
      .filter((operation) => operation.tag === tag)
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
      .join(", ")}`,
  ]);
  const lines = [
    "# Tollgate",
    "",
    "> A model gateway: any model in the formats of OpenAI, Anthropic and Gemini, paid from a monthly quota.",
    "",
    `- Base URL: ${baseUrl}/v1 for OpenAI's SDKs; ${baseUrl} for Anthropic's and Google's.`,
    "- Key: `Authorization: Bearer sk-…`, or `x-api-key`, `api-key`, `x-goog-api-key`.",
    '- Errors: `{"code": <HTTP status>, "message": "…", "data": null}`; the header `x-error-code` has the error code. ' +
      "Send `accept-language: en` for English.",
    "- Retries: send the header `Idempotency-Key` with each request; a repeat with the same key is not charged again.",
    "- Reasoning models: max_tokens of 4096 or more; thinking is in `message.reasoning_content`.",
    "",
    "## Pages",
    "",
    ...pages.map(({ id, title }) => `- [${title.en}](${baseUrl}/docs/files/en/${id}.md)`),
    "",
    "## Reference",
    "",
    `- [OpenAPI 3.1 of /v1](${baseUrl}/openapi.json?lang=en): every operation, schema and refusal`,
    `- [OpenAPI 3.1 of the admin API](${baseUrl}/admin/v1/openapi.json): keys, accounts, channels, prices`,
    "",
    "## Operations",
    "",
    ...operationLines,
  ];
  return `${lines.join("\n")}\n`;
}
