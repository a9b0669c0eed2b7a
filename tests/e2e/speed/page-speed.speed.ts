/** `npm run page-speed`: a table for docs/console-speed.md, not a test. */
import { treeTimeMs } from "@/tests/support/tree-time";
import { prepare } from "../support/context";
import { deployment } from "../support/deployment";
import { test } from "../support/flow";
import type { People, Role } from "../support/people";
import { type Screen, screens } from "../support/screens";
import { sessionOf } from "../support/session";
import { settle } from "../support/settle";
import { noteRows, readLoadTimes } from "./first-row";
import { openInstallation } from "./installation";
import { lists } from "./lists";
import { type Measured, writeResults, writeTables } from "./results";

const ROUNDS = Number(process.env.SPEED_ROUNDS || 5);
const folder = process.env.E2E_KEPT_DIR ?? "";
const calls = Number(process.env.SPEED_CALLS);
const only = process.env.SPEED_ONLY ? new RegExp(process.env.SPEED_ONLY) : /./;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const server = Number(process.env.E2E_SERVER_PID);

const listed = ({ name, role }: Screen) => role !== "nobody" && role !== "viewer" && only.test(name);

/** Repeats a measurement; the first round, which fills caches, does not count. */
async function measure(measureOnce: () => Promise<number>): Promise<Omit<Measured, "kind" | "name">> {
  const firsts: number[] = [];
  const processors: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const spent = treeTimeMs(server);
    const first = await measureOnce();
    if (round > 0) {
      firsts.push(first);
      processors.push(treeTimeMs(server) - spent);
    }
  }
  return { firstMs: median(firsts), processorMs: median(processors) };
}

test("the time to the first row of every page, and of its lists", async ({
  browser,
  operator,
  playwright,
  t,
}) => {
  const people: People = await openInstallation({ operator, request: playwright.request, folder, calls });
  const contextOf = async (role: Role) => {
    const context = await browser.newContext({ baseURL: deployment.baseUrl(), ...people.sessions[role] });
    await prepare(context, { prefetches: false });
    await noteRows(context);
    return context;
  };
  const contexts = { owner: await contextOf("owner"), operator: await contextOf("operator") };
  const results: Measured[] = [];
  for (const screen of screens.filter(listed)) {
    const page = await contexts[screen.role === "owner" ? "owner" : "operator"].newPage();
    const measured = await measure(async () => {
      await page.goto(screen.path(people), { waitUntil: "commit" });
      await settle(page, t);
      const { row, loaded } = await readLoadTimes(page);
      return row ?? loaded ?? 0;
    });
    await page.close();
    results.push({ kind: "page", name: screen.name, ...measured });
    process.stdout.write(`${screen.name} ${JSON.stringify(measured)}\n`);
  }
  const sessions = {
    owner: sessionOf(contexts.owner.request),
    operator: sessionOf(contexts.operator.request),
  };
  for (const { name, role, read } of lists.filter((list) => only.test(list.name))) {
    const measured = await measure(async () => {
      const began = performance.now();
      await read(sessions[role], people);
      return performance.now() - began;
    });
    results.push({ kind: "list", name, ...measured });
    process.stdout.write(`${name} ${JSON.stringify(measured)}\n`);
  }
  if (!process.env.SPEED_ONLY) {
    writeResults(folder, results);
    writeTables(folder);
  }
});
