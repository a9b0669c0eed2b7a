import { expect, test } from "vitest";
import { accountRoles, type Permission, permissions, type Role, roles, staffRoles } from "./enums";
import { isForSide, isReadOnly, may, rolesOf, sideOf } from "./roles";

const changes = permissions.filter((permission) => !/(^|\.)read$/.test(permission));

/** docs/people.md has the same table in words. */
const table: Record<Role, readonly Permission[]> = {
  owner: [
    ...(["keys.write", "keys.switch", "calls.make", "videos.cancel"] as const),
    ...(["notifications.write", "responses.write", "money.pay", "people.write"] as const),
    ...(["people.reset", "management_keys.write"] as const),
  ],
  member: ["keys.write", "keys.switch", "calls.make", "videos.cancel"],
  reader: [],
  operator: changes.filter((permission) => permission !== "calls.make"),
  support: ["keys.switch", "people.reset", "accounts.switch"],
  finance: ["money.write", "prices.write"],
  viewer: [],
};

test.each(roles)("%s may change what the table has, and nothing else", (role) => {
  expect(changes.filter((permission) => may(role, permission))).toEqual(table[role]);
  expect(isReadOnly(role)).toBe(table[role].length === 0);
});

const account: Permission[] = [
  ...(["read", "account.read", "people.read"] as const),
  ...(["management_keys.read", "notifications.read"] as const),
];
const staff: Permission[] = [
  ...(["read", "staff.read", "channels.read", "people.read"] as const),
  ...(["management_keys.read", "notifications.read", "costs.read", "audit.read"] as const),
];

/** Support sees no costs, and so no audit log, which contains them; finance sees no channels. */
const readPermissions: Record<Role, readonly Permission[]> = {
  owner: account,
  member: ["read", "account.read"],
  reader: account,
  operator: staff,
  support: ["read", "staff.read", "channels.read", "people.read"],
  finance: ["read", "staff.read", "costs.read"],
  viewer: staff,
};

test.each(roles)("%s may read what the table has, and nothing else", (role) => {
  const reads = permissions.filter((permission) => !changes.includes(permission));
  expect(reads.filter((permission) => may(role, permission))).toEqual(readPermissions[role]);
});

test("each role belongs to one side, and has no permission of the other side alone", () => {
  expect(rolesOf("owner").map(sideOf)).toEqual(accountRoles.map(() => "owner"));
  expect(rolesOf("operator").map(sideOf)).toEqual(staffRoles.map(() => "operator"));
  expect(isForSide("money.write", "owner")).toBe(false);
  expect(isForSide("calls.make", "operator")).toBe(false);
});

test("a role of a later release has no permissions", () => {
  expect(permissions.filter((permission) => may("of-tomorrow" as Role, permission))).toEqual([]);
});
