import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVault, type Vault } from "@/server/base/vault";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import type { Database } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { sqlOf } from "@/server/db/handles";
import { addCustomer, money } from "./customer";
import { serverEnvironment } from "./gateway";
import { openLedger } from "./ledger";
import { isReady, type ServerProcess, startServer } from "./process";
import { killFamily, killTree, parentOf } from "./process-tree";
import { until } from "./until";
import type { VideoSimulator } from "./video-simulator";

/** Short times for the same laws. */
export const POLL_MS = 2_000;
export const TIMEOUT_MS = 6_000;

/** A model of each vendor: five seconds of 720p at the vendor's own price. */
export const offers = [
  { dialect: "dashscope", model: "wanx2.1-t2v-turbo", price: "1.2" },
  { dialect: "ark", model: "doubao-seedance-1-5-pro-251215", price: "3.75" },
  { dialect: "openai-video", model: "open-video", price: "0.1" },
] as const;

/** Built servers on a PostgreSQL that only they use; tests kill them in all ways. */
export type VideoFleet = Awaited<ReturnType<typeof startVideoFleet>>;

/**
 * Records when a task moved, in the transaction that moves it, and whether a poll had found it: an acceptance follows
 * no poll.
 */
const watchMoves = `
  create table watched_moves (task_id text, at timestamptz, state text, is_looked boolean);
  create function watch_move() returns trigger language plpgsql as $$
    begin
      insert into watched_moves values (new.id, clock_timestamp(), new.state, new.last_poll_at is not null);
      return null;
    end $$;
  create trigger watched after insert or update of state on video_tasks
    for each row execute function watch_move()`;

export async function stockVideos(db: Database, simulator: VideoSimulator, vault: Vault): Promise<void> {
  for (const { dialect, model, price } of offers) {
    await saveModel(db, {
      videoPrices: [{ durationSeconds: 5, resolution: "720p", price: money(price) }],
      ...{ id: model, kind: "video", isEnabled: true },
    });
    await addChannel(
      db,
      {
        ...{ name: dialect, dialect, baseUrl: simulator.baseUrls[dialect] },
        ...{ secrets: ["upstream-one", "upstream-two"], models: { [model]: model }, maxTasks: 10_000 },
      },
      vault,
    );
  }
}

/** The simulator must accept the keys `upstream-one` and `upstream-two`. */
export async function startVideoFleet(simulator: VideoSimulator, replicas: number) {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-videos-"));
  const database = await startEmbeddedPostgres(directory, () => {});
  const env = {
    ...serverEnvironment(database.url),
    VIDEO_POLL_SECONDS: String(POLL_MS / 1_000),
    VIDEO_TIMEOUT_SECONDS: String(TIMEOUT_MS / 1_000),
    VIDEO_RATE_LIMIT_PER_MINUTE: "100000",
  };
  const servers: ServerProcess[] = [];
  for (let replica = 0; replica < replicas; replica++) {
    servers.push(await startServer(env));
  }
  const serverOf = (replica: number): ServerProcess => {
    const server = servers[replica];
    if (!server) {
      throw new Error(`there is no replica ${replica}`);
    }
    return server;
  };
  const ledger = openLedger(database.url);
  await sqlOf(ledger.db).unsafe(watchMoves);
  await stockVideos(ledger.db, simulator, createVault(env.ENCRYPTION_KEY));

  const isDatabaseUp = () =>
    sqlOf(ledger.db)`select 1`.then(
      () => true,
      () => false,
    );

  return {
    ledger,
    urlOf: (replica: number) => serverOf(replica).url,
    /** Kills all of its processes without a warning, and waits until they are gone. */
    kill: (replica: number) => killFamily(serverOf(replica)),
    /**
     * Waits for the database first, as a supervisor's restarts would: a server that finds no database at its start
     * ends.
     */
    start: async (replica: number) => {
      await until(isDatabaseUp, 30_000);
      servers[replica] = await startServer(env);
    },
    /** Kills the postmaster and all its children at once; the server restarts it by itself. */
    killDatabase: async () => {
      const [backend] = await sqlOf(ledger.db)<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await killTree(parentOf(backend?.pid ?? 0));
    },
    /** Whether all replicas answer, and their database too. */
    isReady: async () => {
      return (await Promise.all(servers.map(({ url }) => isReady(url)))).every(Boolean);
    },
    customer: (name: string) => addCustomer(ledger.db, env.KEY_PEPPER, { name, quota: "100000" }),
    close: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await ledger.db.close();
      await database.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
