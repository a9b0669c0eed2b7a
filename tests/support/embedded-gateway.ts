import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount, issueKey } from "@/server/access";
import { loadConfig } from "@/server/base/config";
import type { AccountId } from "@/server/base/ids";
import { nanos, parseMoney } from "@/server/base/money";
import { loadSecrets } from "@/server/base/secrets";
import { createVault } from "@/server/base/vault";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { findEmbeddedUrl } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type Ledger, openLedger } from "./ledger";
import { type ServerProcess, startServer, waitFor } from "./process";

/** What came to a client: `isWhole` when nothing of its answer is missing. */
export type Received = { requestId: string | null; status: number | null; isWhole: boolean };

/** Built servers, one after the other, on one data directory with its own PostgreSQL, to be killed in all ways. */
export type EmbeddedGateway = {
  dataDir: string;
  server: () => ServerProcess;
  accountId: () => AccountId;
  start: (env?: Record<string, string>) => Promise<void>;
  /** Kills all of its processes without a warning, and waits until they are gone. */
  killServer: () => Promise<void>;
  /** Kills the postmaster and all its children at once. */
  killDatabase: () => Promise<void>;
  postmasterPid: () => Promise<number>;
  call: (options: { stream: boolean }) => Promise<Received>;
  /** Looks at the books of the running server; they move to another port when it starts again. */
  withLedger: <T>(look: (ledger: Ledger) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

type Row = { pid: number; parent: number; state: string };

const row = (line: string): Row => {
  const [pid = "", parent = "", state = ""] = line.trim().split(/\s+/);
  return { pid: Number(pid), parent: Number(parent), state };
};

/**
 * `/proc/<pid>/stat` as a line of `ps`: what stands in brackets is a name, with spaces and brackets for all we know.
 */
function statLine(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent] = stat
      .slice(stat.lastIndexOf(")") + 1)
      .trim()
      .split(" ");
    return [`${pid} ${parent} ${state}`];
  } catch {
    // It has ended in between.
    return [];
  }
}

/** Small images have no `ps`, and only Linux has `/proc`. */
const processLines = (): string[] =>
  process.platform === "linux"
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap(statLine)
    : execFileSync("ps", ["-e", "-o", "pid=,ppid=,stat="], { encoding: "utf8" }).trim().split("\n");

export const processes = (): Row[] => processLines().map(row);

/** Whether a process runs; one that is dead but not yet waited for does not. */
export const isRunning = (pid: number): boolean =>
  processes().some((one) => one.pid === pid && !one.state.startsWith("Z"));

function programOf(pid: number): string {
  try {
    return process.platform === "linux"
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
      : execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    // It has ended in between.
    return "";
  }
}

/** A server's own processes by their names, the parent first; its database is none of them. */
export function familyOf({ child }: ServerProcess): { name: string; pid: number }[] {
  const parent = child.pid ?? 0;
  const children = processes().flatMap((row) => {
    const [, name] = row.parent === parent ? (/dist\/\w+\.js (\S+)/.exec(programOf(row.pid)) ?? []) : [];
    return name === undefined ? [] : { name, pid: row.pid };
  });
  return [{ name: "parent", pid: parent }, ...children];
}

/** Kills all of them without a warning, and waits until they are gone. */
export async function killFamily(server: ServerProcess): Promise<void> {
  const family = familyOf(server);
  for (const { pid } of family) {
    killHard(pid);
  }
  const { child } = server;
  await waitFor(() => child.signalCode !== null || child.exitCode !== null);
  await waitFor(() => !family.some(({ pid }) => isRunning(pid)));
}

export function killHard(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
      throw error;
    }
  }
}

export async function startEmbeddedGateway(upstreamUrl: string): Promise<EmbeddedGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-fault-"));
  let server: ServerProcess;
  let accountId: AccountId;
  let secret = "";

  const start = async (env: Record<string, string> = {}) => {
    server = await startServer({ TOLLGATE_DATA_DIR: dataDir, BILLING_TIMEZONE: "UTC", ...env });
  };
  const withLedger = async <T>(look: (ledger: Ledger) => Promise<T>): Promise<T> => {
    const ledger = openLedger(findEmbeddedUrl(dataDir) ?? "");
    try {
      return await look(ledger);
    } finally {
      await ledger.db.close();
    }
  };
  const postmasterPid = () =>
    withLedger(async ({ db }) => {
      const [row] = await sqlOf(db)<{ pid: number }[]>`select pg_backend_pid() as pid`;
      return processes().find(({ pid }) => pid === row?.pid)?.parent ?? 0;
    });

  await start();
  await withLedger(async ({ db }) => {
    const { keyPepper, encryptionKey } = loadSecrets(loadConfig({ TOLLGATE_DATA_DIR: dataDir }));
    const account = await createAccount(db, {
      name: "faults",
      monthlyQuotaNanos: parseMoney("1000") ?? nanos(0n),
    });
    accountId = account.id;
    secret = (await issueKey(db, { accountId, name: "faults" }, keyPepper)).secret;
    await saveModel(db, {
      id: "fault-model",
      kind: "chat",
      isEnabled: true,
      maxOutputTokens: 1_000,
      inputPrice: parseMoney("1") ?? nanos(0n),
      outputPrice: parseMoney("2") ?? nanos(0n),
    });
    await addChannel(
      db,
      {
        name: "faults",
        dialect: "openai",
        baseUrl: upstreamUrl,
        secrets: ["upstream-secret"],
        models: { "fault-model": "fault-model" },
      },
      createVault(encryptionKey),
    );
  });

  const call = async ({ stream }: { stream: boolean }): Promise<Received> => {
    let requestId: string | null = null;
    let status: number | null = null;
    try {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "fault-model", stream, messages: [{ role: "user", content: "hi" }] }),
      });
      requestId = response.headers.get("x-request-id");
      status = response.status;
      const text = await response.text();
      const isWhole =
        status === 200 && (stream ? /^data: \[DONE\]$/m.test(text) : "choices" in JSON.parse(text));
      return { requestId, status, isWhole };
    } catch {
      // The server died under the call.
      return { requestId, status, isWhole: false };
    }
  };

  return {
    dataDir,
    server: () => server,
    accountId: () => accountId,
    start,
    killServer: () => killFamily(server),
    killDatabase: async () => {
      const postmaster = await postmasterPid();
      const family = [
        postmaster,
        ...processes().flatMap((row) => (row.parent === postmaster ? row.pid : [])),
      ];
      family.forEach(killHard);
      await waitFor(() => !family.some(isRunning));
    },
    postmasterPid,
    call,
    withLedger,
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
