import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerTrpc } from "@/server/console";
import type { Context } from "@/server/console/trpc";
import { contextFor } from "@/tests/support/console";
import type { TestGateway } from "@/tests/support/gateway";
import { callProcedure, fill, procedures, textMembers } from "@/tests/support/procedures";
import { sharedGateway } from "@/tests/support/shared-gateway";

let gateway: TestGateway;
let owner: Context;
let operator: Context;

beforeAll(async () => {
  gateway = await sharedGateway();
  const { accountId } = await gateway.customer();
  owner = await contextFor(gateway, { role: "owner", accountId });
  operator = await contextFor(gateway, { role: "operator" });
});
afterAll(() => gateway.close());

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "answered",
    (error: { code?: string }) => error.code,
  );

/** Every free text of every procedure. */
const texts = procedures.flatMap(({ path, inputs, seat }) =>
  inputs.flatMap((input) => textMembers(input).map(({ name }) => [path, name, { input, seat }] as const)),
);

describe("text that PostgreSQL cannot keep", () => {
  test.each(texts)(
    "as %s's %s is the browser's mistake, and no error of the server's",
    async (path, name, at) => {
      const seat = at.seat === "operator" ? operator : owner;
      for (const text of ["a\0b", "a\ud800b", "\udc00"]) {
        const input = fill(at.input, { values: { [name]: text }, given: [name] });
        expect(await codeOf(callProcedure(seat, path, input))).toBe("BAD_REQUEST");
      }
    },
  );

  test("is found however deep it lies", async () => {
    let nested: unknown = "a\0b";
    for (let depth = 0; depth < 100_000; depth++) {
      nested = [nested];
    }
    expect(await codeOf(callProcedure(owner, "app.keys.create", nested))).toBe("BAD_REQUEST");
  });

  test("is not every odd one: whole characters of any plane are kept", async () => {
    expect(await codeOf(callProcedure(owner, "app.keys.create", { name: "钥匙 🔑" }))).toBe("answered");
  });
});

test("a moment of the year 0, which is none to PostgreSQL, is refused", async () => {
  const input = { name: "key", expiresAt: "0000-01-01T00:00:00Z" };
  expect(await codeOf(callProcedure(owner, "app.keys.create", input))).toBe("BAD_REQUEST");
});

test("a batch of more calls than any page makes is refused as a whole", async () => {
  const paths = Array<string>(51).fill("overview.month").join(",");
  const answer = await answerTrpc(new Request(`https://console.example/api/trpc/${paths}?batch=1`));
  expect(answer.status).toBe(400);
});
