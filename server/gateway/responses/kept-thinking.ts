import { withinMs } from "@/server/base/deadline";
import type { Eventual } from "@/server/base/eventual";
import {
  estimateThinking,
  type KeptThinking,
  NO_THINKING,
  readKept,
  type ThinkingOfCalls,
} from "@/server/protocol/kept-thinking";
import type { ConversationRequest } from "@/server/protocol/upstream-plan";
import type { ReadCall } from "../body/body";
import type { AuthedCall, ThinkingKeeper } from "../pipeline/call";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import type { KnownConversation } from "../pipeline/request-kinds";

/** The longest wait to read or store thinking: without it an answer is only a little worse. */
const PATIENCE_MS = 1_000;

const isKeeping = ({ thinking }: GatewayDeps, { caller }: AuthedCall) =>
  thinking.isKeeping && caller.account.storesResponses;

async function find(
  deps: GatewayDeps,
  call: AuthedCall,
  callIds: readonly string[],
): Promise<ThinkingOfCalls> {
  try {
    const kept = await withinMs(deps.thinking.find(call.caller.accountId, callIds), PATIENCE_MS);
    await call.bytes.take((kept ?? []).reduce((sum, { envelopes }) => sum + envelopes.join("").length, 0));
    return readKept(kept ?? []);
  } catch (error) {
    deps.log.warn({ requestId: call.requestId, err: error }, "kept thinking could not be read");
    return NO_THINKING;
  }
}

type ReadConversation = ReadCall<KnownConversation, ConversationRequest>;

/** The conversation with its kept thinking, for a client that sends none back. Missing thinking is no error. */
export const withKeptThinking = (
  deps: GatewayDeps,
  call: AuthedCall,
  read: ReadConversation,
): Eventual<ReadConversation> =>
  read.facts.keptCalls?.length && isKeeping(deps, call) ? addThinking(deps, call, read) : read;

async function addThinking(
  deps: GatewayDeps,
  call: AuthedCall,
  read: ReadConversation,
): Promise<ReadConversation> {
  const thinking = await find(deps, call, read.facts.keptCalls ?? []);
  const inputTokens = read.facts.inputTokens + estimateThinking(thinking);
  return {
    facts: { ...read.facts, inputTokens },
    open: async () => {
      const conversation = await read.open();
      return conversation.withThinking?.(thinking) ?? conversation;
    },
  };
}

async function storeInTime(deps: GatewayDeps, call: AuthedCall, kept: KeptThinking[]): Promise<void> {
  const stored = deps.thinking.keep(call.caller.accountId, kept).catch((error: unknown) => {
    deps.log.warn({ requestId: call.requestId, err: error }, "thinking could not be kept");
  });
  await withinMs(stored, PATIENCE_MS);
}

/** Collects the thinking of a call, and stores it before the answer ends. null: the account keeps none. */
export function openKeeper(deps: GatewayDeps, call: AuthedCall): ThinkingKeeper | null {
  if (!isKeeping(deps, call)) {
    return null;
  }
  const waiting: KeptThinking[] = [];
  return {
    keep: (kept) => void waiting.push(kept),
    store: () => {
      const kept = waiting.splice(0);
      return kept.length === 0 ? undefined : storeInTime(deps, call, kept);
    },
  };
}
