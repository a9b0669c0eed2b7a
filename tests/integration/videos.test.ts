import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saveModel } from "@/server/catalog";
import { createVideos, type Videos } from "@/server/videos";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { done, running, type ScriptedVendor, scriptedVendor } from "@/tests/support/scripted-videos";

let gateway: TestGateway;
beforeAll(async () => {
  // The gateway's own worker shares the database and must leave these tasks alone: its clock stands still.
  gateway = await startGateway({ clock: () => new Date("2020-01-15T00:00:00Z") });
});
afterAll(() => gateway.close());

const PRICE = 500_000_000n;

/** Replicas over one database and one vendor, with a clock that the test moves. */
async function setUp(options: { replicas?: number; quota?: string; maxTasks?: number; start?: string } = {}) {
  const clock = { now: new Date(options.start ?? "2026-03-10T12:00:00Z") };
  const now = () => new Date(clock.now);
  const vendor: ScriptedVendor = scriptedVendor(now);
  const { runtime } = gateway;
  // Rooms share the queue, and each test's vendor knows its own tasks only.
  await runtime.db.sql`update video_tasks set next_poll_at = null`;
  const modelId = await gateway.model({
    kind: "video",
    videoPrices: [{ durationSeconds: 5, resolution: "720p", price: PRICE }],
  });
  await gateway.channel({
    model: modelId,
    dialect: "openai-video",
    baseUrl: "http://127.0.0.1:1/v1",
    ...(options.maxTasks && { maxTasks: options.maxTasks }),
  });
  const month = clock.now.toISOString().slice(0, 7);
  const billing = { ...runtime.billing, period: () => clock.now.toISOString().slice(0, 7) };
  const videos: Videos[] = Array.from({ length: options.replicas ?? 1 }, () =>
    createVideos({
      ...runtime,
      billing,
      upstreams: { ...runtime.upstreams, "openai-video": { videos: vendor } },
      clock: now,
      timeoutMs: 600_000,
      debounceMs: 15_000,
      random: () => 0,
    }),
  );
  const customer = await gateway.customer({ quota: options.quota ?? "1000" });
  const order = (more: object = {}) => ({
    accountId: customer.accountId,
    keyId: customer.keyId,
    keyCap: null,
    modelId,
    prompt: "a cat",
    durationSeconds: 5,
    resolution: "720p" as const,
    aspectRatio: null,
    idempotency: null,
    ...more,
  });
  return {
    vendor,
    videos,
    first: videos[0] as Videos,
    order,
    customer,
    month,
    modelId,
    pass: (seconds: number) => {
      clock.now = new Date(clock.now.getTime() + seconds * 1_000);
    },
    entries: () => gateway.entries(customer.accountId),
    /** Every replica takes up what is due, and all looks have ended. */
    work: async () => {
      await Promise.all(videos.map((room) => room.work()));
      await Promise.all(videos.map((room) => room.close()));
    },
  };
}

async function balance(accountId: string, period: string) {
  const [row] = await gateway.runtime.db.sql<{ used: string; frozen: string }[]>`
    select used::text, frozen::text from account_months
    where account_id = ${accountId} and period = ${period}`;
  return row;
}

