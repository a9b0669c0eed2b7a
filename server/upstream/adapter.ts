import type { Upload } from "@/server/protocol/multipart/form";
import type { VideoUpstream } from "./videos/video-upstream";

/** One attempt at one upstream. `signal` ends it at any time, and with it the reply's body. */
export type UpstreamCall = {
  /** Whose call it is: an origin's places are shared out between owners. */
  owner: string;
  baseUrl: string;
  secret: string;
  /** Below the base URL, of an operation whose address names the model. */
  path?: string;
  /** JSON text, or a form. */
  body: string | Upload;
  /** Those of the call itself, beside the ones that sign it. */
  headers?: Record<string, string>;
  signal: AbortSignal;
};

/** The text of a call that is no form. */
export const textIn = ({ body }: Pick<UpstreamCall, "body">): string =>
  typeof body === "string" ? body : "";

export type UpstreamReply = {
  status: number;
  contentType: string;
  retryAfterMs: number | null;
  body: AsyncIterable<Uint8Array>;
  /** Drops a body that nobody will read. */
  discard: () => void;
};

/** What a call asks of an upstream; `forwardedOperations` are one call and one answer, in its vendor's words. */
export const forwardedOperations = [
  "images",
  "imageEdits",
  "speech",
  "transcriptions",
  "translations",
  "rerank",
  "moderations",
] as const;
export type ForwardedOperation = (typeof forwardedOperations)[number];
export const operations = [
  "chat",
  "messages",
  "responses",
  "gemini",
  "completions",
  "countTokens",
  "embeddings",
  ...forwardedOperations,
] as const;
export type Operation = (typeof operations)[number];

/** A vendor's HTTP: where to send a call and how to sign it. It neither translates, retries, bills nor logs. */
export type Upstream = Partial<Record<Operation, (call: UpstreamCall) => Promise<UpstreamReply>>> & {
  videos?: VideoUpstream;
};

/**
 * Why an attempt failed. `unreachable`: nothing was sent. `busy`: nor was it, for want of a place at its origin.
 * `cut`: it was, and the connection ended at once, before an answer began. `malformed`: it answered, but not in its
 * dialect. `unusable`: it did, and what the model wrote is of no use to the client. `broken`: the answer broke off.
 * `ours`: an exception of this program.
 */
export const faultReasons = [
  "unreachable",
  "cut",
  "busy",
  "timeout",
  "refused",
  "malformed",
  "unusable",
  "broken",
  "ours",
] as const;

/** An attempt that failed. `status`: of the answer, when it had one. */
export class UpstreamFault extends Error {
  /** Its words may be an upstream's, so no log has them. */
  readonly quotes = true;
  readonly reason: (typeof faultReasons)[number];
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor(
    reason: UpstreamFault["reason"],
    message: string,
    options: { status?: number; retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
