import { afterEach, expect, test } from "vitest";
import {
  manualClock,
  type SimulatorOptions,
  startVideoSimulator,
  type VideoSimulator,
} from "../support/video-simulator";
import { type Json, outcome, vendorClient } from "../support/video-simulator/client";

let simulator: VideoSimulator;
let vendor: ReturnType<typeof vendorClient>;

afterEach(() => simulator.close());

async function start(options: SimulatorOptions = {}) {
  const clock = manualClock();
  simulator = await startVideoSimulator({ clock, ...options });
  vendor = vendorClient(simulator);
  return clock;
}

test.each<[string, number, Json]>([
  ["content-later", 20, { task_status: "FAILED", code: "DataInspectionFailed" }],
  ["failed", 20, { task_status: "FAILED", code: "InternalError.Algo" }],
  ["cancelled", 20, { task_status: "CANCELED" }],
  ["expired", 20, { task_status: "UNKNOWN" }],
  ["odd-state", 5, { task_status: "SUSPENDED" }],
  ["never", 80_000, { task_status: "RUNNING" }],
  ["ends-at=599", 598.9, { task_status: "RUNNING" }],
  ["ends-at=599", 599, { task_status: "SUCCEEDED" }],
  ["ends-at=600.5", 600.4, { task_status: "RUNNING" }],
])("[fault:%s] after %d s", async (fault, seconds, expected) => {
  const clock = await start();
  const taskId = await vendor.makeWan(`x [fault:${fault}]`);
  clock.advance(seconds * 1_000);
  expect(await vendor.lookWan(taskId)).toMatchObject(expected);
});

test("[fault:failed-bare] fails without a word, [fault:no-url] succeeds without a file", async () => {
  const clock = await start();
  const failed = await vendor.makeWan("x [fault:failed-bare]");
  const empty = await vendor.makeWan("x [fault:no-url]");
  clock.advance(20_000);
  expect(await vendor.lookWan(failed)).not.toHaveProperty("code");
  expect([await vendor.stateOfWan(failed), await vendor.stateOfWan(empty)]).toEqual(["FAILED", "SUCCEEDED"]);
  expect(await vendor.lookWan(empty)).not.toHaveProperty("video_url");
});

test("[fault:no-url=2] keeps the file back twice", async () => {
  const clock = await start();
  const taskId = await vendor.makeWan("x [fault:no-url=2]");
  clock.advance(20_000);
  const has = async () => "video_url" in (await vendor.lookWan(taskId));
  expect([await has(), await has(), await has()]).toEqual([false, false, true]);
});

test("[fault:regress] falls back from running to pending", async () => {
  const clock = await start();
  const taskId = await vendor.makeWan("x [fault:regress]");
  clock.advance(2_000);
  expect([await vendor.stateOfWan(taskId), await vendor.stateOfWan(taskId)]).toEqual(["RUNNING", "PENDING"]);
});

test("[fault:duplicate-id] answers with an earlier task's id", async () => {
  await start();
  const first = await vendor.makeWan("1");
  expect(await vendor.makeWan("2 [fault:duplicate-id]")).toBe(first);
  expect(new Set(simulator.ledger.creates().map(({ taskId }) => taskId)).size).toBe(2);
});

test.each<[string, RegExp, number]>([
  ["content-at-submit", /^400 .*DataInspe/, 0],
  ["submit-500", /^500 .*InternalError/, 0],
  ["429", /^429 .*Throttling/, 0],
  ["502", /^502 <html>/, 0],
  ["502-taken", /^502 <html>/, 1],
  ["504", /^504 <html>/, 0],
  ["html", /^200 <html>/, 0],
  ["submit-arrears", /^403 .*Arrearage/, 0],
  ["truncated-json", /^200 {"output"/, 1],
  ["empty-202", /^202 $/, 1],
  ["reset-before", /^no answer$/, 0],
  ["reply-lost", /^no answer$/, 1],
  ["reset-mid-reply", /^no answer$/, 1],
  ["slow-headers", /^200 {"output"/, 1],
  ["misspelt", /^400 .*InvalidParameter/, 0],
])("[fault:%s] at submit", async (fault, expected, made) => {
  await start({ slowMs: 20 });
  expect(await outcome(vendor.submitWan(`x [fault:${fault}]`))).toMatch(expected);
  expect(simulator.ledger.creates()).toHaveLength(made);
});

test.each<[string, RegExp]>([
  ["poll-500=2", /^500 /],
  ["poll-502=2", /^502 <html>/],
  ["poll-429=2", /^429 /],
  ["poll-html=2", /^200 <html>/],
  ["poll-truncated-json=2", /^200 {"request_id/],
  ["poll-empty-202=2", /^202 $/],
  ["poll-reset-before=2", /^no answer$/],
  ["poll-reset-mid-reply=2", /^no answer$/],
  ["arrears=2", /^403 .*Arrearage/],
  ["key-revoked=2", /^401 /],
  ["unknown-task=2", /^200 /],
])("[fault:%s] befalls two polls and no third", async (fault, expected) => {
  await start();
  const taskId = await vendor.makeWan(`x [fault:${fault}]`);
  expect(await outcome(vendor.pollWan(taskId))).toMatch(expected);
  expect(await outcome(vendor.pollWan(taskId))).toMatch(expected);
  expect(await vendor.stateOfWan(taskId)).toBe("PENDING");
  const said = simulator.ledger.pollsOf(taskId).map((poll) => poll.said);
  expect(said).toEqual([
    expect.not.stringMatching("pending"),
    expect.not.stringMatching("pending"),
    "pending",
  ]);
});

test("[fault:wrong-id-echo] shows another task's id", async () => {
  await start();
  const taskId = await vendor.makeWan("x [fault:wrong-id-echo=1]");
  expect((await vendor.lookWan(taskId)).task_id).not.toBe(taskId);
  expect((await vendor.lookWan(taskId)).task_id).toBe(taskId);
});

test("a huge body comes until its reader goes", async () => {
  await start({ hugeBytes: 4 * 1_048_576 });
  const taskId = await vendor.makeWan("x [fault:poll-huge-body]");
  expect((await (await vendor.pollWan(taskId)).arrayBuffer()).byteLength).toBeGreaterThan(4 * 1_048_576);
  const response = await vendor.pollWan(taskId);
  await response.body?.cancel();
  expect(response.status).toBe(200);
});

test("faults can be set from outside, a key revoked, and the whole vendor taken away and brought back", async () => {
  await start();
  simulator.faults.nextSubmits("502-taken", 1);
  expect((await vendor.submitWan("1")).status).toBe(502);
  const taskId = await vendor.makeWan("2");
  const other = await vendor.makeWan("3");
  simulator.faults.nextPolls("500", { taskId, times: 1 });
  expect((await vendor.pollWan(other)).status).toBe(200);
  expect((await vendor.pollWan(taskId)).status).toBe(500);
  expect(await vendor.stateOfWan(taskId)).toBe("PENDING");
  await simulator.down();
  expect(await outcome(vendor.pollWan(taskId))).toBe("no answer");
  await simulator.up();
  expect(await vendor.stateOfWan(taskId)).toBe("PENDING");
  simulator.revokeKey("upstream-secret");
  expect((await vendor.pollWan(taskId)).status).toBe(401);
});
