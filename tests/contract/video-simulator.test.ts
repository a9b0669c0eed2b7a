import { afterEach, expect, test } from "vitest";
import {
  manualClock,
  type SimulatorOptions,
  startVideoSimulator,
  type VideoSimulator,
} from "../support/video-simulator";
import {
  type Json,
  readJson,
  seedanceBody,
  soraBody,
  vendorClient,
  wanBody,
} from "../support/video-simulator/client";

let simulator: VideoSimulator;
let vendor: ReturnType<typeof vendorClient>;

afterEach(() => simulator.close());

async function start(options: SimulatorOptions = {}) {
  const clock = manualClock();
  simulator = await startVideoSimulator({ clock, ...options });
  vendor = vendorClient(simulator);
  return clock;
}

test.each<[string, Json, Json, number, string]>([
  ["no async header", wanBody("x"), { "x-dashscope-async": "" }, 403, "AccessDenied"],
  ["a wrong key", wanBody("x"), { authorization: "Bearer other" }, 401, "InvalidApiKey"],
  ["a duration in quotes", wanBody("x", { size: "1280*720", duration: "5" }), {}, 400, "InvalidParameter"],
  ["a size with x", wanBody("x", { size: "1280x720", duration: 5 }), {}, 400, "InvalidParameter"],
  ["a size of another model", wanBody("x", { size: "1920*1080" }), {}, 400, "InvalidParameter"],
  ["another duration", wanBody("x", { size: "1280*720", duration: 10 }), {}, 400, "InvalidParameter"],
  ["a resolution instead of a size", wanBody("x", { resolution: "720P" }), {}, 400, "InvalidParameter"],
  ["an unknown model", { ...wanBody("x"), model: "wan9" }, {}, 404, "ModelNotFound"],
  ["no prompt", { ...wanBody("x"), input: {} }, {}, 400, "InvalidParameter"],
])("DashScope refuses %s", async (...[, body, headers, status, code]) => {
  await start();
  const response = await vendor.send("POST", vendor.wanUrl, { body, headers });
  expect(response.status).toBe(status);
  expect(await readJson(response)).toMatchObject({ code, request_id: expect.any(String) });
  expect(simulator.ledger.creates()).toEqual([]);
  expect(simulator.ledger.submissions()).toMatchObject([{ taskId: null }]);
});

test("Ark refuses what its model cannot, and obeys commands in the text", async () => {
  await start();
  for (const more of [{ duration: "5" }, { duration: 15 }, { ratio: "5:4" }, { resolution: "1280*720" }]) {
    expect((await vendor.send("POST", vendor.arkUrl, { body: seedanceBody("x", more) })).status).toBe(400);
  }
  expect(
    (await vendor.send("POST", vendor.arkUrl, { body: seedanceBody("x", { model: "seedream" }) })).status,
  ).toBe(404);
  await vendor.makeArk("a dog --dur 12 --rs 1080p");
  expect(simulator.ledger.creates()).toMatchObject([{ seconds: 12, resolution: "1080p" }]);
});

test("OpenAI's dialect wants seconds in quotes and a size that the model has, as JSON or as a form", async () => {
  await start();
  for (const more of [{ seconds: 4 }, { seconds: "5" }, { size: "1280*720" }, { size: "1920x1080" }]) {
    expect((await vendor.send("POST", vendor.videosUrl, { body: soraBody("x", more) })).status).toBe(400);
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(soraBody("aurora"))) {
    form.set(name, String(value));
  }
  const authorization = "Bearer upstream-secret";
  const video = await readJson(
    fetch(vendor.videosUrl, { method: "POST", headers: { authorization }, body: form }),
  );
  expect(video).toMatchObject({ object: "video", status: "queued", seconds: "4", prompt: "aurora" });
});

test("a prompt beyond the limit is cut in silence", async () => {
  await start();
  const taskId = await vendor.makeWan("長".repeat(900));
  expect((await vendor.lookWan(taskId)).orig_prompt).toHaveLength(800);
  expect(simulator.ledger.creates()[0]?.prompt).toHaveLength(900);
});

