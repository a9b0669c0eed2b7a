/** Keeps the snapshot of keys, prices and channels on disk. */
import { rmSync } from "node:fs";
import { stopwatch } from "@/server/base/clock";
import { startLoop } from "@/server/worker";
import type { Runtime } from "../runtime/runtime";
import { snapshotMs, snapshotPath, takeSnapshot, writeSnapshot } from "../runtime/snapshot";

const LOOK_EVERY_MS = 2_000;
/** Without a change it is read again after a tenth of the time that it may be served from. */
const RENEWED_PART = 10;

/**
 * Writes a snapshot soon after each change, and removes the one before at once: a key that this process knows to be
 * revoked must not be served by a start that finds no database. Returns a function that stops it.
 */
export function keepSnapshot(
  runtime: Pick<Runtime, "config" | "db" | "secrets" | "log" | "timers" | "onChange">,
): () => Promise<void> {
  const { config, db, secrets, log, timers } = runtime;
  const mostMs = snapshotMs(config);
  if (mostMs === 0) {
    return async () => {};
  }
  const remove = () => rmSync(snapshotPath(config), { force: true });
  let changes = 0;
  let written = { changes: -1, at: 0 };
  runtime.onChange((isCertain) => {
    changes += 1;
    if (isCertain) {
      remove();
    }
  });

  async function renew(): Promise<void> {
    if (written.changes === changes && stopwatch() - written.at < mostMs / RENEWED_PART) {
      return;
    }
    const begun = { changes, at: stopwatch() };
    const snapshot = await takeSnapshot(db, config);
    if (changes !== begun.changes) {
      return;
    }
    await writeSnapshot(config, secrets, snapshot);
    if (changes === begun.changes) {
      written = begun;
    } else {
      remove();
    }
  }
  return startLoop(log, { name: "the snapshot", everyMs: LOOK_EVERY_MS, pass: renew }, timers);
}
