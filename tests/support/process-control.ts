import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { until } from "./until";

/** Controls the processes of a server under test from inside (tests/support/process-control-preload.mjs). */
export type ProcessControl = ReturnType<typeof openProcessControl>;

export function openProcessControl() {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-process-control-"));
  const file = join(folder, "told.json");
  let state = { aheadMs: 0, serial: 0 };
  const tell = (change: Partial<typeof state>) => {
    state = { ...state, ...change };
    writeFileSync(file, JSON.stringify(state));
  };
  tell({});
  const readAlive = (pid: number): number | null => {
    try {
      const { serial, alive } = JSON.parse(readFileSync(`${file}.${pid}`, "utf8"));
      return serial === state.serial ? alive : null;
    } catch {
      // The file does not exist yet, or is incomplete.
      return null;
    }
  };
  const module = pathToFileURL(resolve("tests/support/process-control-preload.mjs")).href;
  return {
    env: { PROCESS_CONTROL_FILE: file, NODE_OPTIONS: `--expose-gc --import=${module}` },
    /** Moves the processes' clock ahead, or back, from now on. */
    turnClock: (aheadMs: number) => tell({ aheadMs }),
    /** The live bytes of the processes, after their garbage is collected. */
    alive: async (pids: number[]) => {
      tell({ serial: state.serial + 1 });
      await until(() => pids.every((pid) => readAlive(pid) !== null));
      return pids.reduce((sum, pid) => sum + (readAlive(pid) ?? 0), 0);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
