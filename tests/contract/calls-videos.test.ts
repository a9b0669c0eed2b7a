import { expect, test } from "vitest";
import { findCharges } from "@/server/billing";
import { listCalls } from "@/server/calls";
import { perFile } from "@/tests/support/per-file";
import { startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway());

test("a video's submission is recorded with its task, whose charge it is; looks at the task are recorded without", async () => {
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

test("a submission that an upstream refuses is recorded with its task, whose money was frozen and has been returned", async () => {
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
