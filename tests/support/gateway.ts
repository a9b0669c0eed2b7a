import type { Clock, Timers } from "@/server/base/clock";
import { loadConfig } from "@/server/base/config";
import type { Log } from "@/server/base/log";
import { createBilling, getBalance, listEntries } from "@/server/billing";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import type { AccountId } from "@/server/domain/ids";
import { answerConsole } from "@/server/process/console-handler";
import { createHttpServer } from "@/server/process/http";
import { createRuntime } from "@/server/runtime/runtime";
import { shareRuntime } from "@/server/runtime/shared-runtime";
import { startWorker } from "@/server/worker";
import { addCustomer, money, type NewCustomer } from "./customer";
import { freshDatabase } from "./database";
import { timed } from "./file-times";
import { end, listen } from "./listen";
import { traceDrift } from "./trace-drift";

const SECRETS = { AUTH_SECRET: "a".repeat(32), ENCRYPTION_KEY: "e".repeat(32), KEY_PEPPER: "p".repeat(32) };

/** The environment of a server on this database; spawned servers get the same. */
export const serverEnvironment = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  ...SECRETS,
  LOG_LEVEL: "silent",
  BILLING_TIMEZONE: "UTC",
});

/**
 * A test on a busy machine waits: with 20 programs on two cores, the thread that reads a body of 15 MB began after more
 * than ten seconds.
 */
const PATIENT = { MAX_WAIT_SECONDS: "600" };

type ChannelOverrides = Partial<Parameters<typeof addChannel>[1]> & { model?: string };

/** A gateway in this process, with a real socket and its own database. One for each test file. */
export type TestGateway = Awaited<ReturnType<typeof startOn>>;

let serial = 0;
const unique = (prefix: string) => `${prefix}-${process.pid}-${serial++}`;
export const newModelId = () => unique("model");

type TestGatewayOptions = {
  env?: Record<string, string>;
  clock?: Clock;
  timers?: Timers;
  databaseUrl?: string;
  leaseSeconds?: number;
  log?: Log;
};

type PostArguments = [
  body: unknown,
  more?: Omit<RequestInit, "headers"> & { headers?: Record<string, string> },
];

const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array;

const sentBody = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" || isBytes(body) ? body : JSON.stringify(body);

/** Posts to a path below `/v1` of any server, as a client of any dialect does. A string or bytes are sent unchanged. */
export const postTo =
  (url: string) =>
  (secret: string, path: string, ...[body, { headers, ...init } = {}]: PostArguments): Promise<Response> =>
    fetch(`${url}/v1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        ...headers,
      },
      body: sentBody(body),
      ...init,
    });

/** A gateway that only this file uses; `sharedGateway` takes no time. */
export async function startGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const databaseUrl = options.databaseUrl ?? (await freshDatabase());
  return await timed("gateway", () => startOn(databaseUrl, options));
}

async function startOn(databaseUrl: string, options: TestGatewayOptions) {
  const config = loadConfig({ ...serverEnvironment(databaseUrl), ...PATIENT, ...options.env });
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
  const others = answerConsole(runtime, () => ({ status: 404, headers: {}, body: "" }));
  const server = createHttpServer(runtime, others);
  const url = `http://127.0.0.1:${await listen(server)}`;
  const { db } = runtime;
  const month = (accountId: AccountId) => ({ accountId, period: runtime.billing.period() });

  return {
    url,
    databaseUrl,
    runtime,
    /** A new account with a key. `quota` is in currency units. */
    customer: (more: Partial<NewCustomer> = {}) =>
      addCustomer(db, config.KEY_PEPPER ?? "", { name: unique("account"), quota: "1000", ...more }),
    /** A new chat model. Default prices: 1 per million input tokens, 2 per million output tokens. */
    model: async (change: Partial<Parameters<typeof saveModel>[1]> = {}) => {
      const id = change.id ?? newModelId();
      await saveModel(db, {
        ...{ kind: "chat", isEnabled: true, maxOutputTokens: 1_000, inputPrice: money("1") },
        outputPrice: money("2"),
        ...change,
        id,
      });
      // A notice tells other processes; a test continues at once.
      runtime.catalog.forget();
      return id;
    },
    /** A new OpenAI-dialect channel for `model`. */
    channel: async ({ model, ...channel }: ChannelOverrides & { baseUrl: string; model: string }) => {
      const added = await addChannel(
        db,
        {
          ...{ name: unique("channel"), dialect: "openai", secrets: ["upstream-secret"] },
          models: { [model]: model },
          ...channel,
        },
        runtime.vault,
      );
      runtime.channels.forget();
      return added.id;
    },
    chat: (secret: string, body: unknown, init?: RequestInit) =>
      fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...init,
      }),
    /** Posts to a path below `/v1` as a client of any dialect does. */
    post: postTo(url),
    balance: (accountId: AccountId) => getBalance(db, month(accountId)),
    /** Captures and releases, newest first. */
    entries: async (accountId: AccountId) =>
      (await listEntries(db, { accountId, limit: 1_000 })).filter((entry) => entry.requestId !== null),
    /** All figures of the ledger that differ. */
    verify: () => traceDrift(db),
    close: async () => {
      await end(server);
      await stopWorker();
      await runtime.close();
    },
  };
}
