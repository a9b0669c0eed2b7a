import type { Cancellation } from "@/server/base/cancellation";
import { forwardedNames } from "@/server/endpoints";
import type { ListedModel } from "@/server/protocol/model-list";
import type { Upload } from "@/server/protocol/multipart/form";
import type { VideoUpstream } from "./videos/video-upstream";

/** One attempt at one upstream. `cancellation` ends it at any time, and with it the reply's body. */
export type UpstreamCall = {
  /** The caller's account: owners share an origin's places. */
  owner: string;
  baseUrl: string;
  secret: string;
  /** The path below the base URL, for an operation whose address names the model. */
  path?: string;
  /** JSON, as text or in bytes, or a form. */
  body: string | Upload;
  /** The call's own headers, in addition to those that sign it. */
  headers?: Record<string, string>;
  cancellation: Cancellation;
  /** The reply is read as a whole: an adapter may hand it over once its body has arrived, and not with its head. */
  awaitsBody?: boolean;
  /** Called when the head arrives, if the adapter may hand over the reply later than that. */
  onHead?: (status: number) => void;
};

/** The text of a call that is no form. */
export const textIn = ({ body }: Pick<UpstreamCall, "body">): string =>
  typeof body === "string" ? body : Buffer.from(body.bytes).toString();

/** A reply's body, for one reader. Ends in UpstreamFault `broken` if it is cut off or cancelled. */
export type ReplyBody = AsyncIterable<Uint8Array> & {
  /** Takes the pieces of a body that has arrived as a whole. null: it has not, and must be iterated. */
  arrived?: () => Uint8Array[] | null;
};

export type UpstreamReply = {
  status: number;
  contentType: string;
  retryAfterMs: number | null;
  body: ReplyBody;
  /** Drops a body that will not be read. */
  discard: () => void;
};

/** The operations of upstreams. Those of forwarded endpoints have the endpoint's name. */
export const operations = [
  "chat",
  "messages",
  "responses",
  "gemini",
  "completions",
  "countTokens",
  "embeddings",
  ...forwardedNames,
] as const;
export type UpstreamOperation = (typeof operations)[number];

type ModelListTarget = {
  baseUrl: string;
  secret: string;
  /** Ends all pages together. */
  signal: AbortSignal;
};

/**
 * Lists a vendor's models. `isWhole`: the vendor has no more than these. Throws UpstreamFault, with the vendor's words if
 * it refuses.
 */
export type ListModels = (target: ModelListTarget) => Promise<{ models: ListedModel[]; isWhole: boolean }>;

/** A vendor's HTTP: the addresses and signatures of its calls. It neither translates, retries, bills nor logs. */
export type Upstream = Partial<Record<UpstreamOperation, (call: UpstreamCall) => Promise<UpstreamReply>>> & {
  videos?: VideoUpstream;
  /** Absent: the dialect has no list of models. */
  models?: ListModels;
};

/**
 * Why an attempt failed. `unreachable`: nothing was sent. `busy`: nothing was sent either, because the origin had no
 * free place. `cut`: it was sent, and the connection ended at once, before an answer began. `malformed`: the answer is
 * not in the vendor's dialect. `unusable`: the answer is in its dialect, but the client cannot use what the model
 * wrote. `broken`: the answer broke off. `ours`: an exception of this program.
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

/** An attempt that failed. `status`: the answer's, if there was one. */
export class UpstreamFault extends Error {
  /** Its message may quote an upstream, so no log contains it. */
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
