/** The clients' results while something around the server is away, and its recovery without help. */
import { execFile, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { findAlerts, scrape } from "./alerts";
import { ROUNDS } from "./faults";
import { type OutageWorld, startOutageWorld } from "./outage-world";
import { type Outage, outages } from "./outages";
import { perFile } from "./per-file";
import { callOnce, startTraffic, type TrafficResult } from "./traffic";
import { until } from "./until";

const IS_SHORT = ROUNDS === 1;
const LASTS_MS = IS_SHORT ? 2_000 : 30_000;
const CALLS_A_SECOND = 20;
/** Without help, on a slow machine. */
const WELL_WITHIN_MS = 30_000;
const WELL_FOR_MS = IS_SHORT ? 1_000 : 1_500;
const WELL_BEFORE_MS = IS_SHORT ? 700 : 1_500;
/** How long calls wait for an upstream in these tests (`UPSTREAM_TIMEOUT_SECONDS`), and for the database (`HOLD_TIMEOUT_MS`). */
const [UPSTREAM_WAIT_MS, DATABASE_WAIT_MS] = [5_000, 10_000];
const MEGABYTE = 1024 * 1024;
/** The growth that the server may have meanwhile: V8's young generation, which grows under load, is 128 of them. */
const GROWS_BY_MEGABYTES = 300;
/** The growth of live memory afterwards, after all garbage is collected. */
const KEEPS_MEGABYTES = 50;

/** The tested commit, if it is known: a copy without its history has none. */
const COMMIT = spawnSync("git", ["describe", "--always", "--dirty", "--exclude=*"], {
  encoding: "utf8",
}).stdout?.trim();

const HEAD = [
  "what",
  "calls",
  "well",
  "refused",
  "broken off",
  "slowest",
  "well again after",
  "`/readyz`",
  "memory",
  "kept",
  "what an operator saw",
];
const PAGE = "docs/reliability.md";

/** Prints the table, and with OUTAGES_WRITE writes it into the page. */
async function report(part: string, rows: string[][]): Promise<void> {
  const lines = [HEAD, HEAD.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const how =
    `${LASTS_MS / 1000} s each, ${CALLS_A_SECOND} calls a second, every other one a stream. ` +
    `${new Date().toISOString().slice(0, 10)}, at ${COMMIT}.`;
  const text = `${how}\n\n${lines.join("\n")}`;
  console.log(text);
  if (process.env.OUTAGES_WRITE) {
    const page = await readFile(PAGE, "utf8");
    const place = new RegExp(`(<!-- outages: ${part} -->)[\\s\\S]*(<!-- /outages: ${part} -->)`);
    await writeFile(PAGE, page.replace(place, `$1\n\n${text}\n\n$2`));
  }
}

/** The number of each error: `unavailable 12`. */
function tell(results: TrafficResult[]): string {
  const counts = new Map<string, number>();
  for (const { error } of results) {
    counts.set(String(error), (counts.get(String(error)) ?? 0) + 1);
  }
  return [...counts].map(([error, count]) => `${error} ${count}`).join(", ") || "–";
}

/**
 * The answer to a balancer's check; null: none within a second. A server that must be ready is asked until it answers,
 * because a second is short on a busy machine.
 */
async function readiness(url: string, isAnswered: boolean): Promise<number | null> {
  const program = ["tests/support/probe-process.mjs", `${url}/readyz`];
  let status: number | null = null;
  await until(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, program);
    status = JSON.parse(stdout);
    return status !== null || !isAnswered;
  });
  return status;
}

async function strike(
  world: OutageWorld,
  { prepare, begin, end, lastsMs = LASTS_MS, isReady = false }: Outage,
) {
  const undo = await prepare?.(world);
  const { url } = world.server();
  const before = await scrape(url);
  world.forgetPeaks();
  const traffic = startTraffic(world.target(), CALLS_A_SECOND);
  try {
    await sleep(WELL_BEFORE_MS);
    const beganAt = performance.now();
    await begin(world);
    const lasts = sleep(lastsMs);
    await sleep(lastsMs * 0.8);
    const [ready, during] = await Promise.all([readiness(world.target().url, isReady), scrape(url)]);
    await lasts;
    await end(world);
    const lastedMs = performance.now() - beganAt;
    const wellAfterMs = await traffic.untilWell(performance.now(), {
      forMs: WELL_FOR_MS,
      withinMs: WELL_WITHIN_MS,
    });
    const results = await traffic.stop();
    const alerts = findAlerts([before, during, await scrape(url)]);
    return { results, beganAt, lastedMs, wellAfterMs, ready, alerts };
  } finally {
    await traffic.stop();
    await undo?.();
  }
}

/** Each fault is a test; they run one after the other against one server. Call it once in a file. */
export function testOutages(part: keyof typeof outages): void {
  const world = perFile(() => startOutageWorld(IS_SHORT));
  const rows: string[][] = [];
  afterAll(() => report(part, rows));
  let before: { resident: number; alive: number } | null = null;

  test.for(outages[part](IS_SHORT))(
    "$name, and then every call is answered again",
    async (outage, { skip }) => {
      skip(outage.needs?.(world) === false, "this machine does not let us (docs/reliability.md)");
      before ??= { resident: world.resident(), alive: await world.alive() };
      const { results, wellAfterMs, ready, beganAt, lastedMs, alerts } = await strike(world, outage);
      const bad = results.filter(({ isWhole }) => !isWhole);
      const growth = (world.peak() - before.resident) / MEGABYTE;
      const kept = ((await world.alive()) - before.alive) / MEGABYTE;
      rows.push([
        outage.name,
        ...[results.length, results.length - bad.length].map(String),
        tell(bad.filter(({ status }) => status !== 200)),
        tell(bad.filter(({ status }) => status === 200)),
        `${(Math.max(...results.map(({ ms }) => ms)) / 1000).toFixed(1)} s`,
        `${(wellAfterMs / 1000).toFixed(1)} s`,
        String(ready ?? "silent"),
        `${growth.toFixed(0)} MB`,
        `${kept.toFixed(0)} MB`,
        alerts.join(", ") || "–",
      ]);
      expect(
        bad.filter((result) => result.beganAt + result.ms < beganAt),
        "before it, all was well",
      ).toEqual([]);
      const ofPause = outage.errorsOfLongPause;
      const named = [...outage.errors, ...(lastedMs > UPSTREAM_WAIT_MS ? (ofPause ?? []) : [])];
      // A paused process finds that a call has waited too long for the database, and refuses it unpaid.
      const isTooLate = ({ error, ms }: TrafficResult) =>
        ofPause !== undefined && error === "unavailable" && ms > DATABASE_WAIT_MS;
      const errors = [...new Set(bad.filter((result) => !isTooLate(result)).map(({ error }) => error))];
      expect(
        errors.filter((error) => !named.includes(String(error))),
        `of ${lastedMs} ms`,
      ).toEqual([]);
      if (outage.isReady !== undefined) {
        expect(ready === 200).toBe(outage.isReady);
      }
      await world.expectPaid(results);
      expect(growth, "memory").toBeLessThan(GROWS_BY_MEGABYTES + (outage.peak ?? 0));
      expect(kept, "what is alive").toBeLessThan(KEEPS_MEGABYTES);
      expect(await callOnce(world.target(), true)).toMatchObject({ isWhole: true });
    },
  );

  test("no money is on hold in the end", async () => {
    await world.expectNothingFrozen();
  });
}
