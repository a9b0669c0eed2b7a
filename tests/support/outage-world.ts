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
      await waitFor(async () => (await ledger.allHolds()) === 0, SETTLED_WITHIN_MS);
      expect(await ledger.verify()).toEqual([]);
      const months = await ledger.months([accountId]);
      expect(months.map(({ frozen }) => frozen)).toEqual(months.map(() => 0n));
      const entries = await ledger.entriesOfAll(idsOf(seen));
      const captured = entries.flatMap(({ kind, requestId }) => (kind === "capture" ? requestId : []));
      const paid = new Set(captured);
      expect(paid.size, "no call is charged twice").toBe(captured.length);
      const whole = idsOf(seen.filter(({ isWhole }) => isWhole));
      expect(
        whole.filter((id) => !paid.has(id)),
        "what came whole is charged",
      ).toEqual([]);
      const refused = idsOf(seen.filter(({ status }) => status !== null && status >= 400));
      expect(
        refused.filter((id) => paid.has(id)),
        "what was refused costs nothing",
      ).toEqual([]);
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
