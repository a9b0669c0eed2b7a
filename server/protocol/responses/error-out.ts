import { saysOverflow } from "../overflow";

/** What an error is called, for clients that act on it (Codex repeats what it does not know). */
const codes: Record<number, string> = { 402: "insufficient_quota", 429: "rate_limit_exceeded" };

/** An upstream that refuses what it was asked, and what it says then. */
const refused = [400, 413, 422];

/**
 * An error as a response that failed has it. `slug`: what the gateway calls it; one of an upstream's is told by its
 * status and words.
 */
export function errorOf({ code, message, slug }: { code: number; message: string; slug?: string }): {
  code: string;
  message: string;
} {
  return { code: nameOf(code, message, slug), message };
}

function nameOf(code: number, message: string, slug = "upstream_rejected"): string {
  const known = codes[code];
  if (known !== undefined) {
    return known;
  }
  if (slug === "upstream_rejected") {
    const name = saysOverflow(message) ? "context_length_exceeded" : "invalid_prompt";
    return refused.includes(code) ? name : "server_error";
  }
  return code < 500 ? slug : "server_error";
}
