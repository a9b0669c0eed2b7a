import { describe, expect, test } from "vitest";
import { issueKey } from "@/server/access";
import { findCharges } from "@/server/billing";
import { listCalls } from "@/server/calls";
import { perFile } from "@/tests/support/per-file";
import { type Json, startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway());

const bodyOf = async (response: Response) => (await response.json()) as Json;

describe("a status query is refused", () => {
  test("with 404 for a task that does not or cannot exist", async () => {
    const { secret } = await gateway.customer();
    const ids = [`task_${"0".repeat(32)}`, "nope", "a%00b", "..%2f..%2fetc", "x".repeat(500), "%E4%BB%BB"];
    for (const id of ids) {
      const response = await gateway.status(secret, id);
      expect(await bodyOf(response), id).toEqual({ code: 404, message: "视频任务不存在", data: null });
      expect(response.headers.get("x-error-code")).toBe("task_not_found");
    }
  });

  test("with 403 for another account's task, and not for another key of the same account", async () => {
    const [owner, other] = [await gateway.customer(), await gateway.customer()];
    const id = await gateway.begin(owner.secret, turbo);
    const refused = await gateway.status(other.secret, id);
    expect(await bodyOf(refused)).toEqual({ code: 403, message: "无权访问该视频任务", data: null });
    expect(refused.headers.get("x-error-code")).toBe("task_forbidden");
    const { db, secrets } = gateway.runtime;
    const second = await issueKey(db, { accountId: owner.accountId, name: "second" }, secrets.keyPepper);
    expect((await gateway.status(second.secret, id)).status).toBe(200);
  });

  test("with 405 for another method, and 404 for a deeper path", async () => {
    const path = `${gateway.url}/v1/videos/generations`;
    const refusals = [
      ["DELETE", `${path}/task_1`, 405],
      ["GET", path, 405],
      ["POST", `${path}/task_1/content`, 405],
      ["GET", `${path}/task_1/content/more`, 404],
      ["PUT", `${gateway.url}/v1/videos`, 405],
      ["GET", `${gateway.url}/v1/videos/task_1/more`, 404],
    ] as const;
    for (const [method, url, status] of refusals) {
      expect([method, url, (await fetch(url, { method })).status]).toEqual([method, url, status]);
    }
  });
});

test("a video's submission is recorded with its task, which is charged when it is completed, and a status query without", async () => {
  const { secret, accountId } = await gateway.customer();
  const { db } = gateway.runtime;
  const taskId = await gateway.begin(secret, turbo);
  await (await gateway.status(secret, taskId)).text();
  await gateway.runtime.calls.flush();
  const { rows } = await listCalls(db, { accountId });
  expect(rows).toMatchObject([
    { endpoint: "videos.status", taskId: null, status: 200 },
    { endpoint: "videos.submit", taskId, status: 202, modelId: turbo.model },
  ]);
  await gateway.reach(secret, taskId, "completed");
  const charges = await findCharges(db, [{ id: taskId, accountId }]);
  expect(charges.get(taskId)).toMatchObject({ kind: "capture", amount: 50000000n });
});

test("a submission that an upstream refuses is recorded with its task, whose frozen money has been returned", async () => {
  const { secret, accountId } = await gateway.customer();
  const { db } = gateway.runtime;
  const refused = await gateway.submit(secret, { ...turbo, prompt: "A lighthouse [reject]" });
  expect(refused.status).toBe(400);
  await gateway.runtime.calls.flush();
  const { rows } = await listCalls(db, { accountId });
  expect(rows).toMatchObject([{ endpoint: "videos.submit", status: 400, error: "upstream_rejected" }]);
  const taskId = rows[0]?.taskId ?? "";
  const charges = await findCharges(db, [{ id: taskId, accountId }]);
  expect(charges.get(taskId)).toMatchObject({ kind: "release", held: 50000000n });
});
