/**
 * Users: the people of accounts, and operators. An owner may only name those of their own account. Only commands set
 * passwords, in place of the link by which users set their own: hence the operations that no role may call.
 */
import { z } from "zod";
import {
  createUser,
  listUsers,
  lockAccount,
  removeUser,
  resetPassword as resetUserPassword,
  resetTotp as resetUserTotp,
  setRole as setUserRole,
  setUserStatus,
  signOutUser,
  type UserEntry,
  unlinkUser,
} from "@/server/access";
import { Email } from "@/server/access/schema";
import type { Action } from "@/server/audit";
import type { Tx } from "@/server/db";
import { roles } from "@/server/domain/enums";
import type { AccountId as AccountIdType } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import type { LinkKind } from "@/server/notifications";
import { invite } from "./invitation";
import { operation, type TxContext } from "./operation";
import { AccountId, Id, Status } from "./schema";
import { Password } from "./security";

const Target = z.strictObject({ userId: Id, accountId: AccountId.optional() });

const Role = z.enum(roles);

const NewUser = z.strictObject({
  accountId: AccountId.nullable().describe("null: an operator of the gateway"),
  email: Email,
  role: Role.optional().describe(
    "Default: `owner` with an account, otherwise `operator`, who can do everything",
  ),
});

/** The most users of an account: each may be sent links, and an account must not become a mailing list. */
const MAX_PEOPLE = 100;

/** Locks the account, so that users added concurrently are counted. Throws Refusal. */
async function placeIn(db: Tx, accountId: AccountIdType) {
  const { id } = await lockAccount(db, accountId);
  if ((await listUsers(db, { accountId: id })).length >= MAX_PEOPLE) {
    throw new Refusal(`an account can have at most ${MAX_PEOPLE} people`, "tooManyPeople", {
      limit: MAX_PEOPLE,
    });
  }
  return id;
}

/** The user of a call, and its author. */
const targetOf = ({ actor }: TxContext, { userId, accountId }: z.output<typeof Target>) => ({
  userId,
  accountId,
  by: actor.userId,
});

const change = (action: Action, { accountId, id, email }: UserEntry) => ({
  action,
  accountId,
  target: { id, name: email },
});

/** Adds a user. A password set by another person must be changed; without a password, the user cannot sign in yet. */
async function add(
  { db, language }: TxContext,
  input: z.output<typeof NewUser> & { password?: string | undefined },
) {
  const { accountId, email, role, password = null } = input;
  const user = await createUser(db, {
    accountId: accountId === null ? null : await placeIn(db, accountId),
    email,
    role,
    language,
    password,
    mustChangePassword: password !== null,
  });
  const after = { email: user.email, role: user.role };
  return { user, created: { ...change("user.create", user), after } };
}

export const create = operation({
  needs: "people.write",
  input: NewUser,
  run: async (call, input) => {
    const { user, created } = await add(call, input);
    const hand = await invite(call, user);
    return { ...created, finish: async () => ({ id: user.id, ...(await hand()) }) };
  },
});

/**
 * For configuration files only: no link and no e-mail. A dry run undoes the user, and an apply looks at every change once
 * before it makes it.
 */
export const createFromFile = operation({
  needs: null,
  input: NewUser,
  run: async (call, input) => {
    const { user, created } = await add(call, input);
    return { ...created, result: { id: user.id } };
  },
});

export const createByCommand = operation({
  needs: null,
  input: NewUser.extend({ password: Password.optional() }),
  run: async (call, input) => {
    const { user, created } = await add(call, input);
    const hand = input.password === undefined ? await invite(call, user) : null;
    return { ...created, finish: async () => ({ id: user.id, invitation: hand && (await hand()) }) };
  },
});

/** Resets a password: a user without one gets a new invitation, unless a password is given. */
async function reset(call: TxContext, input: z.output<typeof Target> & { password?: string | undefined }) {
  const { password = null } = input;
  const user = await resetUserPassword(call.db, { ...targetOf(call, input), password });
  const isInvitation = !user.hasPassword && password === null;
  const kind: LinkKind = isInvitation ? "invitation" : "reset";
  return { user, kind, done: change(isInvitation ? "user.invite" : "user.reset_password", user) };
}

export const resetPassword = operation({
  needs: "people.reset",
  input: Target,
  run: async (call, input) => {
    const { user, kind, done } = await reset(call, input);
    return { ...done, finish: await invite(call, user, kind) };
  },
});

export const resetPasswordByCommand = operation({
  needs: null,
  input: Target.extend({ password: Password.optional() }),
  run: async (call, input) => {
    const { user, kind, done } = await reset(call, input);
    const hand = input.password === undefined ? await invite(call, user, kind) : null;
    return { ...done, finish: async () => hand && (await hand()) };
  },
});

/** For another user: one's own needs a proof (see `security`). */
export const resetTotp = operation({
  needs: "people.write",
  input: Target,
  run: async (call, input) => {
    const before = await resetUserTotp(call.db, targetOf(call, input));
    return {
      ...change("user.reset_totp", before),
      before: { hasTotp: before.hasTotp },
      after: { hasTotp: false },
      result: null,
    };
  },
});

/** For another user whose identity at the provider has changed, or who may no longer sign in by it. */
export const unlink = operation({
  needs: "people.write",
  input: Target,
  run: async (call, input) => {
    const { user, identity } = await unlinkUser(call.db, targetOf(call, input));
    const { issuer } = identity;
    return { ...change("user.unlink_identity", user), before: { issuer }, result: null };
  },
});

export const signOut = operation({
  needs: "people.reset",
  input: Target,
  run: async (call, input) => {
    const user = await signOutUser(call.db, targetOf(call, input));
    return { ...change("user.sign_out_everywhere", user), result: null };
  },
});

export const setStatus = operation({
  needs: "people.write",
  input: Target.extend({ status: Status }),
  run: async (call, { status, ...input }) => {
    const before = await setUserStatus(call.db, { ...targetOf(call, input), status });
    return {
      ...change(status === "active" ? "user.enable" : "user.disable", before),
      before: { status: before.status },
      after: { status },
      result: null,
    };
  },
});

export const setRole = operation({
  needs: "people.write",
  input: Target.extend({ role: Role }),
  run: async (call, { role, ...input }) => {
    const before = await setUserRole(call.db, { ...targetOf(call, input), role });
    return {
      ...change("user.set_role", before),
      before: { role: before.role },
      after: { role },
      result: null,
    };
  },
});

export const remove = operation({
  needs: "people.write",
  input: Target,
  run: async (call, input) => {
    const before = await removeUser(call.db, targetOf(call, input));
    const { email, role } = before;
    return { ...change("user.remove", before), before: { email, role }, result: null };
  },
});
