import { describe, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { createLog } from "@/server/base/log";
import { sqlOf } from "@/server/db/handles";
import type { KeyId } from "@/server/domain/ids";
import { localPool } from "@/server/domain/shares";
import { eventually } from "@/tests/support/eventually";
import { perFile, servedModel } from "@/tests/support/per-file";
import { promised } from "@/tests/support/refusal";
import { callerFor } from "../support/console";
import { startGateway } from "../support/gateway";
import { releases } from "../support/releases";
import { answerWith, startUpstream } from "../support/upstream";

const HOUR_SECONDS = 3_600;
const PEPPER = "p".repeat(32);

/** How far the first gateway's clock is ahead of the machine's, in milliseconds. */
let aheadMs = 0;
const gateway = perFile(() => startGateway({ clock: () => new Date(Date.now() + aheadMs) }));
/** Another process on the same database. Notices tell it of changes. */
const other = perFile(() => startGateway({ databaseUrl: gateway.databaseUrl }));
const upstream = perFile(() => startUpstream(answerWith("fine")));
const model = servedModel({ gateway, upstream });

const body = () => ({ model, messages: [{ role: "user", content: "hi" }], max_tokens: 10 });
const statusOf = async (secret: string, server = gateway) => (await server.chat(secret, body())).status;

/** A change takes effect in every process within a second. */
async function untilAnswered(secret: string, status: number): Promise<void> {
  for (const server of [gateway, other]) {
    await eventually(() => statusOf(secret, server), 1_500).toBe(status);
  }
}

const terms = () => ({
  allowedIps: ["127.0.0.0/8"],
  models: [model],
  monthlyCap: "5",
  requestsPerMinute: 1_000,
  maxConcurrent: 7,
  tellsCost: true,
  cachesPrompts: false,
  expiresAt: "2099-01-31T00:00:00.000Z",
});

/** An owner with a key that both processes have cached. */
async function newKey() {
  const { accountId } = await gateway.customer();
  const owner = await callerFor(gateway, { role: "owner", accountId });
  const { id: keyId, secret } = await owner.keys.create({ name: "leaked", ...terms() });
  expect([await statusOf(secret), await statusOf(secret, other)]).toEqual([200, 200]);
  return { owner, accountId, keyId, secret };
}

const changesOf = async (targetId: string) =>
  (await listChanges(gateway.runtime.db, { targetId }, { limit: 50 })).rows.reverse();

const rowOf = async (keyId: KeyId) => {
  const [row] = await sqlOf(gateway.runtime.db)`select * from api_keys where id = ${keyId}`;
  return row ?? {};
};

describe("a rotated key", () => {
  test("has a new secret at once, keeps the old one for an hour, and keeps all else", async () => {
    const { owner, keyId, secret } = await newKey();
    await eventually(async () => (await owner.keys.get({ keyId })).spent).not.toBe("0");
    const before = await owner.keys.get({ keyId });
    const rotated = await owner.keys.rotate({ keyId, keepOldSeconds: HOUR_SECONDS });
    expect(rotated.id).toBe(keyId);
    expect(rotated.secret).toMatch(/^sk-\w{43}$/);
    expect(rotated.secret).not.toBe(secret);
    await untilAnswered(rotated.secret, 200);
    await untilAnswered(secret, 200);
    const { oldUntil, ...after } = await owner.keys.get({ keyId });
    expect(after).toMatchObject({
      ...terms(),
      expiresAt: new Date(terms().expiresAt),
      name: "leaked",
      lastFour: rotated.secret.slice(-4),
      oldLastFour: secret.slice(-4),
      createdAt: before.createdAt,
    });
    expect(Number(after.spent)).toBeGreaterThanOrEqual(Number(before.spent));
    const leftMs = (oldUntil?.getTime() ?? 0) - Date.now();
    expect(Math.abs(leftMs - HOUR_SECONDS * 1_000)).toBeLessThan(60_000);
    const [row] = (await owner.keys.list({ search: secret.slice(-4) })).rows;
    expect(row).toMatchObject({ id: keyId, oldLastFour: secret.slice(-4) });
  });

  test("accepts its old secret until that expires and not after, even in a process that has just seen it", async () => {
    const { owner, keyId, secret } = await newKey();
    const rotated = await owner.keys.rotate({ keyId, keepOldSeconds: 60 });
    await untilAnswered(secret, 200);
    try {
      aheadMs = 61_000;
      expect([await statusOf(secret), await statusOf(rotated.secret)]).toEqual([401, 200]);
      // Only the process with that clock refuses it.
      expect(await statusOf(secret, other)).toBe(200);
    } finally {
      aheadMs = 0;
    }
    await sqlOf(gateway.runtime.db)`update api_keys set old_until = now() where id = ${keyId}`;
    expect(await owner.keys.get({ keyId })).toMatchObject({ oldLastFour: null, oldUntil: null });
  });

  test("refuses its old secret in every process within a second if none is kept", async () => {
    const { owner, keyId, secret } = await newKey();
    const rotated = await owner.keys.rotate({ keyId, keepOldSeconds: 0 });
    expect(rotated).toMatchObject({ oldLastFour: null, oldUntil: null });
    await untilAnswered(secret, 401);
    await untilAnswered(rotated.secret, 200);
  });

  test.each([
    ["without keeping a secret accepts the newest secret only", 0, 401],
    ["with keeping the old secret accepts the last two secrets only", HOUR_SECONDS, 200],
  ])("that is rotated again %s", async (_, keepOldSeconds, last) => {
    const { owner, keyId, secret } = await newKey();
    const second = await owner.keys.rotate({ keyId, keepOldSeconds: HOUR_SECONDS });
    await untilAnswered(second.secret, 200);
    const third = await owner.keys.rotate({ keyId, keepOldSeconds });
    await untilAnswered(secret, 401);
    await untilAnswered(second.secret, last);
    await untilAnswered(third.secret, 200);
  });

  test("loses its old secret early when an owner retires it, and not by other changes", async () => {
    const { owner, keyId, secret } = await newKey();
    const rotated = await owner.keys.rotate({ keyId, keepOldSeconds: HOUR_SECONDS });
    await owner.keys.update({ keyId, name: "renamed" });
    await untilAnswered(secret, 200);
    await owner.keys.setStatus({ keyId, status: "disabled" });
    await untilAnswered(secret, 403);
    await owner.keys.setStatus({ keyId, status: "active" });
    await untilAnswered(secret, 200);
    expect(await owner.keys.retireSecret({ keyId })).toMatchObject({ oldLastFour: null, oldUntil: null });
    await untilAnswered(secret, 401);
    await untilAnswered(rotated.secret, 200);
  });

  test("is recorded by the last four characters of both secrets, which are stored nowhere", async () => {
    const { owner, accountId, keyId, secret } = await newKey();
    const rotated = await owner.keys.rotate({ keyId, keepOldSeconds: HOUR_SECONDS });
    await owner.keys.retireSecret({ keyId });
    const changes = await changesOf(keyId);
    const ends = { lastFour: rotated.secret.slice(-4), oldLastFour: secret.slice(-4) };
    expect(changes.slice(1)).toMatchObject([
      {
        action: "key.rotate",
        accountId,
        before: { lastFour: ends.oldLastFour, oldLastFour: null },
        after: { ...ends, oldUntil: expect.any(String) },
      },
      {
        action: "key.retire_secret",
        before: { oldLastFour: ends.oldLastFour },
        after: { oldLastFour: null },
      },
    ]);
    const text = JSON.stringify([changes, await rowOf(keyId), await owner.keys.list({})]);
    expect([secret, rotated.secret].filter((keySecret) => text.includes(keySecret))).toEqual([]);
  });

  test("that is rotated several times at once accepts the secrets of two rotations, and no other", async () => {
    const { owner, keyId } = await newKey();
    const made = await Promise.all(
      Array.from({ length: 4 }, () => owner.keys.rotate({ keyId, keepOldSeconds: HOUR_SECONDS })),
    );
    const key = await owner.keys.get({ keyId });
    const winners = made.filter(({ secret }) => [key.lastFour, key.oldLastFour].includes(secret.slice(-4)));
    expect(winners).toHaveLength(2);
    for (const { secret } of made) {
      await untilAnswered(secret, winners.some((winner) => winner.secret === secret) ? 200 : 401);
    }
  });

  test("rehashes its old secret with the current pepper, too, independently of the new one", async () => {
    const { owner, keyId, secret } = await newKey();
    const rotated = await owner.keys.rotate({ keyId, keepOldSeconds: HOUR_SECONDS });
    const before = await rowOf(keyId);
    const env = { KEY_PEPPER: "q".repeat(32), KEY_PEPPER_PREVIOUS: PEPPER };
    const later = await startGateway({ databaseUrl: gateway.databaseUrl, env });
    try {
      expect(await statusOf(secret, later)).toBe(200);
      const between = await rowOf(keyId);
      expect(between.old_hash).not.toBe(before.old_hash);
      expect(between.hash).toBe(before.hash);
      expect(await statusOf(rotated.secret, later)).toBe(200);
      const after = await rowOf(keyId);
      expect([after.hash === before.hash, after.old_hash]).toEqual([false, between.old_hash]);
    } finally {
      await later.close();
    }
  });
});

test("the previous release accepts both secrets next to this one, until the old one is retired", async () => {
  const { owner, keyId, secret } = await newKey();
  const db = releases.previous.openDatabase(gateway.databaseUrl, { connections: 1 });
  const gatekeeper = releases.previous.createGatekeeper({
    ...{ db, clock: () => new Date(), log: createLog("silent"), pepper: PEPPER, previousPepper: undefined },
    ...{ redisUrl: undefined, trustedProxies: [], places: localPool(10), onRedisFallback: () => {} },
    videosPerMinute: 10,
  });
  const knows = async (offered: string) => {
    gatekeeper.forget();
    return await promised(() =>
      gatekeeper.identify(new Headers({ authorization: `Bearer ${offered}` })),
    ).then(
      (key) => key.keyId === keyId,
      () => false,
    );
  };
  try {
    expect(await knows(secret)).toBe(true);
    const rotated = await owner.keys.rotate({ keyId, keepOldSeconds: HOUR_SECONDS });
    expect([await knows(rotated.secret), await knows(secret)]).toEqual([true, true]);
    // The previous release's own writes to the row leave the old secret valid in this release.
    await untilAnswered(secret, 200);
    await owner.keys.retireSecret({ keyId });
    expect([await knows(rotated.secret), await knows(secret)]).toEqual([true, false]);
    await untilAnswered(secret, 401);
  } finally {
    await gatekeeper.close();
    await db.close();
  }
});

describe("a duplicate", () => {
  test("has the terms of the key, a name and a secret of its own, and no spend", async () => {
    const { owner, accountId, keyId, secret } = await newKey();
    const made = await owner.keys.duplicate({ keyId, name: "second" });
    expect(made.id).not.toBe(keyId);
    expect(made.secret).not.toBe(secret);
    expect(await owner.keys.get({ keyId: made.id })).toMatchObject({
      ...terms(),
      expiresAt: new Date(terms().expiresAt),
      name: "second",
      status: "active",
      spent: "0",
      lastUsedAt: null,
    });
    expect(await changesOf(made.id)).toMatchObject([
      { action: "key.duplicate", accountId, before: null, after: { name: "second", duplicateOf: keyId } },
    ]);
    await owner.keys.delete({ keyId });
    await untilAnswered(secret, 401);
    await untilAnswered(made.secret, 200);
  });
});

describe("several keys", () => {
  test("are enabled or disabled together, each with its entry", async () => {
    const { owner, keyId, secret } = await newKey();
    const others = [await owner.keys.create({ name: "b" }), await owner.keys.create({ name: "c" })];
    const keyIds = [keyId, ...others.map(({ id }) => id), keyId];
    await owner.keys.setStatuses({ keyIds, status: "disabled" });
    for (const keySecret of [secret, ...others.map((key) => key.secret)]) {
      await untilAnswered(keySecret, 403);
    }
    for (const id of new Set(keyIds)) {
      expect((await changesOf(id)).at(-1)).toMatchObject({
        action: "key.disable",
        targetId: id,
        before: { status: "active" },
        after: { status: "disabled" },
      });
    }
    await owner.keys.setStatuses({ keyIds, status: "active" });
    await untilAnswered(secret, 200);
  });
});
