import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setAccountStatus } from "@/server/access";
import { inputSchema, type Route } from "@/server/admin/route";
import { routes } from "@/server/admin/routes";
import { snakeCase } from "@/server/base/snake-case";
import { membersOf } from "@/server/base/wire-names";
import { permissions } from "@/server/domain/enums";
import { mayAll } from "@/server/domain/roles";
import * as operations from "@/server/operations";
import * as queries from "@/server/queries";
import { type AdminClient, adminClient, newManager } from "@/tests/support/admin-api";
import { type Belongings, footprint, newBelongings, serveSandboxChat } from "@/tests/support/belongings";
import { startVideoGateway, turbo, type VideoGateway } from "@/tests/support/video-client";

/** A number that no other text contains. */
const FOREIGN_QUOTA = "7314.135";

let gateway: VideoGateway;
let own: Belongings;
let foreign: Belongings;
let ofOwn: AdminClient;
let readOnly: AdminClient;
let ofInstallation: AdminClient;
let reader: AdminClient;

beforeAll(async () => {
  gateway = await startVideoGateway();
  await serveSandboxChat(gateway);
  own = await newBelongings(gateway, "1000");
  foreign = await newBelongings(gateway, FOREIGN_QUOTA);
  const { accountId } = own;
  ofOwn = await newManager(gateway, { accountId });
  readOnly = await newManager(gateway, { accountId, isReadOnly: true });
  ofInstallation = await newManager(gateway);
  reader = await newManager(gateway, { isReadOnly: true });
  await gateway.runtime.calls.flush();
  await gateway.runtime.access.flushUses();
});
afterAll(() => gateway.close());

const period = () => gateway.runtime.billing.period();

/** Replaces the names in a path by the identifiers of `belongings`. */
const namedIn = (path: string, belongings: Belongings): string =>
  path
    .replace("{account_id}", belongings.accountId)
    .replace("{key_id}", belongings.keyId)
    .replace("{task_id}", belongings.taskId)
    .replace("{request_id}", belongings.requestId)
    .replace("{user_id}", belongings.userId)
    .replace("{webhook_id}", belongings.webhookId)
    .replace("{payment_id}", belongings.paymentId)
    .replace("{channel_id}", "chn_none")
    .replace(/\{(model_)?id\}/, turbo.model)
    .replace("{period}", period());

const requestOf = (route: Route, belongings: Belongings) =>
  `${route.method} ${namedIn(route.path, belongings)}`;

const routeCases = (kept: (route: Route) => boolean = () => true) =>
  routes.filter(kept).map((route) => [`${route.method} ${route.path}`, route] as const);

const isForOwners = ({ ways }: Route) => ways.some(({ needs }) => mayAll("owner", needs));

type AdminAnswer = { status: number; body: Record<string, unknown> };
const codes = ({ status, body }: AdminAnswer) => [status, body.code, body.data];

test("the admin API has routes, some of them for owners", () => {
  expect(routeCases().length).toBeGreaterThan(35);
  expect(routeCases(isForOwners).length).toBeGreaterThan(10);
});

describe.each(routeCases())("%s", (_, route) => {
  test("refuses a request without a valid management key, whatever else it shows", async () => {
    const expired = await newManager(gateway, { expiresAt: new Date(Date.now() - 1_000) });
    const { secret } = await gateway.customer();
    for (const invalidSecret of ["", "nonsense", `mk-${"0".repeat(43)}`, secret]) {
      expect(codes(await adminClient(gateway, invalidSecret)(requestOf(route, own)))).toEqual([
        401,
        401,
        null,
      ]);
    }
    expect(codes(await expired(requestOf(route, own)))).toEqual([401, 401, null]);
  });

  test("refuses an unknown parameter, and the console's spelling of a known one", async () => {
    const client = route.ways.some(({ needs }) => mayAll("operator", needs)) ? ofInstallation : ofOwn;
    const ask = (name: string) =>
      route.method === "GET"
        ? client(`${requestOf(route, own)}?${name}=1`)
        : client(requestOf(route, own), { [name]: "1" });
    const camel = [...membersOf(inputSchema(route.ways[0])).keys()].filter(
      (name) => snakeCase(name) !== name,
    );
    for (const name of ["nobody_knows_this", "__proto__x", ...camel]) {
      const answer = await ask(name);
      expect([name, ...codes(answer)]).toEqual([name, 400, 400, null]);
      expect(answer.body.message).toContain(name);
    }
  });
});

describe.each(routeCases(({ method }) => method !== "GET"))("%s", (_, route) => {
  test("refuses a read-only key, and changes nothing", async () => {
    const before = await footprint(gateway, own.accountId);
    for (const client of [readOnly, reader]) {
      const answer = await client(requestOf(route, own), {});
      expect([...codes(answer), answer.headers.get("x-error-code")]).toEqual([403, 403, null, "forbidden"]);
    }
    expect(await footprint(gateway, own.accountId)).toEqual(before);
  });
});

describe.each(routeCases((route) => !isForOwners(route)))("%s", (_, route) => {
  test("refuses an account's key, and changes nothing", async () => {
    const before = await footprint(gateway, own.accountId);
    expect(codes(await ofOwn(requestOf(route, own)))).toEqual([403, 403, null]);
    expect(await footprint(gateway, own.accountId)).toEqual(before);
  });
});

