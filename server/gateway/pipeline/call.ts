import type { Caller } from "@/server/access";
import type { Cancellation } from "@/server/base/cancellation";
import type { ClientRequest } from "@/server/base/client-request";
import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere } from "@/server/base/eventual";
import type { IgnoredMember } from "@/server/base/ignored";
import type { Reply } from "@/server/base/reply";
import type { Hold } from "@/server/billing";
import type { Catalog, SoldModel } from "@/server/catalog";
import type { Attempt } from "@/server/channels";
import type { ModelKind } from "@/server/domain/enums";
import type { AccountId, ChannelId, KeyId, TaskId } from "@/server/domain/ids";
import type { Claim } from "@/server/idempotency";
import type { KeptThinking } from "@/server/protocol/kept-thinking";
import type { Form } from "@/server/protocol/multipart/form";
import type { CallTerms, ConversationRequest } from "@/server/protocol/upstream-plan";
import type { BodyBytes } from "../body/body-bytes";
import type { UsageCeiling } from "./plausible-usage";

/** The facts about a call, collected on its way. They go into the call's log line, and many of them into its record. */
type CallLogFields = {
  /** The client's id for the call, and the trace that the call belongs to. */
  clientRequestId?: string;
  traceId?: string;
  /** Set once the key is known: such a call is recorded, however it ends. */
  accountId?: AccountId;
  keyId?: KeyId;
  address?: string | null;
  /** Method and path, if no endpoint has the path, and the client's program. */
  path?: string;
  userAgent?: string | null;
  /** As the client wrote it. */
  model?: string;
  stream?: boolean;
  /** The request id of the call whose answer this one got. */
  replayOf?: string;
  channelId?: ChannelId;
  taskId?: TaskId;
  /** The gateway estimated the tokens, because the upstream does not count them. */
  isEstimate?: boolean;
  /** The parts of the request that the upstream did not get. */
  dropped?: string;
  /** The members of the request that the upstream did not get. */
  ignored?: IgnoredMember[];
  /** All tokens that the call used. */
  tokens?: number;
  inputTokens?: number;
  outputTokens?: number;
  usageSource?: string;
  cost?: string;
  /** A video's price, which is charged when the video is complete. */
  frozen?: string;
  /** The slug of the thrown error, and its cause. */
  error?: string;
  err?: unknown;
  /** How its stream ended. */
  outcome?: StreamOutcome;
};

/** `broken`: by the upstream, or by the gateway. */
export type StreamOutcome = "complete" | "broken" | "client_gone";

/**
 * A request on its way through the gateway. Steps add to this one object: what they noted in a copy would be missing when
 * the call is recorded.
 */
export type OpenCall = {
  requestId: string;
  request: ClientRequest;
  /** Cancelled if the client hangs up before it has the whole answer. */
  hangUp: Cancellation;
  /** Since when only the gateway keeps it waiting, by `performance.now()`: its arrival, or later its whole body. */
  readyAt: number;
  logFields: CallLogFields;
  /** The catalog's model that it names. Left out: it names none, or was refused before. */
  model?: { id: string; kind: ModelKind };
  /** The attempts at upstreams, in order. */
  attempts: Attempt[];
  /** The headers that pass the call's trace on to upstreams. */
  traceHeaders: Record<string, string>;
  /** Headers for any answer, also an error. */
  responseHeaders: Record<string, string>;
  /** Frees its place among the calls under way, once its answer is taken. Left out: it has no place yet. */
  leave?: () => void;
  /** Run once the call has ended, however it ends. */
  cleanups: (() => void)[];
  /** Called once by a streamed answer, at its end. `broken`: the error that broke it off. */
  ended: (how: { outcome: StreamOutcome; broken: GatewayError | null; err?: unknown }) => void;
  /** For a call that may be repeated: takes the text that its stream would have sent to a client that has hung up. */
  onDetachedText?: (text: string) => void;
  /** For the same: stores its answer in the transaction that stores what the call buys. */
  storeInTx?: (tx: Parameters<Claim["keepIn"]>[0], reply: Reply) => Promise<void>;
};

export type AuthedCall = OpenCall & {
  caller: Caller;
  /** The memory of its body; given back when the call has ended. */
  bytes: BodyBytes;
  /** The request's body, if it has been read already. */
  body?: string | Buffer;
  form?: Form;
  /** The model that its address names, for a body without one. */
  pathModel?: string | null;
};

/** Collects the thinking of one call's answer, to store it. */
export type ThinkingKeeper = {
  keep: (kept: KeptThinking) => void;
  /**
   * Runs before the answer's last text, because the client may send its next call at once. A failure loses the
   * thinking, and fails no call.
   */
  store: () => Eventual<void>;
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

/** The plans of one form of a call, for the channels that were asked so far. */
export type Plans = {
  terms: CallTerms;
  /** The channels that can take the call. */
  takers: Set<ChannelId>;
  /** The latest reason of a channel that cannot. */
  refusal: unknown;
  /** Another form of the call. Channels that can take that form get none of this one. */
  skipped: Plans | null;
};

/** A conversational call whose money is frozen. */
export type ConversationCall = PaidCall & {
  conversation: ConversationRequest;
  /** Keeps the thinking of the answer. null: the gateway keeps none. */
  thinking: ThinkingKeeper | null;
  plans: Plans;
};

/** Room for any model's name in the logs, and in the 404. */
const MAX_CHARACTERS = 200;

/**
 * Notes the model that a call names. Throws the 404 for one outside its key's scope, as if there were no such model.
 */
export function nameModel({ caller, logFields: facts }: AuthedCall, id: string): void {
  facts.model = id.slice(0, MAX_CHARACTERS);
  if (caller.models.length > 0 && !caller.models.includes(id)) {
    throw new GatewayError("unknownModel", facts.model);
  }
}

/** The model that a call names, at its account's prices. Throws the 404 of spec section 7. */
export function getNamedModel(
  catalog: Catalog,
  call: AuthedCall,
  { id, kind }: { id: string; kind: ModelKind },
): Eventual<SoldModel> {
  nameModel(call, id);
  return whenHere(catalog.get(id, kind, call.caller.account.priceGroupId), (model) => {
    call.model = { id, kind };
    return model;
  });
}
