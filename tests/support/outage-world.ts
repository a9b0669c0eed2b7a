/** One built server between what it needs and what calls it, each of which can go away. */
import { expect } from "vitest";
import { residentBytes } from "@/tests/load/measures/process-tree";
import { linkTo } from "./database-link";
import { serverEnvironment, startGateway } from "./gateway";
import { openLedger } from "./ledger";
import { type World, wholeAnswer } from "./outages";
import { startServer, waitFor } from "./process";
import { familyOf } from "./process-tree";
import { startRedis } from "./redis";
import type { Seen } from "./traffic";
import { startUpstream } from "./upstream";

/** A lease, the pause between two sweeps, and a slow machine. */
const SETTLED_WITHIN_MS = 90_000;

export type OutageWorld = World & {
  target: () => { url: string; secret: string; model: string };
  /** Of all of the server's processes, in bytes. */
  resident: () => number;
  /** The laws, by what clients got. */
  expectPaid: (seen: Seen[]) => Promise<void>;
  /** Once nobody calls any more. */
  expectNothingFrozen: () => Promise<void>;
  close: () => Promise<void>;
};

const idsOf = (which: Seen[]) => which.flatMap(({ requestId }) => requestId ?? []);

export async function startOutageWorld(): Promise<OutageWorld> {
  const gateway = await startGateway();
  const upstream = await startUpstream(wholeAnswer);
  const counters = await startRedis();
  const { secret, accountId } = await gateway.customer({ quota: "100000", requestsPerMinute: 1_000_000 });
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
  // What is seen is one server's doing.
  await gateway.close();
  const database = await linkTo(gateway.databaseUrl);
  const redis = await linkTo(counters.url);
  const server = await startServer({
    ...serverEnvironment(database.url),
    REDIS_URL: redis.url,
    WEB_CONCURRENCY: "1",
    UPSTREAM_TIMEOUT_SECONDS: "5",
    UPSTREAM_IDLE_TIMEOUT_SECONDS: "5",
  });
  const ledger = openLedger(gateway.databaseUrl);
  return {
    ...{ database, redis, upstream, ledger, model, secret },
    server: () => server,
    target: () => ({ url: server.url, secret, model }),
    resident: () => familyOf(server).reduce((sum, { pid }) => sum + residentBytes(pid), 0),
    expectPaid: async (seen) => {
      const ids = idsOf(seen);
      const whole = idsOf(seen.filter(({ isWhole }) => isWhole));
      const refused = idsOf(seen.filter(({ status }) => status !== null && status >= 400));
      const charges = async () =>
        (await ledger.entriesOfAll(ids)).flatMap(({ kind, requestId }) =>
          kind === "capture" ? requestId : [],
        );
      // What was delivered while nothing could be written is charged some seconds later.
      await waitFor(async () => {
        const paid = new Set(await charges());
        return (await ledger.openHolds(ids)) === 0 && whole.every((id) => paid.has(id));
      }, SETTLED_WITHIN_MS);
      const captured = await charges();
      expect(new Set(captured).size, "no call is charged twice").toBe(captured.length);
      expect(
        refused.filter((id) => captured.includes(id)),
        "what was refused costs nothing",
      ).toEqual([]);
      expect(await ledger.verify()).toEqual([]);
    },
    expectNothingFrozen: async () => {
      await waitFor(async () => (await ledger.allHolds()) === 0, SETTLED_WITHIN_MS);
      const months = await ledger.months([accountId]);
      expect(months.map(({ frozen }) => frozen)).toEqual(months.map(() => 0n));
      expect(await ledger.verify()).toEqual([]);
    },
    close: async () => {
      await server.stop();
      await ledger.db.close();
      await database.close();
      await redis.close();
      counters.close();
      await upstream.close();
    },
  };
}
