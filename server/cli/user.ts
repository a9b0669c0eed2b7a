import {
  createUser,
  getAccount,
  getUserByEmail,
  issueLink,
  linkPath,
  listUsers,
  removeUser,
  resetPassword,
  setUserStatus,
  type UserEntry,
} from "@/server/access";
import { publicAddress } from "@/server/config";
import type { Queryable } from "@/server/db";
import { changing } from "./changing";
import { type Command, type Context, need, text, UsageError } from "./command";

const email: Command["flags"] = { email: { type: "string", required: true } };

const view = (user: UserEntry) => ({
  id: user.id,
  email: user.email,
  role: user.role,
  account: user.accountId,
  status: user.status,
  has_password: user.hasPassword,
  must_change_password: user.mustChangePassword,
  second_factor: user.hasTotp,
});

/** How somebody gets in: by the password that was given, which they must change, or by a link to set their own. */
export async function wayIn(context: Context, db: Queryable, user: { id: string; password: string | null }) {
  if (user.password !== null) {
    return { password: "as given, to be changed at the first sign-in" };
  }
  const { token, expiresAt } = await issueLink(db, user.id);
  return { link: `${publicAddress(context.config)}${linkPath(token)}`, expires: expiresAt };
}

const targetOf = ({ accountId, id, email: name }: UserEntry) => ({ accountId, target: { id, name } });

const create: Command = {
  summary: "Create a user: of an account, or an operator; without a password, answers a link to set one",
  flags: {
    ...email,
    account: { type: "string" },
    "read-only": { type: "boolean" },
    password: { type: "string" },
  },
  run: async (context, values) => {
    const nameOrId = text(values, "account");
    const isReadOnly = values["read-only"] === true;
    if (isReadOnly && nameOrId !== undefined) {
      throw new UsageError("--read-only is for operators, who have no --account");
    }
    const password = text(values, "password") ?? null;
    return await changing(context, "user.create", async (db) => {
      const user = await createUser(db, {
        accountId: nameOrId === undefined ? null : (await getAccount(db, nameOrId)).id,
        email: need(values, "email"),
        isReadOnly,
        password,
        mustChangePassword: password !== null,
      });
      const way = await wayIn(context, db, { id: user.id, password });
      return {
        ...targetOf(user),
        after: { email: user.email, role: user.role },
        result: { ...view(user), ...way },
      };
    });
  },
};

const list: Command = {
  summary: "List users: all, or an account's",
  flags: { account: { type: "string" } },
  run: async ({ db }, values) => {
    const nameOrId = text(values, "account");
    const accountId = nameOrId === undefined ? undefined : (await getAccount(db.orm, nameOrId)).id;
    return (await listUsers(db.orm, { accountId })).map(view);
  },
};

const setStatus = (summary: string, status: UserEntry["status"]): Command => ({
  summary,
  flags: email,
  run: async (context, values) =>
    await changing(context, status === "active" ? "user.enable" : "user.disable", async (db) => {
      const { id } = await getUserByEmail(db, need(values, "email"));
      const before = await setUserStatus(db, { userId: id, by: null, status });
      return {
        ...targetOf(before),
        before: { status: before.status },
        after: { status },
        result: view({ ...before, status }),
      };
    }),
});

const remove: Command = {
  summary: "Remove a user; the audit log keeps the e-mail",
  flags: email,
  run: async (context, values) =>
    await changing(context, "user.remove", async (db) => {
      const { id } = await getUserByEmail(db, need(values, "email"));
      const before = await removeUser(db, { userId: id, by: null });
      return {
        ...targetOf(before),
        before: { email: before.email, role: before.role },
        result: { removed: before.email },
      };
    }),
};

const reset: Command = {
  summary: "End a user's password and sessions; without a new password, answers a link to set one",
  flags: { ...email, password: { type: "string" } },
  run: async (context, values) => {
    const password = text(values, "password") ?? null;
    return await changing(context, "user.reset_password", async (db) => {
      const { id } = await getUserByEmail(db, need(values, "email"));
      const user = await resetPassword(db, { userId: id, by: null, password });
      const way = await wayIn(context, db, { id: user.id, password });
      return { ...targetOf(user), result: { email: user.email, ...way } };
    });
  },
};

export const userCommands: Record<string, Command> = {
  list,
  create,
  disable: setStatus("End a user's sessions and link, and let them in no more", "disabled"),
  enable: setStatus("Let a disabled user sign in again", "active"),
  remove,
  "reset-password": reset,
};
