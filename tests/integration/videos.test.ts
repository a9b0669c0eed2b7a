import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { saveModel } from "@/server/catalog";
import { sqlOf } from "@/server/db/handles";
import { createVideos, type Videos } from "@/server/videos";
import { eventually } from "@/tests/support/eventually";
import { gate } from "@/tests/support/gate";
import { expectRefused } from "@/tests/support/refusal";
import { done, running } from "@/tests/support/scripted-videos";
import { PRICE, videoRooms } from "@/tests/support/video-room";

const rooms = videoRooms();
const { setUp, balance } = rooms;
const sql = () => sqlOf(rooms.gateway.runtime.db);

const YEAR_SECONDS = 366 * 86_400;
const timedOut = { state: "failed", error: { code: "timeout" } };

describe("a video task", () => {
  test("belongs to the month in which it was frozen, whenever it ends", async () => {
    const { first, vendor, order, customer, pass, work } = await setUp({ start: "2026-03-31T23:59:50Z" });
    await first.submit(order());
    vendor.answerPoll(() => done);
    pass(30);
    await work();
    expect(await balance(customer.accountId, "2026-03")).toEqual({ used: String(PRICE), frozen: "0" });
    expect(await balance(customer.accountId, "2026-04")).toBeUndefined();
    expect(await rooms.gateway.verify()).toEqual([]);
  });

  test("new-api#6172: costs what was quoted, whatever happens to the price meanwhile", async () => {
    const { first, vendor, order, customer, month, modelId, pass, work } = await setUp();
    await first.submit(order());
    await saveModel(rooms.gateway.runtime.db, {
      videoPrices: [{ durationSeconds: 5, resolution: "720p", price: nanos(PRICE * 9n) }],
      ...{ id: modelId, kind: "video", isEnabled: true },
    });
    vendor.answerPoll(() => done);
    pass(16);
    await work();
    expect(await balance(customer.accountId, month)).toEqual({ used: String(PRICE), frozen: "0" });
  });

  test("keeps its upstream and its credential although the channel is deleted", async () => {
    const { first, vendor, order, pass, work } = await setUp();
    const task = await first.submit(order());
    const { channelId } = (await first.status(task.id, task.accountId)) ?? {};
    await sql()`delete from channels where id = ${channelId ?? ""}`;
    vendor.answerPoll(() => done);
    pass(31);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject({ state: "completed" });
    expect(new Set(vendor.polls.map((poll) => poll.secret))).toEqual(
      new Set(vendor.submissions.map((submission) => submission.secret)),
    );
  });
});

test("a task whose credential cannot be decrypted ends at its deadline, and delays no other", async () => {
  const { first, vendor, order, customer, month, pass, work } = await setUp();
  const [poisoned, sound] = [await first.submit(order()), await first.submit(order())];
  await sql()`update video_tasks set credential = 'v1.x.y.z' where id = ${poisoned.id}`;
  vendor.answerPoll(() => done);
  pass(16);
  await work();
  expect(await first.status(sound.id, sound.accountId)).toMatchObject({ state: "completed" });
  pass(600);
  await work();
  expect(await first.status(poisoned.id, poisoned.accountId)).toMatchObject(timedOut);
  expect(await balance(customer.accountId, month)).toEqual({ used: String(PRICE), frozen: "0" });
});

describe("a clock that is set a year ahead", () => {
  async function inSpite(during: "submission" | "poll") {
    const { deps, first, vendor, order, customer, month, pass } = await setUp();
    let isRight = true;
    const videos = createVideos({ ...deps, isClockRight: () => isRight });
    const setAhead = <T>(answer: T): T => {
      isRight = false;
      pass(YEAR_SECONDS);
      return answer;
    };
    if (during === "submission") {
      vendor.answerSubmit(() => setAhead({ kind: "accepted", ref: order().modelId }));
    }
    const task = await videos.submit(order());
    if (during === "poll") {
      vendor.answerPoll(() => setAhead(running));
      pass(16);
      expect(await videos.work()).toBe(1);
      await videos.close();
    }
    expect(await first.find(task.id)).toMatchObject({ state: "processing" });
    pass(-YEAR_SECONDS);
    isRight = true;
    vendor.answerPoll(() => done);
    pass(17);
    expect(await videos.work()).toBe(1);
    await videos.close();
    expect(await first.find(task.id)).toMatchObject({ state: "completed" });
    expect(await balance(customer.accountId, month)).toEqual({ used: String(PRICE), frozen: "0" });
  }

  test("during a submission, lets the task wait no longer than usual", () => inSpite("submission"));
  test("during a poll, ends no task and lets it wait no longer", () => inSpite("poll"));
});

describe("a vendor's answer", () => {
  test("that the database cannot store ends its task at the deadline", async () => {
    const { first, vendor, order, customer, month, pass, work } = await setUp();
    const task = await first.submit(order());
    vendor.answerPoll(() => ({ ...done, url: "https://vendor.test/\0.mp4" }) as typeof done);
    pass(16);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject({ state: "processing" });
    pass(600);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject(timedOut);
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
  });

  test("that asks for patience delays status queries, too", async () => {
    const { first, vendor, order, pass } = await setUp();
    const task = await first.submit(order());
    vendor.answerPoll(() => ({ kind: "transient", message: "429", retryAfterMs: 240_000 }));
    for (let second = 0; second < 200; second += 20) {
      await first.status(task.id, task.accountId);
      pass(20);
    }
    expect(vendor.polls).toHaveLength(1);
  });
});

