import { getUser, getUserByEmail, listUsers, type UserEntry } from "@/server/access";
import { findUserByEmail } from "@/server/audit";
import { accountRoles, type Role, roles, staffRoles } from "@/server/domain/enums";
import { erasureOperations, userOperations } from "@/server/operations";
import { accountOf } from "./account-flag";
import { type Command, type CommandContext, type FlagValues, need, text, UsageError } from "./command";
import { changing, operate } from "./operate";
import { shown } from "./render";

const email: Command["flags"] = { email: { type: "string", required: true } };

const role: Command["flags"] = { role: { type: "string" } };

/** Any known role: the room decides whether the user can have it. */
function roleIn(values: FlagValues): Role {
  const value = need(values, "role");
  const match = roles.find((name) => name === value);
  if (!match) {
    throw new UsageError(`--role must be one of ${roles.join(", ")}`);
  }
  return match;
}

const view = ({ recoveryCodesLeft: _, createdAt: __, ...user }: UserEntry) =>
  shown(user, { accountId: "account", hasTotp: "second_factor" });

const show = async ({ db }: CommandContext, userId: string) => view(await getUser(db, { userId }));

/** How a new user signs in: by a link to set their password, or with the given password. */
export const wayIn = (invitation: { url: string; expiresAt: Date; isMailed: boolean } | null) =>
  invitation === null
    ? { password: "as given; must be changed at the first sign-in" }
    : { link: invitation.url, expires: invitation.expiresAt, mailed: invitation.isMailed };

/** The user that the flags name. Throws Refusal. */
const named = ({ db }: CommandContext, values: FlagValues) => getUserByEmail(db, need(values, "email"));

const create: Command = {
  summary:
    "Create a user: the owner of an --account, or an admin, unless --role is given; without --password, prints a link to set one",
  flags: {
    ...email,
    account: { type: "string" },
    ...role,
    password: { type: "string" },
  },
  run: changing(async (context, values) => {
    const { id, invitation } = await operate(context, userOperations.createByCommand, {
      accountId: (await accountOf(context, values)) ?? null,
      email: need(values, "email").trim(),
      role: text(values, "role") === undefined ? undefined : roleIn(values),
      password: text(values, "password"),
    });
    return { ...(await show(context, id)), ...wayIn(invitation) };
  }),
};

const list: Command = {
  summary: "List all users, or the users of an account",
  flags: { account: { type: "string" } },
  run: async (context, values) =>
    (await listUsers(context.db, { accountId: await accountOf(context, values) })).map(view),
};

/** A command that changes a user and returns them afterwards. */
const change = (
  summary: string,
  act: (context: CommandContext, userId: string, values: FlagValues) => Promise<unknown>,
  flags: Command["flags"] = {},
): Command => ({
  summary,
  flags: { ...email, ...flags },
  run: changing(async (context, values) => {
    const { id } = await named(context, values);
    await act(context, id, values);
    return await show(context, id);
  }),
});

const setStatus = (summary: string, status: UserEntry["status"]) =>
  change(summary, (context, userId) => operate(context, userOperations.setStatus, { userId, status }));

const setRole = change(
  `Change the role of a user: ${accountRoles.join(", ")} for an account, or ${staffRoles.join(", ")} for operators`,
  (context, userId, values) => operate(context, userOperations.setRole, { userId, role: roleIn(values) }),
  { role: { type: "string", required: true } },
);

const remove: Command = {
  summary: "Remove a user; the audit log keeps the email",
  flags: email,
  run: changing(async (context, values) => {
    const user = await named(context, values);
    await operate(context, userOperations.remove, { userId: user.id });
    return { removed: user.email };
  }),
};

const erase: Command = {
  summary: "Remove a user if there is one, and erase the email from the audit log",
  flags: email,
  run: changing(async (context, values) => {
    const address = need(values, "email").trim().toLowerCase();
    const userId = (await findUserByEmail(context.db, address))?.userId ?? (await named(context, values)).id;
    await operate(context, erasureOperations.erasePerson, { userId });
    return { erased: userId };
  }),
};

const reset: Command = {
  summary: "Reset a user's password and end all sessions; without --password, prints a link to set one",
  flags: { ...email, password: { type: "string" } },
  run: changing(async (context, values) => {
    const user = await named(context, values);
    const input = { userId: user.id, password: text(values, "password") };
    const invitation = await operate(context, userOperations.resetPasswordByCommand, input);
    return { email: user.email, ...wayIn(invitation) };
  }),
};

export const userCommands: Record<string, Command> = {
  list,
  create,
  disable: setStatus("Disable a user: ends all sessions and blocks sign-in", "disabled"),
  enable: setStatus("Enable a disabled user", "active"),
  remove,
  erase,
  "set-role": setRole,
  unlink: change("Unlink a user from the OpenID Connect provider and end all sessions", (context, userId) =>
    operate(context, userOperations.unlink, { userId }),
  ),
  "sign-out": change("Sign a user out everywhere", (context, userId) =>
    operate(context, userOperations.signOut, { userId }),
  ),
  "reset-totp": change("Turn off two-factor authentication for a user", (context, userId) =>
    operate(context, userOperations.resetTotp, { userId }),
  ),
  "reset-password": reset,
};
