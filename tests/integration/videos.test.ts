import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { saveModel } from "@/server/catalog";
import { sqlOf } from "@/server/db/handles";
import { done } from "@/tests/support/scripted-videos";
import { PRICE, videoRooms } from "@/tests/support/video-room";

const rooms = videoRooms();
const { setUp, balance } = rooms;

describe("a video task", () => {
  test("that is done at the last look is delivered and paid", async () => {
    const { first, vendor, order, pass, work } = await setUp();
    const task = await first.submit(order());
    vendor.answerPoll(() => done);
    pass(620);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject({ state: "completed" });
  });

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
      id: modelId,
      kind: "video",
      isEnabled: true,
      videoPrices: [{ durationSeconds: 5, resolution: "720p", price: nanos(PRICE * 9n) }],
    });
    vendor.answerPoll(() => done);
    pass(16);
    await work();
    expect(await balance(customer.accountId, month)).toEqual({ used: String(PRICE), frozen: "0" });
  });

  test("stays with its upstream and credential although the channel goes", async () => {
    const { first, vendor, order, pass, work } = await setUp();
    const task = await first.submit(order());
    const { channelId } = (await first.status(task.id, task.accountId)) ?? {};
    await sqlOf(rooms.gateway.runtime.db)`delete from channels where id = ${channelId ?? ""}`;
    vendor.answerPoll(() => done);
    pass(31);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject({ state: "completed" });
    expect(new Set(vendor.polls.map((poll) => poll.secret))).toEqual(
      new Set(vendor.submissions.map((submission) => submission.secret)),
    );
  });
});

test("a task whose credential no longer opens ends at its deadline, and holds up nobody", async () => {
  const { first, vendor, order, customer, month, pass, work } = await setUp();
  const [poisoned, sound] = [await first.submit(order()), await first.submit(order())];
  await sqlOf(
    rooms.gateway.runtime.db,
  )`update video_tasks set credential = 'v1.x.y.z' where id = ${poisoned.id}`;
  vendor.answerPoll(() => done);
  pass(16);
  await work();
  expect(await first.status(sound.id, sound.accountId)).toMatchObject({ state: "completed" });
  pass(600);
  await work();
  expect(await first.status(poisoned.id, poisoned.accountId)).toMatchObject({
    state: "failed",
    error: { code: "timeout" },
  });
  expect(await balance(customer.accountId, month)).toEqual({ used: String(PRICE), frozen: "0" });
});

describe("what an attack found", () => {
  test("a vendor's answer that the database cannot keep ends its task at the deadline, not never", async () => {
    const { first, vendor, order, customer, month, pass, work } = await setUp();
    const task = await first.submit(order());
    vendor.answerPoll(() => ({ ...done, url: "https://vendor.test/\0.mp4" }) as typeof done);
    pass(16);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject({ state: "processing" });
    pass(600);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject({
      state: "failed",
      error: { code: "timeout" },
    });
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
  });

  test("a vendor that asks for patience gets it from status queries too", async () => {
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
