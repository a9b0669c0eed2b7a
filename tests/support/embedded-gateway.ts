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

/** What came to a client: `isWhole` when nothing of its answer is missing. */
export type Received = { requestId: string | null; status: number | null; isWhole: boolean };

type Environment = Record<string, string>;

/** Built servers, one after the other, on one data directory with its own PostgreSQL, to be killed in all ways. */
export type EmbeddedGateway = Awaited<ReturnType<typeof startEmbeddedGateway>>;

/** The model that `upstreamUrl` serves to `call`: 1 per million input tokens, 2 per million output tokens. */
export const FAULT_MODEL = "fault-model";

/** `env`: of all of its servers. */
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

  const call = async ({ stream }: { stream: boolean }): Promise<Received> => {
    let requestId: string | null = null;
    let status: number | null = null;
    try {
      const body = { model: FAULT_MODEL, stream, messages: [{ role: "user", content: "hi" }] };
      const response = await postTo(server.url)(secret, "chat/completions", body);
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
  const lockFile = join(dataDir, "postgres", "postmaster.pid");
  // One that cannot start yet, because the dead one's last children are still there, takes the file away.
  const postmasterPid = () =>
    Number(existsSync(lockFile) && readFileSync(lockFile, "utf8").split("\n", 1)[0]);

  return {
    dataDir,
    server: () => server,
    accountId: () => accountId,
    /** `env`: over what all of its servers have. */
    start,
    /** Kills all of its processes without a warning, and waits until they are gone. */
    killServer: () => killFamily(server),
    /** Kills the postmaster and all its children at once. */
    killDatabase: () => killTree(postmasterPid()),
    /** The last one that was started; it may be gone. 0: there is none just now. */
    postmasterPid,
    call,
    /** Looks at the books of the running server; they move to another port when it starts again. */
    withLedger,
    /** A new account with a key. `quota` in currency units. */
    customer,
    /** Seals the credentials of channels. */
    vault: () => vault,
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
