import { expect, test } from "vitest";
import { messages, perFile } from "@/tests/support/per-file";
import { callerFor } from "../support/console";
import { sharedGateway } from "../support/shared-gateway";
import { answerJson, startUpstream } from "../support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerJson({}, 500)));

const SECRET = "sk-vendor-key-0123456789";
const PROMPT = "the-prompt-of-a-customer";

async function failWith(status: number, error: object) {
  upstream.answer(answerJson({ error }, status));
  const model = await gateway.model();
  const name = `channel of ${model}`;
  await gateway.channel({ model, name, baseUrl: upstream.baseUrl, secrets: [SECRET] });
  const { accountId, secret } = await gateway.customer();
  const answer = await gateway.chat(secret, { model, messages });
  await answer.text();
  await gateway.runtime.calls.flush();
  const requestId = answer.headers.get("x-request-id") ?? "";
  const owner = await callerFor(gateway, { role: "owner", accountId });
  const operator = await callerFor(gateway, { role: "operator" });
  return {
    name,
    own: await owner.calls.get({ requestId }),
    operators: await operator.allCalls.get({ requestId }),
  };
}

const names = {
  ...{ type: "invalid_request_error", code: "context_length_exceeded", param: "messages[0].content" },
};

test("the names of a vendor's error are kept in full, its text by its terms, and both sides see them if the client did", async () => {
  const { own, operators, name } = await failWith(400, { message: `maximum context ${PROMPT}`, ...names });
  expect(own).toMatchObject({ error: "upstream_rejected", vendorError: names, money: "returned" });
  expect(own).not.toHaveProperty("attempts");
  expect(operators).toMatchObject({
    vendorError: names,
    attempts: [{ channel: { name }, outcome: "rejected", vendorError: names }],
  });
  expect(JSON.stringify([own, operators])).not.toContain(PROMPT);
});

test("the names of an error that no client received are for operators, without text and without credentials", async () => {
  const { own, operators } = await failWith(429, {
    ...{ message: "slow", type: "requests", code: `the prompt ${PROMPT}`, param: SECRET },
  });
  expect(own).toMatchObject({ error: "upstreams_unavailable", vendorError: null });
  const { type, ...others } = operators?.vendorError ?? {};
  expect(type).toBe("requests");
  expect(JSON.stringify(others)).not.toMatch(/prompt|0123456789/);
});
