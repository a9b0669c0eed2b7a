import type { Gatekeeper, LiveCalls } from "@/server/access";
import type { Clock, Timers } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import type { Log } from "@/server/base/log";
import type { Metrics } from "@/server/base/metrics";
import type { Redact } from "@/server/base/redactor";
import type { Billing, Hold } from "@/server/billing";
import type { Catalog, SoldModel } from "@/server/catalog";
import { type Channels, type Route, UpstreamFault } from "@/server/channels";
import type { IdempotentCalls } from "@/server/idempotency";
import type { UpstreamWords } from "@/server/protocol/upstream-error";
import type { ConversationRequest, UpstreamPlan } from "@/server/protocol/upstream-plan";
import type { BackgroundQueue, ConversationStore, ResponseStore, ThinkingStore } from "@/server/responses";
import type { Videos } from "@/server/videos";
import type { AuthedCall, ThinkingKeeper } from "./call";
import type { UsageCeiling } from "./plausible-usage";

export type GatewayDeps = {
  access: Gatekeeper;
  catalog: Catalog;
  billing: Billing;
  channels: Channels;
  videos: Videos;
  responses: ResponseStore;
  conversations: ConversationStore;
  thinking: ThinkingStore;
  background: BackgroundQueue;
  idempotency: IdempotentCalls;
  /** The readers of videos' files, by task and account. */
  fileReaders: LiveCalls;
  metrics: Metrics;
  log: Log;
  clock: Clock;
  timers: Timers;
  /** Removes the credentials that this process has decrypted. */
  redact: Redact;
  keepAliveMs: number;
  /** The pause between two looks at a video's upstream: looking more often shows nothing new. */
  videoPollMs: number;
  /** For a channel without its own. */
  idleTimeoutMs: number;
  /** Aborts when streams must end because the process stops. */
  stopping: AbortSignal;
  /** Signs the addresses of videos that we serve. */
  keyPepper: string;
  previousKeyPepper: string | undefined;
  /** The gateway's URL for clients; null: the one in this client's request. */
  publicUrl: string | null;
  /** The currency of all amounts. */
  currency: string;
};

/**
 * A call whose money is frozen. `ceiling`: the usage that the hold covers. `hasNamedLimit`: the client limited the output.
 */
export type PaidCall = {
  call: AuthedCall;
  model: SoldModel;
  hold: Hold;
  ceiling: UsageCeiling;
  hasNamedLimit: boolean;
};

/** A conversational call whose money is frozen. */
export type ConversationCall = PaidCall & {
  conversation: ConversationRequest;
  /** Keeps the thinking of the answer. null: the gateway keeps none. */
  thinking: ThinkingKeeper | null;
  /** The call for one route's upstream. Throws cannotConvert. */
  plan: (route: Route) => Promise<UpstreamPlan>;
};

/** Runs a call whose money is frozen. Any failure returns the money. */
export async function releasingOnFailure<T>(
  deps: GatewayDeps,
  hold: Hold,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // A failed capture has already decided about the hold.
    if (!(error instanceof GatewayError && error.kind === "billingFailed")) {
      deps.billing.release(hold, error instanceof GatewayError ? error.slug : "internal");
    }
    throw error;
  }
}

/** The header with a charged call's cost, in currency units, if the client or its key asks for it. */
export const costHeader = (
  { caller, logFields: facts }: AuthedCall,
  isWanted = false,
): Record<string, string> =>
  (isWanted || caller.tellsCost) && facts.cost !== undefined ? { "x-tollgate-cost": facts.cost } : {};

/** The error for an error inside a 2xx answer: the client's fault if the body says so, else the channel's. */
export function faultOf(words: UpstreamWords): GatewayError | UpstreamFault {
  return words.status !== null && [400, 413, 422].includes(words.status)
    ? new GatewayError("upstreamRejected", words.message)
    : new UpstreamFault("refused", words.message, { ...(words.status && { status: words.status }) });
}
