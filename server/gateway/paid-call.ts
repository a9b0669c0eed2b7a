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
import type { Most } from "./believable";
import type { AuthedCall, ThinkingKeeper } from "./call";

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
  /** Who reads videos' files, by task and account. */
  fileReaders: LiveCalls;
  metrics: Metrics;
  log: Log;
  clock: Clock;
  timers: Timers;
  /** Leaves out the credentials that this process has opened. */
  redact: Redact;
  keepAliveMs: number;
  /** Between two looks at a video's upstream: asking more often tells nothing new. */
  videoPollMs: number;
  /** Where the channel has none of its own. */
  idleTimeoutMs: number;
  /** Aborts when streams must end, for the process stops. */
  stopping: AbortSignal;
  /** Signs the addresses of videos that we serve. */
  keyPepper: string;
  previousKeyPepper: string | undefined;
  /** Where clients reach us; null: where this client says that it did. */
  publicUrl: string | null;
  /** The currency of all amounts. */
  currency: string;
};

/** A call whose money is frozen. `most`: for what. `hasNamedLimit`: for an output that the client has bounded. */
export type PaidCall = { call: AuthedCall; model: SoldModel; hold: Hold; most: Most; hasNamedLimit: boolean };

/** A conversational call whose money is frozen. */
export type ConversationCall = PaidCall & {
  conversation: ConversationRequest;
  /** Keeps the thinking of the answer. null: the gateway keeps none. */
  thinking: ThinkingKeeper | null;
  /** The call for one route's upstream. Throws cannotConvert. */
  plan: (route: Route) => Promise<UpstreamPlan>;
};

/** Runs a call whose money is frozen; whatever it throws returns the money. */
export async function releasingOnFailure<T>(
  deps: GatewayDeps,
  hold: Hold,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // A failed capture has settled the hold's fate already.
    if (!(error instanceof GatewayError && error.kind === "billingFailed")) {
      deps.billing.release(hold, error instanceof GatewayError ? error.slug : "internal");
    }
    throw error;
  }
}

/** The header that tells what a charged call cost, in currency units, likewise. */
export const costHeader = ({ caller, facts }: AuthedCall, isWanted = false): Record<string, string> =>
  (isWanted || caller.tellsCost) && facts.cost !== undefined ? { "x-tollgate-cost": facts.cost } : {};

/** What an error inside a 2xx answer means: the client's fault when the body says so, else the channel's. */
export function faultOf(words: UpstreamWords): GatewayError | UpstreamFault {
  return words.status !== null && [400, 413, 422].includes(words.status)
    ? new GatewayError("upstreamRejected", words.message)
    : new UpstreamFault("refused", words.message, { ...(words.status && { status: words.status }) });
}
