import { setTimeout as sleep } from "node:timers/promises";
import { buildRooms } from "@/scripts/previous-release.mjs";
import { nanos } from "@/server/base/money";
import { newId } from "@/server/domain/ids";
import * as current from "@/tests/previous-release/entry";
import { callOf } from "./call-log";
import { chargeOf } from "./ledger";

/** A release's functions for money. */
export type Rooms = typeof current;

/** This release, and the previous one as it was. */
export const releases = { current, previous: (await import(await buildRooms())) as Rooms };

const PEPPER = "p".repeat(32);
const MODEL = "sold";
const COST = 7n;

/** A customer of both releases. Returns its key. */
export async function addCustomer(rooms: Rooms, url: string): Promise<string> {
  const db = rooms.openDatabase(url, { connections: 1 });
  try {
    const { id: accountId } = await rooms.createAccount(db, {
      name: "both",
      monthlyQuotaNanos: nanos(10n ** 15n),
    });
    const price = { inputPrice: nanos(1n), outputPrice: nanos(1n) };
    await rooms.saveModel(db, { id: MODEL, kind: "chat", isEnabled: true, maxOutputTokens: 10, ...price });
    return (await rooms.issueKey(db, { accountId, name: "both" }, PEPPER)).secret;
  } finally {
    await db.close();
  }
}

/** A process of a release with continuous calls, several at once. */
export type Serving = ReturnType<typeof serve>;

/** `pauseMs`: the pause of each of the four callers between two calls. */
export function serve(
  rooms: Rooms,
  { url, secret, pauseMs }: { url: string; secret: string; pauseMs: number },
) {
  const log = rooms.createLog("silent");
  const clock = () => new Date();
  const db = rooms.openDatabase(url);
  const gatekeeper = rooms.createGatekeeper({
    ...{ db, clock, log, pepper: PEPPER, previousPepper: undefined, redisUrl: undefined },
    ...{ trustedProxies: [], places: rooms.localPool(1_000), onRedisFallback: () => {}, videosPerMinute: 10 },
  });
  const catalog = rooms.createCatalog({ db });
  // Never busy: each call has its own hold, and so runs all statements.
  const billing = rooms.createBilling({ db, clock, log, timeZone: "UTC", busyCalls: 1_000_000 });
  const calls = rooms.createCalls({ db, log, metrics: rooms.createMetrics(), clock, keepDays: 90 });
  let figures = { calls: 0, slowestMs: 0, failures: [] as string[] };
  let isStopped = false;

  async function call(): Promise<void> {
    // Caches are read again, as after a change.
    catalog.forget();
    gatekeeper.forget();
    const key = await gatekeeper.identify(new Headers({ authorization: `Bearer ${secret}` }));
    const { accountId, keyId, monthlyCap: keyCap } = gatekeeper.admit(key, { address: null });
    const { id: modelId } = await catalog.get(MODEL, "chat", null);
    const requestId = newId("req");
    const startedAt = new Date();
    const hold = await billing.hold({ requestId, accountId, keyId, keyCap, amount: nanos(10n) });
    // The previous release reads the key from the charge.
    const charge = { ...chargeOf(COST), keyId, modelId };
    await billing.capture(hold, charge);
    calls.record(callOf(accountId, { requestId, keyId, modelId, startedAt }));
  }
  async function callAgainAndAgain(): Promise<void> {
    while (!isStopped) {
      const startedAt = performance.now();
      await call().catch(
        (error: unknown) => void figures.failures.push(String((error as Error).stack ?? error)),
      );
      figures.slowestMs = Math.max(figures.slowestMs, performance.now() - startedAt);
      figures.calls++;
      await sleep(pauseMs);
    }
  }
  const callers = Array.from({ length: 4 }, callAgainAndAgain);
  return {
    /** The number of calls, the slowest time in milliseconds and the failures since the last query. */
    since: () => {
      const until = figures;
      figures = { calls: 0, slowestMs: 0, failures: [] };
      return until;
    },
    verify: () => rooms.verifyLedger(db),
    stop: async () => {
      isStopped = true;
      await Promise.all(callers);
      await billing.close();
      await calls.close();
      await gatekeeper.flushUses();
      gatekeeper.close();
      await db.close();
    },
  };
}
