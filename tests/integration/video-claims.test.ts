import { afterAll, describe, expect, test } from "vitest";
import { endDurableHold } from "@/server/billing";
import { openDatabase, transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { ChannelId, KeyId, TaskId } from "@/server/domain/ids";
import { createVideos } from "@/server/videos";
import { claimDue, claimTask, returnClaim, returnTask } from "@/server/videos/claims";
import type { VideoDeps } from "@/server/videos/deps";
import { moveTask } from "@/server/videos/move";
import { pin } from "@/server/videos/pin";
import { recoverTask } from "@/server/videos/recover";
import { findTask } from "@/server/videos/rows";
import { linkTo } from "@/tests/support/database-link";
import { openLedger } from "@/tests/support/ledger";
import { perFile } from "@/tests/support/per-file";
import { expectRefused } from "@/tests/support/refusal";
import { running } from "@/tests/support/scripted-videos";
import { sleep, until } from "@/tests/support/until";
import { videoRooms } from "@/tests/support/video-room";
import { branded } from "../support/branded";

const now = new Date("2026-03-10T12:00:00Z");
const secondsFromNow = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

const CLAIMING = { now, debounceMs: 15_000, leaseMs: 60_000 };

const rooms = videoRooms();
const { gateway } = rooms;
const ledger = perFile(async () => openLedger(gateway.databaseUrl));
const sql = () => sqlOf(ledger.db);
afterAll(async () => {
  expect(await gateway.verify()).toEqual([]);
});

/** A task that its vendor has, with the rooms' own functions for it. */
async function setUp() {
  const { deps, vendor, modelId, customer, first: videos, order } = await rooms.setUp();
  const { id: taskId } = await videos.submit(order());
  const change = async (state: "submitting" | "processing", leaseUntil: Date | null) => {
    await sql()`
      update video_tasks set state = ${state}, lease_until = ${leaseUntil}, last_poll_at = null where id = ${taskId}`;
  };
  const { accountId } = customer;
  const claim = (at = now, asker = accountId) =>
    claimTask(deps.db, { taskId, accountId: asker }, { ...CLAIMING, now: at });
  return { deps, vendor, accountId, modelId, taskId, change, claim, videos, order: order() };
}

test("two ends of a task that meet wait for each other: one counts, and the other learns that it was late", async () => {
  const { deps, taskId, accountId } = await setUp();
  const ends = [{ kind: "completed" as const }, { kind: "cancelled" as const }];
  let moves: ReturnType<typeof moveTask>[] = [];
  await sql().begin(async (tx) => {
    await tx`select 1 from account_months where account_id = ${accountId} for update`;
    moves = ends.map((event) => moveTask(deps, { taskId, event, now }));
    for (const move of moves) {
      move.catch(() => {});
    }
    await until(async () => (await ledger.waiters()) >= 2);
  });
  const outcomes = await Promise.all(moves);
  expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
  expect(await ledger.entriesOf(taskId)).toHaveLength(1);
});

/** Which of these tasks are due. */
async function dueOf(deps: VideoDeps, taskIds: TaskId[], busy: ChannelId[] = []): Promise<string[]> {
  const due = await claimDue(deps.db, { limit: 1_000, busy }, CLAIMING);
  return due.map(({ id }) => id).filter((id) => taskIds.includes(id));
}

test("a task that a process is polling is claimed by no other, however long ago the poll began", async () => {
  const { deps, taskId, change, claim } = await setUp();
  await sql()`update video_tasks set next_poll_at = ${now} where id = ${taskId}`;
  await change("processing", secondsFromNow(30));
  expect([await claim(), await dueOf(deps, [taskId])]).toEqual([null, []]);
  await change("processing", secondsFromNow(-1));
  expect(await dueOf(deps, [taskId])).toEqual([taskId]);
  await change("processing", secondsFromNow(-1));
  expect(await claim()).toMatchObject({ id: taskId });
});

test.each(["submitting", "processing"] as const)(
  "a poll of a task (%s) that was lost with the database returns its lease as soon as the database answers",
  async (state) => {
    const { deps, vendor, taskId, change } = await setUp();
    await change(state, null);
    await sql()`update video_tasks set next_poll_at = case id when ${taskId} then ${now}::timestamptz end`;
    const leases = () =>
      sql()`select lease_until is not null as is_leased from video_tasks where id = ${taskId}`;
    const link = await linkTo(gateway.databaseUrl);
    const db = openDatabase(link.url);
    const videos = createVideos({ ...deps, db });
    let isLost = false;
    const answer = <T>(value: T): T => {
      link.cut();
      isLost = true;
      return value;
    };
    vendor.answerFind(() => answer(null));
    vendor.answerPoll(() => answer(running));
    expect(await videos.work()).toBe(1);
    await until(() => isLost);
    await sleep(500);
    expect(await leases()).toEqual([{ is_leased: true }]);
    link.mend();
    await until(async () => (await leases())[0]?.is_leased === false);
    await videos.close();
    await db.close();
    await link.close();
  },
);

test("a submission whose process was taken for dead is not sent any more", async () => {
  const { deps, vendor, taskId, modelId, change } = await setUp();
  const [route] = await deps.channels.routes(modelId);
  const task = await findTask(deps.db, taskId);
  if (!route || !task) {
    expect.fail("there is no task, or no channel for it");
  }
  const way = { route, adapter: vendor, secret: "upstream-secret" };
  await change("submitting", secondsFromNow(-1));
  expect(await pin(deps, task, way)).toBe("gone");
  // A search has found it at an upstream, and another worker polls it.
  await change("processing", secondsFromNow(30));
  expect(await pin(deps, task, way)).toBe("gone");
  await change("submitting", secondsFromNow(30));
  expect(await pin(deps, task, way)).toBe("pinned");
});

test("a task is polled for its own account only, and not within the debounce of the last poll", async () => {
  const { taskId, change, claim } = await setUp();
  const lookedAt = (moment: Date) =>
    sql()`update video_tasks set last_poll_at = ${moment} where id = ${taskId}`;
  await change("processing", null);
  expect(await claim(now, (await gateway.customer()).accountId)).toBeNull();
  await lookedAt(secondsFromNow(-14));
  expect(await claim()).toBeNull();
  await lookedAt(secondsFromNow(-15));
  expect(await claim()).toMatchObject({ id: taskId });
});

test("the next poll keeps its distance from the end of a poll whose answer could not be stored", async () => {
  const { deps, taskId, change, claim } = await setUp();
  await change("processing", null);
  const task = (await claim()) ?? expect.fail("it is not claimed");
  await returnClaim(deps.db, task, { now: secondsFromNow(10), debounceMs: 15_000 });
  expect(await claim(secondsFromNow(24))).toBeNull();
  expect(await claim(secondsFromNow(25))).toMatchObject({ id: taskId });
});

test("a task whose money has been returned is not completed", async () => {
  const { deps, taskId, accountId } = await setUp();
  const hold = { requestId: taskId, accountId, keyId: branded<KeyId>("key_any"), period: "2026-03" };
  await transaction(deps.db, (tx) => endDurableHold(tx, hold, { charge: null }));
  await expect(moveTask(deps, { taskId, event: { kind: "completed" }, now })).rejects.toThrow(/money/);
  expect((await findTask(deps.db, taskId))?.state).toBe("processing");
  expect(await ledger.entriesOf(taskId)).toMatchObject([{ kind: "release" }]);
});

test("an acceptance that comes after the end is recorded as the operator's loss", async () => {
  const { deps, taskId, change } = await setUp();
  await change("submitting", null);
  const lost = { kind: "failed" as const, code: "submit_unknown", message: "" };
  await moveTask(deps, { taskId, event: lost, now });
  expect(await moveTask(deps, { taskId, event: { kind: "accepted" }, now })).toBeNull();
  expect(await findTask(deps.db, taskId)).toMatchObject({ state: "failed", lateResult: "accepted" });
});

test("due tasks of a channel that does not answer, or that another replica is claiming, are not claimed", async () => {
  const { deps, taskId } = await setUp();
  const channelId = (await findTask(deps.db, taskId))?.channelId ?? branded("");
  await sql()`update video_tasks set next_poll_at = ${now}, last_poll_at = null where id = ${taskId}`;
  expect(await dueOf(deps, [taskId], [channelId])).toEqual([]);
  await sql().begin(async (tx) => {
    await tx`select 1 from video_tasks where id = ${taskId} for update`;
    expect(await dueOf(deps, [taskId])).toEqual([]);
  });
  expect(await dueOf(deps, [taskId])).toEqual([taskId]);
});

test("an upstream's task belongs to one order: a second order whose answer was lost does not take it", async () => {
  const { deps, vendor, taskId, videos, order } = await setUp();
  const first = await findTask(deps.db, taskId);
  const ref = first?.upstreamRef ?? "";
  vendor.answerSubmit(() => ({ kind: "unknown", message: "reset" }));
  vendor.answerFind((usedRefs) => (usedRefs.has(ref) ? null : ref));
  const second = await videos.submit(order);
  const lost = (await findTask(deps.db, second.id)) ?? expect.fail("there is no second task");
  await recoverTask(deps, lost);
  expect(await findTask(deps.db, lost.id)).toMatchObject({ state: "submitting", upstreamRef: null });
});

test("progress never falls, whatever a poll finds", async () => {
  const { deps, taskId } = await setUp();
  const waiting = { lookedAt: now, nextPollAt: now, pollErrors: 0, timesLost: 0, timesEmpty: 0 };
  const progress = async () => (await findTask(deps.db, taskId))?.progress;
  await returnTask(deps.db, taskId, { ...waiting, progress: 60 });
  expect(await progress()).toBe(60);
  await returnTask(deps.db, taskId, { ...waiting, progress: 20 });
  expect(await progress()).toBe(60);
});

test("a poll that returns after the end changes nothing", async () => {
  const { deps, taskId } = await setUp();
  await moveTask(deps, { taskId, event: { kind: "completed" }, now });
  const ended = await findTask(deps.db, taskId);
  const lookedAt = secondsFromNow(60);
  const counts = { progress: 20, pollErrors: 3, timesLost: 1, timesEmpty: 1 };
  await returnTask(deps.db, taskId, { ...counts, lookedAt, nextPollAt: lookedAt });
  expect(await findTask(deps.db, taskId)).toEqual(ended);
});

describe("an Idempotency-Key", () => {
  const withKey = (key: string) => ({ idempotency: { key, bodyHash: "hash" } });

  test("stays valid for its task when another submission of the account is refused, which forgets its own key only", async () => {
    const { vendor, videos, order } = await setUp();
    const made = await videos.submit({ ...order, ...withKey("made") });
    vendor.answerSubmit(() => ({ kind: "refused", fault: "request", code: "content_policy", message: "no" }));
    await expectRefused(videos.submit({ ...order, ...withKey("refused") }), "upstreamRejected");
    expect((await videos.submit({ ...order, ...withKey("made") })).id).toBe(made.id);
  });

  test("outlives the hourly sweep for seven days, and no longer", async () => {
    const { videos, order, accountId } = await setUp();
    const made = await videos.submit({ ...order, ...withKey("k") });
    const age = async (seconds: number) => {
      const moment = secondsFromNow(-seconds);
      await sql()`update video_idempotency set created_at = ${moment} where account_id = ${accountId}`;
      await videos.tidy();
    };
    await age(7 * 86_400 - 1);
    expect((await videos.submit({ ...order, ...withKey("k") })).id).toBe(made.id);
    await age(7 * 86_400 + 1);
    expect((await videos.submit({ ...order, ...withKey("k") })).id).not.toBe(made.id);
  });
});
