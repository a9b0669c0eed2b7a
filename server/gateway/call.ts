import type { Caller } from "@/server/access";
import { GatewayError } from "@/server/base/errors";
import type { ModelKind } from "@/server/base/facts";
import type { AccountId, ChannelId, KeyId, TaskId } from "@/server/base/ids";
import type { Reply } from "@/server/base/reply";
import type { Catalog, SoldModel } from "@/server/catalog";
import type { Attempt } from "@/server/channels";
import type { Claim } from "@/server/idempotency";
import type { KeptThinking } from "@/server/protocol/kept-thinking";
import type { Form } from "@/server/protocol/multipart/form";
import type { BodyBytes } from "./body-bytes";

/** What is learned about a call on its way. It ends up in the call's log line, and much of it in its record. */
type CallLogFields = {
  /** What its client calls it, and the trace that it belongs to. */
  clientRequestId?: string;
  traceId?: string;
  /** Of the key, once it is known: such a call is recorded, however it ends. */
  accountId?: AccountId;
  keyId?: KeyId;
  address?: string | null;
  /** Method and path, where no endpoint has it, and the program that asked. */
  path?: string;
  userAgent?: string | null;
  /** As the client wrote it. */
  model?: string;
  stream?: boolean;
  /** The call whose answer this one was given, by its request id. */
  replayOf?: string;
  channelId?: ChannelId;
  taskId?: TaskId;
  /** Tokens that were counted by us, for an upstream that does not. */
  isEstimate?: boolean;
  /** The parts of the request that the upstream did not get. */
  dropped?: string;
  /** All that the call used. */
  tokens?: number;
  inputTokens?: number;
  outputTokens?: number;
  usageSource?: string;
  cost?: string;
  /** A video's price, which is charged when the video is there. */
  frozen?: string;
  /** Slug of what was thrown, and its cause. */
  error?: string;
  err?: unknown;
  /** How its stream ended. */
  outcome?: StreamOutcome;
};

/** `broken`: the upstream's doing, or ours. */
export type StreamOutcome = "complete" | "broken" | "client_gone";

/** A request on its way through the gateway. */
export type OpenCall = {
  requestId: string;
  request: Request;
  facts: CallLogFields;
  /** What upstreams were asked for it, in order. */
  attempts: Attempt[];
  /** What upstreams are told of whose trace it belongs to. */
  passedOn: Record<string, string>;
  /** Headers that the answer has, whatever it is. */
  shown: Record<string, string>;
  /** To be done once the call has ended, however it does. */
  afterwards: (() => void)[];
  /** For a streamed answer to say, once, how it has ended: `broken` is what it broke off with. */
  ended: (how: { outcome: StreamOutcome; broken: GatewayError | null; err?: unknown }) => void;
  /** Of a call that may be repeated: takes what its stream would have said to a client that has gone. */
  unheard?: (text: string) => void;
  /** Of the same: keeps its answer in the transaction that what it buys is in. */
  keepIn?: (tx: Parameters<Claim["keepIn"]>[0], reply: Reply) => Promise<void>;
};

export type AuthedCall = OpenCall & {
  caller: Caller;
  /** Of its body; given back when the call has ended. */
  bytes: BodyBytes;
  /** Of the request, where it was read before. */
  body?: string | Buffer;
  form?: Form;
  /** The model that its address names, for a body without one. */
  pathModel?: string | null;
};

/** Collects what is to be kept of one call's answer. */
export type ThinkingKeeper = {
  keep: (kept: KeptThinking) => void;
  /**
   * Runs before the answer's last words, because the client may send its next call at once. A failure loses the thinking,
   * and fails no call.
   */
  store: () => Promise<void>;
};

/** Room for any model's name in the logs, and in the 404. */
const MAX_CHARACTERS = 200;

/**
 * Notes the model that a call names. Throws the 404 for one outside its key's scope, as if there were no such model.
 */
export function nameModel({ caller, facts }: AuthedCall, id: string): void {
  facts.model = id.slice(0, MAX_CHARACTERS);
  if (caller.models.length > 0 && !caller.models.includes(id)) {
    throw new GatewayError("unknownModel", facts.model);
  }
}

/** The model that a call names, at its account's prices. Throws the 404 of spec section 7. */
export async function getNamedModel(
  catalog: Catalog,
  call: AuthedCall,
  { id, kind }: { id: string; kind: ModelKind },
): Promise<SoldModel> {
  nameModel(call, id);
  return await catalog.get(id, kind, call.caller.account.priceGroupId);
}