test("a task is pending, running and succeeded with its times, and its file is real, ranged and gone after a day", async () => {
  const clock = await start();
  const taskId = await vendor.makeWan();
  expect(await vendor.stateOfWan(taskId)).toBe("PENDING");
  clock.advance(1_000);
  expect(await vendor.stateOfWan(taskId)).toBe("RUNNING");
  clock.advance(10_000);
  const output = await vendor.lookWan(taskId);
  expect(output).toMatchObject({
    task_status: "SUCCEEDED",
    submit_time: "2026-01-15 12:00:00.000",
    scheduled_time: "2026-01-15 12:00:01.000",
    end_time: "2026-01-15 12:00:11.000",
  });
  const url = String(output.video_url);
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect(whole.subarray(4, 8).toString()).toBe("ftyp");
  const part = await fetch(url, { headers: { range: "bytes=4-7" } });
  expect([part.status, await part.text()]).toEqual([206, "ftyp"]);
  expect((await fetch(url.replace(/Signature=./, "Signature=_"))).status).toBe(403);
  clock.advance(24 * 3_600_000);
  expect((await fetch(url)).status).toBe(403);
  expect(await vendor.stateOfWan(taskId)).toBe("UNKNOWN");
});

test("OpenAI's file needs the key and expires after an hour; progress grows", async () => {
  const clock = await start();
  const { id } = await readJson(vendor.send("POST", vendor.videosUrl, { body: soraBody("a lake") }));
  clock.advance(6_000);
  expect(await readJson(vendor.send("GET", `${vendor.videosUrl}/${id}`))).toMatchObject({
    status: "in_progress",
    progress: 50,
  });
  expect((await vendor.send("GET", `${vendor.videosUrl}/${id}/content`)).status).toBe(404);
  clock.advance(6_000);
  const video = await readJson(vendor.send("GET", `${vendor.videosUrl}/${id}`));
  expect(video).toMatchObject({ status: "completed", progress: 100 });
  expect(video).not.toHaveProperty("url");
  expect((await fetch(`${vendor.videosUrl}/${id}/content`)).status).toBe(401);
  const part = await vendor.send("GET", `${vendor.videosUrl}/${id}/content`, {
    headers: { range: "bytes=-3" },
  });
  expect([part.status, part.headers.get("content-type")]).toEqual([206, "video/mp4"]);
  clock.advance(3_600_000);
  expect((await vendor.send("GET", `${vendor.videosUrl}/${id}/content`)).status).toBe(404);
});

test("a task can be unknown in its first second", async () => {
  const clock = await start({ hiddenMs: 1_000 });
  const taskId = await vendor.makeWan();
  expect(await vendor.stateOfWan(taskId)).toBe("UNKNOWN");
  clock.advance(1_000);
  expect(await vendor.stateOfWan(taskId)).toBe("RUNNING");
});

test("two tasks of an account and model run, the others wait in order, and a waiting one can be cancelled", async () => {
  const clock = await start({ accounts: { "upstream-secret": "main", second: "other" } });
  const ids = [
    await vendor.makeWan("1"),
    await vendor.makeWan("2"),
    await vendor.makeWan("3"),
    await vendor.makeWan("4"),
  ];
  clock.advance(1_000);
  const states = () => Promise.all(ids.map(vendor.stateOfWan));
  expect(await states()).toEqual(["RUNNING", "RUNNING", "PENDING", "PENDING"]);
  const cancel = (id = "") => vendor.send("POST", `${vendor.wanTask(id)}/cancel`);
  expect((await cancel(ids[0])).status).toBe(400);
  expect((await cancel(ids[2])).status).toBe(200);
  expect(await states()).toEqual(["RUNNING", "RUNNING", "CANCELED", "PENDING"]);
  const headers = { authorization: "Bearer second" };
  const other = await vendor.send("POST", vendor.wanUrl, { body: wanBody("5"), headers });
  expect(other.status).toBe(200);
  clock.advance(15_000);
  expect(await states()).toEqual(["SUCCEEDED", "SUCCEEDED", "CANCELED", "RUNNING"]);
  expect(simulator.ledger.runningSeconds(ids[3] ?? "")).toBe(5);
  expect(simulator.ledger.cancels()).toMatchObject([{ outcome: "tooLate" }, { outcome: "cancelled" }]);
});

