import { beforeAll, expect, test } from "vitest";
import { newModelId } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);
const customer = perFile(() => gateway.customer());
const model = newModelId();
beforeAll(async () => {
  await gateway.model({ id: model });
});

/** What the gateway says to a client whose languages these are. */
async function saidTo(acceptLanguage: string | null, body: object): Promise<string> {
  const headers: Record<string, string> = acceptLanguage ? { "accept-language": acceptLanguage } : {};
  const response = await gateway.post(customer.secret, "chat/completions", body, { headers });
  return ((await response.json()) as { message: string }).message;
}

const messages = [{ role: "user", content: "a" }];

test.each([
  [null, "temperature 必须是 0 到 2 之间的数字"],
  ["fr", "temperature 必须是 0 到 2 之间的数字"],
  ["zh-CN,en;q=0.5", "temperature 必须是 0 到 2 之间的数字"],
  ["en-GB", "temperature must be a number from 0 to 2"],
  ["zh;q=0.2, en;q=0.9", "temperature must be a number from 0 to 2"],
])("to a client of %j a wrong parameter is explained in its language", async (acceptLanguage, words) => {
  expect(await saidTo(acceptLanguage, { model, messages, temperature: 3 })).toBe(words);
});

test("what the spec words stays as the spec has it, in every language", async () => {
  expect(await saidTo("en", { messages })).toBe("缺少 model 参数");
  expect(await saidTo("en", { model: "nope", messages })).toBe("模型 nope 不存在或未启用");
});
