/** One built server with the services that it needs and its clients; each of them can go away. */
import { expect } from "vitest";
import { forgetPeak, peakBytes, residentBytes } from "@/tests/load/measures/process-tree";
import { startBalancer } from "./balancer";
import { linkTo } from "./database-link";
import { serverEnvironment, startGateway } from "./gateway";
import { openLedger } from "./ledger";
import { startNameServer } from "./name-server";
import { wholeAnswer } from "./outage-answers";
import { SENDERS } from "./outage-clients";
import type { OutageServices } from "./outages";
import { startOwnDatabase } from "./own-database";
import { type ServerProcess, startServer } from "./process";
import { openProcessControl } from "./process-control";
import { familyOf } from "./process-tree";
import { startRedis } from "./redis";
import type { TrafficResult } from "./traffic";
import { until } from "./until";
import { startUpstream } from "./upstream";

/** A lease, the pause between two sweeps, and a margin for a slow machine. */
const SETTLED_WITHIN_MS = 90_000;
/** The charge of `wholeAnswer`: 10 tokens at 1 per million, and 3 at 2. */
const WHOLE_COSTS = 16_000n;

export type OutageWorld = OutageServices & {
  target: () => { url: string; secret: string; model: string };
  /** The resident bytes of all of the server's processes. */
  resident: () => number;
  /** The largest value since `forgetPeaks`. */
  peak: () => number;
  forgetPeaks: () => void;
  /** The live bytes after all garbage is collected. */
  alive: () => Promise<number>;
  expectPaid: (results: TrafficResult[]) => Promise<void>;
  expectNothingFrozen: () => Promise<void>;
  close: () => Promise<void>;
};

const idsOf = (which: TrafficResult[]) => which.flatMap(({ requestId }) => requestId ?? []);
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** `isShort`: names are queried again after one second, not after five. */
export async function startOutageWorld(isShort: boolean): Promise<OutageWorld> {
  const [postgres, names] = await Promise.all([
    startOwnDatabase(),
    startNameServer(isShort ? "options timeout:1" : ""),
  ]);
  const gateway = await startGateway({ databaseUrl: postgres.url });
  const upstream = await startUpstream(wholeAnswer);
  const counters = await startRedis();
  const { secret, accountId } = await gateway.customer({ quota: "100000", requestsPerMinute: 1_000_000 });
  const senders = await Promise.all(
    Array.from({ length: SENDERS }, () => gateway.customer({ quota: "100000" })),
  );
  const model = await gateway.model();
  /** The same address under a name that only the server can resolve. */
  const named = (what: string, url: string) => (names ? url.replace("127.0.0.1", names.nameOf(what)) : url);
  await gateway.channel({ model, baseUrl: named("upstream", upstream.baseUrl) });
  // The test observes only the one server.
  await gateway.close();
  const database = await linkTo(postgres.url);
  const redis = await linkTo(counters.url);
  const processControl = openProcessControl();
  const start = () => {
    const program: [string, ...string[]] = [process.execPath, "dist/main.js"];
    return startServer(
      {
        ...serverEnvironment(named("database", database.url)),
        ...processControl.env,
        ...{ REDIS_URL: redis.url, WEB_CONCURRENCY: "1", UPSTREAM_TIMEOUT_SECONDS: "5" },
        UPSTREAM_IDLE_TIMEOUT_SECONDS: "5",
      },
      ".",
      names ? names.around(program) : program,
    );
  };
  const server = await start();
  const ledger = openLedger(postgres.url);
  const months = new Set([new Date().toISOString().slice(0, 7)]);
  const family = () => familyOf(server).map(({ pid }) => pid);
  let url = server.url;
  return {
    ...{ postgres, names, database, redis, upstream, ledger, model, secret, processControl },
    senders: senders.map((sender) => sender.secret),
    server: () => server,
    addReplica: async () => {
      const replica: ServerProcess = await start();
      const balancer = await startBalancer([server.url, replica.url]);
      url = balancer.url;
      return {
        server: replica,
        close: async () => {
          url = server.url;
          await balancer.close();
          await replica.stop();
        },
      };
    },
    target: () => ({ url, secret, model }),
    resident: () => sum(family().map(residentBytes)),
    peak: () => sum(family().map(peakBytes)),
    forgetPeaks: () => family().forEach(forgetPeak),
    alive: () => processControl.alive(family()),
    expectPaid: async (results) => {
      const ids = idsOf(results);
      const whole = idsOf(results.filter(({ isWhole }) => isWhole));
      const refused = idsOf(results.filter(({ status }) => status !== null && status >= 400));
      const charges = async () => (await ledger.entriesOfAll(ids)).filter(({ kind }) => kind === "capture");
      // Answers that were delivered while the database was away are charged some seconds later.
      await until(async () => {
        const paid = new Set((await charges()).map(({ requestId }) => requestId));
        return (await ledger.openHolds(ids)) === 0 && whole.every((id) => paid.has(id));
      }, SETTLED_WITHIN_MS);
      const captured = await charges();
      const amounts = new Map(captured.map(({ requestId, amount }) => [requestId, BigInt(amount)]));
      expect(amounts.size, "no call is charged twice").toBe(captured.length);
      expect(
        whole.filter((id) => amounts.get(id) !== WHOLE_COSTS),
        "what came whole costs what its upstream said that it used",
      ).toEqual([]);
      expect(
        captured.filter(({ amount }) => BigInt(amount) > WHOLE_COSTS),
        "what broke off costs no more than the whole",
      ).toEqual([]);
      expect(
        refused.filter((id) => amounts.has(id)),
        "what was refused costs nothing",
      ).toEqual([]);
      months.add(new Date().toISOString().slice(0, 7));
      expect(
        [...captured, ...(await ledger.months([accountId]))].filter(({ period }) => !months.has(period)),
        "it is booked in this month",
      ).toEqual([]);
      expect(await ledger.verify()).toEqual([]);
    },
    expectNothingFrozen: async () => {
      await until(async () => (await ledger.allHolds()) === 0, SETTLED_WITHIN_MS);
      const booked = await ledger.months([accountId]);
      expect(booked.map(({ frozen }) => frozen)).toEqual(booked.map(() => 0n));
      expect(await ledger.verify()).toEqual([]);
    },
    close: async () => {
      await server.stop();
      await ledger.db.close();
      await database.close();
      await redis.close();
      counters.close();
      await upstream.close();
      await names?.close();
      await postgres.close();
      processControl.close();
    },
  };
}
