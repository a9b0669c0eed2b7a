/** The permissions of each role. Imports nothing from the server, so pages may use it. */
import { accountRoles, type Permission, permissions, type Role, roles, staffRoles } from "./enums";

const member = [
  "read",
  "account.read",
  "keys.write",
  "keys.switch",
  "calls.make",
  "videos.cancel",
] as const satisfies Permission[];

const viewer = [
  "read",
  "staff.read",
  "channels.read",
  "people.read",
  "management_keys.read",
  "notifications.read",
  "costs.read",
  "audit.read",
] as const satisfies Permission[];

/** Permissions of accounts only: staff have no account to spend from. */
const accountsOwn: readonly Permission[] = ["account.read", "calls.make"];

const granted: Record<Role, readonly Permission[]> = {
  owner: [
    ...member,
    "people.read",
    "people.write",
    "people.reset",
    "management_keys.read",
    "management_keys.write",
    "notifications.read",
    "notifications.write",
    "responses.write",
    "money.pay",
  ],
  member,
  reader: ["read", "account.read", "people.read", "management_keys.read", "notifications.read"],
  operator: permissions.filter((permission) => !accountsOwn.includes(permission)),
  support: [
    "read",
    "staff.read",
    "channels.read",
    "people.read",
    "keys.switch",
    "accounts.switch",
    "people.reset",
  ],
  finance: ["read", "staff.read", "costs.read", "money.write", "prices.write"],
  viewer,
};

/** The permissions of a role. A role of a later release, from a stored row, has none here. */
const grantedTo = (role: Role): readonly Permission[] => (Object.hasOwn(granted, role) ? granted[role] : []);

/** Whether a role has a permission. */
export const may = (role: Role, permission: Permission): boolean => grantedTo(role).includes(permission);

/**
 * Whether a role has all of these permissions. Other requirements (`self`, `link`, or a command's place) are not
 * permissions, so no role meets them.
 */
export const mayAll = (role: Role, needs: readonly (string | null)[]): boolean =>
  needs.every((need) => grantedTo(role).some((permission) => permission === need));

/** The side of a user: an account's, or the staff's. An account's users see only their account. */
export type Side = "owner" | "operator";

const includes = (list: readonly Role[], role: Role) => list.includes(role);

export const sideOf = (role: Role): Side => (includes(accountRoles, role) ? "owner" : "operator");

/** Whether any role of a side has a permission. */
export const isForSide = (permission: Permission, side: Side): boolean =>
  roles.some((role) => sideOf(role) === side && may(role, permission));

/** Whether a role can only read. */
export const isReadOnly = (role: Role): boolean =>
  grantedTo(role).every((permission) => permission.split(".").at(-1) === "read");

/** The roles for users of a side. */
export const rolesOf = (side: Side): readonly Role[] => (side === "owner" ? accountRoles : staffRoles);