describe("a video task", () => {
  test("litellm#21907: freezes its price, is settled once it is done, and is polled no more", async () => {
    const { first, vendor, order, customer, month, pass, work, entries } = await setUp();
    const task = await first.submit(order());
    expect(task).toMatchObject({ state: "processing", progress: 0 });
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: String(PRICE) });
    vendor.answerPoll(() => done);
    pass(16);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject({ state: "completed", progress: 100 });
    expect(await balance(customer.accountId, month)).toEqual({ used: String(PRICE), frozen: "0" });
    pass(60);
    await work();
    await first.status(task.id, task.accountId);
    expect(vendor.polls).toHaveLength(1);
    expect(await entries()).toMatchObject([
      { kind: "capture", amount: String(PRICE), prices: { video: String(PRICE) } },
    ]);
    expect(await gateway.verify()).toEqual([]);
  });

  test("new-api#2050, bottube#1535, modelstudioai/cli#184: that fails upstream costs nothing, and says why", async () => {
    const { first, vendor, order, customer, month, pass, work } = await setUp();
    const task = await first.submit(order());
    vendor.answerPoll(() => ({ kind: "failed", code: "content_policy", message: "not this" }));
    pass(16);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject({
      state: "failed",
      error: { code: "content_policy", message: "not this" },
      completedAt: null,
    });
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
  });

  test("that is not done in time fails with timeout, after a last look, and its upstream is told to stop", async () => {
    const { first, vendor, order, customer, month, pass, work } = await setUp();
    const task = await first.submit(order());
    pass(590);
    await work();
    pass(15);
    await work();
    expect(vendor.polls).toHaveLength(2);
    expect(await first.status(task.id, task.accountId)).toMatchObject({
      state: "failed",
      error: { code: "timeout" },
    });
    expect(vendor.cancels).toHaveLength(1);
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
    pass(60);
    await work();
    expect(vendor.polls).toHaveLength(2);
  });

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
    expect(await gateway.verify()).toEqual([]);
  });

  test("new-api#6172: costs what was quoted, whatever happens to the price meanwhile", async () => {
    const { first, vendor, order, customer, month, modelId, pass, work } = await setUp();
    await first.submit(order());
    await saveModel(gateway.runtime.db.orm, {
      id: modelId,
      kind: "video",
      enabled: true,
      videoPrices: [{ durationSeconds: 5, resolution: "720p", price: PRICE * 9n }],
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
    await gateway.runtime.db.sql`delete from channels where id = ${channelId ?? ""}`;
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
  await gateway.runtime.db.sql`update video_tasks set credential = 'v1.x.y.z' where id = ${poisoned.id}`;
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
    await expect.poll(entries).toHaveLength(1);
    const { state } = (await first.status(task.id, task.accountId)) ?? {};
    expect(["completed", "cancelled"]).toContain(state);
    expect(await gateway.verify()).toEqual([]);
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
    await expect.poll(() => vendor.polls.length).toBe(1);
    // The process that looks is slow for so long that its claim is void, and another one finds the deadline passed.
    vendor.answerPoll(() => running);
    pass(700);
    await first.work();
    const { accountId } = customer;
    await expect
      .poll(async () => (await first.list({ accountId }, { limit: 1 })).rows[0]?.state)
      .toBe("failed");
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

  test("whose answer is lost is looked for and never sent again: found, it goes on", async () => {
    const { first, vendor, order, pass, work } = await setUp();
    vendor.answerSubmit(() => ({ kind: "unknown", message: "reset" }));
    const task = await first.submit(order());
    expect(task.state).toBe("submitting");
    vendor.answerFind(() => "found");
    pass(16);
    await work();
    vendor.answerPoll(() => done);
    pass(16);
    await work();
    expect(await first.status(task.id, task.accountId)).toMatchObject({ state: "completed" });
    expect(vendor.submissions).toHaveLength(1);
    expect(vendor.polls.map((poll) => poll.ref)).toEqual(["found"]);
  });

  test("whose answer is lost and that nobody has after two minutes ends without a charge", async () => {
    const { first, vendor, order, customer, month, pass, work } = await setUp();
    vendor.answerSubmit(() => ({ kind: "unknown", message: "reset" }));
    const task = await first.submit(order());
    for (let second = 0; second <= 140; second += 10) {
      pass(10);
      await work();
    }
    expect(await first.status(task.id, task.accountId)).toMatchObject({
      state: "failed",
      error: { code: "submit_unknown" },
    });
    expect(vendor.submissions).toHaveLength(1);
    expect(await balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
  });

  test("one-hub: whose process died before it was sent gives the money back", async () => {
    const { first, vendor, order, customer, month, pass } = await setUp();
    // Nothing answers any more, as if the process were gone.
    vendor.answerSubmit(() => new Promise(() => {}));
    void first.submit(order());
    await expect.poll(() => vendor.submissions.length).toBe(1);
    await gateway.runtime.db.sql`
      update video_tasks set submit_started_at = null where account_id = ${customer.accountId}`;
    pass(91);
    await first.work();
    await expect.poll(() => balance(customer.accountId, month)).toEqual({ used: "0", frozen: "0" });
    expect(vendor.submissions).toHaveLength(1);
  });
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

  test("a task that ended while its submitter slept is not sent", async () => {
    const { first, videos, vendor, order, pass } = await setUp({ replicas: 2, maxTasks: 1 });
    const { sql } = gateway.runtime.db;
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
    await expect
      .poll(async () =>
        (await first.list({}, { limit: 100 })).rows.some(({ state }) => state === "submitting"),
      )
      .toBe(true);
    pass(91);
    await videos[1]?.work();
    await expect
      .poll(async () =>
        (await first.list({}, { limit: 100 })).rows.some(({ state }) => state === "submitting"),
      )
      .toBe(false);
    wake();
    expect(await submitting).toMatchObject({ kind: "upstreamsUnavailable" });
    expect(vendor.submissions).toEqual([]);
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

  test("one task of a vendor is never two of ours, whatever channel it came by", async () => {
    const { first, vendor, order } = await setUp();
    vendor.answerSubmit(() => ({ kind: "accepted", ref: "the-same" }));
    expect(await first.submit(order())).toMatchObject({ state: "processing" });
    expect(await first.submit(order())).toMatchObject({ state: "submitting" });
  });
});
