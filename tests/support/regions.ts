/**
 * Two regions on one machine: A has the database's primary, B its standby, and each a built server with its own disk.
 * Whatever goes from one region to the other takes 80 ms there and back.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { issueKey } from "@/server/access";
import { createVault } from "@/server/base/vault";
import { countArrears } from "@/server/billing";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { type Database, migrateDatabase, openDatabase } from "@/server/db";
import type { AccountId } from "@/server/domain/ids";
import { addCustomer, money } from "./customer";
import { type DatabaseLink, linkTo } from "./database-link";
import { serverEnvironment } from "./gateway";
import { type Ledger, openLedger } from "./ledger";
import { type ServerProcess, startServer } from "./process";
import { killFamily } from "./process-tree";
import { startPrimaryAndStandby } from "./standby";
import { until } from "./until";
import { answerWith, startUpstream, usage } from "./upstream";

export const ROUND_TRIP_MS = 80;
export type Region = "a" | "b";
export type Regions = Awaited<ReturnType<typeof startRegions>>;
/** Whether commits wait for the standby. */
export type Replication = "asynchronous" | "synchronous";

const MODEL = "regions-model";
const SOON = 60_000;

/** The address with all hosts of the database. */
const hostsOf = (urls: [string, string]): string => {
  const [first, second] = urls.map((url) => new URL(url));
  return `${urls[0].replace(first?.host ?? "", `${first?.host},${second?.host}`)}?target_session_attrs=read-write`;
};

async function fill(url: string, baseUrl: string): Promise<void> {
  const db = openDatabase(url);
  await saveModel(db, {
    ...{ id: MODEL, kind: "chat", isEnabled: true, maxOutputTokens: 1_000 },
    ...{ inputPrice: money("1"), outputPrice: money("2") },
  });
  const channel = {
    name: "near",
    dialect: "openai" as const,
    secrets: ["secret"],
    models: { [MODEL]: MODEL },
  };
  await addChannel(db, { ...channel, baseUrl }, createVault(serverEnvironment(url).ENCRYPTION_KEY));
  await db.close();
}

export async function startRegions() {
  const home = mkdtempSync(join(tmpdir(), "tollgate-regions-"));
  // Every channel's upstream is near its server.
  const upstream = await startUpstream(answerWith("Hello there", usage(7, 3)));
  const links: DatabaseLink[] = [];
  const across = async (url: string) => {
    const link = await linkTo(url, { delayMs: ROUND_TRIP_MS / 2 });
    links.push(link);
    return link.url;
  };
  const { primary, standby, killPrimary, close } = await startPrimaryAndStandby(across);
  await migrateDatabase(primary.url, "drizzle");
  await fill(primary.url, upstream.baseUrl);
  const addresses: Record<Region, string> = {
    a: hostsOf([primary.url, await across(standby.url)]),
    b: hostsOf([await across(primary.url), standby.url]),
  };
  const servers = new Map<Region, ServerProcess>();
  const admin = postgres(primary.url, { max: 1, onnotice: () => {} });
  const withPrimary = <T>(act: (db: Database, pepper: string) => Promise<T>): Promise<T> => {
    const db = openDatabase(primary.url, { connections: 1 });
    return act(db, serverEnvironment(primary.url).KEY_PEPPER).finally(() => db.close());
  };
  const disk = (region: Region) => join(home, region);

  return {
    /** Commits wait for the standby from now on, or for none. */
    replicate: async (replication: Replication) => {
      const names = replication === "synchronous" ? "standby" : "";
      await admin.unsafe(`alter system set synchronous_standby_names = '${names}'`);
      await admin`select pg_reload_conf()`;
      const state = replication === "synchronous" ? "sync" : "async";
      await until(
        async () => (await admin`select from pg_stat_replication where sync_state = ${state}`).length === 1,
        SOON,
      );
    },
    start: async (region: Region, env: Record<string, string>) => {
      const own = { ...serverEnvironment(addresses[region]), TOLLGATE_DATA_DIR: disk(region), ...env };
      servers.set(region, await startServer(own));
    },
    stop: async (region: Region) => await servers.get(region)?.stop(),
    customer: (name: string) => withPrimary((db, pepper) => addCustomer(db, pepper, { name, quota: "1000" })),
    /** Another key of the account. */
    key: (accountId: AccountId, terms: { requestsPerMinute?: number } = {}) =>
      withPrimary((db, pepper) => issueKey(db, { ...terms, accountId, name: "more" }, pepper)),
    target: (region: Region, { secret }: { secret: string }) => ({
      url: servers.get(region)?.url ?? "",
      ...{ secret, model: MODEL },
    }),
    /** Charges on a region's disk that the ledger does not have yet. */
    waiting: (region: Region) => countArrears(join(disk(region), "charges")),
    /** Reads the database in a region: A's primary, or B's standby, which may have become the primary. */
    look: <T>(region: Region, read: (ledger: Ledger) => Promise<T>): Promise<T> => {
      const ledger = openLedger(region === "a" ? primary.url : standby.url);
      return read(ledger).finally(() => ledger.close());
    },
    /** No packet passes between the regions any more, and no side learns why. */
    cutOff: () => links.forEach((link) => void link.silence()),
    mend: () => links.forEach((link) => void link.mend()),
    promote: async () => await standby.sql`select pg_promote()`,
    killPrimary,
    /** Region A loses its power. */
    killA: async () => {
      const server = servers.get("a");
      await Promise.all([server && killFamily(server), killPrimary()]);
    },
    close: async () => {
      await admin.end({ timeout: 0 });
      await Promise.all([...servers.values()].map((server) => server.stop()));
      await Promise.all(links.map((link) => link.close()));
      await close();
      await upstream.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
