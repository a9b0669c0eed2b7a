import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { renameAccount } from "@/server/access";
import { answerTrpc } from "@/server/console";
import { operatorOperation } from "@/server/console/operations";
import { type Context, router } from "@/server/console/trpc";
import { sqlOf } from "@/server/db/handles";
import { operation } from "@/server/operations/operation";
import { type Belongings, footprint, newBelongings, serveSandboxChat } from "@/tests/support/belongings";
import { contextFor } from "@/tests/support/console";
import {
  codeOf,
  fill,
  findLoose,
  outcomeOf,
  type Procedure,
  procedures,
  proceduresWhere,
  textMembers,
} from "@/tests/support/procedures";
import { startVideoGateway, turbo, type VideoGateway } from "@/tests/support/video-client";

/** Input members that name an object of an account, and the kind of object. A new member needs a line here. */
const ownedBy: Record<string, keyof Belongings> = {
  accountId: "accountId",
  keyId: "keyId",
  keyIds: "keyId",
  managementKeyId: "managementKeyId",
  requestId: "requestId",
  taskId: "taskId",
  userId: "userId",
  sessionId: "sessionId",
  webhookId: "webhookId",
  deliveryId: "deliveryId",
  paymentId: "paymentId",
};

/** Free texts that name no object, with a valid value. Add a new one only if that is true of it. */
const words: Record<string, string> = {
  name: "a name",
  buyerName: "a name",
  buyerAddress: "an address",
  buyerTaxNumber: "a number",
  search: "a",
  modelId: turbo.model,
  models: turbo.model,
  period: "2026-01",
  allowedIps: "203.0.113.7",
  monthlyCap: "1",
  weeklyCap: "1",
  dailyCap: "1",
  amount: "20",
  current: "not the password",
  next: "another password",
  password: "not the password",
  code: "123456",
  url: "https://hooks.access.test/",
};

/** Mutations that change nothing, so that nothing is recorded. */
const unrecorded: Record<string, string> = {
  "app.security.beginTotp": "changes nothing before enableTotp, which is recorded",
  "app.security.beginLink": "links nobody before the provider leads back, which is recorded",
  "app.links.askPassword": "changes nothing: the worker records the link that it sends",
  "app.channels.test": "asks an upstream and changes nothing",
  "app.channels.testDraft": "asks an upstream and changes nothing",
  "app.channels.offersOfVendor": "asks an upstream and changes nothing",
  "app.channels.offersOfChannel": "asks an upstream and changes nothing",
  "app.prices.estimate": "a question that is too long for an address",
  "app.prices.previewFile": "a question that is too long for an address",
};

const FOREIGN_QUOTA = "7314.135";

const looksLikeAnId = /(^|[a-z])ids?$|^(account|channel|cursor|id|key|model|request|target|task|user)s?$/i;

let gateway: VideoGateway;
let own: Belongings;
let foreign: Belongings;
let owner: Context;
let operator: Context;

beforeAll(async () => {
  gateway = await startVideoGateway();
  await serveSandboxChat(gateway);
  own = await newBelongings(gateway, "1000");
  foreign = await newBelongings(gateway, FOREIGN_QUOTA);
  owner = await contextFor(gateway, { role: "owner", accountId: own.accountId });
  operator = await contextFor(gateway, { role: "operator" });
  await gateway.runtime.calls.flush();
  await gateway.runtime.access.flushUses();
});
afterAll(() => gateway.close());

test("the console has procedures for owners and for operators", () => {
  expect(proceduresWhere(({ seat }) => seat === "owner").length).toBeGreaterThan(5);
  expect(proceduresWhere(({ seat }) => seat === "operator").length).toBeGreaterThan(10);
});

