import type { Gatekeeper, LiveCalls } from "@/server/access";
import type { Cancellation } from "@/server/base/cancellation";
import type { Clock, Timers } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import type { Redact } from "@/server/base/redactor";
import type { Billing } from "@/server/billing";
import type { Catalog } from "@/server/catalog";
import type { Channels } from "@/server/channels";
import type { Metrics } from "@/server/domain/metrics";
import type { IdempotentCalls } from "@/server/idempotency";
import type { BackgroundQueue, ConversationStore, ResponseStore, ThinkingStore } from "@/server/responses";
import type { Videos } from "@/server/videos";

/** The rooms and settings that calls need. */
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
  /** How long a call may wait before its money is frozen. */
  longestWaitMs: number;
  /** The pause between two looks at a video's upstream: looking more often shows nothing new. */
  videoPollMs: number;
  /** For a channel without its own. */
  idleTimeoutMs: number;
  /** Aborts when streams must end because the process stops. */
  stopping: Cancellation;
  /** Signs the addresses of videos that we serve. */
  keyPepper: string;
  previousKeyPepper: string | undefined;
  /** The gateway's URL for clients; null: the one in this client's request. */
  publicUrl: string | null;
  /** Whether calls are served while the database is away. */
  isAlone: () => boolean;
  /** The currency of all amounts. */
  currency: string;
};
