import { beforeAll, describe, expect, test } from "vitest";
import { findSessionUser } from "@/server/access";
import type { Context } from "@/server/console/trpc";
import { accountRoles, type Role, roles, type staffRoles } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { may, sideOf } from "@/server/domain/roles";
import { contextFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { callProcedure, codeOf, outcomeOf, procedures, proceduresWhere } from "@/tests/support/procedures";

const gateway = perFile(() => startGateway());
let accountId: AccountId;
let owner: Context;
let operator: Context;
let contexts: Record<Role, Context>;

beforeAll(async () => {
  ({ accountId } = await gateway.customer());
  const made = roles.map(async (role) => {
    const accountRole = accountRoles.find((candidate) => candidate === role);
    const seat = accountRole
      ? { role: accountRole, accountId }
      : { role: role as (typeof staffRoles)[number] };
    return [role, await contextFor(gateway, seat)] as const;
  });
  contexts = Object.fromEntries(await Promise.all(made)) as Record<Role, Context>;
  ({ owner, operator } = contexts);
});

/** They only read. They are mutations because a file or a whole price list is too long for an address. */
const readingOnly = ["app.prices.estimate", "app.prices.previewFile"];

/** An invalid input: a caller whose role is refused must not learn whether an input is valid. */
const nonsense = { nobody: ["knows", "this"] };

describe("roles", () => {
  test.each(proceduresWhere(() => true))("%s states who may call it", (_, { seat }) => {
    expect(seat).not.toBeNull();
  });

  test("only the procedures for people who cannot sign in answer without a session", () => {
    expect(proceduresWhere(({ seat }) => seat === "anybody").map(([path]) => path)).toEqual([
      "app.links.setPassword",
      "app.links.askPassword",
      "app.links.unsubscribe",
    ]);
  });

  test.each(proceduresWhere(({ seat }) => seat !== "anybody"))(
    "%s refuses a caller without a session",
    async (path) => {
      const anonymous = await contextFor(gateway, null);
      expect(await codeOf(anonymous, path, nonsense)).toBe("UNAUTHORIZED");
    },
  );

  test("a viewer may read all that an operator may, and change nothing", () => {
    const staffs = proceduresWhere(({ seat }) => seat === "operator");
    const reads = staffs.filter(([path, { kind }]) => kind === "query" || readingOnly.includes(path));
    const allowed = staffs.filter(([, { needs }]) => needs !== null && may("viewer", needs));
    expect(allowed.map(([path]) => path)).toEqual(reads.map(([path]) => path));
  });

  test.each(
    proceduresWhere(({ seat, path }) => seat !== "anybody" && path !== "app.security.changePassword"),
  )("%s refuses a user who has not changed a password that someone else chose", async (path, { seat }) => {
    const seats = { owner, operator, user: owner };
    const context = seats[seat as keyof typeof seats];
    const held = { ...context, viewer: context.viewer && { ...context.viewer, mustChangePassword: true } };
    const call = callProcedure(held, path, nonsense);
    await expect(call).rejects.toMatchObject({
      code: "FORBIDDEN",
      cause: { reason: "passwordChangeNeeded" },
    });
  });
});

const guarded = procedures.filter(({ seat }) => seat === "owner" || seat === "operator");

describe.each(roles)("a role of %s", (role) => {
  test.each(guarded.map((procedure) => [procedure.path, procedure] as const))(
    "may call %s, or is refused before the input is read, as its permissions say",
    async (path, { seat, needs, inputs }) => {
      expect(needs).not.toBeNull();
      const isAllowed = needs !== null && sideOf(role) === seat && may(role, needs);
      const code = await codeOf(contexts[role], path, nonsense);
      // A procedure without input answers.
      const answered = inputs.length === 0 ? undefined : "BAD_REQUEST";
      expect(code).toBe(isAllowed ? answered : "FORBIDDEN");
    },
  );
});

test("costs are read with one permission and changed with another", () => {
  const paths = guarded.filter(({ path }) => /costs|margin|earnings/i.test(path));
  expect(Object.fromEntries(paths.map(({ path, needs }) => [path, needs]))).toEqual({
    "app.overview.earnings": "costs.read",
    "app.prices.costs": "costs.read",
    "app.prices.margin": "costs.read",
    "app.prices.setCosts": "prices.write",
    "app.prices.copyCosts": "prices.write",
    "app.prices.importCosts": "prices.write",
  });
});

test("a changed role applies to the next call of an open session, and no user can change their own", async () => {
  const member = await contextFor(gateway, { role: "member", accountId });
  const { id = "", sessionId = "" } = member.viewer ?? {};
  const now = async () => ({ ...member, viewer: await findSessionUser(gateway.runtime.db, sessionId) });
  const create = async () => (await outcomeOf(await now(), "app.keys.create", { name: "k" })).code;
  expect(await create()).toBeUndefined();
  const roleOf = (userId: string, role: Role) => ({ userId, role });
  await callProcedure(owner, "app.people.setRole", roleOf(id, "reader"));
  expect(await create()).toBe("FORBIDDEN");
  expect(await codeOf(await now(), "app.people.setRole", roleOf(id, "owner"))).toBe("FORBIDDEN");
  await callProcedure(owner, "app.people.setRole", roleOf(id, "owner"));
  expect(await create()).toBeUndefined();
  for (const context of [owner, operator]) {
    const self = context === owner ? "app.people.setRole" : "app.users.setRole";
    const change = roleOf(context.viewer?.id ?? "", context === owner ? "member" : "viewer");
    expect(await outcomeOf(context, self, change)).toMatchObject({ code: "BAD_REQUEST" });
  }
});
