import { describe, expect, test } from "vitest";
import {
  createAccount,
  deleteKey,
  findKeyNames,
  getConsoleKey,
  getKey,
  issueKey,
  listKeyPage,
  listKeys,
  setKeyStatus,
  updateKey,
} from "@/server/access";
import { nanos } from "@/server/base/money";
import { openDatabase } from "@/server/db";
import type { AccountId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { allPages } from "@/tests/support/all-pages";
import { freshDatabase } from "@/tests/support/database";
import { perFile } from "@/tests/support/per-file";
import { branded } from "../support/branded";

const db = perFile(async () => openDatabase(await freshDatabase()));
let serial = 0;

const account = async () =>
  (await createAccount(db, { name: `keys ${serial++}`, monthlyQuotaNanos: nanos(0n) })).id;

type IssuedKeyTerms = Omit<Parameters<typeof issueKey>[1], "accountId">;
const issue = (accountId: AccountId, terms: Partial<IssuedKeyTerms> = {}) =>
  issueKey(db, { name: "a key", ...terms, accountId }, "pepper");

describe("a key's terms", () => {
  test("are stored in canonical form: rules normalised, lists without repeats, the name trimmed", async () => {
    const accountId = await account();
    const { id } = await issue(accountId, {
      ...{ name: " build ", allowedIps: ["10.0.0.9/8", "10.1.1.1/8", "::ffff:192.0.2.1"] },
      ...{ models: ["a", "b", "a"], monthlyCap: nanos(5n), requestsPerMinute: 7 },
    });
    expect(await getKey(db, { keyId: id, accountId })).toMatchObject({
      ...{ name: "build", allowedIps: ["10.0.0.0/8", "192.0.2.1"], models: ["a", "b"], monthlyCap: 5n },
      ...{ requestsPerMinute: 7, lastUsedAt: null, lastAddress: null },
    });
  });

  test("change one by one: a term that is not named stays, and null lifts a limit", async () => {
    const accountId = await account();
    const expiresAt = new Date("2030-01-01T00:00:00Z");
    const terms = {
      ...{ allowedIps: ["10.0.0.1"], models: ["a"], monthlyCap: nanos(5n), requestsPerMinute: 7 },
      expiresAt,
    };
    const { id: keyId } = await issue(accountId, terms);
    expect(await updateKey(db, { keyId, accountId, name: "new" })).toMatchObject({ ...terms, name: "new" });
    expect(await updateKey(db, { keyId, accountId })).toMatchObject({ ...terms, name: "new" });
    const lifted = { allowedIps: [], models: [], monthlyCap: null, requestsPerMinute: null, expiresAt: null };
    expect(await updateKey(db, { keyId, accountId, ...lifted })).toMatchObject({ ...lifted, name: "new" });
  });

  test.each<[string, Partial<IssuedKeyTerms>]>([
    ["an empty name", { name: " " }],
    ["a name too long", { name: "x".repeat(101) }],
    ["a rule that is no address", { allowedIps: ["10.0.0.1", "nowhere"] }],
    [
      "too many rules",
      { allowedIps: Array.from({ length: 1_001 }, (_, at) => `10.0.${at >> 8}.${at & 255}`) },
    ],
    ["zero calls a minute", { requestsPerMinute: 0 }],
    ["half a call", { requestsPerMinute: 1.5 }],
    ["an invalid date", { expiresAt: new Date(Number.NaN) }],
    ["a model without a name", { models: [""] }],
    ["a cap below zero", { monthlyCap: nanos(-1n) }],
  ])("that are invalid are refused and change nothing: %s", async (_, terms) => {
    const accountId = await account();
    await expect(issue(accountId, terms)).rejects.toBeInstanceOf(Refusal);
    const { id: keyId } = await issue(accountId);
    const before = await getKey(db, { keyId });
    await expect(updateKey(db, { keyId, accountId, ...terms })).rejects.toBeInstanceOf(Refusal);
    expect(await getKey(db, { keyId })).toEqual(before);
  });
});

describe("pages of keys", () => {
  test("give every key once, newest first, whatever the size of a page", async () => {
    const accountId = await account();
    const issued: string[] = [];
    for (let index = 0; index < 7; index++) {
      issued.push((await issue(accountId)).id);
    }
    for (const limit of [1, 3, 7, 50]) {
      const keys = await allPages(async (cursor) => {
        const page = await listKeyPage(db, { accountId }, { cursor, limit });
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        return page;
      });
      expect(keys.map((key) => key.id)).toEqual([...issued].reverse());
    }
  });

  test("are searched by a part of the name or the last four, without wildcards, in any case", async () => {
    const accountId = await account();
    const build = await issue(accountId, { name: "Build 100%" });
    const other = await issue(accountId, { name: "deploy_key" });
    const find = async (search: string) =>
      (await listKeyPage(db, { accountId, search }, { limit: 50 })).rows.map((key) => key.id);
    expect(await find("bUILD")).toEqual([build.id]);
    expect(await find("%")).toEqual([build.id]);
    expect(await find("y_k")).toEqual([other.id]);
    expect(await find(other.lastFour.toLowerCase())).toContain(other.id);
    expect(await find("nothing such")).toEqual([]);
  });

  test("are filtered by the current state of a key", async () => {
    const accountId = await account();
    const past = new Date(Date.now() - 60_000);
    const active = await issue(accountId, { expiresAt: new Date(Date.now() + 3_600_000) });
    const expired = await issue(accountId, { expiresAt: past });
    const disabled = await issue(accountId, { expiresAt: past });
    await setKeyStatus(db, { keyId: disabled.id, status: "disabled" });
    const deleted = await issue(accountId);
    await deleteKey(db, { keyId: deleted.id });
    const inStatus = async (status?: "active" | "disabled" | "expired") =>
      (await listKeyPage(db, { accountId, status }, { limit: 50 })).rows.map((key) => key.id);
    expect(await inStatus("active")).toEqual([active.id]);
    expect(await inStatus("expired")).toEqual([expired.id]);
    expect(await inStatus("disabled")).toEqual([disabled.id]);
    expect(await inStatus()).toEqual([disabled.id, expired.id, active.id]);
    expect(await findKeyNames(db, [deleted.id, branded("key_none")], accountId)).toEqual(
      new Map([[deleted.id, { name: "a key", lastFour: deleted.lastFour, isDeleted: true }]]),
    );
  });
});

describe("the console's key", () => {
  test("is one for each account, however many requests ask for it first", async () => {
    const accountId = await account();
    const keys = await Promise.all(Array.from({ length: 20 }, () => getConsoleKey(db, accountId)));
    expect(new Set(keys.map((key) => key.id)).size).toBe(1);
    expect(await getConsoleKey(db, await account())).not.toMatchObject({ id: keys[0]?.id });
  });

  test("is in no list, cannot be changed, and has a name where its calls are shown", async () => {
    const accountId = await account();
    const key = await getConsoleKey(db, accountId);
    expect(await listKeys(db, { accountId })).toEqual([]);
    expect((await listKeyPage(db, { accountId }, { limit: 50 })).rows).toEqual([]);
    await expect(deleteKey(db, { keyId: key.id, accountId })).rejects.toBeInstanceOf(Refusal);
    await expect(updateKey(db, { keyId: key.id, accountId, name: "x" })).rejects.toBeInstanceOf(Refusal);
    expect(await findKeyNames(db, [key.id], accountId)).toEqual(
      new Map([[key.id, { name: "Playground", lastFour: "", isDeleted: false }]]),
    );
  });
});
