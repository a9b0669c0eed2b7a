import { and, eq } from "drizzle-orm";
import type { Clock } from "@/server/base/clock";
import type { AccountId, KeyId } from "@/server/base/ids";
import type { Language } from "@/server/base/language";
import type { Nanos } from "@/server/base/money";
import type { Billing, Charge } from "@/server/billing";
import { type Database, type RowOf, tables } from "@/server/db";
import type { JsonObject } from "@/server/protocol/fields";
import type { StoredResponse } from "./store";

const { backgroundResponses: tasks } = tables;

/** What a response in the background is made of, once its turn has come. */
export type Asked = {
  id: string;
  /** The request's body, as its client sent it. */
  body: string;
  language: Language;
  /** What its money is enough for, and whether that is less than the client asked for. */
  maxOutputTokens: number;
  isLowered: boolean;
};

/** A response whose turn has come. Only who has it under `runId` ends it. */
export type BackgroundTask = Omit<RowOf<typeof columns>, "payload"> & { asked: Asked };

export type Order = {
  owner: { accountId: AccountId; keyId: KeyId; keyCap: Nanos | null };
  requestId: string;
  modelId: string;
  amount: Nanos;
  asked: Asked;
  stored: StoredResponse;
};

/** How it ended. `charge` null: its money goes back. */
export type End = { response: JsonObject; charge: Charge | null; note: string };

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
  /** An upstream has begun to answer. */
  markBegun: (task: BackgroundTask) => Promise<void>;
  /** Puts it back in line. */
  giveBack: (task: BackgroundTask) => Promise<void>;
  /** The response, its money and its place in line, in one transaction. false: it had ended, or is another run's. */
  finish: (task: BackgroundTask, end: End) => Promise<boolean>;
  /** The response as it is then. null: it is not in line, or not any more. */
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

export type Deps = { db: Database; clock: Clock; billing: Billing; secrets: string[]; retentionDays: number };
