/** Failovers from a real primary to a real standby, which follows it over a link that a test can silence. */
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { migrateDatabase } from "@/server/db";
import { type DatabaseLink, linkTo } from "@/tests/support/database-link";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { startSelling } from "@/tests/support/selling";
import { startPrimaryAndStandby } from "@/tests/support/standby";
import { until } from "@/tests/support/until";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(answerWith("Hello there", usage(7, 3))));
const SOON = 20_000;
const CALLS = 10;

/** Starts both, and a gateway that finds the one that takes writes. `names`: the standbys that commits wait for. */
async function startPair({ names, mode }: { names: string; mode: string }) {
  const links: DatabaseLink[] = [];
  const { primary, standby, killPrimary, close } = await startPrimaryAndStandby(async (url) => {
    const link = await linkTo(url);
    links.push(link);
    return link.url;
  });
  const admin = postgres(primary.url, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await admin.end({ timeout: 0 });
    await close();
    await Promise.all(links.map((link) => link.close()));
  });
  await migrateDatabase(primary.url, "drizzle");
  await admin.unsafe(`alter system set synchronous_standby_names = '${names}'`);
  await admin`select pg_reload_conf()`;
  const { host } = new URL(primary.url);
  const databaseUrl = `${primary.url.replace(host, `${host},${new URL(standby.url).host}`)}?target_session_attrs=read-write`;
  const selling = await startSelling({ databaseUrl, baseUrl: upstream.baseUrl, mode });
  await eventually(selling.statusOfCall, SOON).toBe(200);
  return {
    ...selling,
    admin,
    silenceStandby: () => links.forEach((link) => void link.silence()),
    /** Ends the standby's connection, and waits until the gateway sees no standby. */
    cutStandby: async () => {
      links.forEach((link) => void link.cut());
      const metrics = async () => (await fetch(`${selling.gateway.url}/metrics`)).text();
      await eventually(metrics, SOON).toContain('tollgate_database_standby{state="none"} 1');
    },
    failOver: async () => {
      await killPrimary();
      await standby.sql`select pg_promote()`;
    },
    /** The ids of calls in the ledger of the server that takes writes. */
    charged: async () =>
      (await selling.gateway.entries(selling.accountId)).flatMap(({ kind, requestId }) =>
        kind === "capture" && requestId !== null ? [requestId] : [],
      ),
  };
}

const idsOf = (answers: { status: number; id: string }[]) =>
  answers.flatMap(({ status, id }) => (status === 200 ? [id] : []));

test("a failover loses no charge of an answer that a client has, if commits wait for the standby", async () => {
  const { gateway, call, admin, ...pair } = await startPair({ names: "standby", mode: "require" });
  const first = idsOf(await Promise.all(Array.from({ length: CALLS }, call)));
  expect(first).toHaveLength(CALLS);
  pair.silenceStandby();
  const failed = { status: 0, id: "" };
  const second = Promise.all(Array.from({ length: CALLS }, () => call().catch(() => failed)));
  await until(
    async () => (await admin`select from pg_stat_activity where wait_event = 'SyncRep'`).length > 0,
    SOON,
  );
  await pair.failOver();
  const answered = [...first, ...idsOf(await second)];
  await eventually(() => pair.charged().catch(() => []), SOON).toEqual(expect.arrayContaining(answered));
  expect(await gateway.verify()).toEqual([]);
  // The new primary has no standby yet.
  await eventually(async () => (await call()).status, SOON).toBe(503);
  const readiness = async () => (await fetch(`${gateway.url}/readyz`)).text();
  await eventually(readiness, SOON).toMatch(/^standby: FAILED: no standby follows the database$/m);
});

test.each(["silenceStandby", "cutStandby"] as const)(
  "after a failover to an asynchronous standby, a gateway charges again what the standby lacked, once: %s",
  async (lose) => {
    const { gateway, call, ...pair } = await startPair({ names: "", mode: "warn" });
    const first = idsOf(await Promise.all(Array.from({ length: CALLS }, call)));
    expect(await pair.charged()).toEqual(expect.arrayContaining(first));
    await pair[lose]();
    const lost = idsOf(await Promise.all(Array.from({ length: CALLS }, call)));
    expect(lost).toHaveLength(CALLS);
    await pair.failOver();
    const again = async () =>
      (await pair.charged().catch(() => [])).filter((id) => lost.includes(id)).toSorted();
    await eventually(again, SOON).toEqual(lost.toSorted());
    const charged = await pair.charged();
    expect(charged).toEqual(expect.arrayContaining(first));
    expect(new Set(charged).size).toBe(charged.length);
    expect(await gateway.verify()).toEqual([]);
  },
);
