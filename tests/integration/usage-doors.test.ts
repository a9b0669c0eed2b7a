import { afterAll, beforeAll, expect, test } from "vitest";
import { newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { startVideoGateway, type VideoGateway } from "@/tests/support/video-client";
import { type Belongings, newBelongings, serveSandboxChat } from "../support/belongings";

let gateway: VideoGateway;
let own: Belongings;
let foreign: Belongings;

beforeAll(async () => {
  gateway = await startVideoGateway();
  await serveSandboxChat(gateway);
  own = await newBelongings(gateway, "1000");
  foreign = await newBelongings(gateway, "1000");
});
afterAll(() => gateway.close());

const commands = commandsOn(() => gateway.databaseUrl);

test("the console, the command and the admin API tell an account the same usage, and nobody another's", async () => {
  const { accountId } = own;
  const owner = await callerFor(gateway, { role: "owner", accountId });
  const operator = await callerFor(gateway, { role: "operator" });
  const mine = await owner.usage.show({ by: "key" });
  expect(mine.rows.length).toBeGreaterThan(0);
  expect(mine.rows.map(({ id }) => id)).not.toContain(foreign.keyId);
  expect(await operator.allUsage.show({ by: "key", accountId })).toEqual(mine);

  const used = (await owner.overview.month()).used;
  expect(mine.total.amount).toBe(used);

  const listed = await commands.json<{ name: string; amount: string; calls: number }[]>(
    "usage",
    "show",
    "--account",
    accountId,
    "--by",
    "key",
  );
  expect(listed.at(-1)).toMatchObject({ name: "total", amount: used, calls: mine.total.calls });
  expect(listed.slice(0, -1).map(({ amount }) => amount)).toEqual(mine.rows.map(({ amount }) => amount));

  const program = await newManager(gateway, { accountId });
  const { body } = await program("GET /usage?by=key");
  expect(body).toMatchObject({ total: { amount: used }, rows: [{ id: own.keyId }] });
  const { body: both } = await program("GET /usage?by=key_model");
  const [line] = (both as { rows: { id: string; name: string }[] }).rows;
  expect(line?.id).toMatch(new RegExp(`^${own.keyId} \\S`));
  expect(line?.name).toContain(" · ");
  const all = await commands.json<{ id: string }[]>("usage", "show", "--by", "account");
  expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining([accountId, foreign.accountId]));
});

test.each([
  ["--by", "channel"],
  ["--by", "key", "--from", "yesterday"],
  ["--by", "key", "--range", "year"],
])("%s %s is refused", async (...flags) => {
  expect((await commands.run("usage", "show", ...flags)).code).toBe(1);
});
