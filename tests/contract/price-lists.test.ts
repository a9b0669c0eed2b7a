/** Sells a vendor's models at its list prices plus a markup. */
import { expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";

const env = { CURRENCY: "USD" };
const gateway = perFile(() => startGateway({ env }));
const commands = commandsOn(() => gateway.databaseUrl, env);

type Import = {
  date: string;
  changed: {
    id: string;
    is_new: boolean;
    before: Record<string, string | null>;
    after: Record<string, string | null>;
  }[];
  unchanged: string[];
  not_listed: string[];
};
const command = (verb: string, ...flags: string[]) =>
  commands.json<Import>("price", verb, "--vendor", "openai", ...flags);

async function sellModels(ids: string[]) {
  const operator = await callerFor(gateway, { role: "operator" });
  const prices = { inputPrice: "1", outputPrice: "1" };
  for (const id of ids) {
    await operator.prices.create({ id, kind: "chat", isEnabled: true, ...prices });
  }
  return operator;
}

test("an import sells listed models at list price plus 20 % as previewed, each with an audit entry, and leaves others as they are", async () => {
  const operator = await sellModels(["gpt-4.1", "gpt-4.1-mini", "gpt-4o-2024-08-06", "our-own"]);
  await operator.prices.create({ id: "gpt-4.1-nano", kind: "chat", isEnabled: true, isFree: true });
  // A model that its channel's vendor knows under another name.
  await operator.prices.create({ id: "best", kind: "chat", isEnabled: true });
  const baseUrl = "https://api.openai.com/v1";
  await gateway.channel({ model: "best", vendor: "openai", baseUrl, models: { best: "gpt-4.1" } });

  const plan = await command("preview", "--factor", "1.2");
  const changed = ["best", "gpt-4.1", "gpt-4.1-mini", "gpt-4o-2024-08-06"];
  expect(plan.changed.map(({ id }) => id)).toEqual(changed);
  expect(plan.not_listed).toEqual(["our-own"]);
  expect((await operator.prices.get({ id: "gpt-4.1" })).inputPrice).toBe("1");

  const made = await command("import", "--factor", "1.2");
  expect(made).toEqual(plan);
  const none = { cache_read_price: null, cache_write_price: null, cache_write_1h_price: null };
  const unpriced = { ...none, conditional_prices: [] };
  expect(made.changed[1]).toEqual({
    ...{ id: "gpt-4.1", is_new: false },
    before: { ...unpriced, input_price: "1", output_price: "1" },
    after: { ...unpriced, input_price: "2.4", output_price: "9.6", cache_read_price: "0.6" },
  });
  expect(await operator.prices.get({ id: "best" })).toMatchObject({ inputPrice: "2.4", outputPrice: "9.6" });
  expect(await operator.prices.get({ id: "our-own" })).toMatchObject({ inputPrice: "1" });
  expect(await operator.prices.get({ id: "gpt-4.1-nano" })).toMatchObject({ isFree: true });
  const { rows } = await listChanges(gateway.runtime.db, {}, { limit: 50 });
  const entries = rows.slice(0, 5).map(({ action, targetId }) => `${action} ${targetId}`);
  expect(entries.sort()).toEqual([...changed.map((id) => `model.save ${id}`), "price.import openai"]);

  // A second import changes nothing, through any door.
  expect((await command("import", "--factor", "1.2")).changed).toEqual([]);
  const manager = await newManager(gateway);
  const { status, body } = await manager("POST /price-lists/openai/imports", { factor: "1.2" });
  expect(status).toBe(200);
  expect(body).toMatchObject({ changed: [], unchanged: changed });
});

test("an import puts on sale what the vendor's channels serve and nobody has added, with its limits (a served model was a 404)", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const baseUrl = "https://api.openai.com/v1";
  const models = { "gpt-4o-mini": "gpt-4o-mini", "our-fast": "gpt-4.1-nano", painter: "gpt-image-1" };
  await gateway.channel({
    model: "gpt-4o-mini",
    vendor: "openai-responses",
    dialect: "openai-responses",
    baseUrl,
    models,
  });
  const made = await command("import", "--factor", "1.2", "--model", "gpt-4o-mini", "--model", "our-fast");
  expect(made.changed.map(({ id, is_new }) => [id, is_new])).toEqual([
    ["gpt-4o-mini", true],
    ["our-fast", true],
  ]);
  expect(await operator.prices.get({ id: "our-fast" })).toMatchObject({
    ...{
      inputPrice: "0.12",
      outputPrice: "0.48",
      maxOutputTokens: 32_768,
      ownedBy: "openai",
      isEnabled: true,
    },
  });
  expect((await command("import", "--factor", "1.2")).changed.map(({ id }) => id)).not.toContain("painter");
});

test.each([
  [["--vendor", "nobody"], 2],
  [["--vendor", "openai", "--factor", "0"], 1],
  [["--vendor", "openai", "--factor", "-1"], 2],
  [["--vendor", "openai", "--factor", "1,2"], 1],
  [["--vendor", "openai", "--decimals", "10"], 2],
  [["--vendor", "openai", "--model", "unheard-of"], 1],
  [["--vendor", "dashscope"], 1],
])("%j is refused with a message, and changes nothing", async (flags) => {
  const before = await listChanges(gateway.runtime.db, {}, { limit: 50 });
  const { code, err } = await commands.run("price", "import", ...flags, "--json");
  expect(code).not.toBe(0);
  expect(err).not.toMatch(/at .*\.ts|undefined/);
  expect(await listChanges(gateway.runtime.db, {}, { limit: 50 })).toEqual(before);
});

test("a list in another currency is converted at the given rate", async () => {
  const operator = await sellModels(["qwen-max"]);
  await commands.json("price", "import", "--vendor", "dashscope", "--rate", "0.14", "--model", "qwen-max");
  // 2.4 and 9.6 of the list's currency.
  const sold = { inputPrice: "0.336", outputPrice: "1.344" };
  expect(await operator.prices.get({ id: "qwen-max" })).toMatchObject(sold);
});

test("two imports at once leave the prices of one of them", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const importAt = (factor: string) => operator.prices.importList({ vendor: "openai", factor });
  await Promise.all(["1.1", "1.3", "1.1", "1.3"].map(importAt));
  const { inputPrice, outputPrice } = await operator.prices.get({ id: "gpt-4.1" });
  expect([
    ["2.2", "8.8"],
    ["2.6", "10.4"],
  ]).toContainEqual([inputPrice, outputPrice]);
});
