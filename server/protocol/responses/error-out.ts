import { saysOverflow } from "../overflow";

/** Error codes for clients that act on them (Codex retries codes that it does not know). */
const codes: Record<number, string> = { 402: "insufficient_quota", 429: "rate_limit_exceeded" };

/** Statuses with which an upstream refuses the request itself. */
const refused = [400, 413, 422];

/**
 * An error in the form of a failed response. `slug`: the gateway's name of its own error; an upstream's error is
 * recognised by its status and words.
 */
export function errorOf({ code, message, slug }: { code: number; message: string; slug?: string }): {
  code: string;
  message: string;
} {
  return { code: nameOf(code, message, slug), message };
}

function nameOf(code: number, message: string, slug = "upstream_rejected"): string {
  const codeName = codes[code];
  if (codeName !== undefined) {
    return codeName;
  }
  if (slug === "upstream_rejected") {
    const name = saysOverflow(message) ? "context_length_exceeded" : "invalid_prompt";
    return refused.includes(code) ? name : "server_error";
  }
  return code < 500 ? slug : "server_error";
}
