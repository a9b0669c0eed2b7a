import { expect, test } from "vitest";
import { listMissedPaths } from "@/server/calls";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";

const gateway = perFile(() => startGateway());

const ask = async (path: string, init: RequestInit) => {
  const response = await fetch(`${gateway.url}${path}`, init);
  await response.text();
  return response.status;
};

test("requests for unknown paths are counted by kind, with a key or without, and the newest are kept", async () => {
  const { secret } = await gateway.customer();
  const headers = { "user-agent": "codex_cli_rs/0.50 (Debian)" };
  expect(await ask("/v1/files/file-7hK2mPq0x9?key=1", { headers })).toBe(404);
  expect(await ask("/v1/files/file-8hK2mPq0x9", { headers })).toBe(404);
  const keyed = { authorization: `Bearer ${secret}`, "user-agent": "opencode/1.0" };
  expect(await ask("/v1/realtime/sessions", { method: "POST", headers: keyed })).toBe(404);
  expect(await ask("/v1/chat/completions", { method: "POST", headers })).toBe(401);
  const missed = () => listMissedPaths(gateway.runtime.db, 1_000);
  await eventually(async () => (await missed()).length, 15_000).toBe(2);
  for (const [method, path, program, times] of [
    ["GET", "/v1/files/{id}", "codex_cli_rs", 2],
    ["POST", "/v1/realtime/sessions", "opencode", 1],
  ]) {
    expect(await missed()).toContainEqual(expect.objectContaining({ method, path, program, times }));
  }

  // A client that asks for random paths fills neither the memory nor the table.
  for (let round = 0; round < 4; round++) {
    const paths = Array.from({ length: 230 }, (_, at) => `/v1/x${"abcdefgh"[round]}-${at.toString(36)}`);
    await Promise.all(paths.map((path) => ask(path, {})));
    await gateway.runtime.missed.close();
  }
  expect((await missed()).length).toBeLessThanOrEqual(500);
  expect((await missed()).length).toBeGreaterThanOrEqual(300);
});
