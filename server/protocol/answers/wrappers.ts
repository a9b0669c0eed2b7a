/**
 * The members of an envelope that hold the answer: those of Cline and of many vendors with a `code`, of Cloudflare, of
 * Google's Code Assist and of Tencent, of DashScope's own dialect, and of functions behind an HTTP gateway.
 */
export const WRAPPERS = ["data", "result", "response", "output", "body"] as const;