describe("a submission", () => {
  test("with an Idempotency-Key makes one task however often and wherever it is sent", async () => {
    const { first, videos, vendor, order } = await setUp({ replicas: 2 });
    const idempotency = { key: "k", bodyHash: "h" };
    const tasks = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (videos[index % 2] as Videos).submit(order({ idempotency }))),
    );
    expect(new Set(tasks.map((task) => task.id)).size).toBe(1);
    expect(vendor.submissions).toHaveLength(1);
    await expectRefused(
      first.submit(order({ idempotency: { key: "k", bodyHash: "other" } })),
      "idempotencyMismatch",
    );
  });

  test("that every channel refuses returns the money and can be made again", async () => {
    const { first, vendor, order, customer, month } = await setUp();
    const idempotency = { key: "k", bodyHash: "h" };
    const busy = { kind: "refused", fault: "channel", code: "upstream_error", message: "busy" } as const;
    vendor.answerSubmit(() => busy);
    await expectRefused(first.submit(order({ idempotency })), "upstreamsUnavailable");
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
    vendor.answerSubmit(() => ({ kind: "accepted", ref: "another" }));
    expect(await first.submit(order({ idempotency }))).toMatchObject({ state: "processing" });
  });

  test("that the vendor finds invalid is a 400 in the vendor's words", async () => {
    const { first, vendor, order, customer, month } = await setUp();
    vendor.answerSubmit(() => ({ kind: "refused", fault: "request", code: "content_policy", message: "no" }));
    await expect(first.submit(order())).rejects.toMatchObject({ kind: "upstreamRejected", message: "no" });
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
  });

  test("one-hub: whose process died before it was sent returns the money", async () => {
    const { first, vendor, order, customer, month, pass } = await setUp();
    // The vendor does not answer, as if the process were gone.
    vendor.answerSubmit(() => new Promise(() => {}));
    void first.submit(order());
    await eventually(() => vendor.submissions.length).toBe(1);
    await sql()`
      update video_tasks set submit_started_at = null where account_id = ${customer.accountId}`;
    pass(91);
    await first.work();
    await eventually(() => balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
    expect(vendor.submissions).toHaveLength(1);
  });

  test("whose task ended while its process was paused is not sent", async () => {
    const { first, videos, vendor, order, pass } = await setUp({ replicas: 2, maxTasks: 1 });
    const { open: wake, opened: slept } = gate();
    const submitting = new Promise<unknown>((resolve) => {
      void sql().begin(async (locked) => {
        const [channel] = await locked<{ id: string }[]>`select id from channels order by id desc limit 1`;
        await locked`select pg_advisory_xact_lock(hashtextextended(${channel?.id ?? ""}, 0))`;
        first.submit(order()).then(resolve, resolve);
        await slept;
      });
    });
    await eventually(async () =>
      (await first.list({}, { limit: 100 })).rows.some(({ state }) => state === "submitting"),
    ).toBe(true);
    pass(91);
    await videos[1]?.work();
    await eventually(async () =>
      (await first.list({}, { limit: 100 })).rows.some(({ state }) => state === "submitting"),
    ).toBe(false);
    wake();
    expect(await submitting).toMatchObject({ kind: "upstreamsUnavailable" });
    expect(vendor.submissions).toEqual([]);
  });
});

describe("many replicas", () => {
  test("new-api#2025, new-api#6074, new-api#5556: that all see a task's end settle it once", async () => {
    const { first, videos, vendor, order, entries, pass } = await setUp({ replicas: 3 });
    const task = await first.submit(order());
    vendor.answerPoll(() => done);
    pass(16);
    // Queries, workers and a cancelling operator: the first one counts, and the others change nothing.
    await Promise.all([
      ...videos.map((room) => room.status(task.id, task.accountId)),
      ...videos.map((room) => room.work()),
      ...videos.map((room) => room.cancel(task.id)),
    ]);
    await eventually(entries).toHaveLength(1);
    const { state } = (await first.status(task.id, task.accountId)) ?? {};
    expect(["completed", "cancelled"]).toContain(state);
    expect(await rooms.gateway.verify()).toEqual([]);
  });

  test("record a completion that is seen after the task's end, and charge nothing", async () => {
    const { first, vendor, order, customer, month, pass } = await setUp();
    const task = await first.submit(order());
    const { open: release, opened: held } = gate();
    vendor.answerPoll(async () => {
      await held;
      return done;
    });
    pass(16);
    const looking = first.status(task.id, task.accountId);
    await eventually(() => vendor.polls.length).toBe(1);
    // The polling process is so slow that its claim expires, and another one finds that the deadline has passed.
    vendor.answerPoll(() => running);
    pass(700);
    await first.work();
    const { accountId } = customer;
    await eventually(async () => (await first.list({ accountId }, { limit: 1 })).rows[0]?.state).toBe(
      "failed",
    );
    release();
    await looking;
    expect(await first.status(task.id, task.accountId)).toMatchObject({
      ...timedOut,
      lateResult: "completed",
    });
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
  });

  test("overspend neither an account nor a channel's limit", async () => {
    const { videos, vendor, order, customer, month } = await setUp({
      replicas: 2,
      quota: "2.5",
      maxTasks: 3,
    });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => (videos[index % 2] as Videos).submit(order())),
    );
    const reasons = outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? "accepted" : (outcome.reason as { kind: string }).kind,
    );
    expect(reasons.filter((reason) => reason === "accepted")).toHaveLength(3);
    expect(new Set(reasons)).toEqual(new Set(["accepted", "noVideoChannel", "quotaExhausted"]));
    expect(vendor.submissions).toHaveLength(3);
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: String(PRICE * 3n) });
  });
});
