import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import type { Videos } from "@/server/videos";
import { eventually } from "@/tests/support/eventually";
import { videoRooms } from "@/tests/support/video-room";

const rooms = videoRooms();
const { setUp, balance } = rooms;

describe("a submission", () => {
  test("with an Idempotency-Key makes one task however often and wherever it is sent", async () => {
    const { videos, vendor, order } = await setUp({ replicas: 2 });
    const idempotency = { key: "k", bodyHash: "h" };
    const tasks = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (videos[index % 2] as Videos).submit(order({ idempotency }))),
    );
    expect(new Set(tasks.map((task) => task.id)).size).toBe(1);
    expect(vendor.submissions).toHaveLength(1);
    await expect(
      videos[0]?.submit(order({ idempotency: { key: "k", bodyHash: "other" } })),
    ).rejects.toMatchObject({ kind: "idempotencyMismatch" });
  });

  test("that every channel refuses gives the money back and may be made again", async () => {
    const { first, vendor, order, customer, month } = await setUp();
    const idempotency = { key: "k", bodyHash: "h" };
    vendor.answerSubmit(() => ({
      kind: "refused",
      fault: "channel",
      code: "upstream_error",
      message: "busy",
    }));
    await expect(first.submit(order({ idempotency }))).rejects.toMatchObject({
      kind: "upstreamsUnavailable",
    });
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
    vendor.answerSubmit(() => ({ kind: "accepted", ref: "another" }));
    expect(await first.submit(order({ idempotency }))).toMatchObject({ state: "processing" });
  });

  test("that the vendor finds fault with is a 400 in its words", async () => {
    const { first, vendor, order, customer, month } = await setUp();
    vendor.answerSubmit(() => ({ kind: "refused", fault: "request", code: "content_policy", message: "no" }));
    await expect(first.submit(order())).rejects.toMatchObject({ kind: "upstreamRejected", message: "no" });
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
  });

  test("one-hub: whose process died before it was sent gives the money back", async () => {
    const { first, vendor, order, customer, month, pass } = await setUp();
    // Nothing answers any more, as if the process were gone.
    vendor.answerSubmit(() => new Promise(() => {}));
    void first.submit(order());
    await eventually(() => vendor.submissions.length).toBe(1);
    await sqlOf(rooms.gateway.runtime.db)`
      update video_tasks set submit_started_at = null where account_id = ${customer.accountId}`;
    pass(91);
    await first.work();
    await eventually(() => balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
    expect(vendor.submissions).toHaveLength(1);
  });

  test("a task that ended while its submitter slept is not sent", async () => {
    const { first, videos, vendor, order, pass } = await setUp({ replicas: 2, maxTasks: 1 });
    const sql = sqlOf(rooms.gateway.runtime.db);
    let wake = () => {};
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const submitting = new Promise<unknown>((resolve) => {
      void sql.begin(async (locked) => {
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
