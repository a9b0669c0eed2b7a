import { expect, test } from "vitest";
import {
  addChannel,
  getChannelByNameOrId,
  removeChannel,
  setChannelEnabled,
  updateChannel,
} from "@/server/channels";
import { transaction } from "@/server/db";
import { openChannelRoom } from "@/tests/support/channel-room";
import { perFile } from "@/tests/support/per-file";
import { expectRefused } from "@/tests/support/refusal";
import { answerWith, startUpstream } from "@/tests/support/upstream";
import { branded } from "../support/branded";

const room = perFile(openChannelRoom);
const upstream = perFile(() => startUpstream(answerWith("ok")));

const edit = (change: Parameters<typeof updateChannel>[1]) => updateChannel(room.db, change, room.vault);
const lastKey = () => upstream.requests.at(-1)?.headers.authorization;

test("an edit changes the members of a channel that it names, and no others", async () => {
  const { id, createdAt } = await room.add({ name: "before", baseUrl: upstream.baseUrl, maxTasks: 4 });
  const changed = await edit({ channelId: id, name: "after", priority: 7, weight: 0, maxTasks: null });
  expect(changed).toMatchObject({
    ...{ id, createdAt, name: "after", priority: 7, weight: 0, maxTasks: null, timeoutSeconds: null },
    ...{ idleTimeoutSeconds: null, baseUrl: upstream.baseUrl, models: { m: "m" }, isEnabled: true },
  });
  expect(await getChannelByNameOrId(room.db, "after")).toEqual(changed);
});

test("a stored credential is kept by its place, without its text, and calls are signed with it", async () => {
  const model = "kept";
  const { id, credentialHints } = await room.add({
    baseUrl: upstream.baseUrl,
    secrets: ["sk-upstream-first-0001", "sk-upstream-second-0002"],
    models: { [model]: model },
  });
  expect(credentialHints).toEqual(["0001", "0002"]);
  const changed = await edit({ channelId: id, secrets: [{ keep: 1 }] });
  expect(changed).toMatchObject({ credentialCount: 1, credentialHints: ["0002"] });
  expect(await room.call(model)).toBe("ok");
  expect(lastKey()).toBe("Bearer sk-upstream-second-0002");

  await edit({ channelId: id, secrets: [{ secret: "sk-upstream-third-0003" }] });
  expect(await room.call(model)).toBe("ok");
  expect(lastKey()).toBe("Bearer sk-upstream-third-0003");
});

test("a stored credential is never sent to another host than it was entered for", async () => {
  const { id } = await room.add({ baseUrl: "https://vendor.test/v1", secrets: ["sk-vendor-secret-1234"] });
  const elsewhere = { channelId: id, baseUrl: "https://attacker.test/v1" };
  await expectRefused(edit(elsewhere), "credentialForAnotherHost");
  await expectRefused(
    edit({ ...elsewhere, secrets: [{ secret: "sk-another-one-5678" }, { keep: 0 }] }),
    "credentialForAnotherHost",
  );
  expect(await getChannelByNameOrId(room.db, id)).toMatchObject({ baseUrl: "https://vendor.test/v1" });

  expect(await edit({ channelId: id, baseUrl: "https://vendor.test/v2" })).toMatchObject({
    baseUrl: "https://vendor.test/v2",
    credentialHints: ["1234"],
  });
  expect(await edit({ ...elsewhere, secrets: [{ secret: "sk-another-one-5678" }] })).toMatchObject({
    baseUrl: "https://attacker.test/v1",
    credentialHints: ["5678"],
  });
});

test("an edit replaces the models as a whole, and those that stay keep their overrides", async () => {
  const { id } = await room.add({
    baseUrl: upstream.baseUrl,
    models: { a: "x", b: "y" },
    capabilities: { a: { topK: true }, b: { maxStops: 2 } },
  });
  expect(await edit({ channelId: id, models: { b: "z", c: "c" } })).toMatchObject({
    models: { b: "z", c: "c" },
    overrides: { b: { maxStops: 2 } },
  });
  const overruled = await edit({ channelId: id, capabilities: { c: { images: "none" } } });
  expect(overruled.overrides).toEqual({ c: { images: "none" } });
  expect(overruled.capabilities.c).toMatchObject({ images: "none" });
  await expect(edit({ channelId: id, capabilities: { a: { topK: true } } })).rejects.toThrow('"a"');
});

test("a taken name and an unknown channel are refused", async () => {
  const { id, name } = await room.add({ baseUrl: upstream.baseUrl });
  const other = await room.add({ baseUrl: upstream.baseUrl });
  await expectRefused(edit({ channelId: other.id, name }), "channelNameTaken");
  await expectRefused(room.add({ baseUrl: upstream.baseUrl, name }), "channelNameTaken");
  expect(await edit({ channelId: id, name })).toMatchObject({ name });
  await expectRefused(edit({ channelId: branded("chn_none"), weight: 1 }), "channelUnknown");
});

test("changes belong to the caller's transaction, and are undone if it fails later", async () => {
  const { id } = await room.add({ baseUrl: upstream.baseUrl, weight: 1 });
  const name = "never stored";
  const work = transaction(room.db, async (transaction) => {
    await updateChannel(transaction, { channelId: id, weight: 9, models: {} }, room.vault);
    await setChannelEnabled(transaction, { channelId: id, isEnabled: false });
    const added = { name, dialect: "openai" as const, baseUrl: upstream.baseUrl, secrets: ["s"], models: {} };
    await addChannel(transaction, added, room.vault);
    throw new Error("the log of changes is full");
  });
  await expect(work).rejects.toThrow("the log of changes is full");
  const expected = { weight: 1, isEnabled: true, models: { m: "m" } };
  expect(await getChannelByNameOrId(room.db, id)).toMatchObject(expected);
  await expect(getChannelByNameOrId(room.db, name)).rejects.toThrow(name);
});

test("concurrent edits each keep what the others changed", async () => {
  const { id } = await room.add({ baseUrl: upstream.baseUrl });
  await Promise.all([
    edit({ channelId: id, weight: 5 }),
    edit({ channelId: id, priority: 6 }),
    edit({ channelId: id, secrets: [{ keep: 0 }, { secret: "sk-the-second-4321" }] }),
  ]);
  const expected = { weight: 5, priority: 6, credentialCount: 2 };
  expect(await getChannelByNameOrId(room.db, id)).toMatchObject(expected);
});

test("no view of a channel holds a credential, sealed or not", async () => {
  const secret = "sk-never-to-be-seen-1111";
  const added = await room.add({ baseUrl: upstream.baseUrl, secrets: [secret] });
  const changed = await edit({ channelId: added.id, weight: 3 });
  const removed = await removeChannel(room.db, added.id);
  const shown = JSON.stringify([added, changed, removed]);
  expect(shown).not.toContain(secret);
  expect(shown).not.toContain("v1.");
});