describe("inputs", () => {
  const withInput = proceduresWhere(({ inputs }) => inputs.length > 0);

  test.each(withInput)("%s bounds its input and declares each member", (_, { inputs }) => {
    expect(inputs.flatMap((input) => findLoose(input))).toEqual([]);
  });

  const reachable = proceduresWhere(
    ({ seat, inputs }) => seat !== "operator" && seat !== "anybody" && inputs.length > 0,
  );

  test.each(reachable)("each free text of %s is listed with what it names", (_, { inputs }) => {
    const names = inputs.flatMap((input) => textMembers(input)).map((member) => member.name);
    expect(names.filter((name) => name !== "cursor" && !(name in ownedBy) && !(name in words))).toEqual([]);
  });
});

const texts = procedures.flatMap(({ path, inputs, seat }) =>
  inputs.flatMap((input) => textMembers(input).map(({ name }) => [path, name, { input, seat }] as const)),
);

describe("text that PostgreSQL cannot store", () => {
  test.each(texts)("as %s's %s is a bad request, not a server error", async (path, name, at) => {
    for (const text of ["a\0b", "a\ud800b", "\udc00"]) {
      const input = fill(at.input, { values: { [name]: text }, optionalNames: [name] });
      expect(await codeOf(at.seat === "operator" ? operator : owner, path, input)).toBe("BAD_REQUEST");
    }
  });

  test("is found at any depth, as is a moment of the year 0, and whole characters of any plane are accepted", async () => {
    let nested: unknown = "a\0b";
    for (let depth = 0; depth < 100_000; depth++) {
      nested = [nested];
    }
    expect(await codeOf(owner, "app.keys.create", nested)).toBe("BAD_REQUEST");
    const never = { name: "key", expiresAt: "0000-01-01T00:00:00Z" };
    expect(await codeOf(owner, "app.keys.create", never)).toBe("BAD_REQUEST");
    expect(await codeOf(owner, "app.keys.create", { name: "钥匙 🔑" })).toBeUndefined();
  });
});

test("a batch of more calls than any page makes is refused as a whole", async () => {
  const paths = Array<string>(51).fill("overview.month").join(",");
  const answer = await answerTrpc(new Request(`https://console.example/api/trpc/${paths}?batch=1`));
  expect(answer.status).toBe(400);
});

test("a free text that names no object does not have the name of an identifier", () => {
  const shared = ["modelId", "models"];
  expect(Object.keys(words).filter((name) => looksLikeAnId.test(name) && !shared.includes(name))).toEqual([]);
});

