/** What is learned about a call on its way. It ends up in the call's log line, and much of it in its record. */
export type CallLogFields = {
  /** Of the key, once it is known: such a call is recorded, however it ends. */
  accountId?: string;
  keyId?: string;
  address?: string | null;
  /** As the client wrote it. */
  model?: string;
  stream?: boolean;
  channelId?: string;
  taskId?: string;
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
