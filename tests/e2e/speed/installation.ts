/** A large installation in a folder that is kept between runs: made by the first run, and opened by the others. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type APIRequest, expect } from "@playwright/test";
import postgres from "postgres";
import { sumNextDay, verifyLedger } from "@/server/billing";
import { findEmbeddedUrl, openDatabase } from "@/server/db";
import type { SignIn } from "../pages/sign-in-page";
import { createCustomer } from "../support/customer";
import { createBelongings, openBrowsers, type People } from "../support/people";
import type { Session } from "../support/session";
import { channelTo, sell } from "../support/sold";
import { fillHistory } from "./history";

/** The note that a folder keeps in addition to the database. */
type Kept = { calls: number; filledAt: number; owner: SignIn; people: Omit<People, "sessions"> };

/** The newest calls of an older history are not of today or yesterday, and its pages read less. */
const MAX_AGE_MS = 24 * 3_600_000;
const MODELS = 8;
const CHANNELS = 6;
/** The default of BILLING_TIMEZONE. */
const ZONE = "Asia/Shanghai";

type Deps = { operator: Session; request: APIRequest; folder: string; calls: number };

/** Channels without calls, because no account of this installation buys their models. */
async function createCatalog(operator: Session) {
  const models = Array.from({ length: MODELS }, (_, place) => `model-${place + 1}`);
  for (const model of models) {
    await sell(operator, model, { price: "5" });
  }
  const channels: string[] = [];
  for (let place = 0; place < CHANNELS; place++) {
    const served = models.filter((_, model) => model % CHANNELS === place);
    const { id } = await channelTo(operator, {
      ...{ name: `channel ${place + 1}`, upstream: { baseUrl: "https://vendor.example/v1" } },
      models: served.map((modelId) => ({ modelId, upstreamName: modelId, overrides: {} })),
    });
    channels.push(id);
  }
  return { models, channels };
}

async function make({ operator, request, folder, calls }: Deps): Promise<Kept> {
  const customer = await createCustomer(operator, { request, quota: "50" });
  const { accountId, name, owner } = customer;
  const { id: keyId } = await (await customer.session()).keys.create.mutate({ name: "busiest" });
  const catalog = await createCatalog(operator);
  const url = findEmbeddedUrl(folder) ?? "";
  const sql = postgres(url, {
    max: 1,
    onnotice: () => {},
    connection: { synchronous_commit: "off", jit: "off", work_mem: "512MB", maintenance_work_mem: "512MB" },
  });
  const db = openDatabase(url);
  // If the machine stops now, the folder has no note, and the next run makes the folder again.
  const setSafe = async (isSafe: boolean) => {
    await sql.unsafe(`alter system set fsync = ${isSafe ? "on" : "off"}`);
    await sql`select pg_reload_conf()`;
  };
  await setSafe(false);
  await fillHistory(sql, db, { calls, zone: ZONE, largest: { accountId, keyId }, ...catalog });
  // The worker's next pass is in ten minutes.
  while ((await sumNextDay(db, ZONE)) > 0) {}
  await setSafe(true);
  await sql`checkpoint`;
  const drift = await verifyLedger(db);
  await db.close();
  await sql.end();
  if (drift.length > 0) {
    throw new Error(`the made-up history does not add up: ${JSON.stringify(drift.slice(0, 3))}`);
  }
  const { sessions: _, ...people } = await createBelongings(operator, request, { accountId, name, owner });
  return { calls, filledAt: Date.now(), owner, people: { ...people, keyId } };
}

/** Waits for the worker, which sums the days that have ended since the folder was used last. */
async function untilDaysAreSummed(folder: string): Promise<void> {
  const sql = postgres(findEmbeddedUrl(folder) ?? "", { max: 1 });
  const isSummed = async () => {
    const [row] = await sql<
      { is: boolean }[]
    >`select until > now() - interval '26 hours' as is from day_sums`;
    return row?.is ?? false;
  };
  await expect.poll(isSummed, { timeout: 1_800_000, intervals: [500] }).toBe(true);
  await sql.end();
}

/** The people of the installation in the folder. Fills it if it has none yet. */
export async function openInstallation(deps: Deps): Promise<People> {
  const { operator, request, folder, calls } = deps;
  const note = join(folder, "page-speed.json");
  const kept: Kept | null = existsSync(note) ? JSON.parse(readFileSync(note, "utf8")) : null;
  if (kept && (kept.calls !== calls || Date.now() - kept.filledAt > MAX_AGE_MS)) {
    throw new Error(`${folder} has ${kept.calls} calls, the newest older than a day: delete the folder`);
  }
  const opened = kept ?? (await make(deps));
  if (!kept) {
    writeFileSync(note, JSON.stringify(opened));
  }
  await untilDaysAreSummed(folder);
  const { sessions } = await openBrowsers(operator, request, opened.owner);
  return { ...opened.people, sessions };
}
