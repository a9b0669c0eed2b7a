/** What is learned about a call on its way. It ends up in the call's log line, and much of it in its record. */
import type { AccountId, ChannelId, KeyId, TaskId } from "@/server/base/ids";
export type CallLogFields = {
  /** Of the key, once it is known: such a call is recorded, however it ends. */
  accountId?: AccountId;
  keyId?: KeyId;
  address?: string | null;
  /** As the client wrote it. */
  model?: string;
  stream?: boolean;
  channelId?: ChannelId;
  taskId?: TaskId;
  /** Tokens that were counted by us, for an upstream that does not. */
  isEstimate?: boolean;
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
};
