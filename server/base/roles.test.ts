import { expect, test } from "vitest";
import { accountRoles, type Permission, permissions, type Role, roles, staffRoles } from "./facts";
import { isForSide, isReadOnly, may, rolesOf, sideOf } from "./roles";

const changes = permissions.filter((permission) => !/(^|\.)read$/.test(permission));

/** docs/operations.md has the same table in words. */
const table: Record<Role, readonly Permission[]> = {
  owner: [
    "keys.write",
    "keys.switch",
    "calls.make",
    "videos.cancel",
    "notifications.write",
    "responses.write",
    "money.pay",
    "people.write",
    "people.reset",
    "management_keys.write",
  ],
  member: ["keys.write", "keys.switch", "calls.make", "videos.cancel"],
  reader: [],
  operator: changes.filter((permission) => permission !== "calls.make"),
  support: ["keys.switch", "people.reset", "accounts.switch"],
  finance: ["money.write", "prices.write"],
  viewer: [],
};

test.each(roles)("%s changes what the table says, and nothing else", (role) => {
  expect(changes.filter((permission) => may(role, permission))).toEqual(table[role]);
  expect(isReadOnly(role)).toBe(table[role].length === 0);
});

test("members see no people and no management keys, and finance no channels and no people", () => {
  expect(may("member", "people.read") || may("member", "management_keys.read")).toBe(false);
  expect(may("finance", "people.read") || may("finance", "channels.read")).toBe(false);
});

test("everybody is on one side, and what is one side's alone nobody on the other has", () => {
  expect(rolesOf("owner").map(sideOf)).toEqual(accountRoles.map(() => "owner"));
  expect(rolesOf("operator").map(sideOf)).toEqual(staffRoles.map(() => "operator"));
  expect(isForSide("money.write", "owner")).toBe(false);
  expect(isForSide("calls.make", "operator")).toBe(false);
});
