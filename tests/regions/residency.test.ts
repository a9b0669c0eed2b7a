/** Two installations, one in each region: they share configuration files and nothing else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { listAccounts } from "@/server/access";
import { eventually } from "@/tests/support/eventually";
import {
  fileInstallations,
  type Installation,
  isApplied,
  KEY_SECRET,
  sql,
} from "@/tests/support/file-installations";

const { page, install } = fileInstallations();

const KEY_OF_B = `sk-${"b7".repeat(21)}y`;
const CUSTOMER_OF_B = `
accounts:
  - name: bravo
    quota: 300
    keys:
      - name: production
        secret:
          env: BRAVO_PRODUCTION_KEY
`;

let a: Installation;
let b: Installation;
beforeAll(async () => {
  const [shared = "", customers = ""] = page.example.split(/^(?=accounts:)/m);
  // Both have the same three secrets, which separate installations should not have: the worst case.
  [a, b] = [await install(), await install({ BRAVO_PRODUCTION_KEY: KEY_OF_B })];
  for (const [{ write, apply }, own] of [
    [a, customers],
    [b, CUSTOMER_OF_B],
  ] as const) {
    await write(shared);
    expect(await apply("--label", "shared")).toMatchObject(isApplied);
    await write(own);
    expect(await apply("--label", "customers")).toMatchObject(isApplied);
  }
});
afterAll(() => Promise.all([a, b].map(({ gateway }) => gateway.close())));

const statusIn =
  ({ gateway }: Installation, secret: string) =>
  async () => {
    const answer = await gateway.chat(secret, {
      model: "gpt-5.1",
      messages: [{ role: "user", content: "hi" }],
    });
    await answer.text();
    return answer.status;
  };

test("a customer's key works in its region, and is unknown in the other one", async () => {
  await eventually(statusIn(a, KEY_SECRET)).toBe(200);
  await eventually(statusIn(b, KEY_OF_B)).toBe(200);
  expect(await statusIn(b, KEY_SECRET)()).toBe(401);
  expect(await statusIn(a, KEY_OF_B)()).toBe(401);
});

/** The tables that have one of these texts in some row. */
async function tablesWith(installation: Installation, texts: string[]): Promise<string[]> {
  const client = sql(installation);
  const tables = await client<{ name: string }[]>`
    select relname as name from pg_class join pg_namespace as space on space.oid = relnamespace
    where nspname = 'public' and relkind in ('r', 'p') order by 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await client`
      select from ${client(name)} as line where exists (
        select from unnest(${texts}::text[]) as text where position(text in line::text) > 0) limit 1`;
    if (rows.length > 0) {
      found.push(name);
    }
  }
  return found;
}

test("no row of a region's customers, calls and money is in the database of the other", async () => {
  const accounts = await listAccounts(a.gateway.runtime.db);
  const keys = await sql(a)<{ id: string; hash: string }[]>`select id, hash from api_keys`;
  // The request log is written some moments after a call.
  await eventually(async () => (await sql(a)`select from calls`).length).toBeGreaterThan(0);
  const calls = await sql(a)<{ id: string }[]>`select request_id as id from calls`;
  const texts = [
    ...["acme", ...accounts.map(({ id }) => id), ...calls.map(({ id }) => id)],
    ...keys.flatMap(({ id, hash }) => [id, hash]),
  ];
  expect(await tablesWith(a, texts)).toEqual(
    expect.arrayContaining(["accounts", "api_keys", "calls", "ledger_entries", "users"]),
  );
  expect(await tablesWith(b, texts)).toEqual([]);
  expect(await b.gateway.verify()).toEqual([]);
});

test("both sell the same models from the same channels at the same prices", async () => {
  const [models, channels] = [
    await Promise.all([a, b].map(({ json }) => json("model", "list"))),
    await Promise.all([a, b].map(({ json }) => json("channel", "list"))),
  ];
  const namesOf = (channels: unknown) => (channels as { name: string }[]).map(({ name }) => name);
  expect(models[0]).toEqual(models[1]);
  expect(namesOf(channels[0])).toEqual(namesOf(channels[1]));
});
