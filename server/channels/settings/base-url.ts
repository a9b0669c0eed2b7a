import type { VendorApi } from "@/server/domain/enums";
import { Refusal } from "@/server/domain/refusal";

/**
 * Returns a base URL as channels store it: the paths of the dialect's operations (`/chat/completions`, `/messages`,
 * `/responses`) follow it without a slash between. In the OpenAI dialects a URL without a path gets `/v1`. Vendors
 * publish Anthropic-dialect URLs without a version (`https://api.deepseek.com/anthropic`), as the official SDKs want
 * them: those get `/v1` too, Google's `/v1beta`. DashScope's, Ark's and Kling's paths have versions of their own
 * (`/api/v1`, `/api/v3`, `/v1`). Throws Refusal.
 */
export function normaliseBaseUrl(text: string, dialect: VendorApi): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw new Refusal(`"${text}" is not an http(s) URL`, "baseUrlInvalid");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Refusal(`"${text}" must have no credentials, query or fragment`, "baseUrlInvalid");
  }
  const trimmed = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  const lacksVersion: Record<VendorApi, boolean> = {
    anthropic: !/\/v\d[^/]*\/*$/.test(url.pathname),
    openai: url.pathname === "/" && !text.endsWith("/"),
    "openai-responses": url.pathname === "/" && !text.endsWith("/"),
    "openai-video": url.pathname === "/" && !text.endsWith("/"),
    "xai-video": url.pathname === "/" && !text.endsWith("/"),
    gemini: !/\/v\d[^/]*\/*$/.test(url.pathname),
    dashscope: false,
    ark: false,
    kling: false,
    sandbox: false,
  };
  const version = dialect === "gemini" ? "v1beta" : "v1";
  return lacksVersion[dialect] ? `${trimmed}/${version}` : trimmed;
}
