import { afterAll, beforeAll, expect, test } from "vitest";
import { formatMoney } from "@/server/base/money";
import { listModels } from "@/server/catalog";
import { firstBoot } from "@/server/process/first-boot";
import type { TestGateway } from "@/tests/support/gateway";
import { startGateway } from "@/tests/support/gateway";
import { type FakeUpstream, sendJson, startUpstream } from "@/tests/support/upstream";

let vendor: FakeUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  const ids = ["gpt-4.1", "text-embedding-3-small", "gpt-of-tomorrow"];
  vendor = await startUpstream((_asked, response) =>
    sendJson(response, 200, { data: ids.map((id) => ({ id })) }),
  );
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** A first start with a vendor's key: what it says, and what each model then costs, or null where it is not sold. */
async function boot(config: object) {
  const said: string[] = [];
  const { runtime } = gateway;
  await firstBoot({ ...runtime, config: { ...runtime.config, ...config } }, (line) => void said.push(line));
  const models = await listModels(runtime.db);
  const prices = models.map(({ id, isPriced, maxOutputTokens, prices: { input, output } }) => [
    id,
    isPriced ? `${formatMoney(input)} ${formatMoney(output)} ${maxOutputTokens}` : null,
  ]);
  return { said: said.join("\n"), prices: Object.fromEntries(prices) };
}

test("a vendor's key at the first start sells known models at list price, and says which are not sold", async () => {
  const { said, prices } = await boot({
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: vendor.baseUrl,
    CURRENCY: "USD",
  });
  expect(prices).toEqual({
    "gpt-4.1": "2 8 32768",
    "text-embedding-3-small": "0.02 0 16384",
    "gpt-of-tomorrow": null,
  });
  expect(said).toContain("Not sold, for want of a price: gpt-of-tomorrow");
});

test("in another currency nothing is sold before the operator has priced it", async () => {
  const { said, prices } = await boot({
    ANTHROPIC_API_KEY: "sk-ant-test",
    ANTHROPIC_BASE_URL: vendor.baseUrl.replace("/v1", ""),
    CURRENCY: "CNY",
  });
  expect(prices["gpt-of-tomorrow"]).toBeNull();
  expect(said).toMatch(/Not sold, for want of a price: gpt-of-tomorrow/);
});