test("Ark's delete cancels a queued task, refuses a running one and forgets an ended one", async () => {
  const clock = await start({ capacity: 1 });
  const first = await vendor.makeArk("1");
  const second = await vendor.makeArk("2");
  clock.advance(1_000);
  const remove = (id: string) => vendor.send("DELETE", `${vendor.arkUrl}/${id}`);
  expect((await remove(first)).status).toBe(409);
  expect((await remove(second)).status).toBe(200);
  expect(await readJson(vendor.send("GET", `${vendor.arkUrl}/${second}`))).toMatchObject({
    status: "cancelled",
  });
  clock.advance(10_000);
  expect(await readJson(vendor.send("GET", `${vendor.arkUrl}/${first}`))).toMatchObject({
    status: "succeeded",
    content: { video_url: expect.stringContaining(".mp4") },
    usage: { completion_tokens: 108_900 },
  });
  expect((await remove(first)).status).toBe(200);
  expect((await vendor.send("GET", `${vendor.arkUrl}/${first}`)).status).toBe(404);
});

test("a full queue and more than two submissions or twenty polls a second are refused with 429", async () => {
  const limits = { submitsPerSecond: 2, pollsPerSecond: 20, retryAfterSeconds: 1 };
  const clock = await start({ rateLimits: limits, queueLimit: 3 });
  const taskId = await vendor.makeWan("1");
  await vendor.makeWan("2");
  const third = await vendor.submitWan("3");
  expect([third.status, third.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await readJson(third)).toMatchObject({ code: "Throttling.RateQuota" });
  const polls = await Promise.all(Array.from({ length: 21 }, () => vendor.pollWan(taskId)));
  expect(polls.filter(({ status }) => status === 429)).toHaveLength(1);
  clock.advance(1_000);
  await Promise.all([vendor.submitWan("4"), vendor.submitWan("5")]);
  clock.advance(999);
  expect(simulator.ledger.creates()).toHaveLength(4);
});

test("the list finds a task whose reply was lost", async () => {
  await start();
  await expect(vendor.submitWan("mine [fault:reply-lost]")).rejects.toThrow();
  const query = "model_name=wanx2.1-t2v-turbo&start_time=20260115115900&end_time=20260115120100";
  const page = await readJson(vendor.send("GET", `${simulator.baseUrls.dashscope}/tasks?${query}`));
  const [created] = simulator.ledger.creates();
  expect(page).toMatchObject({ total: 1, data: [{ task_id: created?.taskId, status: "PENDING" }] });
  expect(simulator.ledger.submissions()).toMatchObject([
    { outcome: "reset-before", taskId: created?.taskId },
  ]);
  expect((await vendor.send("GET", `${simulator.baseUrls.dashscope}/tasks?start_time=2026`)).status).toBe(
    400,
  );
});

test("the ledger knows the bill, the pace of the polls, polls after the end, other keys and doubled prompts", async () => {
  const clock = await start({ accounts: { "upstream-secret": "main", "second-key": "main" } });
  const taskId = await vendor.makeWan("twice");
  await vendor.makeWan("twice [fault:failed]");
  await vendor.makeWan("twice");
  await vendor.pollWan(taskId);
  clock.advance(15_000);
  await vendor.pollWan(taskId);
  const { ledger } = simulator;
  expect(ledger.shortestPollGapMs()).toBe(15_000);
  expect(ledger.pollsAfterEnd()).toEqual([]);
  expect(ledger.pollsWithOtherKey()).toEqual([]);
  clock.advance(1_000);
  const headers = { authorization: "Bearer second-key" };
  expect((await vendor.send("GET", vendor.wanTask(taskId), { headers })).status).toBe(200);
  expect(ledger.shortestPollGapMs()).toBe(1_000);
  expect(ledger.pollsAfterEnd()).toMatchObject([{ taskId, key: "second-key" }]);
  expect(ledger.pollsWithOtherKey()).toMatchObject([{ taskId, key: "second-key" }]);
  expect(ledger.promptsMadeTwice()).toEqual(["twice"]);
  clock.advance(10_000);
  expect(ledger.billed()).toMatchObject([
    { taskId, seconds: 5, amount: 1.2 },
    { seconds: 5, amount: 1.2 },
  ]);
  expect(ledger.billedTotal()).toBeCloseTo(2.4);
});
