import { randomUUID } from "node:crypto";
import { createLog } from "@/server/base/log";
import { type CallRecord, createCalls, listCalls } from "@/server/calls";
import type { Database } from "@/server/db";
import { type AccountId, lowestId, newId } from "@/server/domain/ids";
import { createMetrics, type Metrics } from "@/server/domain/metrics";
import { branded } from "./branded";
import { freshDatabase, openFresh } from "./database";

let serial = 0;

export const newAccount = (): AccountId => branded(`acc_${serial++}`);

export const callOf = (accountId: AccountId, change: Partial<CallRecord> = {}): CallRecord => ({
  ...{ requestId: newId("req"), accountId, keyId: branded(`key_of_${accountId}`) },
  ...{ endpoint: "chat.completions", modelId: "a-model", channelId: null, taskId: null, status: 200 },
  ...{ error: null, errorMessage: null, ignored: null, isStream: false, firstTokenMs: null, elapsedMs: 12 },
  ...{ address: "203.0.113.7", startedAt: new Date() },
  ...change,
});

/** A call that began at this moment, which its identifier contains. */
export const callBegunAt = (accountId: AccountId, startedAt: Date): CallRecord =>
  callOf(accountId, {
    requestId: `${lowestId("req", startedAt)}${randomUUID().replaceAll("-", "").slice(0, 20)}`,
    startedAt,
  });

/** A database for calls only. `openLog` makes another log, whose metric counts the `unrecorded` ones. */
export async function startCallLog() {
  const db: Database = openFresh(await freshDatabase());
  return {
    db,
    openLog(keepDays = 90) {
      const metrics: Metrics = createMetrics();
      const calls = createCalls({ db, log: createLog("silent"), metrics, keepDays });
      const unrecorded = async () => (await metrics.callsUnrecorded.get()).values[0]?.value ?? 0;
      return { calls, unrecorded };
    },
    idsOf: async (accountId: AccountId) =>
      (await listCalls(db, { accountId }, { limit: 200 })).rows.map((row) => row.requestId),
    close: () => db.close(),
  };
}
