/**
 * Who may sign in: accounts' users, and those who run the gateway. Passwords come by commands alone, in the place of
 * the link by which people set their own: hence what is declared for no seat.
 */
import { z } from "zod";
import {
  createUser,
  getAccount,
  getUser,
  removeUser,
  resetPassword as resetUserPassword,
  resetTotp as resetUserTotp,
  setReadOnly as setUserReadOnly,
  setUserStatus,
  signOutEverywhere,
  type UserEntry,
  unlinkIdentity,
} from "@/server/access";
import { Email } from "@/server/access/schema";
import type { Action } from "@/server/audit";
import { invite, wayIn } from "./invitation";
import { type Call, operation } from "./operation";
import { AccountId, Id, Status } from "./schema";
import { Password } from "./security";

const Target = z.strictObject({ userId: Id });

const NewUser = z.strictObject({
  accountId: AccountId.nullable().describe("null: an operator, or a viewer"),
  email: Email,
  isReadOnly: z.boolean().optional().describe("A viewer, who changes nothing"),
});

const change = (action: Action, { accountId, id, email }: UserEntry) => ({
  action,
  accountId,
  target: { id, name: email },
});

/** With a password that somebody else chose, and which they must change; without one, they cannot sign in yet. */
async function add({ db }: Call, input: z.output<typeof NewUser> & { password?: string | undefined }) {
  const { accountId, email, isReadOnly = false, password = null } = input;
  const user = await createUser(db, {
    accountId: accountId === null ? null : (await getAccount(db, accountId)).id,
    email,
    isReadOnly,
    password,
    mustChangePassword: password !== null,
  });
  const after = { email: user.email, role: user.role };
  return { user, created: { ...change("user.create", user), after } };
}

export const create = operation({
  by: ["operator"],
  input: NewUser,
  run: async (call, input) => {
    const { user, created } = await add(call, input);
    return { ...created, result: { id: user.id, ...(await invite(call, user)) } };
  },
});

export const createByCommand = operation({
  by: [],
  input: NewUser.extend({ password: Password.optional() }),
  run: async (call, input) => {
    const { user, created } = await add(call, input);
    return { ...created, result: { id: user.id, invitation: await wayIn(call, user, input.password) } };
  },
});

/** For somebody who has not set a password yet, a new invitation; for all others, and by a password, a reset. */
async function reset({ db, actor }: Call, input: { userId: string; password?: string | undefined }) {
  const { userId, password = null } = input;
  const user = await resetUserPassword(db, { userId, by: actor.userId, password });
  const isInvitation = !user.hasPassword && password === null;
  return { user, done: change(isInvitation ? "user.invite" : "user.reset_password", user) };
}

export const resetPassword = operation({
  by: ["operator"],
  input: Target,
  run: async (call, input) => {
    const { user, done } = await reset(call, input);
    return { ...done, result: await invite(call, user) };
  },
});

export const resetPasswordByCommand = operation({
  by: [],
  input: Target.extend({ password: Password.optional() }),
  run: async (call, input) => {
    const { user, done } = await reset(call, input);
    return { ...done, result: await wayIn(call, user, input.password) };
  },
});

/** Of somebody else: one's own needs a proof (see `security`). */
export const resetTotp = operation({
  by: ["operator"],
  input: Target,
  run: async ({ db, actor }, { userId }) => {
    const before = await resetUserTotp(db, { userId, by: actor.userId });
    return {
      ...change("user.reset_totp", before),
      before: { hasTotp: before.hasTotp },
      after: { hasTotp: false },
      result: null,
    };
  },
});

/** Of somebody else, whom the provider knows by another name now, or who shall come in by it no more. */
export const unlink = operation({
  by: ["operator"],
  input: Target,
  run: async ({ db }, { userId }) => {
    const user = await getUser(db, { userId });
    const { issuer } = await unlinkIdentity(db, user.id);
    return { ...change("user.unlink_identity", user), before: { issuer }, result: null };
  },
});

export const signOut = operation({
  by: ["operator"],
  input: Target,
  run: async ({ db }, input) => {
    const user = await getUser(db, input);
    await signOutEverywhere(db, user.id);
    return { ...change("user.sign_out_everywhere", user), result: null };
  },
});

export const setStatus = operation({
  by: ["operator"],
  input: Target.extend({ status: Status }),
  run: async ({ db, actor }, { userId, status }) => {
    const before = await setUserStatus(db, { userId, status, by: actor.userId });
    return {
      ...change(status === "active" ? "user.enable" : "user.disable", before),
      before: { status: before.status },
      after: { status },
      result: null,
    };
  },
});

export const setReadOnly = operation({
  by: ["operator"],
  input: Target.extend({ isReadOnly: z.boolean() }),
  run: async ({ db, actor }, { userId, isReadOnly }) => {
    const before = await setUserReadOnly(db, { userId, isReadOnly, by: actor.userId });
    return {
      ...change("user.set_role", before),
      before: { role: before.role },
      after: { role: isReadOnly ? "viewer" : "operator" },
      result: null,
    };
  },
});

export const remove = operation({
  by: ["operator"],
  input: Target,
  run: async ({ db, actor }, { userId }) => {
    const before = await removeUser(db, { userId, by: actor.userId });
    const { email, role } = before;
    return { ...change("user.remove", before), before: { email, role }, result: null };
  },
});
