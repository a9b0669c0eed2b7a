import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "@/server/base/config";
import { loadSecrets } from "@/server/base/secrets";
import { createVault } from "@/server/base/vault";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { findEmbeddedUrl } from "@/server/db";
import { addCustomer, money } from "./customer";
import { postTo } from "./gateway";
import { type Ledger, openLedger } from "./ledger";
import { type ServerProcess, startServer } from "./process";
import { killFamily, killTree } from "./process-tree";

/** A client's result of a call. `isWhole`: no part of the answer is missing. */
export type ClientResult = { requestId: string | null; status: number | null; isWhole: boolean };

type Environment = Record<string, string>;

/** Built servers, one after the other, on one data directory with its own PostgreSQL; tests kill them in all ways. */
export type EmbeddedGateway = Awaited<ReturnType<typeof startEmbeddedGateway>>;

/** The model that `upstreamUrl` serves to `call`: 1 per million input tokens, 2 per million output tokens. */
export const FAULT_MODEL = "fault-model";

/** `env`: for all of its servers. */
export async function startEmbeddedGateway(upstreamUrl: string, env: Environment = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-fault-"));
  let server: ServerProcess;

  const start = async (more: Environment = {}) => {
    server = await startServer({ TOLLGATE_DATA_DIR: dataDir, BILLING_TIMEZONE: "UTC", ...env, ...more });
  };
  const withLedger = async <T>(look: (ledger: Ledger) => Promise<T>): Promise<T> => {
    const ledger = openLedger(findEmbeddedUrl(dataDir) ?? "");
    try {
      return await look(ledger);
    } finally {
      await ledger.db.close();
    }
  };
  await start();
  const { keyPepper, encryptionKey } = loadSecrets(loadConfig({ TOLLGATE_DATA_DIR: dataDir }));
  const vault = createVault(encryptionKey);
  const customer = (name: string, quota: string) =>
    withLedger(({ db }) => addCustomer(db, keyPepper, { name, quota }));
  const { accountId, secret } = await customer("faults", "1000");
  await withLedger(async ({ db }) => {
    await saveModel(db, {
      ...{ id: FAULT_MODEL, kind: "chat", isEnabled: true, maxOutputTokens: 1_000 },
      ...{ inputPrice: money("1"), outputPrice: money("2") },
    });
    const models = { [FAULT_MODEL]: FAULT_MODEL };
    const secrets = ["upstream-secret"];
    await addChannel(db, { name: "faults", dialect: "openai", baseUrl: upstreamUrl, secrets, models }, vault);
  });

  /** `isAlone`: on a connection that no other call uses. */
  const call = async ({
    stream,
    isAlone = false,
  }: {
    stream: boolean;
    isAlone?: boolean;
  }): Promise<ClientResult> => {
    let requestId: string | null = null;
    let status: number | null = null;
    try {
      const body = { model: FAULT_MODEL, stream, messages: [{ role: "user", content: "hi" }] };
      const headers: Record<string, string> = isAlone ? { connection: "close" } : {};
      const response = await postTo(server.url)(secret, "chat/completions", body, { headers });
      requestId = response.headers.get("x-request-id");
      status = response.status;
      const text = await response.text();
      const isWhole =
        status === 200 && (stream ? /^data: \[DONE\]$/m.test(text) : "choices" in JSON.parse(text));
      return { requestId, status, isWhole };
    } catch {
      // The server died during the call.
      return { requestId, status, isWhole: false };
    }
  };
  const lockFile = join(dataDir, "postgres", "postmaster.pid");
  // A PostgreSQL that cannot start yet, because the dead one's last children are still there, deletes the file.
  const postmasterPid = () =>
    Number(existsSync(lockFile) && readFileSync(lockFile, "utf8").split("\n", 1)[0]);

  return {
    dataDir,
    server: () => server,
    accountId: () => accountId,
    /** `env`: in addition to that of all its servers. */
    start,
    /** Kills all of its processes without a warning, and waits until they are gone. */
    killServer: () => killFamily(server),
    /** Kills the postmaster and all its children at once. */
    killDatabase: () => killTree(postmasterPid()),
    /** The process of the last postmaster, which may be gone; 0 if there is none now. */
    postmasterPid,
    call,
    /** Opens the ledger of the running server, whose port changes with each start. */
    withLedger,
    /** A new account with a key. `quota` is in currency units. */
    customer,
    /** The vault that encrypts the credentials of channels. */
    vault: () => vault,
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
