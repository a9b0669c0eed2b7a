import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAccount, issueKey } from "@/server/access";
import type { Clock, Timers } from "@/server/base/clock";
import { loadConfig } from "@/server/base/config";
import type { AccountId, ChannelId, KeyId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import { nanos, parseMoney } from "@/server/base/money";
import { type Balance, createBilling, getBalance, type LedgerEntry, listEntries } from "@/server/billing";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { answerConsole } from "@/server/process/console-handler";
import { createHttpServer } from "@/server/process/http";
import { createRuntime, type Runtime, shareRuntime } from "@/server/process/runtime";
import { startWorker } from "@/server/worker";
import { freshDatabase } from "./database";
import { traceDrift } from "./drift";
import { timed } from "./spent";

const SECRETS = { AUTH_SECRET: "a".repeat(32), ENCRYPTION_KEY: "e".repeat(32), KEY_PEPPER: "p".repeat(32) };

/** The environment of a server on this database; spawned servers get the same. */
export const serverEnvironment = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  ...SECRETS,
  LOG_LEVEL: "silent",
  BILLING_TIMEZONE: "UTC",
});

type NewChannel = Partial<Parameters<typeof addChannel>[1]> & { model?: string };

/** A gateway in this process, over a real socket and a database of its own. One a test file. */
export type TestGateway = {
  url: string;
  databaseUrl: string;
  runtime: Runtime;
  /** A new account with a key. `quota` in currency units. */
  customer: (options?: {
    quota?: string;
    allowedIps?: string[];
    requestsPerMinute?: number;
    maxConcurrent?: number;
    expiresAt?: Date;
    tellsCost?: boolean;
  }) => Promise<{ accountId: AccountId; keyId: KeyId; secret: string }>;
  /** A new chat model, 1 per million input tokens and 2 per million output tokens unless said otherwise. */
  model: (options?: Partial<Parameters<typeof saveModel>[1]>) => Promise<string>;
  /** A new OpenAI-dialect channel for `model`. */
  channel: (options: NewChannel & { baseUrl: string; model: string }) => Promise<ChannelId>;
  chat: (secret: string, body: unknown, init?: RequestInit) => Promise<Response>;
  /** Posts to a path below `/v1` as a client of any dialect does. */
  post: ReturnType<typeof postTo>;
  balance: (accountId: AccountId) => Promise<Balance>;
  /** Captures and releases, newest first. */
  entries: (accountId: AccountId) => Promise<LedgerEntry[]>;
  /** Every figure of the ledger that differs. */
  verify: () => ReturnType<typeof traceDrift>;
  close: () => Promise<void>;
};

let serial = 0;
const unique = (prefix: string) => `${prefix}-${process.pid}-${serial++}`;
export const newModelId = () => unique("model");

type Options = {
  env?: Record<string, string>;
  clock?: Clock;
  timers?: Timers;
  databaseUrl?: string;
  leaseSeconds?: number;
  log?: Log;
};

type Post = [body: unknown, more?: Omit<RequestInit, "headers"> & { headers?: Record<string, string> }];

/** A post to a path below `/v1` of any server, as a client of any dialect makes it. A text is sent as it is. */
export const postTo =
  (url: string) =>
  (secret: string, path: string, ...[body, { headers, ...init } = {}]: Post): Promise<Response> =>
    fetch(`${url}/v1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
    });

/** A gateway of a file's own; `sharedGateway` costs nothing. */
export async function startGateway(options: Options = {}): Promise<TestGateway> {
  const databaseUrl = options.databaseUrl ?? (await freshDatabase());
  return await timed("gateway", () => startOn(databaseUrl, options));
}

async function startOn(databaseUrl: string, options: Options): Promise<TestGateway> {
  const config = loadConfig({ ...serverEnvironment(databaseUrl), ...options.env });
  const { leaseSeconds } = options;
  const runtime = await createRuntime({
    config,
    databaseUrl,
    ...(options.clock && { clock: options.clock }),
    ...(options.timers && { timers: options.timers }),
    ...(options.log && { log: options.log }),
    ...(leaseSeconds !== undefined && {
      billing: (deps) => createBilling({ ...deps, timeZone: config.BILLING_TIMEZONE, leaseSeconds }),
    }),
  });
  shareRuntime(runtime);
  const stopWorker = startWorker(runtime);
  const others = answerConsole(runtime, (_incoming, outgoing) => void outgoing.writeHead(404).end());
  const server = createHttpServer(runtime, others);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { db } = runtime;
  const month = (accountId: AccountId) => ({ accountId, period: runtime.billing.period() });

  return {
    url,
    databaseUrl,
    runtime,
    customer: async ({ quota = "1000", ...key } = {}) => {
      const monthlyQuotaNanos = parseMoney(quota) ?? nanos(0n);
      const account = await createAccount(db, { name: unique("account"), monthlyQuotaNanos });
      const issued = await issueKey(
        db,
        { accountId: account.id, name: "test", ...key },
        config.KEY_PEPPER ?? "",
      );
      return { accountId: account.id, keyId: issued.id, secret: issued.secret };
    },
    model: async (change = {}) => {
      const id = change.id ?? newModelId();
      await saveModel(db, {
        kind: "chat",
        isEnabled: true,
        maxOutputTokens: 1_000,
        inputPrice: parseMoney("1") ?? nanos(0n),
        outputPrice: parseMoney("2") ?? nanos(0n),
        ...change,
        id,
      });
      // Others hear of it by notice; a test goes on at once.
      runtime.catalog.forget();
      return id;
    },
    channel: async ({ model, ...channel }) => {
      const added = await addChannel(
        db,
        {
          name: unique("channel"),
          dialect: "openai",
          secrets: ["upstream-secret"],
          models: { [model]: model },
          ...channel,
        },
        runtime.vault,
      );
      runtime.channels.forget();
      return added.id;
    },
    chat: (secret, body, init) =>
      fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...init,
      }),
    post: postTo(url),
    balance: (accountId) => getBalance(db, month(accountId)),
    entries: async (accountId) =>
      (await listEntries(db, { accountId, limit: 1_000 })).filter((entry) => entry.requestId !== null),
    verify: () => traceDrift(db),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await stopWorker();
      await runtime.close();
    },
  };
}