describe("another account's objects", () => {
  const doors = procedures
    .filter(({ seat }) => seat === "owner" || seat === "user")
    .flatMap((procedure) =>
      procedure.inputs.flatMap((input) =>
        textMembers(input)
          .filter(({ name }) => name in ownedBy)
          .map(({ name }) => [procedure.path, name, { input, procedure }] as const),
      ),
    );

  const inputOf = (input: Procedure["inputs"][number], name: string, belongings: Belongings) => {
    const ids = Object.fromEntries(Object.entries(ownedBy).map(([member, thing]) => [member, own[thing]]));
    const values = { ...words, ...ids, [name]: belongings[ownedBy[name] ?? "keyId"] };
    return fill(input, { values, optionalNames: [name] });
  };

  const nonexistent = () =>
    Object.fromEntries(
      Object.entries(foreign).map(([thing, id]) => [thing, id.replace(/.{12}$/, "0".repeat(12))]),
    );

  test("every kind of object is reached by some procedure", () => {
    const reached = new Set(doors.map(([, name]) => ownedBy[name]));
    expect([...reached].sort()).toEqual(expect.arrayContaining(["keyId", "requestId", "taskId"]));
  });

  test.each(doors)(
    "%s answers for another account's %s as for one that does not exist",
    async (path, name, { input }) => {
      const before = await footprint(gateway, foreign.accountId);
      const unknown = nonexistent() as Belongings;
      const [ofOther, ofNobody] = [inputOf(input, name, foreign), inputOf(input, name, unknown)];
      const answer = await outcomeOf(owner, path, ofOther);
      expect(answer).not.toMatchObject({ isInvalid: true });
      const text = JSON.stringify(answer).replaceAll(foreign[ownedBy[name] ?? "keyId"], "<id>");
      const expected = JSON.stringify(await outcomeOf(owner, path, ofNobody));
      expect(text).toBe(expected.replaceAll(unknown[ownedBy[name] ?? "keyId"], "<id>"));
      for (const id of Object.values(foreign)) {
        expect(text).not.toContain(id);
      }
      expect(await footprint(gateway, foreign.accountId)).toEqual(before);
    },
  );

  const questions = doors.filter(([, , { procedure }]) => procedure.kind === "query");

  test.each(questions)("%s answers with data for an account's own %s", async (path, name, { input }) => {
    const mine = await outcomeOf(owner, path, inputOf(input, name, own));
    const nobody = await outcomeOf(owner, path, inputOf(input, name, nonexistent() as Belongings));
    expect(mine).toHaveProperty("data");
    expect(JSON.stringify(mine)).not.toBe(JSON.stringify(nobody));
  });

  const traces = () => [...Object.values(foreign), FOREIGN_QUOTA];

  const open = procedures
    .filter(({ seat, kind }) => (seat === "owner" || seat === "user") && kind === "query")
    .map(({ path, inputs }) => [path, inputs] as const);

  test.each(open)("%s shows nothing of them to an owner who asks for everything", async (path, inputs) => {
    const values = { ...words, ...own, period: gateway.runtime.billing.period() };
    const [input] = inputs.map((schema) => fill(schema, { values }));
    const answer = await outcomeOf(owner, path, input);
    expect(answer).toHaveProperty("data");
    expect(traces().filter((trace) => JSON.stringify(answer).includes(trace))).toEqual([]);
  });

  const lists = procedures
    .filter(({ seat }) => seat === "owner")
    .flatMap(({ path, inputs }) =>
      inputs
        .filter((input) => textMembers(input).some(({ name }) => name === "cursor"))
        .map((input) => [path, input] as const),
    );

  test.each(lists)("%s shows nothing of another account, whatever the cursor", async (path, input) => {
    const cursors = [...Object.values(foreign), "99999999999999", "~"];
    for (const cursor of cursors) {
      const answer = await outcomeOf(
        owner,
        path,
        fill(input, { values: { ...words, cursor }, optionalNames: ["cursor"] }),
      );
      const text = JSON.stringify(answer);
      expect(traces().filter((trace) => trace !== cursor && text.includes(trace))).toEqual([]);
    }
  });
});

describe("changes", () => {
  const changes = proceduresWhere(({ kind }) => kind === "mutation");

  test.each(changes)("%s is recorded, or a reason says why not", (path, { isOperation }) => {
    expect(isOperation).toBe(!(path in unrecorded));
  });

  test("every listed exception is a change that exists", () => {
    const paths = changes.map(([path]) => path);
    expect(Object.keys(unrecorded).filter((path) => !paths.includes(path))).toEqual([]);
  });

  test("a change is rolled back if recording it fails", async () => {
    const { accountId } = foreign;
    const nameless = operation({
      needs: "accounts.write",
      input: z.strictObject({}),
      run: async ({ db }) => {
        const { id, name } = await renameAccount(db, { accountId, name: "unrecorded" });
        // An entry cannot hold money without its unit.
        return {
          ...{ action: "account.rename", accountId, target: { id, name }, after: { quota: 1n } },
          result: null,
        };
      },
    });
    const renaming = router({ rename: operatorOperation(nameless) });
    await expect(renaming.createCaller(operator).rename({})).rejects.toMatchObject({
      code: "INTERNAL_SERVER_ERROR",
    });
    const [account] = await sqlOf(gateway.runtime.db)`select name from accounts where id = ${accountId}`;
    expect(account?.name).not.toBe("unrecorded");
  });
});
