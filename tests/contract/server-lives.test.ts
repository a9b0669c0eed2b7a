import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { serverEnvironment } from "@/tests/support/gateway";
import { perFile, temporaryDirectory } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { familyOf, isRunning, killFamily, killHard } from "@/tests/support/process-tree";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { until } from "@/tests/support/until";

const gateway = perFile(sharedGateway);
const TMPDIR = temporaryDirectory();

const start = () => startServer({ ...serverEnvironment(gateway.databaseUrl), WEB_CONCURRENCY: "2", TMPDIR });
const leftFolders = () => readdirSync(TMPDIR).filter((name) => name.startsWith("tollgate-run-"));

test("the next start removes what a killed server left in the temporary folder, and not the files of a running one", async () => {
  const running = await start();
  const [kept] = leftFolders();
  const killed = await start();
  await killFamily(killed);
  expect(leftFolders()).toHaveLength(2);
  const next = await start();
  expect(leftFolders()).toHaveLength(2);
  expect(leftFolders()).toContain(kept);
  expect((await fetch(`${running.url}/sign-in`)).status).toBe(200);
  await Promise.all([running.stop(), next.stop()]);
  expect(leftFolders()).toEqual([]);
});

test.each([
  { name: "gateway-1", inMs: 0 },
  { name: "console", inMs: 0 },
  { name: "gateway-2", inMs: 300 },
  { name: "console", inMs: 400 },
])(
  "SIGTERM $inMs ms after $name has died ends its server, and no process stays behind",
  async ({ name, inMs }) => {
    const server = await start();
    const family = familyOf(server);
    killHard(family.find((member) => member.name === name)?.pid ?? 0);
    await new Promise((resolve) => setTimeout(resolve, inMs));
    const all = [...family, ...familyOf(server)];
    server.child.kill("SIGTERM");
    await until(() => server.child.exitCode !== null, 15_000).catch((error: unknown) => {
      const running = familyOf(server).map(({ name: still, pid }) => `${still} ${pid}`);
      throw new Error(`the server runs on with ${running.join(", ")}:\n${server.output()}`, { cause: error });
    });
    expect(server.child.exitCode).toBe(0);
    await until(() => !all.some(({ pid }) => isRunning(pid)), 1_000);
    expect(leftFolders()).toEqual([]);
  },
);
