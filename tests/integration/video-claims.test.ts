import { afterAll, beforeAll, expect, test } from "vitest";
import { endLasting } from "@/server/billing";
import type { VideoUpstream } from "@/server/upstream";
import { createVideos, type Videos } from "@/server/videos";
import { claimTask } from "@/server/videos/claims";
import type { VideoDeps } from "@/server/videos/deps";
import { moveTask } from "@/server/videos/move";
import { pin } from "@/server/videos/pin";
import { findTask } from "@/server/videos/rows";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { type Ledger, openLedger } from "@/tests/support/ledger";
import { waitFor } from "@/tests/support/process";
import { scriptedVendor } from "@/tests/support/scripted-videos";

const PRICE = 500_000_000n;
const now = new Date("2026-03-10T12:00:00Z");
const secondsFromNow = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

let gateway: TestGateway;
let ledger: Ledger;
beforeAll(async () => {
  // The gateway's own worker shares the database and must leave these tasks alone: its clock stands still.
  gateway = await startGateway({ clock: () => new Date("2020-01-15T00:00:00Z") });
  ledger = openLedger(gateway.databaseUrl);
});
afterAll(async () => {
  expect(await gateway.verify()).toEqual([]);
  await ledger.db.close();
  await gateway.close();
});

/** A task that its vendor has, with the rooms' own functions over it. */
async function setUp() {
  const { runtime } = gateway;
  const vendor: VideoUpstream = scriptedVendor(() => now);
  const deps: VideoDeps = {
    ...runtime,
    billing: { ...runtime.billing, period: () => "2026-03" },
    upstreams: { ...runtime.upstreams, "openai-video": { videos: vendor } },
    clock: () => now,
    timeoutMs: 600_000,
    debounceMs: 15_000,
    random: () => 0,
  };
  const modelId = await gateway.model({
    kind: "video",
    videoPrices: [{ durationSeconds: 5, resolution: "720p", price: PRICE }],
  });
  await gateway.channel({ model: modelId, dialect: "openai-video", baseUrl: "http://127.0.0.1:1/v1" });
  const { accountId, keyId } = await gateway.customer();
  const videos: Videos = createVideos(deps);
  const order = { accountId, keyId, keyCap: null, modelId, prompt: "a cat", durationSeconds: 5 };
  const { id } = await videos.submit({
    ...order,
    resolution: "720p" as const,
    aspectRatio: null,
    idempotency: null,
  });
  const change = async (state: "submitting" | "processing", leaseUntil: Date | null) => {
    await runtime.db.sql`
      update video_tasks set state = ${state}, lease_until = ${leaseUntil}, last_poll_at = null where id = ${id}`;
  };
  return { deps, vendor, accountId, modelId, taskId: id, change };
}

test("two ends of a task that meet wait for each other: one counts, the other is told that it came too late", async () => {
  const { deps, taskId, accountId } = await setUp();
  const ends = [{ kind: "completed" as const }, { kind: "cancelled" as const }];
  let moves: ReturnType<typeof moveTask>[] = [];
  await ledger.db.sql.begin(async (sql) => {
    await sql`select 1 from account_months where account_id = ${accountId} for update`;
    moves = ends.map((event) => moveTask(deps, { taskId, event, now }));
    for (const move of moves) {
      move.catch(() => {});
    }
    await waitFor(async () => (await ledger.waiters()) >= 2);
  });
  const outcomes = await Promise.all(moves);
  expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
  expect(await ledger.entriesOf(taskId)).toHaveLength(1);
});

test("a task that somebody is looking after is claimed by nobody else, however long ago the last look began", async () => {
  const { deps, taskId, accountId, change } = await setUp();
  const claim = () =>
    claimTask(deps.db.sql, { taskId, accountId }, { now, debounceMs: 15_000, leaseMs: 60_000 });
  await change("processing", secondsFromNow(30));
  expect(await claim()).toBeNull();
  await change("processing", secondsFromNow(-1));
  expect(await claim()).toMatchObject({ id: taskId });
});

test("a submission whose process was taken for dead is not sent any more", async () => {
  const { deps, vendor, taskId, modelId, change } = await setUp();
  const [route] = await deps.channels.routes(modelId);
  const task = await findTask(deps.db.sql, taskId);
  if (!route || !task) {
    throw new Error("there is no task, or no channel for it");
  }
  const way = { route, adapter: vendor, secret: "upstream-secret" };
  await change("submitting", secondsFromNow(-1));
  expect(await pin(deps, task, way)).toBe("gone");
  await change("submitting", secondsFromNow(30));
  expect(await pin(deps, task, way)).toBe("pinned");
});

test("a task is looked at for its own account only, and not within the debounce of the last look", async () => {
  const { deps, taskId, accountId, change } = await setUp();
  const claim = (asked: string) =>
    claimTask(deps.db.sql, { taskId, accountId: asked }, { now, debounceMs: 15_000, leaseMs: 60_000 });
  const lookedAt = (moment: Date) =>
    deps.db.sql`update video_tasks set last_poll_at = ${moment} where id = ${taskId}`;
  await change("processing", null);
  expect(await claim((await gateway.customer()).accountId)).toBeNull();
  await lookedAt(secondsFromNow(-14));
  expect(await claim(accountId)).toBeNull();
  await lookedAt(secondsFromNow(-15));
  expect(await claim(accountId)).toMatchObject({ id: taskId });
});

test("a task whose money has been returned is not delivered as if it were paid", async () => {
  const { deps, taskId, accountId } = await setUp();
  const hold = { requestId: taskId, accountId, period: "2026-03" };
  await deps.db.sql.begin((sql) => endLasting(sql, hold, { charge: null }));
  await expect(moveTask(deps, { taskId, event: { kind: "completed" }, now })).rejects.toThrow(/money/);
  expect((await findTask(deps.db.sql, taskId))?.state).toBe("processing");
  expect(await ledger.entriesOf(taskId)).toMatchObject([{ kind: "release" }]);
});

test("an acceptance that comes after the end is written down as the operator's loss", async () => {
  const { deps, taskId, change } = await setUp();
  await change("submitting", null);
  const lost = { kind: "failed" as const, code: "submit_unknown", message: "" };
  await moveTask(deps, { taskId, event: lost, now });
  expect(await moveTask(deps, { taskId, event: { kind: "accepted" }, now })).toBeNull();
  expect(await findTask(deps.db.sql, taskId)).toMatchObject({ state: "failed", lateResult: "accepted" });
});
