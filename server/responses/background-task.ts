import { and, eq, inArray } from "drizzle-orm";
import type { Clock } from "@/server/base/clock";
import type { AccountId } from "@/server/base/ids";
import type { Language } from "@/server/base/language";
import type { Nanos } from "@/server/base/money";
import type { Billing, Buyer, Charge } from "@/server/billing";
import { type Database, type RowOf, type Tx, tables } from "@/server/db";
import type { JsonObject } from "@/server/protocol/fields";
import type { StoredResponse } from "./entry";

const { backgroundResponses: tasks } = tables;

/** What a response in the background is made of, once its turn has come. */
export type Asked = {
  id: string;
  /** To which it is added once it is answered. Absent: to none. */
  conversationId?: string;
  /** The request's body, as its client sent it. */
  body: string;
  language: Language;
  /** What its money is enough for, and whether that is less than the client asked for. */
  maxOutputTokens: number;
  isLowered: boolean;
  /** What it costs, as its client was quoted it, in nano-units. Absent: asked of a version that did not keep it. */
  quoted?: Quoted;
};

/** A model's prices, as digits. */
type Quoted = { prices: Record<string, string>; unitPrices: { unit: string; price: string }[] };

/** A response whose turn has come. Only who has it under `runId` ends it. */
export type BackgroundTask = Omit<RowOf<typeof columns>, "payload"> & { asked: Asked };

export type Order = {
  owner: Buyer;
  requestId: string;
  modelId: string;
  amount: Nanos;
  asked: Asked;
  stored: StoredResponse;
  /** Done in the same transaction. */
  within: (tx: Tx) => Promise<void>;
};

/** `charge` null: its money goes back. */
type Outcome = { response: JsonObject; charge: Charge | null };

/** How it ended. `ifCancelled`: what its client, who would have no more of it, gets of it and pays for. */
export type End = Outcome & { note: string; ifCancelled: Outcome };

export type BackgroundQueue = {
  /**
   * Freezes the money, keeps the response as it is and puts it in line, in one transaction. Throws quotaExhausted, and
   * rateLimited where the account has too many in line.
   */
  enqueue: (order: Order) => Promise<{ period: string }>;
  /** Those whose turn it is, oldest first, for this run. */
  claim: (runId: string, limit: number) => Promise<BackgroundTask[]>;
  /** Tells that the run lives; answers the hashes of what is still its own. */
  renew: (runId: string, hashes: string[]) => Promise<Set<string>>;
  /** An upstream has begun to answer. false: it is not this run's any more. */
  markBegun: (task: BackgroundTask) => Promise<boolean>;
  /** Puts it back in line. */
  giveBack: (task: BackgroundTask) => Promise<void>;
  /** The response, its money and its place in line, in one transaction. false: it had ended, or is another run's. */
  finish: (task: BackgroundTask, end: End) => Promise<boolean>;
  /**
   * The response as it is then. What no upstream has begun to answer has ended by that; the process
   * that makes any other settles its money. null: it is not in line, or not any more, or was cancelled before.
   */
  cancel: (accountId: AccountId, id: string) => Promise<JsonObject | null>;
  /** null: it is not in line, or not any more. */
  stateOf: (accountId: AccountId, id: string) => Promise<"queued" | "in_progress" | null>;
  /** What silent processes had: back in line where nothing had come of it. Answers the rest, for this run to end. */
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
export type Row = RowOf<typeof columns>;

export const isThis = ({ accountId, hash }: Pick<Row, "accountId" | "hash">) =>
  and(eq(tasks.accountId, accountId), eq(tasks.hash, hash));

/** Stands before the name of a run whose response is cancelled: it renews it no more, and ends it. */
const CANCELLED = "cancelled ";

const plain = (runId: string): string =>
  runId.startsWith(CANCELLED) ? runId.slice(CANCELLED.length) : runId;

export const cancelledRun = (runId: string): string => CANCELLED + plain(runId);
export const isCancelledRun = (runId: string): boolean => runId.startsWith(CANCELLED);

/** A response that is still the run's that has it, cancelled or not. */
export const isOwn = (row: Pick<Row, "accountId" | "hash" | "runId">) =>
  and(isThis(row), inArray(tasks.runId, [plain(row.runId ?? ""), cancelledRun(row.runId ?? "")]));

export type Deps = { db: Database; clock: Clock; billing: Billing; secrets: string[]; retentionDays: number };
