import { expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { sendJson, startUpstream } from "@/tests/support/upstream";

const answer = {
  candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, index: 0, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
};

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream((_asked, response) => sendJson(response, 200, answer)));
const customer = perFile(() => gateway.customer());
const messages = [{ role: "user", content: "hi" }];

test.each([
  ["a key that is none", { status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] }],
  ["a place that is not served", { status: "FAILED_PRECONDITION" }],
])("Google's 400 for %s is no fault of the call's: the next channel takes it", async (_what, more) => {
  const message = "User location is not supported for the API use.";
  const broken = await startUpstream((_asked, response) =>
    sendJson(response, 400, { error: { code: 400, message, ...more } }),
  );
  const failing = await gateway.model();
  const channel = { model: failing, dialect: "gemini", models: { [failing]: "gemini-x" } } as const;
  await gateway.channel({ ...channel, baseUrl: broken.baseUrl, priority: 10 });
  await gateway.channel({ ...channel, baseUrl: upstream.baseUrl.replace(/\/v1$/, "") });
  for (let round = 0; round < 2; round++) {
    const response = await gateway.chat(customer.secret, { model: failing, messages });
    expect(response.status).toBe(200);
  }
  // The credential rests.
  expect(broken.asked).toHaveLength(1);
  await broken.close();
});

test("what Google refuses for the call's sake is the client's to hear, once", async () => {
  const message = "Invalid value at 'contents'";
  const strict = await startUpstream((_asked, response) =>
    sendJson(response, 400, { error: { code: 400, message, status: "INVALID_ARGUMENT", details: [] } }),
  );
  const refused = await gateway.model();
  await gateway.channel({ model: refused, dialect: "gemini", baseUrl: strict.baseUrl });
  const response = await gateway.chat(customer.secret, { model: refused, messages });
  expect([response.status, await response.json()]).toEqual([400, { code: 400, message, data: null }]);
  expect(strict.asked).toHaveLength(1);
  await strict.close();
});
