import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { serverEnvironment } from "@/tests/support/gateway";
import { startServer } from "@/tests/support/process";
import { until } from "@/tests/support/until";

test("SIGTERM ends a server whose database is gone", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-gone-"));
  const database = await startEmbeddedPostgres(directory, () => {});
  const server = await startServer(serverEnvironment(database.url));
  await database.stop();
  // It has noticed: nothing is ready without a database.
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 503, 30_000);
  const exited = once(server.child, "exit");
  server.child.kill("SIGTERM");
  const late = setTimeout(() => server.child.kill("SIGKILL"), 40_000);
  expect(await exited).toEqual([0, null]);
  clearTimeout(late);
  await rm(directory, { recursive: true, force: true });
});