const ownersWay = ({ ways }: Route) => ways.find(({ needs }) => mayAll("owner", needs));

const namesSomething = ({ path }: Route) => /\{(account|key|task|request|user|webhook)_id\}/.test(path);

/** Bodies of owners' requests that need one. */
const ownersWords: Record<string, object> = {
  "PATCH /accounts/{account_id}": { stores_responses: false },
  "PATCH /keys/{key_id}": { status: "disabled" },
  "POST /keys/{key_id}/rotations": { keep_old_seconds: 0 },
  "POST /keys/{key_id}/duplicates": { name: "mine" },
  "PATCH /alerts/{user_id}": { events: [] },
  "PATCH /users/{user_id}": { role: "reader" },
  "PATCH /webhooks/{webhook_id}": { status: "disabled" },
  "POST /webhooks/{webhook_id}/redeliveries": { delivery_id: "msg_none" },
};

describe.each(routeCases((route) => isForOwners(route) && namesSomething(route)))("%s", (_, route) => {
  test("answers 404 for another account's objects, and changes nothing", async () => {
    const before = await footprint(gateway, foreign.accountId);
    const body = ownersWords[`${route.method} ${route.path}`];
    expect(codes(await ofOwn(requestOf(route, foreign), body))).toEqual([404, 404, null]);
    expect(await footprint(gateway, foreign.accountId)).toEqual(before);
  });
});

test("a change of several keys, another account's among them, is refused as unknown and changes none", async () => {
  const both = [own, foreign];
  const before = await Promise.all(both.map(({ accountId }) => footprint(gateway, accountId)));
  const change = { key_ids: both.map(({ keyId }) => keyId), status: "disabled" };
  expect(codes(await ofOwn("PATCH /keys", change))).toEqual([404, 404, null]);
  expect(await Promise.all(both.map(({ accountId }) => footprint(gateway, accountId)))).toEqual(before);
});

const takesAccount = (route: Route) => {
  const way = ownersWay(route);
  return (
    way !== undefined && membersOf(inputSchema(way)).has("accountId") && !route.path.includes("{account_id}")
  );
};

describe.each(routeCases(takesAccount))("%s", (_, route) => {
  test("refuses another account's identifier", async () => {
    const before = await footprint(gateway, foreign.accountId);
    const named = { account_id: foreign.accountId };
    const answer =
      route.method === "GET"
        ? await ofOwn(`${requestOf(route, own)}?${new URLSearchParams(named)}`)
        : await ofOwn(requestOf(route, own), named);
    expect(codes(answer)).toEqual([404, 404, null]);
    expect(await footprint(gateway, foreign.accountId)).toEqual(before);
  });
});

describe.each(routeCases((route) => isForOwners(route) && route.method === "GET"))("%s", (_, route) => {
  test("shows an account nothing but its own data", async () => {
    const { status, body } = await ofOwn(requestOf(route, own));
    expect(status).toBe(200);
    const text = JSON.stringify(body);
    for (const name of [...Object.values(foreign), FOREIGN_QUOTA]) {
      expect(text).not.toContain(name);
    }
    expect(text).not.toMatch(/"(channel|channel_id|behind)":/);
  });
});

test("an account's key may name its own account, and that of a disabled account may do nothing", async () => {
  const { accountId } = await gateway.customer();
  const manager = await newManager(gateway, { accountId });
  expect((await manager(`GET /keys?account_id=${accountId}`)).status).toBe(200);
  await setAccountStatus(gateway.runtime.db, { accountId, status: "disabled" });
  expect(codes(await manager("GET /keys"))).toEqual([403, 403, null]);
});

/** The declarations for owners or operators, by name. */
const declaredIn = (rooms: Record<string, object>) =>
  Object.entries(rooms).flatMap(([room, declarations]) =>
    Object.entries(declarations).flatMap(([name, declared]: [string, { needs?: string | null }]) =>
      permissions.some((permission) => permission === declared.needs)
        ? [[`${room}.${name}`, declared] as const]
        : [],
    ),
  );

/** Declarations without a route, and why. */
const withoutRoute: Record<string, string> = {
  "managementKeyOperations.create": "a program that could make keys for programs could not be shut out",
  "managementKeyOperations.revoke": "likewise",
  "managementKeyQueries.list": "likewise",
  "keyQueries.rows": "the list for a screen",
  "accountQueries.show": "an account's own answer has its people, too",
  "statementQueries.periods": "an account's own answer has its months",
  "costQueries.earnings": "two readings of `margin`, for a screen",
  "callQueries.sums": "sums above a screen's list: `usage` has them by day, key and model",
  "callQueries.sumsOfAll": "the same",
  "unusualDayQueries.show": "a sentence on a screen: `usage` has the days",
  "channelQueries.states": "what one process has seen: /metrics has it of each",
};

test("programs can do and read whatever owners and operators can, except what is listed with a reason", () => {
  const reached = new Set(routes.flatMap(({ ways }) => ways.flatMap(({ declared }) => declared)));
  const missing = declaredIn({ ...operations, ...queries })
    .filter(([, declared]) => !reached.has(declared))
    .map(([name]) => name);
  expect(missing.sort()).toEqual(Object.keys(withoutRoute).sort());
});
