import { and, eq, inArray } from "drizzle-orm";
import type { Clock } from "@/server/base/clock";
import type { Language } from "@/server/base/language";
import type { Nanos } from "@/server/base/money";
import type { Billing, Buyer, Charge } from "@/server/billing";
import { type Database, type RowOf, type Tx, tables } from "@/server/db";
import type { AccountId } from "@/server/domain/ids";
import type { DailyWindow } from "@/server/pricing";
import type { JsonObject } from "@/server/protocol/fields";
import type { StoredResponse } from "./entry";

const { backgroundResponses: tasks } = tables;

/** The request of a response in the background, for the run that makes it. */
export type BackgroundRequest = {
  id: string;
  /** The conversation to which the answered response is added. Absent: none. */
  conversationId?: string;
  /** The request's body, as its client sent it. */
  body: string;
  language: Language;
  /** The number of output tokens that its money covers, and whether that is less than the client requested. */
  maxOutputTokens: number;
  isLowered: boolean;
  /** The prices that its client was quoted, in nano-units. Absent: requested from a version that did not store them. */
  quoted?: Quoted;
};

/**
 * A model's prices, as digits. `sheet`: by name; absent in an order that release 0.2 took. `window`: the daily window
 * that gave them. The others are for that release, and can go when it is no longer in use.
 */
type Quoted = {
  sheet?: Record<string, string>;
  window?: DailyWindow;
  prices: Record<string, string>;
  unitPrices: { unit: string; price: string }[];
};

/** A response that a run has claimed. Only the run in `runId` ends it. */
export type BackgroundTask = Omit<RowOf<typeof columns>, "payload"> & { request: BackgroundRequest };

export type BackgroundOrder = {
  owner: Buyer;
  requestId: string;
  modelId: string;
  amount: Nanos;
  request: BackgroundRequest;
  stored: StoredResponse;
  /** Called in the same transaction. */
  within: (tx: Tx) => Promise<void>;
};

/** `charge` null: the money is returned. */
type BackgroundOutcome = { response: JsonObject; charge: Charge | null };

/** How it ended. `ifCancelled`: the outcome, and the charge, if its client has cancelled it. */
export type BackgroundEnd = BackgroundOutcome & { note: string; ifCancelled: BackgroundOutcome };

export type BackgroundQueue = {
  /**
   * Freezes the money, stores the response as it is and queues it, in one transaction. Throws quotaExhausted, and
   * rateLimited if the account has too many in the queue.
   */
  enqueue: (order: BackgroundOrder) => Promise<{ period: string }>;
  /** Claims the oldest queued responses for this run. */
  claim: (runId: string, limit: number) => Promise<BackgroundTask[]>;
  /** Reports that the run is alive; returns the hashes that still belong to it. */
  renew: (runId: string, hashes: string[]) => Promise<Set<string>>;
  /** Records that an upstream has begun to answer. false: the response is no longer this run's. */
  markBegun: (task: BackgroundTask) => Promise<boolean>;
  /** Returns it to the queue. */
  giveBack: (task: BackgroundTask) => Promise<void>;
  /**
   * Ends the response, its hold and its row in the queue, in one transaction. false: it had ended, or is another run's.
   */
  finish: (task: BackgroundTask, end: BackgroundEnd) => Promise<boolean>;
  /**
   * Returns the response as it is then. If no upstream has begun to answer, this ends it; otherwise the process that
   * makes it settles its money. null: it is not in the queue, or no longer, or was cancelled before.
   */
  cancel: (accountId: AccountId, id: string) => Promise<JsonObject | null>;
  /** null: it is not in the queue, or no longer. */
  stateOf: (accountId: AccountId, id: string) => Promise<"queued" | "in_progress" | null>;
  /**
   * Takes over from silent processes: responses without a result return to the queue. Returns the others, for this run
   * to end.
   */
  takeOver: (runId: string) => Promise<BackgroundTask[]>;
};

export const columns = {
  accountId: tasks.accountId,
  hash: tasks.hash,
  keyId: tasks.keyId,
  requestId: tasks.requestId,
  modelId: tasks.modelId,
  period: tasks.period,
  amount: tasks.amount,
  payload: tasks.payload,
  runId: tasks.runId,
};
export type BackgroundRow = RowOf<typeof columns>;

export const isThis = ({ accountId, hash }: Pick<BackgroundRow, "accountId" | "hash">) =>
  and(eq(tasks.accountId, accountId), eq(tasks.hash, hash));

/** A prefix of a run's name, for a cancelled response: the run no longer renews it, and ends it. */
const CANCELLED = "cancelled ";

const plain = (runId: string): string =>
  runId.startsWith(CANCELLED) ? runId.slice(CANCELLED.length) : runId;

export const cancelledRun = (runId: string): string => CANCELLED + plain(runId);
export const isCancelledRun = (runId: string): boolean => runId.startsWith(CANCELLED);

/** A response that the run still has, cancelled or not. */
export const isOwn = (row: Pick<BackgroundRow, "accountId" | "hash" | "runId">) =>
  and(isThis(row), inArray(tasks.runId, [plain(row.runId ?? ""), cancelledRun(row.runId ?? "")]));

export type BackgroundDeps = {
  db: Database;
  clock: Clock;
  billing: Billing;
  secrets: string[];
  retentionDays: number;
};
