import { describe, expect, test } from "vitest";
import type { Videos } from "@/server/videos";
import { eventually } from "@/tests/support/eventually";
import { done, running } from "@/tests/support/scripted-videos";
import { PRICE, videoRooms } from "@/tests/support/video-room";

const rooms = videoRooms();
const { setUp, balance } = rooms;

describe("many replicas", () => {
  test("look at one task no more often than every 15 seconds, failed looks included", async () => {
    const { first, videos, vendor, order, pass, work } = await setUp({ replicas: 3 });
    const task = await first.submit(order());
    vendor.answerPoll((ref) =>
      Number(ref.length) % 2 === 0 ? running : { kind: "transient", message: "503", retryAfterMs: null },
    );
    for (let second = 0; second < 120; second += 5) {
      await Promise.all(videos.map((room) => room.status(task.id, task.accountId)));
      await work();
      pass(5);
    }
    const gaps = vendor.polls.slice(1).map((poll, index) => poll.at - (vendor.polls[index]?.at ?? 0));
    expect(vendor.polls.length).toBeGreaterThan(2);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15_000);
  });

  test("new-api#2025, new-api#6074, new-api#5556: that all see the end settle it once", async () => {
    const { first, videos, vendor, order, entries, pass } = await setUp({ replicas: 3 });
    const task = await first.submit(order());
    vendor.answerPoll(() => done);
    pass(16);
    // Queries, workers and an operator who cancels: who comes first counts, and the others change nothing.
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

  test("whose look comes back after the task has ended writes it down, and charges nobody", async () => {
    const { first, vendor, order, customer, month, pass } = await setUp();
    const task = await first.submit(order());
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    vendor.answerPoll(async () => {
      await held;
      return done;
    });
    pass(16);
    const looking = first.status(task.id, task.accountId);
    await eventually(() => vendor.polls.length).toBe(1);
    // The process that looks is slow for so long that its claim is void, and another one finds the deadline passed.
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
      state: "failed",
      error: { code: "timeout" },
      lateResult: "completed",
    });
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
  });

  test("do not overspend an account, nor a channel's limit", async () => {
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
