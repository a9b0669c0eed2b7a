// Made by scripts/keep-release.mjs of 40220a8b9a6a7067033bf8161d28593774195291; do not edit.
var __defProp = Object.defineProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// server/access/accounts.ts
import { and as and3, asc as asc3, count as count2, desc as desc2, eq as eq3, inArray as inArray2, ne, or as or2, sql as sql10 } from "drizzle-orm";

// server/base/ids.ts
import { randomFillSync } from "node:crypto";
var RANDOM_BYTES = 9;
var drawn = Buffer.allocUnsafeSlow(RANDOM_BYTES * 512);
var next = drawn.length;
var SET_BACK_MS = 6e4;
var last = { ms: 0, place: 0 };
function timeOrdered() {
  if (next === drawn.length) {
    randomFillSync(drawn);
    next = 0;
  }
  const at = next;
  next += RANDOM_BYTES;
  const now = Date.now();
  const isNew = now > last.ms || now < last.ms - SET_BACK_MS;
  last = isNew ? { ms: now, place: drawn.readUInt32BE(at) >>> 1 } : { ms: last.ms, place: last.place + 1 };
  const time = last.ms.toString(16).padStart(12, "0");
  const place2 = last.place.toString(16).padStart(8, "0");
  const random = drawn.toString("hex", at + 4, at + RANDOM_BYTES);
  return `${time}7${place2.slice(0, 3)}8${place2.slice(3)}${random}`;
}
var newId = (prefix) => `${prefix}_${timeOrdered()}`;
function lowestId(prefix, moment4) {
  return `${prefix}_${Math.max(0, moment4.getTime()).toString(16).padStart(12, "0")}`;
}

// server/base/refusal.ts
var Refusal = class extends Error {
  constructor(message, reason, ...filling) {
    super(message);
    this.reason = reason;
    this.values = filling[0] ?? {};
  }
  reason;
  name = "Refusal";
  values;
};
function parseOrRefuse(schema, value) {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw new Refusal([issue?.path.join("."), issue?.message].filter(Boolean).join(": "), "invalid");
}

// server/base/transient.ts
var TRANSIENT = /^(08|53|57P0|57014|40|55P03|23514|CONNECT|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/;
function isTransient(error) {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause;
    if (typeof code === "string" && TRANSIENT.test(code)) {
      return true;
    }
  }
  return false;
}

// server/db/client.ts
import { is } from "drizzle-orm";
import { drizzle, PostgresJsSession } from "drizzle-orm/postgres-js";
import postgres from "postgres";

// server/db/socket.ts
import { connect } from "node:net";
var LONGER_MS = 5e3;
var LISTEN_EVERY_MS = 5e3;
function createSockets(statementMs) {
  let turn = 0;
  return ({ host, port, path, idle_timeout }) => {
    const place2 = turn++ % host.length;
    const name = host[place2] ?? "localhost";
    const socket = path ? connect(path) : connect(port[place2] ?? 5432, name);
    Object.assign(socket, { host: name });
    if (idle_timeout === null) {
      return socket;
    }
    let heard = 0;
    let silentMs = 0;
    const watch = setInterval(() => {
      silentMs = socket.bytesRead === heard ? silentMs + LISTEN_EVERY_MS : 0;
      heard = socket.bytesRead;
      if (socket.destroyed || silentMs >= statementMs + LONGER_MS) {
        clearInterval(watch);
        socket.destroy(Object.assign(new Error("the database is silent"), { code: "ETIMEDOUT" }));
      }
    }, LISTEN_EVERY_MS);
    watch.unref();
    return socket;
  };
}

// server/db/client.ts
var HANDLES = /* @__PURE__ */ Symbol.for("tollgate.db");
function clientOf(transaction2) {
  const { session } = transaction2._;
  if (!is(session, PostgresJsSession)) {
    throw new Error("a transaction of another driver");
  }
  return session.client;
}
function transaction(db, act) {
  const { orm, isDistributed: isDistributed2 } = db[HANDLES];
  return orm.transaction(
    (inside) => act({ [HANDLES]: { orm: inside, sql: clientOf(inside), isDistributed: isDistributed2, isTransaction: true } })
  );
}
var patient = (db) => db[HANDLES].patient;
var STATEMENT_MS = 15e3;
var PATIENT_STATEMENT_MS = 6e5;
var [MONEYS, RELAXED] = [4, 2];
var HOT_CONNECTIONS = MONEYS + RELAXED + 1;
var SAME_PLAN = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", random_page_cost: "0" };
var OWN_PLANS = { plan_cache_mode: "force_custom_plan" };
var IDLE_SECONDS = 15;
var TOUCH_EVERY_MS = 5e3;
function openDatabase(url, options = {}) {
  const { connections = 8, isDistributed: isDistributed2 = false, onStatement } = options;
  const open2 = (max, settings = {}, statementMs = STATEMENT_MS) => {
    const own = {
      socket: createSockets(statementMs),
      max,
      connect_timeout: 5,
      idle_timeout: IDLE_SECONDS,
      onnotice: () => {
      },
      // Under a second between tries, so that a restarted server is found again quickly.
      backoff: (attempt) => Math.min(0.1 * 2 ** attempt, 1),
      ...onStatement && { debug: (_connection, text9, parameters) => onStatement(text9, parameters) },
      connection: {
        application_name: "tollgate",
        synchronous_commit: "on",
        // Statements here take less time than compiling them would.
        jit: "off",
        statement_timeout: statementMs,
        idle_in_transaction_session_timeout: 15e3,
        ...settings
      }
    };
    return postgres(url, own);
  };
  const typed = open2(connections, OWN_PLANS);
  const plans = isDistributed2 ? OWN_PLANS : SAME_PLAN;
  const sql34 = open2(MONEYS, plans);
  const relaxed2 = open2(RELAXED, { ...plans, synchronous_commit: "off" });
  const patient2 = open2(1, {}, PATIENT_STATEMENT_MS);
  const kept = [
    // Lists may open more, for as long as they are used.
    { client: typed, count: Math.min(2, connections) },
    { client: sql34, count: MONEYS },
    { client: relaxed2, count: RELAXED }
  ];
  let touching;
  let isClosed = false;
  async function keepWarm() {
    await Promise.allSettled(
      kept.flatMap(({ client, count: count4 }) => Array.from({ length: count4 }, () => client`select 1`))
    );
    if (!isClosed) {
      touching = setTimeout(() => void keepWarm(), TOUCH_EVERY_MS).unref();
    }
  }
  const ormOver = (client) => drizzle(client, { casing: "snake_case" });
  const dbOver = (client) => ({ [HANDLES]: { orm: ormOver(client), sql: client, isDistributed: isDistributed2 } });
  return {
    [HANDLES]: {
      orm: ormOver(typed),
      sql: sql34,
      isDistributed: isDistributed2,
      relaxed: dbOver(relaxed2),
      patient: dbOver(patient2)
    },
    keepWarm,
    close: async () => {
      isClosed = true;
      clearTimeout(touching);
      await Promise.all([typed, sql34, relaxed2, patient2].map((client) => client.end({ timeout: 5 })));
    }
  };
}

// server/db/handles.ts
var ormOf = (db) => db[HANDLES].orm;
var sqlOf = (db) => db[HANDLES].sql;
var isDistributed = (db) => db[HANDLES].isDistributed;
var relaxed = (db) => db[HANDLES].relaxed;

// server/db/distribution.ts
import postgres2 from "postgres";
var DISTRIBUTE_MS = 24 * 36e5;
async function inEachStatement(db, rows, act) {
  const failures = [];
  for (const together of inStatements(db, rows)) {
    await act(together).catch((error) => failures.push(error));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}
function inStatements(db, rows) {
  const groups = /* @__PURE__ */ new Map();
  for (const row of rows) {
    const name = db[HANDLES].isDistributed ? row.accountId : "";
    const group = groups.get(name);
    if (group) {
      group.push(row);
    } else {
      groups.set(name, [row]);
    }
  }
  return [...groups.values()];
}

// server/db/embedded-record.ts
import { z as z2 } from "zod";

// server/base/config.ts
import { availableParallelism, platform } from "node:os";
import { z } from "zod";
var integer = (fallback, min, max) => z.coerce.number().int().min(min).max(max).default(fallback);
var timeZone = z.string().refine((zone) => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== "";
  } catch {
    return false;
  }
}, "is not an IANA time zone");
var SHARES_PORTS = ["linux", "freebsd", "sunos", "aix"].includes(platform());
var secret = z.string().min(32, "must have at least 32 characters (openssl rand -hex 32)").optional();
var Environment = z.object({
  /** `development`: the console's pages are compiled as they are asked for (`npm run dev`). */
  NODE_ENV: z.string().default("production"),
  PORT: integer(3e3, 0, 65535),
  /** Processes that answer calls; absent: see `gatewaysOf`. */
  WEB_CONCURRENCY: z.coerce.number().int().min(1).max(SHARES_PORTS ? 64 : 1).optional(),
  HOST: z.string().default("127.0.0.1"),
  /**
   * Where clients reach this gateway, for the addresses of videos that it serves itself. Absent: as the client wrote
   * it.
   */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, "")).optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  /** Connections that each process opens at most, beside the one that listens. */
  DATABASE_CONNECTIONS: integer(12, 8, 100),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  TOLLGATE_DATA_DIR: z.string().default("./.tollgate"),
  AUTH_SECRET: secret,
  ENCRYPTION_KEY: secret,
  KEY_PEPPER: secret,
  /** Those that the three above take the place of: still accepted, no longer used for anything new. */
  AUTH_SECRET_PREVIOUS: secret,
  ENCRYPTION_KEY_PREVIOUS: secret,
  KEY_PEPPER_PREVIOUS: secret,
  TOLLGATE_ADMIN_EMAIL: z.email().default("admin@tollgate.local"),
  TOLLGATE_ADMIN_PASSWORD: z.string().min(10).optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.url({ protocol: /^https?$/ }).default("https://api.openai.com/v1"),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: z.url({ protocol: /^https?$/ }).default("https://api.anthropic.com"),
  DASHSCOPE_API_KEY: z.string().optional(),
  DASHSCOPE_BASE_URL: z.url({ protocol: /^https?$/ }).default("https://dashscope.aliyuncs.com"),
  /** Comma-separated CIDRs whose `x-forwarded-for`, `-host` and `-proto` are believed. */
  TRUSTED_PROXIES: z.string().default("").transform((list) => list.split(",").flatMap((item) => item.trim() || [])),
  /** Origins whose pages may call `/v1`; `*` for all. */
  CORS_ORIGINS: z.string().default("").transform((list) => list.split(",").flatMap((item) => item.trim().replace(/\/$/, "") || [])),
  BILLING_TIMEZONE: timeZone.default("Asia/Shanghai"),
  CURRENCY: z.string().regex(/^[A-Z]{3}$/).default("CNY"),
  /** Error bodies carry the SDKs' own fields beside the envelope's three. */
  COMPAT_ERRORS: z.stringbool().default(false),
  /** Longest wait for an upstream's first event (stream) or whole answer (JSON). */
  UPSTREAM_TIMEOUT_SECONDS: integer(120, 1, 3600),
  /** Longest silence inside a stream. */
  UPSTREAM_IDLE_TIMEOUT_SECONDS: integer(60, 1, 3600),
  /** Bytes of request bodies in memory at any time: of all calls, and of one key's. One body may have 32 MB. */
  BODY_MEGABYTES: integer(256, 64, 65536),
  BODY_MEGABYTES_PER_KEY: integer(64, 32, 65536),
  KEEP_ALIVE_SECONDS: integer(10, 1, 300),
  /** How long a client may take nothing of an answer that is there for it. */
  CLIENT_STALL_SECONDS: integer(60, 1, 3600),
  /** Calls that the server serves at a time. An account without a limit of its own has its share of them. */
  MAX_CONCURRENT_CALLS: integer(2048, 8, 1e5),
  DRAIN_SECONDS: integer(30, 1, 600),
  /** How long a video may take before it fails with `timeout`. Stored with each task. */
  VIDEO_TIMEOUT_SECONDS: integer(600, 1, 86400),
  /** The least time between two looks of anyone at one upstream task (spec section 3). */
  VIDEO_POLL_SECONDS: integer(15, 1, 3600),
  VIDEO_RATE_LIMIT_PER_MINUTE: integer(30, 1, 1e5),
  /** How long the request log keeps a call. The ledger keeps what it cost for ever. */
  REQUEST_LOG_DAYS: integer(90, 1, 3650),
  /** How long an account's responses can be gone on from. 0: none is kept. */
  RESPONSES_RETENTION_DAYS: integer(30, 0, 3650),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  METRICS_TOKEN: z.string().optional()
});
var environmentNames = Object.keys(Environment.shape);

// server/db/embedded-record.ts
var Record = z2.object({ port: z2.number(), password: z2.string().min(1), ownerPid: z2.number() });

// server/db/migrate.ts
import { drizzle as drizzle2 } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres3 from "postgres";

// server/db/notifications.ts
import { sql } from "drizzle-orm";

// server/base/clock.ts
var systemClock = () => /* @__PURE__ */ new Date();
var PAUSE_MS = 1e3;
function createStopwatch() {
  let lead = Date.now() - performance.now();
  let pausedMs = 0;
  return () => {
    const steady = performance.now();
    const ahead = Date.now() - steady - lead;
    if (ahead < 0 || ahead > PAUSE_MS) {
      lead += ahead;
      pausedMs += Math.max(0, ahead);
    }
    return steady + pausedMs;
  };
}
var stopwatch = createStopwatch();

// server/db/notifications.ts
var CHANNEL = "tollgate_changes";
async function reportChange(db, topic) {
  await ormOf(db).execute(sql`select pg_notify(${CHANNEL}, ${topic})`);
}

// server/db/page.ts
import { desc, lt } from "drizzle-orm";

// server/db/partitions.ts
import { sql as sql2 } from "drizzle-orm";
var partitionName = ({ table, month }) => `${table}_${month.replace("-", "_")}`;
var LOCK_MS = 500;
async function exclusively(db, table, act) {
  return await transaction(db, async (tx) => {
    await ormOf(tx).execute(sql2`select pg_advisory_xact_lock(hashtext(${`partitions of ${table}`}))`);
    await ormOf(tx).execute(sql2.raw(`set local lock_timeout = ${LOCK_MS}`));
    return await act(tx);
  });
}
async function listPartitions(db, table) {
  const rows = await ormOf(db).execute(sql2`
    select replace(right(relname, 7), '_', '-') as month
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${table}) and relname ~ '_[0-9]{4}_[0-9]{2}$' order by 1`);
  return rows.map(({ month }) => month);
}
async function makePartition(db, partition) {
  const { table, month, bound, isOf: isOf2 } = partition;
  if ((await listPartitions(db, table)).includes(month)) {
    return;
  }
  await exclusively(db, table, async (tx) => {
    if ((await listPartitions(tx, table)).includes(month)) {
      return;
    }
    const name = partitionName(partition);
    const run = (statement) => ormOf(tx).execute(sql2.raw(statement));
    await run(`create table "${name}" (like "${table}" including all)`);
    const mode = isDistributed(db) ? "access exclusive" : "exclusive";
    await run(`lock table "${table}_rest" in ${mode} mode`);
    await run(`
      with moved as (delete from "${table}_rest" where ${isOf2} returning *) insert into "${name}" select * from moved`);
    await run(`alter table "${table}" attach partition "${name}" ${bound}`);
  });
}
async function dropPartition(db, partition) {
  await exclusively(db, partition.table, async (tx) => {
    await ormOf(tx).execute(sql2.raw(`drop table if exists "${partitionName(partition)}"`));
  });
}

// server/db/rows.ts
async function rowOrRefuse(statement, refusal2) {
  const [row] = await statement;
  if (row === void 0) {
    throw refusal2();
  }
  return row;
}

// server/db/schema/index.ts
var schema_exports = {};
__export(schema_exports, {
  accountMonths: () => accountMonths,
  accounts: () => accounts,
  apiKeys: () => apiKeys,
  auditEntries: () => auditEntries,
  calls: () => calls,
  channelModels: () => channelModels,
  channels: () => channels,
  holds: () => holds,
  idempotentAnswers: () => idempotentAnswers,
  keyMonths: () => keyMonths,
  ledgerCheckpoints: () => ledgerCheckpoints,
  ledgerChecks: () => ledgerChecks,
  ledgerClosings: () => ledgerClosings,
  ledgerEntries: () => ledgerEntries,
  managementKeys: () => managementKeys,
  models: () => models,
  rateLimits: () => rateLimits,
  secretChecks: () => secretChecks,
  sessions: () => sessions,
  spendHours: () => spendHours,
  userLinks: () => userLinks,
  users: () => users,
  videoIdempotency: () => videoIdempotency,
  videoPrices: () => videoPrices,
  videoTasks: () => videoTasks
});

// server/db/schema/access.ts
import { sql as sql3 } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer as integer2,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  varchar
} from "drizzle-orm/pg-core";

// server/base/facts.ts
var statuses = ["active", "disabled"];
var keyStates = [...statuses, "expired"];
var roles = ["owner", "operator", "viewer"];
var modelKinds = ["chat", "embedding", "video"];
var entryKinds = ["capture", "release", "topup", "adjust", "grant"];
var usageSources = ["upstream", "partial", "estimated"];
var chosenVendorApis = ["openai", "anthropic", "dashscope", "ark", "openai-video"];
var vendorApis = [...chosenVendorApis, "sandbox"];
var resolutions = ["480p", "720p", "1080p"];
var aspectRatios = ["16:9", "9:16", "1:1", "4:3", "3:4"];
var shownTaskStates = ["processing", "completed", "failed", "cancelled"];
var taskStates = ["submitting", ...shownTaskStates];
var endpointPaths = {
  "chat.completions": "/v1/chat/completions",
  messages: "/v1/messages",
  "messages.count_tokens": "/v1/messages/count_tokens",
  responses: "/v1/responses",
  "responses.stored": "/v1/responses/{id}",
  embeddings: "/v1/embeddings",
  "videos.submit": "POST /v1/videos/generations",
  "videos.status": "GET /v1/videos/generations/{id}",
  "videos.content": "GET /v1/videos/generations/{id}/content"
};
var endpointNames = Object.keys(endpointPaths);

// server/db/schema/access.ts
var moment = () => timestamp({ withTimezone: true, mode: "date" });
var accounts = pgTable("accounts", {
  id: text().$type().primaryKey(),
  name: text().notNull().unique(),
  status: text({ enum: statuses }).notNull().default("active"),
  /** Granted at the start of each month, in nano-units. */
  monthlyQuota: bigint({ mode: "bigint" }).$type().notNull(),
  /** The operator's limits on all of its keys together; null: none. */
  requestsPerMinute: integer2(),
  tokensPerMinute: integer2(),
  /** Calls under way at a time. */
  maxConcurrent: integer2(),
  createdAt: moment().notNull().defaultNow()
});
var users = pgTable("users", {
  id: text().primaryKey(),
  /** null: an operator or a viewer, who belong to no account. */
  accountId: text().$type().references(() => accounts.id),
  email: text().notNull().unique(),
  /** argon2id, PHC string. null: invited, and has not set one yet. */
  passwordHash: text(),
  /** `viewer`: sees what an operator sees, and changes nothing. */
  role: text({ enum: roles }).notNull(),
  status: text({ enum: statuses }).notNull().default("active"),
  /** Set when somebody else chose the password: nothing else can be done before it is changed. */
  mustChangePassword: boolean().notNull().default(false),
  /** Encrypted. Asked for at sign-in once `totpEnabledAt` is set. */
  totpSecret: text(),
  totpEnabledAt: moment(),
  /** The time step of the last code that was taken: none is taken twice. */
  totpLastStep: bigint({ mode: "number" }),
  /** Keyed hashes; each goes as it is used. */
  recoveryCodes: text().array().notNull().default(sql3`'{}'`),
  createdAt: moment().notNull().defaultNow()
});
var sessions = pgTable(
  "sessions",
  {
    id: text().primaryKey(),
    userId: text().notNull().references(() => users.id, { onDelete: "cascade" }),
    createdAt: moment().notNull().defaultNow(),
    expiresAt: moment().notNull()
  },
  (table) => [index("sessions_user").on(table.userId), index("sessions_expiry").on(table.expiresAt)]
);
var userLinks = pgTable("user_links", {
  userId: text().primaryKey().references(() => users.id, { onDelete: "cascade" }),
  /** Of the secret in the link, which is nowhere. */
  hash: text().notNull().unique(),
  expiresAt: moment().notNull()
});
var secretChecks = pgTable("secret_checks", {
  /** The environment variable's name. */
  name: text().primaryKey(),
  sealed: text().notNull()
});
var apiKeys = pgTable(
  "api_keys",
  {
    id: text().$type().primaryKey(),
    accountId: text().$type().notNull().references(() => accounts.id),
    name: text().notNull(),
    /** HMAC-SHA-256 of the secret under the pepper, base64url. The secret itself is nowhere. */
    hash: text().notNull(),
    lastFour: text().notNull(),
    status: text({ enum: statuses }).notNull().default("active"),
    /** Canonical CIDRs; empty means any address. */
    allowedIps: text().array().notNull().default(sql3`'{}'`),
    requestsPerMinute: integer2(),
    /** Calls under way at a time; null: as many as its account may have. */
    maxConcurrent: integer2(),
    /** Public names of the models that it may call; empty means any. */
    models: text().array().notNull().default(sql3`'{}'`),
    /** What it may spend in a billing month, in nano-units. null: whatever the account has. */
    monthlyCap: bigint({ mode: "bigint" }).$type(),
    /** The console's own: its secret is nowhere, and it is not listed. */
    isConsole: boolean().notNull().default(false),
    expiresAt: moment(),
    /** Written some seconds later. */
    lastUsedAt: moment(),
    lastAddress: text(),
    deletedAt: moment(),
    createdAt: moment().notNull().defaultNow()
  },
  (table) => [
    uniqueIndex("api_keys_hash").on(table.hash),
    index("api_keys_account").on(table.accountId, table.id),
    // At most one of each account.
    uniqueIndex("api_keys_console").on(table.accountId).where(sql3`is_console`)
  ]
);
var managementKeys = pgTable(
  "management_keys",
  {
    id: text().primaryKey(),
    /** null: it manages the installation, as an operator does. */
    accountId: text().$type().references(() => accounts.id),
    name: text().notNull(),
    /** HMAC-SHA-256 of the secret under the pepper, base64url. The secret itself is nowhere. */
    hash: text().notNull().unique(),
    lastFour: text().notNull(),
    isReadOnly: boolean().notNull().default(false),
    /** Who made it, by e-mail; `command` for the operator commands. */
    createdBy: text().notNull(),
    expiresAt: moment(),
    lastUsedAt: moment(),
    lastAddress: text(),
    createdAt: moment().notNull().defaultNow()
  },
  (table) => [index("management_keys_account").on(table.accountId, table.id)]
);
var idempotentAnswers = pgTable(
  "idempotent_answers",
  {
    managementKeyId: text().notNull().references(() => managementKeys.id, { onDelete: "cascade" }),
    /** As the client chose it. */
    key: text().notNull(),
    /** Of what was asked for: the same key with another request is a mistake of the client's. */
    fingerprint: text().notNull(),
    /** Encrypted, for it may show a new key's secret. null until the transaction that asks has done its work. */
    answer: text(),
    createdAt: moment().notNull().defaultNow()
  },
  (table) => [
    primaryKey({ columns: [table.managementKeyId, table.key] }),
    index("idempotent_answers_age").on(table.createdAt)
  ]
);
var rateLimits = pgTable("rate_limits", {
  key: varchar({ length: 255 }).primaryKey(),
  points: bigint({ mode: "number" }).notNull().default(0),
  expire: bigint({ mode: "bigint" })
});

// server/db/schema/audit.ts
import { bigint as bigint2, index as index2, jsonb, pgTable as pgTable2, text as text2, timestamp as timestamp2 } from "drizzle-orm/pg-core";
var auditEntries = pgTable2(
  "audit_entries",
  {
    id: bigint2({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    createdAt: timestamp2({ withTimezone: true, mode: "date" }).notNull().defaultNow(),
    /** null: the operator commands. */
    userId: text2(),
    /** Their e-mail as it was then; `command` for the operator commands. */
    actor: text2().notNull(),
    /** What was done: `key.disable`. */
    action: text2().notNull(),
    /** Whose it is; null for what belongs to the operator. */
    accountId: text2().$type(),
    targetId: text2().notNull(),
    /** What people call it. */
    targetName: text2().notNull(),
    /** Only what changed; never a secret. */
    before: jsonb(),
    after: jsonb(),
    address: text2()
  },
  (table) => [
    index2("audit_entries_account").on(table.accountId, table.id),
    index2("audit_entries_target").on(table.targetId, table.id),
    index2("audit_entries_action").on(table.action, table.id)
  ]
);

// server/db/schema/billing.ts
import { sql as sql4 } from "drizzle-orm";
import {
  bigint as bigint3,
  boolean as boolean2,
  index as index3,
  integer as integer3,
  jsonb as jsonb2,
  pgTable as pgTable3,
  primaryKey as primaryKey2,
  smallint,
  text as text3,
  timestamp as timestamp3
} from "drizzle-orm/pg-core";
var nanos = () => bigint3({ mode: "bigint" }).$type();
var count = () => bigint3({ mode: "number" });
var moment2 = () => timestamp3({ withTimezone: true, mode: "date" });
var ledgerChecks = pgTable3("ledger_checks", {
  name: text3().primaryKey(),
  /** Nobody takes the next step before; who has taken one puts it off for as long as that may last. */
  nextAt: moment2().notNull().defaultNow(),
  /** Who took the last step, as the row tells two of them apart. */
  claim: text3(),
  /** Where the next step begins; null: a new round does. */
  period: text3(),
  after: text3(),
  /** Of the round under way. */
  entries: count().notNull().default(0),
  drifts: count().notNull().default(0),
  /** When the last whole round ended, how many entries it read, and how many figures differed. */
  verifiedAt: moment2(),
  verifiedEntries: count().notNull().default(0),
  verifiedDrifts: count().notNull().default(0)
});
var accountMonths = pgTable3(
  "account_months",
  {
    accountId: text3().$type().notNull().references(() => accounts.id),
    /** YYYY-MM in the billing time zone. */
    period: text3().notNull(),
    quota: nanos().notNull(),
    topups: nanos().notNull().default(sql4`0`),
    used: nanos().notNull().default(sql4`0`),
    frozen: nanos().notNull().default(sql4`0`),
    /** Whether what each of its keys spends is counted apart, in `key_months`. Once true, it stays so. */
    countsKeys: boolean2().notNull().default(false)
  },
  (table) => [primaryKey2({ columns: [table.accountId, table.period] })]
);
var holds = pgTable3(
  "holds",
  {
    requestId: text3().notNull(),
    accountId: text3().$type().notNull(),
    period: text3().notNull(),
    amount: nanos().notNull(),
    keyId: text3().$type(),
    /** Renewed by the process that serves the call; past it the money is returned. */
    expiresAt: moment2().notNull(),
    /** Whose escrow it is; null: one call's hold. */
    processId: text3(),
    /** What an escrow's calls were charged, which its month has not been told yet. */
    captured: nanos().notNull().default(sql4`0`),
    /** What its calls under way had taken of it when it was last written: the rest is called back. */
    inUse: nanos().notNull().default(sql4`0`)
  },
  (table) => [
    primaryKey2({ columns: [table.accountId, table.period, table.requestId] }),
    index3("holds_expiry").on(table.expiresAt)
  ]
);
var ledgerEntries = pgTable3(
  "ledger_entries",
  {
    /** Of a capture or a release: the request's, whose end it is, so that there is one. Of others, of their own. */
    id: text3().notNull(),
    /**
     * The sweeper's word that a hold was lost, beside which its call may have another end: a late charge, or the end of
     * a hold that was taken again.
     */
    isLost: boolean2().notNull().default(false),
    accountId: text3().$type().notNull(),
    period: text3().notNull(),
    kind: text3({ enum: entryKinds }).notNull(),
    amount: nanos().notNull(),
    /** To the millisecond, as programs write it: a list goes on behind it. */
    createdAt: timestamp3({ withTimezone: true, mode: "date", precision: 3 }).notNull().defaultNow(),
    held: nanos(),
    keyId: text3().$type(),
    modelId: text3(),
    channelId: text3().$type(),
    /** Nano-units per million tokens by class, as they were. */
    prices: jsonb2().$type(),
    inputTokens: count(),
    cacheReadTokens: count(),
    cacheWriteTokens: count(),
    cacheWrite1hTokens: bigint3("cache_write_1h_tokens", { mode: "number" }),
    outputTokens: count(),
    reasoningTokens: count(),
    usageSource: text3({ enum: usageSources }),
    note: text3()
  },
  (table) => [
    primaryKey2({ columns: [table.accountId, table.id, table.isLost, table.period] }),
    index3("ledger_entries_time").on(table.accountId, table.createdAt),
    // A month's few top-ups are found among its many captures.
    index3("ledger_entries_others").on(table.accountId, table.kind, table.createdAt).where(sql4`kind <> 'capture'`)
  ]
);
var ledgerCheckpoints = pgTable3(
  "ledger_checkpoints",
  {
    accountId: text3().$type().notNull(),
    period: text3().notNull(),
    kind: text3({ enum: entryKinds }).notNull(),
    /** Empty where an entry has none; so is `modelId`. */
    keyId: text3().$type().notNull(),
    modelId: text3().notNull(),
    entries: count().notNull(),
    amount: nanos().notNull(),
    /** By how much charges went above their holds. */
    overHold: nanos().notNull()
  },
  (table) => [
    primaryKey2({ columns: [table.accountId, table.period, table.kind, table.keyId, table.modelId] }),
    index3("ledger_checkpoints_period").on(table.period, table.accountId)
  ]
);
var ledgerClosings = pgTable3("ledger_closings", {
  /** 1 for the first. */
  number: integer3().primaryKey(),
  /** A month of which a charge came later is closed once more: its last link counts. */
  period: text3().notNull(),
  entries: count().notNull(),
  /** SHA-256 of its checkpoints, in hexadecimal. */
  sums: text3().notNull(),
  /** SHA-256 of the link before, with the period, the entries and the sums. */
  digest: text3().notNull(),
  closedAt: moment2().notNull().defaultNow(),
  /** When its entries left the database for an archive. */
  archivedAt: moment2(),
  /** SHA-256 of that file. */
  archive: text3()
});
var keyMonths = pgTable3(
  "key_months",
  {
    accountId: text3().$type().notNull(),
    keyId: text3().$type().notNull(),
    period: text3().notNull(),
    used: nanos().notNull(),
    frozen: nanos().notNull()
  },
  (table) => [primaryKey2({ columns: [table.accountId, table.period, table.keyId] })]
);
var spendHours = pgTable3(
  "spend_hours",
  {
    accountId: text3().$type().notNull(),
    period: text3().notNull(),
    hour: moment2().notNull(),
    keyId: text3().$type().notNull(),
    modelId: text3().notNull(),
    calls: count().notNull(),
    amount: nanos().notNull(),
    /** Every class of input. */
    inputTokens: count().notNull(),
    outputTokens: count().notNull(),
    /** Processes write different rows, so that none waits for another's commit. */
    shard: smallint().notNull().default(0)
  },
  (table) => [
    primaryKey2({
      columns: [table.accountId, table.period, table.hour, table.keyId, table.modelId, table.shard]
    }),
    index3("spend_hours_key").on(table.keyId, table.period),
    index3("spend_hours_period").on(table.period, table.hour)
  ]
);

// server/db/schema/calls.ts
import { sql as sql5 } from "drizzle-orm";
import { boolean as boolean3, index as index4, integer as integer4, pgTable as pgTable4, primaryKey as primaryKey3, text as text4, timestamp as timestamp4 } from "drizzle-orm/pg-core";
var calls = pgTable4(
  "calls",
  {
    /** Time-ordered, so that it is the order of the list, too. */
    requestId: text4().notNull(),
    accountId: text4().$type().notNull(),
    keyId: text4().$type().notNull(),
    endpoint: text4().notNull(),
    /** As the client wrote it; null when it named none. */
    modelId: text4(),
    channelId: text4().$type(),
    /** Of a video that this call submitted. */
    taskId: text4().$type(),
    status: integer4().notNull(),
    /** `x-error-code` of a refusal, or of what a stream broke off with. */
    error: text4(),
    isStream: boolean3().notNull().default(false),
    /** Until the first event of a stream. */
    firstTokenMs: integer4(),
    /** Until the last byte was ready. */
    elapsedMs: integer4().notNull(),
    address: text4(),
    startedAt: timestamp4({ withTimezone: true, mode: "date" }).notNull()
  },
  (table) => [
    primaryKey3({ columns: [table.accountId, table.requestId] }),
    index4("calls_all").on(table.requestId),
    index4("calls_key").on(table.keyId, table.requestId),
    index4("calls_account_model").on(table.accountId, table.modelId, table.requestId),
    index4("calls_model").on(table.modelId, table.requestId),
    index4("calls_account_failed").on(table.accountId, table.requestId).where(sql5`error is not null`),
    index4("calls_failed").on(table.requestId).where(sql5`error is not null`)
  ]
);

// server/db/schema/catalog.ts
import { bigint as bigint4, boolean as boolean4, integer as integer5, pgTable as pgTable5, primaryKey as primaryKey4, text as text5, timestamp as timestamp5 } from "drizzle-orm/pg-core";
var price = () => bigint4({ mode: "bigint" }).$type();
var models = pgTable5("models", {
  id: text5().primaryKey(),
  kind: text5({ enum: modelKinds }).notNull(),
  ownedBy: text5().notNull(),
  isEnabled: boolean4("enabled").notNull().default(true),
  /** The most output tokens that one answer may have. */
  maxOutputTokens: integer5().notNull(),
  inputPrice: price().notNull(),
  outputPrice: price().notNull(),
  cacheReadPrice: price(),
  cacheWritePrice: price(),
  cacheWrite1hPrice: bigint4("cache_write_1h_price", { mode: "bigint" }).$type(),
  /** An operator said that it costs nothing. Without that and without a price it is not sold. */
  isFree: boolean4().notNull().default(false),
  createdAt: timestamp5({ withTimezone: true, mode: "date" }).notNull().defaultNow()
});
var videoPrices = pgTable5(
  "video_prices",
  {
    modelId: text5().notNull().references(() => models.id),
    durationSeconds: integer5().notNull(),
    resolution: text5().notNull(),
    price: price().notNull()
  },
  (table) => [primaryKey4({ columns: [table.modelId, table.durationSeconds, table.resolution] })]
);

// server/db/schema/channels.ts
import { sql as sql6 } from "drizzle-orm";
import { boolean as boolean5, index as index5, integer as integer6, jsonb as jsonb3, pgTable as pgTable6, primaryKey as primaryKey5, text as text6, timestamp as timestamp6 } from "drizzle-orm/pg-core";
var channels = pgTable6("channels", {
  id: text6().$type().primaryKey(),
  name: text6().notNull().unique(),
  dialect: text6({ enum: vendorApis }).notNull(),
  /** A preset's id. null: the base URL's host tells, if anything does. */
  vendor: text6(),
  baseUrl: text6().notNull(),
  /** AES-256-GCM ciphertexts, one per credential. */
  credentials: jsonb3().$type().notNull(),
  /** The last four characters of each, for people to tell them apart. */
  credentialHints: text6().array().notNull().default(sql6`'{}'`),
  /** The higher tier is tried first. */
  priority: integer6().notNull().default(0),
  /** Share of traffic inside a tier. */
  weight: integer6().notNull().default(1),
  /** Video tasks that may be open at a time. null: what its dialect usually takes. */
  maxTasks: integer6(),
  /** Longest wait for a stream's first event or a whole JSON answer; null: the installation's. */
  timeoutSeconds: integer6(),
  /** Longest silence inside a stream; null: the installation's. */
  idleTimeoutSeconds: integer6(),
  enabled: boolean5().notNull().default(true),
  createdAt: timestamp6({ withTimezone: true, mode: "date" }).notNull().defaultNow()
});
var channelModels = pgTable6(
  "channel_models",
  {
    channelId: text6().$type().notNull().references(() => channels.id, { onDelete: "cascade" }),
    /** The public name; the catalog may learn of it later than the channel. */
    modelId: text6().notNull(),
    upstreamName: text6().notNull(),
    /** What the operator says of this model here, over the presets: some of protocol/capabilities. */
    capabilities: jsonb3().$type()
  },
  (table) => [
    primaryKey5({ columns: [table.channelId, table.modelId] }),
    index5("channel_models_model").on(table.modelId)
  ]
);

// server/db/schema/videos.ts
import { sql as sql7 } from "drizzle-orm";
import {
  bigint as bigint5,
  index as index6,
  integer as integer7,
  jsonb as jsonb4,
  pgTable as pgTable7,
  primaryKey as primaryKey6,
  text as text7,
  timestamp as timestamp7,
  uniqueIndex as uniqueIndex2
} from "drizzle-orm/pg-core";
var moment3 = () => timestamp7({ withTimezone: true, mode: "date" });
var videoTasks = pgTable7(
  "video_tasks",
  {
    id: text7().$type().primaryKey(),
    accountId: text7().$type().notNull(),
    keyId: text7().$type().notNull(),
    modelId: text7().notNull(),
    prompt: text7().notNull(),
    durationSeconds: integer7().notNull(),
    resolution: text7({ enum: resolutions }).notNull(),
    aspectRatio: text7({ enum: aspectRatios }),
    /** `submitting`: no upstream is known to have it yet. Clients see that as `processing`. */
    state: text7({ enum: taskStates }).notNull(),
    progress: integer7().notNull().default(0),
    errorCode: text7(),
    errorMessage: text7(),
    videoUrl: text7(),
    /** Nano-units, frozen in `period`: what the client was quoted is what it pays. */
    price: bigint5({ mode: "bigint" }).$type().notNull(),
    period: text7().notNull(),
    channelId: text7().$type(),
    /** Where it was submitted, as it was then: channels change and go, tasks stay with their upstream. */
    upstream: jsonb4().$type(),
    /** The credential, encrypted. */
    credential: text7(),
    upstreamRef: text7(),
    createdAt: moment3().notNull().default(sql7`now()`),
    deadlineAt: moment3().notNull(),
    submitStartedAt: moment3(),
    /** When an upstream was last asked, by anyone; queries within the debounce get what the row says. */
    lastPollAt: moment3(),
    nextPollAt: moment3(),
    leaseUntil: moment3(),
    /** Answers in a row that said nothing, that knew no such task, that completed without a file. */
    pollErrors: integer7().notNull().default(0),
    timesLost: integer7().notNull().default(0),
    timesEmpty: integer7().notNull().default(0),
    completedAt: moment3(),
    endedAt: moment3(),
    /**
     * What the upstream said after the task had ended here: work that the operator pays and nobody was charged for.
     */
    lateResult: text7()
  },
  (table) => [
    index6("video_tasks_due").on(table.nextPollAt).where(sql7`state in ('submitting', 'processing')`),
    index6("video_tasks_open").on(table.channelId).where(sql7`state in ('submitting', 'processing')`),
    // One upstream task is one task here: two would be charged for one video.
    uniqueIndex2("video_tasks_ref").on(
      sql7`(${table.upstream}->>'dialect')`,
      sql7`(${table.upstream}->>'baseUrl')`,
      table.upstreamRef
    ),
    index6("video_tasks_account").on(table.accountId, table.createdAt, table.id),
    index6("video_tasks_recent").on(table.createdAt, table.id)
  ]
);
var videoIdempotency = pgTable7(
  "video_idempotency",
  {
    accountId: text7().$type().notNull(),
    key: text7().notNull(),
    bodyHash: text7().notNull(),
    taskId: text7().$type().notNull(),
    createdAt: moment3().notNull().default(sql7`now()`)
  },
  (table) => [primaryKey6({ columns: [table.accountId, table.key] })]
);

// server/access/schema.ts
import { z as z3 } from "zod";

// server/access/cidr.ts
var MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
var OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
var IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
var isIpv6 = (text9) => /^[\da-f:.]{2,45}$/i.test(text9) && URL.canParse(`http://[${text9}]`);
var MAX_CHARACTERS = 128;
var isBracketed = (text9) => text9.startsWith("[") && text9.endsWith("]");
function plainAddress(text9) {
  if (text9.length > MAX_CHARACTERS) {
    return null;
  }
  const trimmed = text9.trim();
  const [bare = ""] = (isBracketed(trimmed) ? trimmed.slice(1, -1) : trimmed).split("%", 1);
  const address = bare.match(MAPPED)?.[1] ?? bare;
  return IPV4.test(address) || isIpv6(address) ? address : null;
}
function toBits(address) {
  if (!address.includes(":")) {
    return address.split(".").reduce((sum, part) => sum << 8n | BigInt(part), 0n);
  }
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const left = head.split(":").filter(Boolean);
  const right = (tail ?? "").split(":").filter(Boolean);
  const zeros = tail === void 0 ? [] : Array(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce((sum, part) => sum << 16n | BigInt(`0x${part}`), 0n);
}
function narrow({ width, bits }, prefix) {
  const free = BigInt(width - prefix);
  return { width, bits: bits >> free << free, prefix };
}
function readAddress(text9) {
  const address = plainAddress(text9);
  if (address === null) {
    return null;
  }
  const width = address.includes(":") ? 128 : 32;
  return { width, bits: toBits(address), prefix: width };
}
function readCidr(text9) {
  const [host = "", prefix, ...rest] = text9.trim().split("/");
  const address = readAddress(host);
  if (address === null) {
    return "not_an_address";
  }
  if (prefix === void 0) {
    return address;
  }
  const unwrapped = address.width === 32 && host.includes(":") ? 96 : 0;
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) - unwrapped : -1;
  return rest.length === 0 && length >= 0 && length <= address.width ? { ...address, prefix: length } : "bad_prefix";
}
function formatNetwork({ width, bits, prefix }) {
  const places = (size, count4) => Array.from(
    { length: count4 },
    (_, place2) => bits >> size * BigInt(count4 - 1 - place2) & (1n << size) - 1n
  );
  const address = width === 32 ? places(8n, 4).join(".") : new URL(
    `http://[${places(16n, 8).map((group) => group.toString(16)).join(":")}]`
  ).hostname.slice(1, -1);
  return prefix === width ? address : `${address}/${prefix}`;
}
function canonicalCidr(text9) {
  const read = readCidr(text9);
  return typeof read === "string" ? null : formatNetwork(narrow(read, read.prefix));
}

// server/access/allow-list-review.ts
var MAX_RULES = 1e3;

// server/access/schema.ts
var Email = z3.email().max(254);
var MOST = { requestsPerMinute: 1e6, tokensPerMinute: 1e9, maxConcurrent: 1e5 };
var limitUpTo = (most) => z3.number().int().min(1).max(most).nullable();
var KeyTerms = z3.strictObject({
  name: z3.string().trim().min(1).max(100),
  allowedIps: z3.array(z3.string().max(100)).max(MAX_RULES).describe("Addresses and CIDR ranges in any spelling; empty: any address"),
  requestsPerMinute: limitUpTo(MOST.requestsPerMinute).describe("null: no limit"),
  maxConcurrent: limitUpTo(MOST.maxConcurrent).describe("Calls under way at a time; null: no limit"),
  expiresAt: z3.date().nullable(),
  models: z3.array(z3.string().min(1).max(256)).max(1e3).describe("Public names of the models that it may call; empty: any"),
  monthlyCap: z3.bigint().min(0n).max(10n ** 18n).brand().nullable()
});
var AccountLimits = z3.strictObject({
  requestsPerMinute: limitUpTo(MOST.requestsPerMinute).describe("Of all its keys together; null: no limit"),
  tokensPerMinute: limitUpTo(MOST.tokensPerMinute).describe("All that calls are charged for, in and out"),
  maxConcurrent: limitUpTo(MOST.maxConcurrent).describe("Calls under way at a time")
});
var SomeAccountLimits = AccountLimits.partial();

// server/access/sessions.ts
import { and as and2, asc as asc2, eq as eq2, gt, inArray, isNotNull as isNotNull2, isNull as isNull2, lte, or, sql as sql9 } from "drizzle-orm";

// server/access/users.ts
import { and, asc, eq, isNotNull, isNull, sql as sql8 } from "drizzle-orm";
import { z as z4 } from "zod";

// server/access/password.ts
import { hash, verify } from "@node-rs/argon2";

// server/access/users.ts
var { accounts: accounts2, users: users2 } = schema_exports;
var userColumns = {
  id: users2.id,
  email: users2.email,
  role: users2.role,
  accountId: users2.accountId,
  /** Asked for a code at sign-in. */
  hasTotp: sql8`${isNotNull(users2.totpEnabledAt)}`.mapWith(Boolean),
  mustChangePassword: users2.mustChangePassword
};
var entryColumns = {
  ...userColumns,
  status: users2.status,
  /** false: invited, and has not set one yet. */
  hasPassword: sql8`${isNotNull(users2.passwordHash)}`.mapWith(Boolean),
  recoveryCodesLeft: sql8`cardinality(${users2.recoveryCodes})`.mapWith(Number),
  createdAt: users2.createdAt
};

// server/access/sessions.ts
var { accounts: accounts3, sessions: sessions2, users: users3 } = schema_exports;
var SESSION_SECONDS = 7 * 24 * 60 * 60;
async function removeOldSessions(db) {
  await ormOf(db).delete(sessions2).where(lte(sessions2.expiresAt, sql9`now()`));
}

// server/access/accounts.ts
var { accounts: accounts4, userLinks: userLinks2, users: users4 } = schema_exports;
var columns = {
  id: accounts4.id,
  name: accounts4.name,
  status: accounts4.status,
  monthlyQuotaNanos: accounts4.monthlyQuota,
  requestsPerMinute: accounts4.requestsPerMinute,
  tokensPerMinute: accounts4.tokensPerMinute,
  maxConcurrent: accounts4.maxConcurrent,
  createdAt: accounts4.createdAt
};
var nameTaken = (name) => new Refusal(`an account named "${name}" exists already`, "accountNameTaken", { name });
async function createAccount(db, { name, monthlyQuotaNanos, ...limits }) {
  return await rowOrRefuse(
    ormOf(db).insert(accounts4).values({
      id: newId("acc"),
      name,
      monthlyQuota: monthlyQuotaNanos,
      ...parseOrRefuse(SomeAccountLimits, limits)
    }).onConflictDoNothing().returning(columns),
    () => nameTaken(name)
  );
}

// server/access/admit.ts
import { hash as hash2 } from "node:crypto";
import { and as and5, eq as eq5, inArray as inArray4 } from "drizzle-orm";
import { LRUCache as LRUCache2 } from "lru-cache";

// server/base/cache.ts
import { LRUCache } from "lru-cache";

// server/base/error-kinds.ts
var asSaid = (words) => ({ zh: words, en: words });
var kinds = {
  missingModel: { status: 400, slug: "missing_model", text: () => "\u7F3A\u5C11 model \u53C2\u6570" },
  invalidMessages: { status: 400, slug: "invalid_messages", text: () => "messages \u5FC5\u987B\u662F\u975E\u7A7A\u6570\u7EC4" },
  missingVersion: {
    status: 400,
    slug: "missing_version",
    text: () => "\u7F3A\u5C11 anthropic-version \u8BF7\u6C42\u5934"
  },
  invalidParameters: { status: 400, slug: "invalid_parameters", text: "explained" },
  invalidJson: {
    status: 400,
    slug: "invalid_json",
    text: () => ({ zh: "\u8BF7\u6C42\u4F53\u4E0D\u662F\u5408\u6CD5\u7684 JSON \u5BF9\u8C61", en: "The body is not a valid JSON object" })
  },
  invalidContentType: {
    status: 400,
    slug: "invalid_content_type",
    text: () => ({ zh: "Content-Type \u5FC5\u987B\u662F application/json", en: "Content-Type must be application/json" })
  },
  bodyTooLarge: {
    status: 400,
    slug: "body_too_large",
    text: (limit) => ({ zh: `\u8BF7\u6C42\u4F53\u8D85\u8FC7\u4E0A\u9650 ${limit}`, en: `The body is larger than the limit of ${limit}` })
  },
  /** Another channel of the model may be able to. */
  cannotConvert: { status: 400, slug: "unsupported_by_model", text: "explained" },
  /**
   * A conversation that the server is to hold (a beta of the vendor's): the next turn may go to another channel. Told
   * so in this way, the SDK's tool runner sends the whole conversation instead (docs/decisions/0010).
   */
  threadUnsupported: {
    status: 400,
    slug: "thread_unsupported",
    text: () => ({
      zh: "\u4E0D\u652F\u6301 thread,\u8BF7\u5728\u6BCF\u6B21\u8BF7\u6C42\u4E2D\u53D1\u9001\u5B8C\u6574\u7684 messages",
      en: "thread is not supported: send all messages with each request"
    }),
    sdkError: { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } }
  },
  /**
   * A response, or an item of one, that is not kept for this account: VS Code sends the whole conversation again when it
   * reads this code, and nobody is answered without what was said before.
   */
  responseNotKept: {
    status: 400,
    slug: "previous_response_not_found",
    text: (id2) => ({
      zh: `\u627E\u4E0D\u5230 ${id2},\u8BF7\u53D1\u9001\u5B8C\u6574\u7684 input`,
      en: `There is no ${id2}: send the whole input`
    }),
    sdkError: {
      message: "Previous response not found.",
      type: "invalid_request_error",
      code: "previous_response_not_found",
      param: "previous_response_id"
    }
  },
  upstreamRejected: { status: 400, slug: "upstream_rejected", text: asSaid, quotes: true },
  missingKey: { status: 401, slug: "missing_api_key", text: () => "\u7F3A\u5C11 API Key" },
  invalidKey: { status: 401, slug: "invalid_api_key", text: () => "API Key \u65E0\u6548" },
  expiredKey: {
    status: 401,
    slug: "expired_api_key",
    text: () => ({ zh: "API Key \u5DF2\u8FC7\u671F", en: "The API key has expired" })
  },
  quotaExhausted: {
    status: 402,
    slug: "insufficient_quota",
    text: () => "\u5F53\u6708\u989D\u5EA6\u4E0D\u8DB3,\u8BF7\u5148\u5145\u503C"
  },
  keyDisabled: { status: 403, slug: "key_disabled", text: () => "API Key \u5DF2\u88AB\u7981\u7528" },
  accountDisabled: { status: 403, slug: "account_disabled", text: () => "\u8D26\u53F7\u5DF2\u88AB\u7981\u7528" },
  /** A management key that may only read, or that belongs to an account. */
  forbidden: {
    status: 403,
    slug: "forbidden",
    text: () => ({ zh: "\u8BE5\u7BA1\u7406\u5BC6\u94A5\u65E0\u6743\u6267\u884C\u6B64\u64CD\u4F5C", en: "This management key may not do this" })
  },
  addressNotAllowed: { status: 403, slug: "ip_not_allowed", text: () => "IP \u4E0D\u5728\u767D\u540D\u5355\u4E2D" },
  unknownModel: { status: 404, slug: "model_not_found", text: (model) => `\u6A21\u578B ${model} \u4E0D\u5B58\u5728\u6216\u672A\u542F\u7528` },
  unpricedVideo: {
    status: 404,
    slug: "video_not_priced",
    text: "explained"
  },
  unknownTask: {
    status: 404,
    slug: "task_not_found",
    text: () => ({ zh: "\u89C6\u9891\u4EFB\u52A1\u4E0D\u5B58\u5728", en: "There is no such video task" })
  },
  conversationTooLong: {
    status: 400,
    slug: "conversation_too_long",
    text: () => ({
      zh: "\u8BE5\u54CD\u5E94\u4E4B\u524D\u7684\u5BF9\u8BDD\u592A\u957F,\u8BF7\u7528\u5B8C\u6574\u7684 input \u5F00\u59CB\u65B0\u7684\u5BF9\u8BDD",
      en: "The conversation before this response is too long: begin a new one with the whole input"
    })
  },
  notCancellable: {
    status: 400,
    slug: "not_cancellable",
    text: () => ({
      zh: "\u53EA\u6709 background \u54CD\u5E94\u53EF\u4EE5\u53D6\u6D88",
      en: "Only a response in the background can be cancelled"
    })
  },
  unknownResponse: {
    status: 404,
    slug: "response_not_found",
    text: () => ({ zh: "\u8BE5\u54CD\u5E94\u4E0D\u5B58\u5728\u6216\u5DF2\u8FC7\u671F", en: "There is no such response, or not any more" })
  },
  noVideoFile: {
    status: 404,
    slug: "video_file_not_found",
    text: () => ({ zh: "\u89C6\u9891\u6587\u4EF6\u4E0D\u5B58\u5728\u6216\u5C1A\u672A\u751F\u6210", en: "There is no video file, or not yet" })
  },
  upgradeRefused: {
    status: 426,
    slug: "upgrade_refused",
    text: () => ({
      zh: "\u4E0D\u652F\u6301 WebSocket,\u8BF7\u7528 HTTP \u8BF7\u6C42",
      en: "There is no websocket here: call over HTTP"
    })
  },
  unknownEncoding: {
    status: 415,
    slug: "unsupported_encoding",
    text: (encoding) => ({
      zh: `\u4E0D\u652F\u6301\u7684 Content-Encoding: ${encoding}`,
      en: `The Content-Encoding ${encoding} is not supported`
    })
  },
  rangeNotSatisfiable: {
    status: 416,
    slug: "range_not_satisfiable",
    text: () => ({ zh: "Range \u8D85\u51FA\u89C6\u9891\u6587\u4EF6\u7684\u8303\u56F4", en: "The Range lies outside of the video file" })
  },
  taskForbidden: {
    status: 403,
    slug: "task_forbidden",
    text: () => ({ zh: "\u65E0\u6743\u8BBF\u95EE\u8BE5\u89C6\u9891\u4EFB\u52A1", en: "You may not access this video task" })
  },
  idempotencyMismatch: {
    status: 409,
    slug: "idempotency_mismatch",
    text: () => ({
      zh: "\u8BE5 Idempotency-Key \u5DF2\u7528\u4E8E\u5185\u5BB9\u4E0D\u540C\u7684\u8BF7\u6C42",
      en: "This Idempotency-Key has been used with another body"
    })
  },
  unknownPath: {
    status: 404,
    slug: "unknown_path",
    text: (path) => ({ zh: `\u63A5\u53E3 ${path} \u4E0D\u5B58\u5728`, en: `There is no endpoint ${path}` })
  },
  /** `paths`: the one that was called, and the right one. */
  wrongBaseUrl: {
    status: 404,
    slug: "wrong_base_url",
    text: (paths) => ({
      zh: `\u63A5\u53E3\u4E0D\u5B58\u5728,\u8BF7\u68C0\u67E5 base URL: ${paths}`,
      en: `There is no such endpoint, check the base URL: ${paths}`
    })
  },
  methodNotAllowed: {
    status: 405,
    slug: "method_not_allowed",
    text: (method) => ({ zh: `\u4E0D\u652F\u6301 ${method} \u65B9\u6CD5`, en: `The method ${method} is not supported` })
  },
  rateLimited: { status: 429, slug: "rate_limited", text: () => "API \u8C03\u7528\u8FC7\u4E8E\u9891\u7E41,\u8BF7\u7A0D\u540E\u518D\u8BD5" },
  /** Calls under way, of the key or of the account (`x-ratelimit-scope`). */
  tooManyAtOnce: { status: 429, slug: "too_many_at_once", text: () => "API \u8C03\u7528\u8FC7\u4E8E\u9891\u7E41,\u8BF7\u7A0D\u540E\u518D\u8BD5" },
  /** Nobody reads it; the log does. */
  clientGone: {
    status: 499,
    slug: "client_gone",
    text: () => ({ zh: "\u5BA2\u6237\u7AEF\u5DF2\u65AD\u5F00", en: "The client has hung up" })
  },
  billingFailed: {
    status: 500,
    slug: "billing_failed",
    text: () => "\u8BA1\u8D39\u5931\u8D25,\u8BF7\u8054\u7CFB\u7BA1\u7406\u5458",
    retry: false
  },
  internal: {
    status: 500,
    slug: "internal",
    text: () => ({ zh: "\u670D\u52A1\u5668\u5185\u90E8\u9519\u8BEF", en: "Internal server error" })
  },
  upstreamsUnavailable: {
    status: 502,
    slug: "upstreams_unavailable",
    text: () => "\u4E0A\u6E38\u6E20\u9053\u5168\u90E8\u4E0D\u53EF\u7528"
  },
  upstreamMalformed: {
    status: 502,
    slug: "upstream_malformed",
    text: () => "\u4E0A\u6E38\u54CD\u5E94\u683C\u5F0F\u5F02\u5E38",
    retry: false
  },
  /** Inside a stream only: what the upstream said when it broke off. */
  upstreamFailed: { status: 502, slug: "upstream_failed", text: asSaid, retry: false, quotes: true },
  noVideoChannel: {
    status: 503,
    slug: "no_video_channel",
    text: (model) => ({
      zh: `\u6A21\u578B ${model} \u5F53\u524D\u6CA1\u6709\u53EF\u7528\u7684\u89C6\u9891\u6E20\u9053`,
      en: `No video channel is available for the model ${model} at the moment`
    })
  },
  unavailable: {
    status: 503,
    slug: "unavailable",
    text: () => ({ zh: "\u670D\u52A1\u6682\u4E0D\u53EF\u7528,\u8BF7\u7A0D\u540E\u518D\u8BD5", en: "The service is unavailable, please try again later" })
  },
  upstreamBusy: {
    status: 503,
    slug: "upstream_busy",
    text: () => ({ zh: "\u4E0A\u6E38\u7E41\u5FD9,\u8BF7\u7A0D\u540E\u518D\u8BD5", en: "The upstream is busy, please try again later" })
  }
};

// server/base/errors.ts
function textsOf(kind, detail) {
  const { text: text9 } = kinds[kind];
  if (typeof detail !== "string") {
    return detail;
  }
  const said = text9 === "explained" ? detail : text9(detail);
  return typeof said === "string" ? { zh: said, en: said } : said;
}
var GatewayError = class _GatewayError extends Error {
  /** Its words may be somebody else's, so no log has them. */
  quotes = true;
  kind;
  status;
  slug;
  texts;
  headers;
  constructor(kind, detail = "", options = {}) {
    const texts = textsOf(kind, detail);
    super(texts.zh, { cause: options.cause });
    this.name = "GatewayError";
    this.texts = texts;
    this.kind = kind;
    this.status = kinds[kind].status;
    this.slug = kinds[kind].slug;
    const row = kinds[kind];
    this.headers = {
      ...(row.retry === false || row.status < 500 && row.status !== 429) && { "x-should-retry": "false" },
      ...row.status === 503 && { "retry-after": "1" },
      ...options.headers
    };
  }
  /** One that was thrown in another thread, and came as plain data. */
  static from({ kind, texts }) {
    return new _GatewayError(kind, texts);
  }
};

// server/base/deadline.ts
async function withinMs(promise, ms) {
  let timer;
  const silence = new Promise((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, null), ms);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
var LOOKUP_MS = 5e3;
async function lookUp(asked, ms = LOOKUP_MS) {
  const answer = await withinMs(
    asked.then((value) => ({ value })),
    ms
  );
  if (answer === null) {
    throw new GatewayError("unavailable", "", { cause: new Error(`no answer to a look-up within ${ms} ms`) });
  }
  return answer.value;
}

// server/base/cache.ts
function createCache(load, limits) {
  const { maxAgeMs, maxServedMs = 2 * maxAgeMs, heardAt = () => 0 } = limits;
  const entries = new LRUCache({ max: limits.maxEntries });
  const look = (key) => ({
    value: lookUp(load(key)),
    loadedAt: stopwatch(),
    isRefreshing: false
  });
  async function refresh(key, kept) {
    kept.isRefreshing = true;
    const next2 = look(key);
    try {
      await next2.value;
      if (entries.peek(key) === kept) {
        entries.set(key, next2);
      }
    } catch {
      kept.isRefreshing = false;
    }
  }
  return {
    get: (key) => {
      const kept = entries.get(key);
      const now = stopwatch();
      if (kept && now - Math.max(kept.loadedAt, heardAt()) < maxServedMs) {
        if (!kept.isRefreshing && now - kept.loadedAt >= maxAgeMs) {
          void refresh(key, kept);
        }
        return kept.value;
      }
      const entry = look(key);
      entries.set(key, entry);
      entry.value.catch(() => {
        if (entries.peek(key) === entry) {
          entries.delete(key);
        }
      });
      return entry.value;
    },
    forget: () => entries.clear()
  };
}

// server/access/api-key.ts
import { createHmac, randomBytes } from "node:crypto";
var ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
var LENGTH = 43;
var DIGITS = `[0-9A-Za-z]{${LENGTH}}`;
var SHAPE = new RegExp(`^sk-${DIGITS}$`);
var MANAGEMENT_SHAPE = new RegExp(`^mk-${DIGITS}$`);
function mint(prefix) {
  let value = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let digits = "";
  for (let place2 = 0; place2 < LENGTH; place2++) {
    digits = ALPHABET.charAt(Number(value % 62n)) + digits;
    value /= 62n;
  }
  return `${prefix}-${digits}`;
}
var mintSecret = () => mint("sk");
var looksLikeSecret = (text9) => SHAPE.test(text9);
var looksLikeManagementSecret = (text9) => MANAGEMENT_SHAPE.test(text9);
function hashSecret(secret2, pepper) {
  return createHmac("sha256", pepper).update(secret2).digest("base64url");
}
var peppersOf = ({ pepper, previousPepper }) => previousPepper === void 0 ? [pepper] : [pepper, previousPepper];
function offeredSecrets(headers) {
  const authorization = headers.get("authorization") ?? "";
  const bearer = /^bearer\s/i.test(authorization) ? authorization.slice("bearer".length).trim() : "";
  const named = ["x-api-key", "api-key"].map((name) => headers.get(name)?.trim());
  return [...new Set([bearer, ...named].filter((secret2) => Boolean(secret2)))];
}

// server/access/ip-allow-list.ts
import { BlockList } from "node:net";
function compileAllowList(cidrs) {
  if (cidrs.length === 0) {
    return { allows: () => true };
  }
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  const familyOf = (address) => address.includes(":") ? "ipv6" : "ipv4";
  for (const cidr of cidrs) {
    const [network = "", prefix] = cidr.split("/");
    const family = familyOf(network);
    const width = family === "ipv4" ? 32 : 128;
    lists[family].addSubnet(network, prefix === void 0 ? width : Number(prefix), family);
  }
  return {
    allows: (address) => {
      const plain2 = address === null ? null : plainAddress(address);
      return plain2 !== null && lists[familyOf(plain2)].check(plain2, familyOf(plain2));
    }
  };
}
function hopAddress(hop) {
  const [, v4, v6] = /^(?:([\d.]{7,15})|\[([\da-fA-F:.]{2,45})\]):\d{1,5}$/.exec(hop.slice(0, 128).trim()) ?? [];
  return plainAddress(v4 ?? v6 ?? hop);
}
var MAX_HOPS = 32;
function clientAddress(peer, forwardedFor, trusted) {
  let address = peer === null ? null : plainAddress(peer);
  if (address === null || !trusted?.allows(address)) {
    return address;
  }
  const hops = (forwardedFor ?? "").split(",").slice(-MAX_HOPS).reverse();
  for (const hop of hops) {
    address = hopAddress(hop);
    if (address === null || !trusted.allows(address)) {
      return address;
    }
  }
  return hops.length < MAX_HOPS ? address : null;
}

// server/access/last-used.ts
import { sql as sql11 } from "drizzle-orm";
var { apiKeys: apiKeys2 } = schema_exports;
async function storeUses(db, uses) {
  const rows = [...uses].map(([id2, use]) => ({ id: id2, ...use }));
  await ormOf(db).execute(sql11`
    with used as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as (id text, at timestamptz, address text)
    ), locked as (
      select id from ${apiKeys2} where id in (select id from used) order by id for no key update
    )
    update ${apiKeys2} set last_used_at = used.at, last_address = used.address
    from used join locked using (id)
    where ${apiKeys2.id} = used.id and (${apiKeys2.lastUsedAt} is null or ${apiKeys2.lastUsedAt} < used.at)`);
}
function createLastUsed(db) {
  let uses = /* @__PURE__ */ new Map();
  return {
    note: (keyId, use) => void uses.set(keyId, use),
    flush: async () => {
      if (uses.size === 0) {
        return;
      }
      const taken = uses;
      uses = /* @__PURE__ */ new Map();
      try {
        await storeUses(db, taken);
      } catch (error) {
        uses = new Map([...taken, ...uses]);
        throw error;
      }
    }
  };
}

// server/access/live-calls.ts
var refusal = (scope, limit) => new GatewayError("tooManyAtOnce", "", {
  headers: {
    "retry-after": "1",
    "x-ratelimit-scope": scope,
    ...limit !== null && { "x-ratelimit-limit-concurrent": String(limit) }
  }
});
function createLiveCalls(places) {
  let taken = 0;
  return {
    enter: async ({ keyId, accountId, maxConcurrent, account }) => {
      const want = {
        holder: { id: keyId, most: maxConcurrent },
        account: { id: accountId, most: account.maxConcurrent },
        amount: 1
      };
      const refused = await places.take(want);
      if (refused) {
        switch (refused.by) {
          case "holder":
            throw refusal("key", maxConcurrent);
          case "account":
            throw refusal("account", account.maxConcurrent);
          default:
            throw new GatewayError("unavailable");
        }
      }
      taken++;
      let isOver = false;
      return () => {
        if (!isOver) {
          isOver = true;
          taken--;
          places.give(want);
        }
      };
    },
    count: () => taken
  };
}

// server/access/management-keys.ts
import { and as and4, desc as desc3, eq as eq4, inArray as inArray3, isNull as isNull3, lt as lt2, or as or3, sql as sql12 } from "drizzle-orm";
var { accounts: accounts5, managementKeys: managementKeys2 } = schema_exports;
var columns2 = {
  id: managementKeys2.id,
  accountId: managementKeys2.accountId,
  name: managementKeys2.name,
  lastFour: managementKeys2.lastFour,
  isReadOnly: managementKeys2.isReadOnly,
  createdBy: managementKeys2.createdBy,
  expiresAt: managementKeys2.expiresAt,
  lastUsedAt: managementKeys2.lastUsedAt,
  lastAddress: managementKeys2.lastAddress,
  createdAt: managementKeys2.createdAt
};
async function findManager(db, offered, { peppers: [pepper, ...older], now }) {
  if (offered.length === 0) {
    throw new GatewayError("missingKey");
  }
  const hashes = new Map(
    offered.filter(looksLikeManagementSecret).flatMap(
      (secret2) => [pepper, ...older].map((one) => [hashSecret(secret2, one), hashSecret(secret2, pepper)])
    )
  );
  const found = hashes.size === 0 ? [] : await ormOf(db).select({
    id: managementKeys2.id,
    name: managementKeys2.name,
    accountId: managementKeys2.accountId,
    isReadOnly: managementKeys2.isReadOnly,
    expiresAt: managementKeys2.expiresAt,
    hash: managementKeys2.hash,
    accountStatus: accounts5.status
  }).from(managementKeys2).leftJoin(accounts5, eq4(accounts5.id, managementKeys2.accountId)).where(inArray3(managementKeys2.hash, [...hashes.keys()]));
  const row = [...hashes.keys()].flatMap((hash4) => found.filter((one) => one.hash === hash4))[0];
  if (!row) {
    throw new GatewayError("invalidKey");
  }
  const { expiresAt, hash: hash3, accountStatus, ...manager } = row;
  if (expiresAt && expiresAt <= now) {
    throw new GatewayError("expiredKey");
  }
  if (accountStatus === "disabled") {
    throw new GatewayError("accountDisabled");
  }
  const current = hashes.get(hash3) ?? hash3;
  if (current !== hash3) {
    await ormOf(db).update(managementKeys2).set({ hash: current }).where(and4(eq4(managementKeys2.id, manager.id), eq4(managementKeys2.hash, hash3)));
  }
  return manager;
}
var NOTED_EVERY_SECONDS = 10;
async function noteManager(db, managementKeyId, { at, address }) {
  const isOld = lt2(
    managementKeys2.lastUsedAt,
    sql12`${at.toISOString()}::timestamptz - ${NOTED_EVERY_SECONDS} * interval '1 second'`
  );
  await ormOf(db).update(managementKeys2).set({ lastUsedAt: at, lastAddress: address }).where(and4(eq4(managementKeys2.id, managementKeyId), or3(isNull3(managementKeys2.lastUsedAt), isOld)));
}

// server/access/rate-limit.ts
import { Redis } from "ioredis";
import {
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes
} from "rate-limiter-flexible";

// server/access/limit-headers.ts
var limitHeaders = ({ unit, limit, remaining, resetSeconds }) => ({
  [`x-ratelimit-limit-${unit}`]: String(limit),
  [`x-ratelimit-remaining-${unit}`]: String(remaining),
  [`x-ratelimit-reset-${unit}`]: `${resetSeconds}s`
});

// server/access/token-windows.ts
import { z as z5 } from "zod";
var SCRIPT = `
local count = tonumber(redis.call('get', KEYS[1]) or '0')
local left = redis.call('pttl', KEYS[1])
if left <= 0 then
  count = 0
  left = tonumber(ARGV[2])
end
local after = math.max(0, count + tonumber(ARGV[1]))
if ARGV[3] ~= '' and after > tonumber(ARGV[3]) then
  return {count, left, 1}
end
redis.call('set', KEYS[1], string.format('%.0f', after), 'PX', left)
return {count, left, 0}`;
var Answer = z5.tuple([z5.int().nonnegative(), z5.int().positive(), z5.literal([0, 1])]);
var tokensInRedis = (redis, windowMs) => async (key, delta, most) => {
  const answer = await redis.eval(SCRIPT, 1, key, delta, windowMs, most ?? "");
  const read = Answer.safeParse(answer);
  if (!read.success) {
    throw new Error("Redis answered with what is no count");
  }
  const [count4, msLeft, refused] = read.data;
  return { count: count4, msLeft, isRefused: refused === 1 };
};
var tokensInPostgres = (db, windowMs) => async (key, delta, most) => {
  const [row] = await sqlOf(db)`
      with now as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms),
      written as (
        insert into rate_limits as kept (key, points, expire)
        select ${key}, greatest(0, ${delta}::bigint), ms + ${windowMs}::bigint from now
        on conflict (key) do update set
          points = greatest(0, case when kept.expire > (select ms from now) then kept.points else 0 end + ${delta}::bigint),
          expire = case when kept.expire > (select ms from now) then kept.expire else excluded.expire end
        where ${most}::bigint is null
          or case when kept.expire > (select ms from now) then kept.points else 0 end + ${delta}::bigint <= ${most}::bigint
        returning points, expire
      ),
      refused as (
        select points, expire from rate_limits where key = ${key} and not exists (select from written)
      )
      select
        greatest(0, coalesce(written.points - ${delta}::bigint, refused.points, 0))::text as count,
        (coalesce(written.expire, refused.expire, now.ms) - now.ms)::text as ms_left,
        written.expire is null as is_refused
      from now left join written on true left join refused on true`;
  return {
    count: Number(row?.count ?? 0),
    msLeft: Math.max(1, Number(row?.ms_left ?? windowMs)),
    isRefused: row?.is_refused ?? false
  };
};

// server/access/rate-limit.ts
var PREFIX = "tollgate";
var REDIS_TIMEOUT_MS = 500;
var REDIS_REST_MS = 5e3;
async function countCalls(ask) {
  let isRefused = false;
  const state = await ask.catch((refusal2) => {
    if (!(refusal2 instanceof RateLimiterRes)) {
      throw refusal2;
    }
    isRefused = true;
    return refusal2;
  });
  const { consumedPoints, remainingPoints, msBeforeNext: msLeft } = state;
  if (!Number.isSafeInteger(consumedPoints) || !(msLeft >= 0)) {
    throw new Error("the store answered with what is no count");
  }
  return { msLeft, isRefused, remaining: isRefused ? 0 : remainingPoints };
}
function shown({ msLeft, isRefused }, standing, more) {
  const resetSeconds = Math.max(1, Math.ceil(msLeft / 1e3));
  const headers = { ...limitHeaders({ ...standing, resetSeconds }), ...more };
  if (isRefused) {
    throw new GatewayError("rateLimited", "", {
      headers: { ...headers, "retry-after": String(resetSeconds) }
    });
  }
  return headers;
}
function openRedis(url) {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    connectTimeout: 2e3,
    commandTimeout: REDIS_TIMEOUT_MS,
    enableOfflineQueue: false
  });
  redis.on("error", () => {
  });
  return redis;
}
function createRateLimiter(source) {
  const redis = source.redisUrl ? openRedis(source.redisUrl) : null;
  const storeClient = {
    query: async (query) => {
      const rows = await sqlOf(source.db).unsafe(query.text, query.values, { prepare: true });
      return { rows: rows.map((row) => ({ ...row, points: Number(row.points) })), rowCount: rows.count };
    }
  };
  const windowSeconds = source.windowSeconds ?? 60;
  const open2 = (points) => {
    const options = {
      points,
      duration: windowSeconds,
      keyPrefix: PREFIX,
      // What is over the limit stays over it until the window ends: no need to ask the store again.
      inMemoryBlockOnConsumed: points + 1
    };
    const table = { storeClient, storeType: "pool", tableName: "rate_limits", tableCreated: true };
    const postgres4 = new RateLimiterPostgres({ ...options, ...table });
    return { postgres: postgres4, redis: redis && new RateLimiterRedis({ ...options, storeClient: redis }) };
  };
  const limiters = /* @__PURE__ */ new Map();
  const limiterOf = (points) => {
    const limiter = limiters.get(points) ?? open2(points);
    limiters.set(points, limiter);
    return limiter;
  };
  const tokens = {
    postgres: tokensInPostgres(source.db, windowSeconds * 1e3),
    redis: redis && tokensInRedis(redis, windowSeconds * 1e3)
  };
  let redisRestsUntil = 0;
  let isRedisAway = false;
  async function ask(stores, question) {
    if (stores.redis && performance.now() >= redisRestsUntil) {
      try {
        const answer = await question(stores.redis);
        isRedisAway = false;
        return answer;
      } catch (error) {
        redisRestsUntil = performance.now() + REDIS_REST_MS;
        source.onFallback?.(isRedisAway ? null : error);
        isRedisAway = true;
      }
    } else if (stores.redis) {
      source.onFallback?.(null);
    }
    return await lookUp(question(stores.postgres));
  }
  return {
    take: async (subject, points, more = {}) => {
      const counted = await ask(limiterOf(points), (limiter) => countCalls(limiter.consume(subject)));
      return shown(counted, { unit: "requests", limit: points, remaining: counted.remaining }, more);
    },
    reserve: async (subject, points, { amount, more }) => {
      const key = `${PREFIX}:${subject}`;
      const reserved = Math.min(amount, points);
      const askedAt = performance.now();
      const { add, ...counted } = await ask(tokens, async (store) => ({
        add: store,
        ...await store(key, reserved, points)
      }));
      const endsAt = askedAt + counted.msLeft;
      const settle = async (used) => {
        try {
          if (used > reserved || used < reserved && performance.now() < endsAt) {
            await add(key, used - reserved, null);
          }
        } catch (error) {
          source.onUnsettled?.(error);
        }
      };
      const remaining = Math.max(0, points - counted.count - (counted.isRefused ? 0 : reserved));
      return { headers: shown(counted, { unit: "tokens", limit: points, remaining }, more), settle };
    },
    giveBack: async (subject, points) => {
      await ask(limiterOf(points), (limiter) => limiter.reward(subject));
    },
    close: () => redis?.disconnect()
  };
}

// server/access/admit.ts
var SEPARATOR = " ";
var namesOf = (secret2, peppers) => peppers.map((pepper) => hashSecret(secret2, pepper)).join(SEPARATOR);
var MAX_KEYS = 2e4;
function rememberNames(peppers) {
  const known = new LRUCache2({ max: MAX_KEYS });
  return (secret2) => {
    const digest = hash2("sha256", secret2, "base64url");
    const names = known.get(digest) ?? namesOf(secret2, peppers);
    known.set(digest, names);
    return names;
  };
}
async function findKey(db, names) {
  const { accounts: accounts8, apiKeys: apiKeys6 } = schema_exports;
  const [current = "", ...older] = names.split(SEPARATOR);
  const [row] = await ormOf(db).select({
    hash: apiKeys6.hash,
    keyId: apiKeys6.id,
    accountId: apiKeys6.accountId,
    status: apiKeys6.status,
    accountStatus: accounts8.status,
    allowedIps: apiKeys6.allowedIps,
    requestsPerMinute: apiKeys6.requestsPerMinute,
    maxConcurrent: apiKeys6.maxConcurrent,
    account: {
      requestsPerMinute: accounts8.requestsPerMinute,
      tokensPerMinute: accounts8.tokensPerMinute,
      maxConcurrent: accounts8.maxConcurrent
    },
    models: apiKeys6.models,
    monthlyCap: apiKeys6.monthlyCap,
    expiresAt: apiKeys6.expiresAt,
    deletedAt: apiKeys6.deletedAt
  }).from(apiKeys6).innerJoin(accounts8, eq5(accounts8.id, apiKeys6.accountId)).where(inArray4(apiKeys6.hash, [current, ...older])).limit(1);
  if (!row || row.deletedAt) {
    return null;
  }
  if (row.hash !== current) {
    await ormOf(db).update(apiKeys6).set({ hash: current }).where(and5(eq5(apiKeys6.id, row.keyId), eq5(apiKeys6.hash, row.hash)));
  }
  const { hash: _, status, accountStatus, allowedIps, deletedAt: __, ...key } = row;
  return {
    ...key,
    isEnabled: status === "active",
    isAccountEnabled: accountStatus === "active",
    allowList: compileAllowList(allowedIps)
  };
}
var MANAGER_CALLS_PER_MINUTE = 600;
function barOf(key, { address, now }) {
  if (key.expiresAt && key.expiresAt <= now) {
    return "expiredKey";
  }
  if (!key.isEnabled) {
    return "keyDisabled";
  }
  if (!key.isAccountEnabled) {
    return "accountDisabled";
  }
  return key.allowList.allows(address) ? null : "addressNotAllowed";
}
async function findOffered(headers, names, keys) {
  const offered = offeredSecrets(headers);
  if (offered.length === 0) {
    throw new GatewayError("missingKey");
  }
  for (const secret2 of offered) {
    const key = looksLikeSecret(secret2) ? await keys.get(names(secret2)) : null;
    if (key) {
      return key;
    }
  }
  throw new GatewayError("invalidKey");
}
function createGatekeeper(deps) {
  const keys = createCache((names2) => findKey(deps.db, names2), {
    maxAgeMs: 3e4,
    maxEntries: MAX_KEYS,
    heardAt: deps.heardAt
  });
  const names = rememberNames(peppersOf(deps));
  const trusted = deps.trustedProxies.length > 0 ? compileAllowList(deps.trustedProxies) : null;
  const limiter = createRateLimiter({
    redisUrl: deps.redisUrl,
    db: relaxed(deps.db),
    onFallback: deps.onRedisFallback,
    onUnsettled: (error) => deps.log.warn({ err: error }, "tokens stay counted until their minute ends")
  });
  const live = createLiveCalls(deps.places);
  const uses = createLastUsed(relaxed(deps.db));
  return {
    identify: (headers) => findOffered(headers, names, keys),
    admit: (key, { address }) => {
      const now = deps.clock();
      const bar = barOf(key, { address, now });
      if (bar !== null) {
        throw new GatewayError(bar);
      }
      uses.note(key.keyId, { at: now, address });
      return key;
    },
    wouldAdmit: async (secret2, { address }) => {
      const key = await keys.get(names(secret2));
      return key !== null && barOf(key, { address, now: deps.clock() }) === null;
    },
    addressOf: (headers, peer) => clientAddress(peer, headers.get("x-forwarded-for"), trusted),
    enter: live.enter,
    liveCalls: live.count,
    limit: async ({ keyId, requestsPerMinute, accountId, account }) => {
      const take = async (scope, id2, most) => most === null ? {} : await limiter.take(id2, most, { "x-ratelimit-scope": scope });
      const ofKey = await take("key", keyId, requestsPerMinute);
      return { ...await take("account", accountId, account.requestsPerMinute), ...ofKey };
    },
    limitTokens: async ({ accountId, account: { tokensPerMinute } }, amount) => tokensPerMinute === null ? { headers: {}, settle: async () => {
    } } : await limiter.reserve(`tokens:${accountId}`, tokensPerMinute, {
      amount,
      more: { "x-ratelimit-scope": "account" }
    }),
    // Shown in place of the other limits, and so with a scope of its own.
    limitVideos: ({ keyId }, what) => limiter.take(`videos.${what}:${keyId}`, deps.videosPerMinute, { "x-ratelimit-scope": "key" }),
    identifyManager: async (headers, { address }) => {
      const manager = await findManager(deps.db, offeredSecrets(headers), {
        peppers: peppersOf(deps),
        now: deps.clock()
      });
      const shown2 = await limiter.take(`manager:${manager.id}`, MANAGER_CALLS_PER_MINUTE);
      await noteManager(deps.db, manager.id, { at: deps.clock(), address });
      return { manager, shown: shown2 };
    },
    flushUses: uses.flush,
    tidySessions: () => removeOldSessions(deps.db),
    forget: keys.forget,
    close: limiter.close
  };
}

// server/access/change-password.ts
import { and as and7, eq as eq7 } from "drizzle-orm";

// server/access/links.ts
import { and as and6, eq as eq6, gt as gt2, sql as sql13 } from "drizzle-orm";
var { userLinks: userLinks3, users: users5 } = schema_exports;
var VALID_SECONDS = 24 * 60 * 60;

// server/access/change-password.ts
var { users: users6 } = schema_exports;

// server/access/console-key.ts
import { and as and9, eq as eq9, sql as sql14 } from "drizzle-orm";

// server/access/keys.ts
import { and as and8, asc as asc4, eq as eq8, isNull as isNull4 } from "drizzle-orm";
var { apiKeys: apiKeys3 } = schema_exports;
var keyColumns = {
  id: apiKeys3.id,
  accountId: apiKeys3.accountId,
  name: apiKeys3.name,
  lastFour: apiKeys3.lastFour,
  status: apiKeys3.status,
  allowedIps: apiKeys3.allowedIps,
  requestsPerMinute: apiKeys3.requestsPerMinute,
  maxConcurrent: apiKeys3.maxConcurrent,
  models: apiKeys3.models,
  monthlyCap: apiKeys3.monthlyCap,
  expiresAt: apiKeys3.expiresAt,
  lastUsedAt: apiKeys3.lastUsedAt,
  lastAddress: apiKeys3.lastAddress,
  createdAt: apiKeys3.createdAt
};
function canonicalRules(rules) {
  const canonical = rules.map((rule) => {
    const cidr = canonicalCidr(rule);
    if (cidr === null) {
      throw new Refusal(`"${rule}" is neither an IP address nor a CIDR range`, "ruleInvalid", { rule });
    }
    return cidr;
  });
  return [...new Set(canonical)];
}
function readTerms(change) {
  const { allowedIps, models: models4, ...terms } = parseOrRefuse(KeyTerms.partial(), change);
  return {
    ...terms,
    ...allowedIps && { allowedIps: canonicalRules(allowedIps) },
    ...models4 && { models: [...new Set(models4)] }
  };
}
async function issueKey(db, { accountId, ...terms }, pepper) {
  const secret2 = mintSecret();
  const row = await rowOrRefuse(
    ormOf(db).insert(apiKeys3).values({
      name: terms.name,
      ...readTerms(terms),
      id: newId("key"),
      accountId,
      hash: hashSecret(secret2, pepper),
      lastFour: secret2.slice(-4)
    }).returning(keyColumns),
    () => new Error("the key was not stored")
  );
  return { ...row, secret: secret2 };
}

// server/access/console-key.ts
var { apiKeys: apiKeys4 } = schema_exports;

// server/access/idempotent-answers.ts
import { and as and10, eq as eq10, lt as lt3, sql as sql15 } from "drizzle-orm";
var { idempotentAnswers: idempotentAnswers2 } = schema_exports;

// server/access/key-lists.ts
import { and as and11, eq as eq11, gt as gt3, inArray as inArray5, isNotNull as isNotNull3, isNull as isNull5, lte as lte2, or as or4, sql as sql16 } from "drizzle-orm";
var { apiKeys: apiKeys5 } = schema_exports;

// server/access/reauthentication.ts
import { and as and12, eq as eq12, isNotNull as isNotNull4, isNull as isNull6, lt as lt4, or as or5, sql as sql17 } from "drizzle-orm";

// server/access/sign-in-limiter.ts
var WINDOW_SECONDS = 15 * 60;

// server/access/totp.ts
import { Secret, TOTP } from "otpauth";

// server/access/reauthentication.ts
var { users: users7 } = schema_exports;

// server/access/reseal.ts
import { and as and13, asc as asc5, eq as eq13, gt as gt4, isNotNull as isNotNull5 } from "drizzle-orm";
var { users: users8 } = schema_exports;

// server/access/second-factor.ts
import { and as and14, eq as eq14, isNotNull as isNotNull6, isNull as isNull7 } from "drizzle-orm";
var { users: users9 } = schema_exports;

// server/access/user-changes.ts
import { asc as asc6, eq as eq15, or as or6 } from "drizzle-orm";
var { users: users10 } = schema_exports;

// server/base/log.ts
import pino from "pino";
var MAX_CAUSES = 6;
var MAX_CHARACTERS2 = 300;
function chainOf(error) {
  const chain = [error];
  for (let link = error.cause; link instanceof Error && chain.length < MAX_CAUSES; link = link.cause) {
    chain.push(link);
  }
  return chain;
}
function wordsOf(error) {
  if ("quotes" in error || "params" in error || error.name === "ZodError") {
    return error.name;
  }
  return error.message.replace(/["'`\u201c][\s\S]*["'`\u201d]/, "\u2026").slice(0, MAX_CHARACTERS2);
}
var textIn = (error, name) => {
  const value = Object.entries(error).find(([key]) => key === name)?.[1];
  return typeof value === "string" ? value.slice(0, 2e3) : void 0;
};
var placesOf = ({ stack = "" }) => stack.split("\n").filter((line2) => /^ {4}at \S/.test(line2)).map((line2) => line2.trim().slice(0, MAX_CHARACTERS2));
function describeError(thrown) {
  const error = typeof thrown === "object" && thrown !== null && "error" in thrown ? thrown.error : thrown;
  if (!(error instanceof Error)) {
    return { type: typeof error };
  }
  const chain = chainOf(error);
  const first = (name) => chain.map((link) => textIn(link, name)).find((text9) => text9 !== void 0);
  return {
    type: error.constructor.name,
    message: chain.map(wordsOf).join(": "),
    code: first("code"),
    reason: first("reason"),
    query: first("query"),
    stack: placesOf(error)
  };
}
var WHOLE_WRITE = 4096;
function stdout() {
  let isEnding = false;
  const sink = pino.destination({
    fd: 1,
    sync: true,
    minLength: WHOLE_WRITE - 1,
    maxWrite: WHOLE_WRITE,
    periodicFlush: 250,
    retryEAGAIN: () => !isEnding
  });
  process.once("exit", () => {
    isEnding = true;
    try {
      sink.flush();
    } catch {
    }
  });
  return sink;
}
var ERROR = 50;
var SECRET = ["authorization", "secret", "password"];
function createLog(level, sink = stdout(), name) {
  return pino(
    {
      level,
      ...name === void 0 ? { base: void 0 } : { base: { process: name } },
      redact: SECRET.flatMap((name2) => [name2, `*.${name2}`]),
      serializers: { err: describeError },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(line2, write2, level2) {
          write2.apply(this, line2);
          if (level2 >= ERROR) {
            this.flush();
          }
        }
      }
    },
    sink
  );
}

// server/base/metrics.ts
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
function createMetrics(channelStates = async () => []) {
  const registry = new Registry();
  new Gauge({
    name: "tollgate_channel_state",
    help: "1 for the state that each channel is in, as this server has seen it.",
    labelNames: ["channel", "state"],
    registers: [registry],
    // They tell each other what they see: a sum would say it once for each process.
    aggregator: "first",
    async collect() {
      const states = await channelStates();
      this.reset();
      for (const { channelId, state } of states) {
        this.set({ channel: channelId, state }, 1);
      }
    }
  });
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requests: new Counter({
      name: "tollgate_requests_total",
      help: "Requests answered.",
      labelNames: ["endpoint", "status"],
      registers: [registry]
    }),
    latency: new Histogram({
      name: "tollgate_request_seconds",
      help: "Time until the response's head was ready.",
      labelNames: ["endpoint"],
      buckets: [5e-3, 0.02, 0.1, 0.5, 1, 2, 5, 15, 60],
      registers: [registry]
    }),
    attempts: new Counter({
      name: "tollgate_upstream_attempts_total",
      help: "Calls to upstream channels by outcome.",
      labelNames: ["channel", "outcome"],
      registers: [registry]
    }),
    videoEnds: new Counter({
      name: "tollgate_video_ends_total",
      help: "Video tasks by how they ended.",
      labelNames: ["outcome"],
      registers: [registry]
    }),
    callsUnrecorded: new Counter({
      name: "tollgate_calls_unrecorded_total",
      help: "Calls that the request log had no room for, or could not store.",
      registers: [registry]
    }),
    billingIncidents: new Counter({
      name: "tollgate_billing_incidents_total",
      help: "Charges and holds that had to be made good, or could not be; above_hold: dearer than the limit allowed.",
      labelNames: ["kind"],
      registers: [registry]
    }),
    chargesWaiting: new Gauge({
      name: "tollgate_charges_waiting",
      help: "Delivered calls that wait for the database to be charged.",
      registers: [registry]
    }),
    ledgerVerifiedAt: new Gauge({
      name: "tollgate_ledger_verified_timestamp_seconds",
      help: "When the replicas had last verified the months that still move; 0: never.",
      registers: [registry]
    }),
    ledgerDrift: new Gauge({
      name: "tollgate_ledger_drift",
      help: "Figures that differed from the ledger's entries then, or in the verification under way if those are more.",
      registers: [registry]
    }),
    ledgerVerifiedEntries: new Gauge({
      name: "tollgate_ledger_verified_entries",
      help: "Entries of the ledger that were read then.",
      registers: [registry]
    }),
    redisFallbacks: new Counter({
      name: "tollgate_redis_fallbacks_total",
      help: "Rate limits that PostgreSQL counted because Redis was away or silent.",
      registers: [registry]
    }),
    streamEnds: new Counter({
      name: "tollgate_stream_ends_total",
      help: "Streams by how they ended.",
      labelNames: ["outcome"],
      registers: [registry]
    })
  };
}

// server/base/fair-share.ts
var mayTake = (places) => places.own + (places.amount ?? 1) <= places.capacity - places.taken;

// server/base/shares.ts
function createCounts() {
  const counts = /* @__PURE__ */ new Map();
  const of = (id2) => counts.get(id2) ?? 0;
  return {
    of,
    add: (id2, by) => {
      const now = of(id2) + by;
      if (now > 0) {
        counts.set(id2, now);
      } else {
        counts.delete(id2);
      }
    }
  };
}
function createPool(capacity) {
  const held = createCounts();
  const parts = createCounts();
  let taken = 0;
  const move = ({ holder, account, isElsewhere = false }, by) => {
    held.add(holder.id, by);
    held.add(account.id, by);
    if (!isElsewhere) {
      parts.add(account.id, by);
      taken += by;
    }
  };
  const refusalOf = ({ holder, account, amount, isElsewhere = false }) => {
    if (holder.most !== null && held.of(holder.id) + amount > holder.most) {
      return "holder";
    }
    const isFull = !isElsewhere && taken + amount > capacity;
    const own = parts.of(account.id);
    const isBeyondShare = !(isElsewhere || isFull || mayTake({ capacity, taken, own, amount }));
    if (account.most === null ? isBeyondShare : held.of(account.id) + amount > account.most) {
      return "account";
    }
    return isFull ? "all" : null;
  };
  return {
    take: (want) => {
      const by = refusalOf(want);
      if (by === null) {
        move(want, want.amount);
        return null;
      }
      return { by, hasSome: held.of(want.account.id) > 0 };
    },
    give: (want) => move(want, -want.amount)
  };
}
function localPool(capacity) {
  const pool = createPool(capacity);
  return { take: async (want) => pool.take(want), give: pool.give };
}

// server/billing/arrears.ts
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z as z6 } from "zod";

// server/base/money.ts
var nanos2 = (figure) => BigInt(figure);

// server/billing/arrears.ts
var MAX_WAITING = 1e4;
var SUFFIX = ".json";
var Amount = z6.string().regex(/^\d+$/).transform(nanos2);
var Stored = z6.object({
  requestId: z6.string(),
  accountId: z6.string().brand(),
  period: z6.string(),
  note: z6.string().optional(),
  draw: z6.object({ escrowId: z6.string(), held: Amount }).optional(),
  charge: z6.object({
    amount: Amount,
    usage: z6.object({
      inputTokens: z6.number(),
      cacheReadTokens: z6.number(),
      cacheWriteTokens: z6.number(),
      cacheWrite1hTokens: z6.number(),
      outputTokens: z6.number(),
      reasoningTokens: z6.number()
    }).nullable(),
    source: z6.enum(usageSources).nullable(),
    prices: z6.record(z6.string(), Amount),
    keyId: z6.string().brand(),
    modelId: z6.string(),
    channelId: z6.string().brand().nullable()
  })
});
var describeArrear = ({
  requestId,
  accountId,
  period,
  note,
  draw,
  charge: charge2
}) => JSON.stringify(
  { requestId, accountId, period, note, draw, charge: charge2 },
  (_key, value) => typeof value === "bigint" ? value.toString() : value
);
async function namesIn(directory) {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(SUFFIX));
  } catch (error) {
    if (error.code === "ENOENT") {
      return [];
    }
    throw error;
  }
}
async function writeDurably(directory, name, text9) {
  await mkdir(directory, { recursive: true, mode: 448 });
  const path = join(directory, name);
  const file = await open(`${path}.new`, "w", 384);
  try {
    await file.writeFile(text9);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  const entries = await open(directory, "r");
  await entries.sync().finally(() => entries.close());
}
function createArrears(deps) {
  const { directory, log } = deps;
  const kept = /* @__PURE__ */ new Map();
  const removals = /* @__PURE__ */ new Set();
  const fileOf = (requestId) => `${encodeURIComponent(requestId)}${SUFFIX}`;
  async function write2(settlement) {
    if (directory === null) {
      return;
    }
    const text9 = describeArrear(settlement);
    await writeDurably(directory, fileOf(settlement.requestId), text9).catch(
      (error) => log.error({ err: error, charge: text9 }, "a delivered call's charge is kept in memory only")
    );
  }
  async function remove(requestId, written) {
    await written;
    if (directory !== null) {
      await rm(join(directory, fileOf(requestId)), { force: true }).catch(
        (error) => (
          // Posted once more at the next start, which changes nothing.
          log.warn({ err: error, requestId }, "a charge that is in the ledger stays on disk")
        )
      );
    }
  }
  return {
    keep: (settlement) => {
      const { requestId } = settlement;
      if (kept.has(requestId)) {
        return;
      }
      if (kept.size >= MAX_WAITING) {
        deps.observe("lost");
        log.error(
          { charge: describeArrear(settlement) },
          "a delivered call is not charged: too many wait already"
        );
        return;
      }
      kept.set(requestId, { settlement, written: write2(settlement) });
      deps.observe("kept");
      deps.onCount(kept.size);
    },
    drop: (requestId) => {
      const known = kept.get(requestId);
      if (known) {
        kept.delete(requestId);
        const removal = remove(requestId, known.written).finally(() => removals.delete(removal));
        removals.add(removal);
        deps.onCount(kept.size);
      }
    },
    waiting: () => [...kept.values()].map(({ settlement }) => settlement),
    load: async () => {
      await Promise.all(removals);
      for (const name of directory === null ? [] : await namesIn(directory)) {
        if (kept.size >= MAX_WAITING) {
          return false;
        }
        try {
          const settlement = Stored.parse(JSON.parse(await readFile(join(directory ?? "", name), "utf8")));
          if (!kept.has(settlement.requestId)) {
            kept.set(settlement.requestId, { settlement, written: Promise.resolve() });
          }
        } catch (error) {
          log.error({ err: error, name }, "a kept charge cannot be read");
        }
        deps.onCount(kept.size);
      }
      return true;
    },
    written: async () => {
      await Promise.all([...[...kept.values()].map(({ written }) => written), ...removals]);
    }
  };
}

// server/billing/balances.ts
import { and as and16, eq as eq17, lte as lte3, sql as sql19 } from "drizzle-orm";

// server/billing/months.ts
import { and as and15, eq as eq16, sql as sql18 } from "drizzle-orm";
var { accountMonths: accountMonths2, accounts: accounts6, holds: holds2, keyMonths: keyMonths2, ledgerEntries: ledgerEntries2, spendHours: spendHours2 } = schema_exports;
async function openMonth(db, month) {
  await ormOf(db).execute(sql18`
    with opened as (
      insert into ${accountMonths2} (account_id, period, quota)
      select ${accounts6.id}, ${month.period}, ${accounts6.monthlyQuota} from ${accounts6}
      where ${accounts6.id} = ${month.accountId}
      on conflict do nothing
      returning account_id, period, quota
    )
    insert into ${ledgerEntries2} (id, account_id, period, kind, amount)
    -- A month that was lost has its grant.
    select 'grant_' || period, account_id, period, 'grant', quota from opened on conflict do nothing`);
}
async function openKeyMonth(db, { accountId, period, keyId }) {
  const isMonth = and15(eq16(accountMonths2.accountId, accountId), eq16(accountMonths2.period, period));
  await transaction(db, async (tx) => {
    const orm = ormOf(tx);
    const [month] = await orm.select({ countsKeys: accountMonths2.countsKeys }).from(accountMonths2).where(isMonth).for("update");
    if (!month) {
      return;
    }
    if (!month.countsKeys) {
      await orm.execute(sql18`
        insert into ${keyMonths2} (account_id, period, key_id, used, frozen)
        select ${accountId}, ${period}, key_id, sum(used), sum(frozen) from (
          select key_id, amount as used, 0 as frozen from ${spendHours2}
          where account_id = ${accountId} and period = ${period} and key_id <> ''
          union all
          -- What an escrow's calls were charged moves into the key's month when it is folded.
          select key_id, -captured, amount from ${holds2}
          where account_id = ${accountId} and period = ${period} and key_id is not null
        ) as parts
        group by key_id
        -- A row of before is a month's that was lost, and means nothing: nobody has counted on it.
        on conflict (account_id, period, key_id) do update set used = excluded.used, frozen = excluded.frozen`);
      await orm.update(accountMonths2).set({ countsKeys: true }).where(isMonth);
    }
    const nothing = nanos2(0n);
    await orm.insert(keyMonths2).values({ accountId, period, keyId, used: nothing, frozen: nothing }).onConflictDoNothing();
  });
}
async function openPurse(db, purse) {
  await openMonth(db, purse);
  if (purse.keyCap !== null) {
    await openKeyMonth(db, purse);
  }
}

// server/billing/balances.ts
var { accountMonths: accountMonths3, accounts: accounts7, holds: holds3, ledgerEntries: ledgerEntries3 } = schema_exports;
var ofEscrows = (amount) => sql19`coalesce((
  select sum(${amount}) from ${holds3}
  where ${holds3.accountId} = ${accountMonths3.accountId} and ${holds3.period} = ${accountMonths3.period}
    and ${holds3.processId} is not null
), 0)`;
var usedOfMonth = sql19`${accountMonths3.used} + ${ofEscrows(sql19`${holds3.captured}`)}`.mapWith(nanos2);
var figures = {
  period: accountMonths3.period,
  quota: accountMonths3.quota,
  topups: accountMonths3.topups,
  used: usedOfMonth.as("used"),
  frozen: sql19`${accountMonths3.frozen} - ${ofEscrows(sql19`${holds3.amount} - ${holds3.inUse}`)}`.mapWith(nanos2).as("frozen")
};
var MAX_TOPUPS = 4n * 10n ** 18n;

// server/billing/billing.ts
import { setTimeout as sleep3 } from "node:timers/promises";

// server/billing/batcher.ts
function createBatcher(run, options) {
  const queue = [];
  let running = null;
  async function runBatch(batch) {
    try {
      const results = await run(batch.map((waiting) => waiting.item));
      for (const [index7, waiting] of batch.entries()) {
        waiting.resolve(results[index7]);
      }
    } catch (error) {
      if (batch.length > 1 && options.mayDivide(error)) {
        const middle = Math.ceil(batch.length / 2);
        await runBatch(batch.slice(0, middle));
        await runBatch(batch.slice(middle));
        return;
      }
      for (const waiting of batch) {
        waiting.reject(error);
      }
    }
  }
  async function drain() {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      await runBatch(queue.splice(0, options.maxItems));
    }
    running = null;
  }
  return {
    add: (item) => new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      running ??= drain();
    }),
    idle: async () => {
      await running;
    }
  };
}
function createBatcherPerAccount(run, options) {
  const lines = /* @__PURE__ */ new Map();
  return {
    add: async (item) => {
      const line2 = lines.get(item.accountId) ?? { batcher: createBatcher(run, options), waiting: 0 };
      lines.set(item.accountId, line2);
      line2.waiting += 1;
      try {
        return await line2.batcher.add(item);
      } finally {
        line2.waiting -= 1;
        if (line2.waiting === 0) {
          lines.delete(item.accountId);
        }
      }
    },
    idle: async () => {
      await Promise.all([...lines.values()].map(({ batcher }) => batcher.idle()));
    }
  };
}

// server/billing/escrow/index.ts
import { LRUCache as LRUCache5 } from "lru-cache";

// server/billing/closing/chain.ts
import { asc as asc7, eq as eq18, getTableColumns, sql as sql20 } from "drizzle-orm";
var { ledgerCheckpoints: ledgerCheckpoints2, ledgerClosings: ledgerClosings2 } = schema_exports;
var line = sql20`concat_ws('|', ${ledgerCheckpoints2.accountId}, ${ledgerCheckpoints2.kind}, ${ledgerCheckpoints2.keyId},
  ${ledgerCheckpoints2.modelId}, ${ledgerCheckpoints2.entries}, ${ledgerCheckpoints2.amount}, ${ledgerCheckpoints2.overHold})`;
var sumsDigest = sql20`
  encode(sha256(convert_to(coalesce(string_agg(${line}, E'\\n' order by ${line} collate "C"), ''), 'UTF8')), 'hex')`;
async function latestClosings(db) {
  const links = await ormOf(db).select().from(ledgerClosings2).orderBy(asc7(ledgerClosings2.number));
  return new Map(links.map((closing) => [closing.period, closing]));
}

// server/billing/statements.ts
import { randomInt } from "node:crypto";
function onlyAccount(rows) {
  const [first] = rows;
  return first && rows.every(({ accountId }) => accountId === first.accountId) ? first.accountId : null;
}
var lockMonths = (sql34, only) => sql34`
  select month.* from (select distinct account_id, period from asked order by 1, 2) as wanted, lateral (
    select account_id, period, counts_keys, quota + topups - used - frozen as available
    from account_months
    where account_id = wanted.account_id and period = wanted.period and (account_id = ${only} or ${only}::text is null)
    for update
  ) as month`;
var lockHolds = (sql34, only, count4) => sql34`
  select hold.* from (
    select account_id, period, request_id from asked where (select count(*) from locked) > 0
    order by 1, 2, 3 limit ${count4}
  ) as wanted, lateral (
    select account_id, period, request_id, key_id, amount, captured, process_id, expires_at < now() as is_expired
    from holds
    where account_id = wanted.account_id and period = wanted.period and request_id = wanted.request_id
      and (account_id = ${only} or ${only}::text is null)
    for update
  ) as hold`;
var namedRows = (sql34, keys) => sql34`
  unnest(
    ${keys.map(({ accountId }) => accountId)}::text[], ${keys.map(({ period }) => period)}::text[],
    ${keys.map(({ requestId }) => requestId)}::text[]
  ) as wanted (account_id, period, request_id)`;
var settlementColumns = (sql34) => sql34`
  request_id text, account_id text, period text, note text, charge bigint, key_id text, model_id text, channel_id text,
  prices jsonb, input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, cache_write_1h_tokens bigint,
  output_tokens bigint, reasoning_tokens bigint, usage_source text, is_lost boolean`;
var insertEnds = (sql34, source) => sql34`
  insert into ledger_entries (
    id, is_lost, account_id, period, kind, amount, held, key_id, model_id, channel_id, prices, input_tokens,
    cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, usage_source, note
  )
  select
    request_id, is_lost, account_id, period, case when charge is null then 'release' else 'capture' end,
    coalesce(charge, returned), held, key_id, model_id, channel_id, prices, input_tokens, cache_read_tokens,
    cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, usage_source, note
  from ${source} as ends
  on conflict (account_id, id, is_lost, period) do nothing`;
var SHARD = randomInt(64);
var addToHours = (sql34, charged) => sql34`
  insert into spend_hours (
    account_id, period, hour, key_id, model_id, shard, calls, amount, input_tokens, output_tokens
  )
  select
    account_id, period, date_trunc('hour', now()::timestamptz(3), 'UTC'), coalesce(key_id, ''), coalesce(model_id, ''),
    ${SHARD}::smallint, count(*), sum(charge), sum(
      coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)
        + coalesce(cache_write_1h_tokens, 0)
    ), sum(coalesce(output_tokens, 0))
  from ${charged} as charged
  group by 1, 2, 4, 5
  order by 1, 2, 4, 5
  on conflict (account_id, period, hour, key_id, model_id, shard) do update
  set calls = spend_hours.calls + excluded.calls, amount = spend_hours.amount + excluded.amount,
    input_tokens = spend_hours.input_tokens + excluded.input_tokens,
    output_tokens = spend_hours.output_tokens + excluded.output_tokens`;
var moveKeyMonths = (sql34, moved) => sql34`
  insert into key_months (account_id, period, key_id, used, frozen)
  select account_id, period, key_id, sum(used), sum(frozen) from ${moved} as moved
  where key_id is not null
  group by 1, 2, 3
  on conflict (account_id, period, key_id) do update
  set used = key_months.used + excluded.used, frozen = key_months.frozen + excluded.frozen`;

// server/billing/settlements.ts
var LATE = "late";
var EXPIRED = "expired";
var text8 = (prices) => Object.fromEntries(Object.entries(prices).map(([name, price2]) => [name, price2.toString()]));
function toRow(settlement, isLate = false) {
  const { charge: charge2, note } = settlement;
  return {
    request_id: settlement.requestId,
    account_id: settlement.accountId,
    period: settlement.period,
    note: [isLate ? LATE : void 0, note].filter((part) => part !== void 0).join(", ") || null,
    is_lost: charge2 === null && (settlement.wasLost ?? false),
    ...charge2 && {
      charge: charge2.amount.toString(),
      key_id: charge2.keyId,
      model_id: charge2.modelId,
      channel_id: charge2.channelId,
      prices: text8(charge2.prices),
      usage_source: charge2.source,
      ...charge2.usage && {
        input_tokens: charge2.usage.inputTokens,
        cache_read_tokens: charge2.usage.cacheReadTokens,
        cache_write_tokens: charge2.usage.cacheWriteTokens,
        cache_write_1h_tokens: charge2.usage.cacheWrite1hTokens,
        output_tokens: charge2.usage.outputTokens,
        reasoning_tokens: charge2.usage.reasoningTokens
      }
    }
  };
}
var firstOfEach = (settlements) => [
  ...new Map(settlements.toReversed().map((settlement) => [settlement.requestId, settlement])).values()
];
async function endOnce(db, settlements, ending) {
  const sql34 = sqlOf(db);
  const [isExpired, isLate] = [ending === "expired", ending === "late"];
  const only = onlyAccount(settlements);
  const rows = await sql34`
    with asked as (
      select * from json_to_recordset(${JSON.stringify(settlements.map((one) => toRow(one, isLate)))}::text::json) as asked (
        ${settlementColumns(sql34)}
      )
    ), locked as (${lockMonths(sql34, only)}), held as (${lockHolds(sql34, only, settlements.length)}), deleted as (
      delete from holds using held
      where holds.account_id = held.account_id and holds.period = held.period and holds.request_id = held.request_id
        and (is_expired or not ${isExpired}) and (holds.account_id = ${only} or ${only}::text is null)
      returning holds.request_id, holds.key_id as held_by, holds.amount as held, holds.captured
    ), ends as (
      select request_id, held_by, held, captured, false as is_late from deleted
      union all
      select request_id, null, 0, 0, true from asked join locked using (account_id, period)
      where ${isLate} and request_id not in (select request_id from deleted)
    ), entries as (
      ${insertEnds(
    sql34,
    sql34`(
          select asked.*, held, greatest(held - captured, 0) as returned
          from ends join asked using (request_id)
        )`
  )}
      returning id
    ), ended as (
      select asked.*, held_by, held, captured, is_late, entries.id is not null as is_put_down
      from ends join asked using (request_id) left join entries on entries.id = request_id
      where entries.id is not null or not is_late
    ), balances as (
      update account_months as month
      set used = month.used + total.charge, frozen = month.frozen - total.held
      from (
        select account_id, period, sum(held)::bigint as held,
          sum(captured + case when is_put_down then coalesce(charge, 0) else 0 end)::bigint as charge
        from ended group by 1, 2
      ) as total
      where month.account_id = total.account_id and month.period = total.period
        and (month.account_id = ${only} or ${only}::text is null)
    ), key_balances as (
      ${moveKeyMonths(
    sql34,
    sql34`(
          select account_id, period, part.key_id, part.used, part.frozen
          from ended join locked using (account_id, period), lateral (values
            (held_by, captured, -held), (ended.key_id, case when is_put_down then coalesce(charge, 0) else 0 end, 0)
          ) as part (key_id, used, frozen)
          where counts_keys
        )`
  )}
    ), hours as (${addToHours(sql34, sql34`(select * from ended where is_put_down and charge is not null)`)})
    select request_id as id, case
      -- A late charge that met one which somebody put down meanwhile.
      when ended.request_id is null then 'capture'
      when ends.is_late then 'late'
      else 'ended'
    end as outcome
    from ends left join ended using (request_id)`;
  return new Map(rows.map(({ id: id2, outcome }) => [id2, outcome]));
}
async function findEnds(db, calls5) {
  const sql34 = sqlOf(db);
  const only = onlyAccount(calls5);
  const rows = await sql34`
    select entry.* from ${namedRows(sql34, calls5)}, lateral (
      select id, kind, is_lost as "isLost" from ledger_entries
      where account_id = wanted.account_id and id = wanted.request_id and period = wanted.period
        and (account_id = ${only} or ${only}::text is null)
      limit 2
    ) as entry
    -- Of two, the one that is not the loss stays.
    order by "isLost" desc`;
  return new Map(rows.map(({ id: id2, ...end2 }) => [id2, end2]));
}
async function lateOf(db, settlements, ends) {
  const late = settlements.filter(({ requestId, charge: charge2, late: late2 }) => {
    const end2 = ends.get(requestId);
    return charge2 !== null && late2 !== void 0 && (end2 ? end2.isLost : late2 === "missing");
  });
  const closings = late.length === 0 ? /* @__PURE__ */ new Map() : await latestClosings(db);
  return firstOfEach(late.filter(({ period }) => !closings.get(period)?.archivedAt));
}
async function endHolds(db, settlements) {
  const firsts = firstOfEach(settlements);
  const ended = await endOnce(db, firsts, "held");
  const outcomes = new Map(firsts.map((first) => [first, ended.get(first.requestId)]));
  const missed = settlements.filter((settlement) => outcomes.get(settlement) === void 0);
  if (missed.length === 0) {
    return settlements.map((settlement) => outcomes.get(settlement) ?? "gone");
  }
  let ends = await findEnds(db, missed);
  const late = await lateOf(db, missed, ends);
  if (late.length > 0) {
    const charged = await endOnce(db, late, "late");
    for (const settlement of late) {
      outcomes.set(settlement, charged.get(settlement.requestId));
    }
    ends = await findEnds(db, missed);
  }
  return settlements.map(
    (settlement) => outcomes.get(settlement) ?? ends.get(settlement.requestId)?.kind ?? "gone"
  );
}
var SWEEP_ITEMS = 500;
var SWEEP_STATEMENTS = 1e3;
async function sweepHolds(db, leaseSeconds, accountId) {
  const sql34 = sqlOf(db);
  let swept = 0;
  for (let statement = 0; statement < SWEEP_STATEMENTS; statement++) {
    const dead = await sql34`
      select request_id as "requestId", account_id as "accountId", period from holds
      where expires_at < now()
        and pg_postmaster_start_time() < now() - make_interval(secs => ${leaseSeconds})
        and (${accountId ?? null}::text is null or account_id = ${accountId ?? null})
      order by expires_at limit ${SWEEP_ITEMS}`;
    const ends = dead.map((hold2) => ({ ...hold2, charge: null, note: EXPIRED, wasLost: true }));
    await inEachStatement(db, ends, async (together) => {
      swept += (await endOnce(db, together, "expired")).size;
    });
    if (dead.length < SWEEP_ITEMS) {
      break;
    }
  }
  return swept;
}

// server/billing/escrow/draws.ts
async function drawOnEscrows(db, draws, { inUseOf, leaseSeconds }) {
  const sql34 = sqlOf(db);
  const firsts = firstOfEach(draws);
  const only = onlyAccount(firsts);
  const asked = firsts.map((settlement) => ({
    ...toRow(settlement),
    escrow_id: settlement.draw.escrowId,
    held: settlement.draw.held.toString(),
    in_use: inUseOf(settlement.draw.escrowId)?.toString() ?? null
  }));
  const rows = await sql34`
    with asked as (
      select * from json_to_recordset(${JSON.stringify(asked)}::text::json) as asked (
        ${settlementColumns(sql34)}, escrow_id text, held bigint, in_use bigint
      )
    ), escrows as (
      select hold.* from (
        select distinct account_id, period, escrow_id from asked order by 1, 2, 3
      ) as wanted, lateral (
        select account_id, period, request_id as escrow_id from holds
        where account_id = wanted.account_id and period = wanted.period and request_id = wanted.escrow_id
          and (account_id = ${only} or ${only}::text is null)
        for update
      ) as hold
    ), entries as (
      ${insertEnds(
    sql34,
    sql34`(
          select asked.*, held as returned from asked join escrows using (account_id, period, escrow_id)
        )`
  )}
      returning id
    ), drawn as (
      select asked.* from asked join entries on entries.id = request_id
    ), captured as (
      update holds
      set captured = captured + total.charge, in_use = coalesce(total.in_use, holds.in_use),
        expires_at = coalesce(total.expires_at, holds.expires_at)
      from (
        select account_id, period, escrow_id, sum(coalesce(charge, 0))::bigint as charge, min(in_use) as in_use,
          case when min(in_use) is not null then now() + make_interval(secs => ${leaseSeconds}) end as expires_at
        from drawn group by 1, 2, 3
      ) as total
      where holds.account_id = total.account_id and holds.period = total.period
        and holds.request_id = total.escrow_id and (holds.account_id = ${only} or ${only}::text is null)
    ), hours as (${addToHours(sql34, sql34`(select * from drawn where charge is not null)`)})
    select id from entries`;
  const drawn2 = new Set(rows.map(({ id: id2 }) => id2));
  const ended = new Set(firsts.filter(({ requestId }) => drawn2.has(requestId)));
  if (ended.size === draws.length) {
    return draws.map(() => "ended");
  }
  const ends = await findEnds(db, draws);
  return draws.map((draw) => ended.has(draw) ? "ended" : ends.get(draw.requestId)?.kind ?? "gone");
}

// server/billing/escrow/folds.ts
async function foldTogether(db, folds) {
  const sql34 = sqlOf(db);
  const only = onlyAccount(folds);
  await sql34`
    with asked as (
      select * from unnest(
        ${folds.map(({ id: id2 }) => id2)}::text[], ${folds.map(({ accountId }) => accountId)}::text[],
        ${folds.map(({ period }) => period)}::text[], ${folds.map(({ keep }) => keep?.toString() ?? null)}::bigint[]
      ) as asked (request_id, account_id, period, keep)
    ), locked as (${lockMonths(sql34, only)}), held as (${lockHolds(sql34, only, folds.length)}), rows as (
      select request_id, account_id, period, key_id, amount, captured, least(coalesce(keep, 0), amount) as keep,
        keep is null as is_over
      from held join asked using (request_id, account_id, period)
      where process_id is not null
    ), kept as (
      update holds set amount = rows.keep, captured = 0, in_use = rows.keep
      from rows
      where holds.account_id = rows.account_id and holds.period = rows.period and holds.request_id = rows.request_id
        and not is_over and (holds.account_id = ${only} or ${only}::text is null)
    ), closed as (
      delete from holds using rows
      where holds.account_id = rows.account_id and holds.period = rows.period and holds.request_id = rows.request_id
        and is_over and (holds.account_id = ${only} or ${only}::text is null)
    ), balances as (
      update account_months as month
      set used = month.used + total.captured, frozen = month.frozen - total.returned
      from (
        select account_id, period, sum(captured)::bigint as captured, sum(amount - keep)::bigint as returned
        from rows group by 1, 2
      ) as total
      where month.account_id = total.account_id and month.period = total.period
        and (month.account_id = ${only} or ${only}::text is null)
    )
    ${moveKeyMonths(
    sql34,
    sql34`(
        select account_id, period, key_id, captured as used, keep - amount as frozen
        from rows join locked using (account_id, period)
        where counts_keys
      )`
  )}`;
}
async function foldEscrows(db, folds) {
  await inEachStatement(db, folds, (together) => foldTogether(db, together));
}
async function findUnusedEscrows(db, { accountId, keyId, processId }) {
  const rows = await sqlOf(db)`
    select request_id as id from holds
    where account_id = ${accountId} and (${keyId ?? null}::text is null or key_id = ${keyId ?? null})
      and process_id <> ${processId} and expires_at > now()
      and amount > captured + in_use`;
  return rows.map(({ id: id2 }) => id2);
}

// server/billing/escrow/grants.ts
import { LRUCache as LRUCache3 } from "lru-cache";

// server/billing/holds.ts
var MAX_AMOUNT = nanos2(10n ** 17n);
var ESCROW_PART = 16;
var quotaExhausted = (shortage) => new GatewayError("quotaExhausted", "", shortage === "key" ? { headers: { "x-quota-scope": "key" } } : {});
async function insertHolds(db, requests, leaseSeconds) {
  const sql34 = sqlOf(db);
  const only = onlyAccount(requests);
  const rows = requests.map((request) => ({
    request_id: request.requestId,
    account_id: request.accountId,
    period: request.period,
    key_id: request.keyId,
    key_cap: request.keyCap?.toString() ?? null,
    amount: request.amount.toString(),
    minimum: request.minimum.toString(),
    escrow_id: request.escrow?.id ?? null,
    process_id: request.escrow?.processId ?? null,
    escrow: request.escrow?.amount.toString() ?? null
  }));
  const outcomes = await sql34`
    with asked as (
      select * from rows from (
        json_to_recordset(${JSON.stringify(rows)}::text::json) as (
          request_id text, account_id text, period text, key_id text, key_cap bigint, amount bigint, minimum bigint,
          escrow_id text, process_id text, escrow bigint
        )
      ) with ordinality as asked (
        request_id, account_id, period, key_id, key_cap, amount, minimum, escrow_id, process_id, escrow, position
      )
    ), locked as (${lockMonths(sql34, only)}), capped as (
      select wanted.*, spent
      from (
        select distinct account_id, key_id, period from asked
        -- Reads all of "locked" first: month rows before their keys' rows, in every writer.
        where key_cap is not null and (select count(*) from locked) > 0
          and (account_id, period) in (select account_id, period from locked where counts_keys)
      ) as wanted, lateral (
        select used + frozen as spent from key_months
        where account_id = wanted.account_id and period = wanted.period and key_id = wanted.key_id
          and (account_id = ${only} or ${only}::text is null)
        for update
      ) as key_month
    ), budgets as (
      -- "least" passes over nulls: no cap.
      select asked.*, counts_keys, available, spent, least(available, key_cap - spent) as affordable
      from asked join locked using (account_id, period) left join capped using (account_id, key_id, period)
    ), asks as (
      -- What cannot pay for two such calls would only be given back.
      select budgets.*, case
        when escrow is not null and least(escrow, affordable / ${ESCROW_PART}) >= greatest(2 * amount, 1)
          then least(escrow, affordable / ${ESCROW_PART})
      end as set_aside
      from budgets
    ), queued as (
      -- What cannot be granted at all takes nothing from those behind it.
      select asks.*, least(
        available - coalesce(
          sum(coalesce(set_aside, least(amount, affordable))) filter (where minimum <= affordable) over earlier, 0
        ),
        key_cap - spent - coalesce(
          sum(coalesce(set_aside, least(amount, affordable))) filter (where minimum <= affordable) over earlier_of_key,
          0
        )
      ) as remaining
      from asks
      where key_cap is null or spent is not null
      window
        earlier as (
          partition by account_id, period order by position rows between unbounded preceding and 1 preceding
        ),
        earlier_of_key as (
          partition by key_id, period order by position rows between unbounded preceding and 1 preceding
        )
    ), granted as (
      select request_id, account_id, period, key_id, counts_keys, process_id, set_aside <= remaining as is_escrow,
        case when set_aside <= remaining then escrow_id else request_id end as hold_id,
        case when set_aside <= remaining then set_aside else least(amount, remaining) end::bigint as amount,
        amount as asked
      from queued
      where least(amount, remaining) >= minimum
    ), balances as (
      update account_months as month
      set frozen = month.frozen + added.amount
      from (select account_id, period, sum(amount)::bigint as amount from granted group by 1, 2) as added
      where month.account_id = added.account_id and month.period = added.period
        and (month.account_id = ${only} or ${only}::text is null)
    ), key_balances as (
      ${moveKeyMonths(
    sql34,
    sql34`(select account_id, period, key_id, 0 as used, amount as frozen from granted where counts_keys)`
  )}
    ), stored as (
      insert into holds (request_id, account_id, period, key_id, amount, process_id, in_use, expires_at)
      select hold_id, account_id, period, key_id, amount, case when is_escrow then process_id end,
        case when is_escrow then asked else 0 end, now() + make_interval(secs => ${leaseSeconds})
      from granted
    )
    select granted.amount::text as granted, coalesce(is_escrow, false) as "isEscrow", case
      when available is null or (asked.key_cap is not null and spent is null) then 'unopened'
      when asked.minimum > available then 'account'
      when asked.minimum > affordable then 'key'
    end as shortage
    from asked
    left join granted using (request_id)
    left join budgets using (request_id)
    order by asked.position`;
  return outcomes.map(({ granted, ...outcome }) => ({
    granted: granted === null ? null : nanos2(granted),
    ...outcome
  }));
}
async function renewTogether(db, holds8, leaseSeconds) {
  const sql34 = sqlOf(db);
  const only = onlyAccount(holds8);
  const renewed = await sql34`
    with free as (
      select hold.* from ${namedRows(sql34, holds8)}, lateral (
        select account_id, period, request_id from holds
        where account_id = wanted.account_id and period = wanted.period and request_id = wanted.request_id
          and (account_id = ${only} or ${only}::text is null)
        for update skip locked
      ) as hold
    )
    update holds set expires_at = now() + make_interval(secs => ${leaseSeconds})
    from free
    where holds.account_id = free.account_id and holds.period = free.period and holds.request_id = free.request_id
      and (holds.account_id = ${only} or ${only}::text is null)
    returning holds.request_id as id`;
  const isRenewed = new Set(renewed.map(({ id: id2 }) => id2));
  const missed = holds8.filter(({ requestId }) => !isRenewed.has(requestId));
  if (missed.length === 0) {
    return { renewed: [...isRenewed], lost: [] };
  }
  const locked = await sql34`
    select hold.id from ${namedRows(sql34, missed)}, lateral (
      select request_id as id from holds
      where account_id = wanted.account_id and period = wanted.period and request_id = wanted.request_id
        and (account_id = ${only} or ${only}::text is null)
      limit 1
    ) as hold`;
  const isThere = new Set(locked.map(({ id: id2 }) => id2));
  const ends = await findEnds(db, missed);
  const lost = missed.filter(
    ({ requestId }) => !isThere.has(requestId) && (ends.get(requestId)?.isLost ?? true)
  );
  return { renewed: [...isRenewed], lost: lost.map(({ requestId }) => requestId) };
}
async function renewHolds(db, holds8, leaseSeconds) {
  const renewal = { renewed: [], lost: [], failure: null };
  try {
    await inEachStatement(db, holds8, async (together) => {
      const { renewed, lost } = await renewTogether(db, together, leaseSeconds);
      renewal.renewed.push(...renewed);
      renewal.lost.push(...lost);
    });
  } catch (failure) {
    renewal.failure = { error: failure };
  }
  return renewal;
}

// server/billing/escrow/spend-meter.ts
var MEMORY_MS = 2e3;
var BUSY_CALLS = 8;
function createSpendMeter(now, busyCalls = BUSY_CALLS) {
  let at = now();
  let calls5 = 0;
  let amount = 0;
  const forget = () => {
    const kept = Math.exp((at - now()) / MEMORY_MS);
    calls5 *= kept;
    amount *= kept;
    at = now();
  };
  return {
    charged: (charge2) => {
      forget();
      calls5 += 1;
      amount += Number(charge2);
    },
    amount: () => {
      forget();
      return BigInt(Math.ceil(amount));
    },
    isBusy: () => {
      forget();
      return calls5 >= busyCalls;
    }
  };
}

// server/billing/escrow/tranches.ts
var payerOf = ({ accountId, period, keyId }) => `${accountId} ${period} ${keyId}`;
var leftOf = ({ amount, inUse, ending, charged }) => amount - inUse - ending - charged;
var IDLE_MS = 1e4;
function foldOf({ id: id2, accountId, period, calls: calls5, ...tranche }) {
  if (calls5 === 0) {
    return { id: id2, accountId, period, keep: null };
  }
  const keep = nanos2(tranche.inUse + tranche.ending);
  const isFolded = tranche.amount === keep && tranche.charged === 0n;
  return isFolded ? null : { id: id2, accountId, period, keep };
}
var opened = (usableMs, request, { id: id2, amount, sentAt }) => ({
  ...{
    id: id2,
    payer: payerOf(request),
    accountId: request.accountId,
    keyId: request.keyId,
    period: request.period,
    keyCap: request.keyCap
  },
  ...{ amount, calls: 0, inUse: 0n, ending: 0n, charged: 0n },
  ...{ usableUntil: sentAt + usableMs, usedAt: sentAt, isOpen: true, inDoubt: null, isGone: false }
});
function createTranches({ usableMs, now }) {
  const all = /* @__PURE__ */ new Map();
  const current = /* @__PURE__ */ new Map();
  const of = (recall) => [...all.values()].filter(
    ({ accountId, keyId }) => recall === void 0 || accountId === recall.accountId && (recall.keyId === void 0 || keyId === recall.keyId)
  );
  function close2(tranche) {
    tranche.isOpen = false;
    if (current.get(tranche.payer) === tranche) {
      current.delete(tranche.payer);
    }
  }
  function drop(tranche) {
    close2(tranche);
    tranche.isGone = true;
    all.delete(tranche.id);
  }
  function tidy(tranche) {
    if (tranche.calls > 0) {
      return;
    }
    if (tranche.inDoubt !== null) {
      drop(tranche);
    } else if (now() - tranche.usedAt >= IDLE_MS) {
      close2(tranche);
    }
  }
  return {
    /** The one that the payer's calls are paid out of. */
    usable: (request) => {
      const tranche = current.get(payerOf(request));
      if (tranche && (tranche.usableUntil <= now() || tranche.keyCap !== request.keyCap)) {
        close2(tranche);
        return null;
      }
      return tranche ?? null;
    },
    /** In place of the one before. */
    open: (request, granted) => {
      const tranche = opened(usableMs, request, granted);
      const earlier = current.get(tranche.payer);
      if (earlier) {
        close2(earlier);
      }
      all.set(tranche.id, tranche);
      current.set(tranche.payer, tranche);
      return tranche;
    },
    close: close2,
    /** What a payer's calls have that are under way, or wait for their charge. */
    taken: (payer) => of().reduce((sum, one) => one.payer === payer ? sum + one.inUse + one.ending : sum, 0n),
    /** What calls under way have of one, and those that may have been charged; null: it is not ours. */
    inUse: (id2) => {
      const tranche = all.get(id2);
      return tranche ? nanos2(tranche.inUse + (tranche.inDoubt ?? 0n)) : null;
    },
    /** Rows whose leases are to be renewed. */
    rows: () => [...all.values()].map(({ id: id2, accountId, period }) => ({ requestId: id2, accountId, period })),
    renewed: (ids, sentAt) => {
      for (const id2 of ids) {
        const tranche = all.get(id2);
        if (tranche) {
          tranche.usableUntil = sentAt + usableMs;
        }
      }
    },
    lost: (id2) => {
      const tranche = all.get(id2);
      if (tranche) {
        drop(tranche);
      }
    },
    /** Pays no more calls out of what there is: of what is called back, or of all. */
    retire: (recall) => of(recall).forEach(close2),
    /** What there is to fold now. */
    folds: (recall) => of(recall).flatMap((tranche) => {
      tidy(tranche);
      return tranche.isOpen || tranche.isGone ? [] : foldOf(tranche) ?? [];
    }),
    folded: ({ id: id2, keep }) => {
      const tranche = all.get(id2);
      if (tranche && keep === null) {
        drop(tranche);
      } else if (tranche && keep !== null) {
        tranche.amount = keep;
        tranche.charged = 0n;
      }
    }
  };
}

// server/billing/escrow/grants.ts
var MAX_PAYERS = 1e4;
function createPaidCalls({ close: close2 }, now) {
  const calls5 = /* @__PURE__ */ new Map();
  function finish(requestId) {
    const call = calls5.get(requestId);
    if (!call) {
      return null;
    }
    calls5.delete(requestId);
    call.tranche.calls -= 1;
    call.tranche[call.isEnding ? "ending" : "inUse"] -= call.held;
    return call.tranche;
  }
  return {
    pay: (tranche, { requestId, amount }) => {
      tranche.calls += 1;
      tranche.inUse += amount;
      tranche.usedAt = now();
      calls5.set(requestId, { tranche, held: amount, isEnding: false });
      return { escrowId: tranche.id, held: amount };
    },
    drawnBy: (requestId) => {
      const call = calls5.get(requestId);
      return call && !call.tranche.isGone ? { escrowId: call.tranche.id, held: call.held } : null;
    },
    ending: (requestId) => {
      const call = calls5.get(requestId);
      if (call && !call.isEnding) {
        call.isEnding = true;
        call.tranche.inUse -= call.held;
        call.tranche.ending += call.held;
      }
    },
    ended: (requestId, charge2) => {
      const tranche = finish(requestId);
      if (tranche) {
        tranche.charged += charge2;
      }
    },
    failed: (requestId) => {
      const call = calls5.get(requestId);
      const tranche = finish(requestId);
      if (call && tranche) {
        tranche.ending += call.held;
        tranche.inDoubt = (tranche.inDoubt ?? 0n) + call.held;
        close2(tranche);
      }
    }
  };
}
function createGrants(deps) {
  const { processId, tranches, now, mayAsk } = deps;
  const { pay, ...calls5 } = createPaidCalls(tranches, now);
  const asking = /* @__PURE__ */ new Set();
  const meters = new LRUCache3({ max: MAX_PAYERS });
  function meterOf(payer) {
    const meter = meters.get(payer) ?? createSpendMeter(now, deps.busyCalls);
    meters.set(payer, meter);
    return meter;
  }
  return {
    ...calls5,
    take: (request) => {
      const tranche = tranches.usable(request);
      return tranche && leftOf(tranche) >= request.amount ? pay(tranche, request) : null;
    },
    wish: (request) => {
      const payer = payerOf(request);
      const meter = meterOf(payer);
      if (!meter.isBusy() || asking.has(payer) || !mayAsk(request)) {
        return null;
      }
      asking.add(payer);
      const underWay = tranches.taken(payer) + request.amount;
      const amount = 2n * underWay + meter.amount();
      return { id: newId("esc"), processId, amount: amount < MAX_AMOUNT ? nanos2(amount) : MAX_AMOUNT };
    },
    open: (request, granted) => {
      asking.delete(payerOf(request));
      return pay(tranches.open(request, granted), request);
    },
    decline: (request) => void asking.delete(payerOf(request)),
    charged: (payer, amount) => meterOf(payerOf(payer)).charged(amount)
  };
}

// server/billing/escrow/recalls.ts
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache as LRUCache4 } from "lru-cache";
var CHANNEL2 = "tollgate_recalls";
var RECALL_MS = 400;
var LOOK_MS = 10;
var CALL_EVERY = 5;
var tell = async (db, payload) => await sqlOf(relaxed(db))`select pg_notify(${CHANNEL2}, ${payload})`;
var toText = ({ accountId, keyId = "" }) => `${accountId} ${keyId}`;
function fromText(text9) {
  const [accountId = "", keyId = ""] = text9.split(" ");
  return { accountId, keyId: keyId === "" ? void 0 : keyId };
}
async function recallEscrows(db, recall, {
  processId = "",
  isSilent = () => false
} = {}) {
  const look = async () => (await findUnusedEscrows(db, { ...recall, processId })).filter((id2) => !isSilent(id2));
  let unused = await look();
  const deadline = performance.now() + RECALL_MS;
  for (let looks = 0; unused.length > 0 && performance.now() < deadline; looks++) {
    if (looks % CALL_EVERY === 0) {
      await tell(db, toText(recall));
    }
    await sleep(LOOK_MS);
    unused = await look();
  }
  return unused;
}
var UNANSWERED_MS = 1e3;
var MAX_UNANSWERED = 1e4;
var HEARD_MS = 3e3;
function createRecalls(db, deps) {
  const { processId, now, onRecall, onGap } = deps;
  const asking = /* @__PURE__ */ new Map();
  const unanswered = new LRUCache4({ max: MAX_UNANSWERED, ttl: UNANSWERED_MS });
  const isSilent = (escrowId) => unanswered.has(escrowId);
  async function ask(recall) {
    for (const escrowId of await recallEscrows(db, recall, { processId, isSilent })) {
      unanswered.set(escrowId, true);
    }
  }
  let subscription = null;
  let heardAt = null;
  let isWanted = false;
  const areHeard = () => heardAt !== null && now() - heardAt < HEARD_MS;
  function hear(payload) {
    if (payload === processId) {
      heardAt = now();
    } else if (!payload.startsWith("proc_")) {
      void onRecall(fromText(payload));
    }
  }
  function miss() {
    heardAt = null;
    onGap();
  }
  async function listen() {
    try {
      const begun = await sqlOf(db).listen(CHANNEL2, hear, miss);
      tell(db, processId).catch(() => {
      });
      return begun;
    } catch {
      return null;
    }
  }
  return {
    areHeard: () => {
      isWanted = true;
      subscription ??= listen();
      return areHeard();
    },
    check: async (isNeeded) => {
      if (!isNeeded && !isWanted) {
        return;
      }
      isWanted = false;
      if (!areHeard()) {
        onGap();
      }
      subscription ??= listen();
      await tell(db, processId);
    },
    ask: async (recall) => {
      const text9 = toText(recall);
      const answer = asking.get(text9) ?? ask(recall).finally(() => asking.delete(text9));
      asking.set(text9, answer);
      await answer;
    },
    stop: async () => await (await subscription)?.unlisten()
  };
}

// server/billing/escrow/index.ts
var USABLE = 0.75;
var PAUSE_MS2 = 1e3;
var MAX_RECALLED = 1e4;
function openEscrow(deps, batch) {
  const { db, log, leaseSeconds, busyCalls } = deps;
  const processId = newId("proc");
  const now = createStopwatch();
  const tranches = createTranches({ usableMs: leaseSeconds * 1e3 * USABLE, now });
  const recalled = new LRUCache5({ max: MAX_RECALLED, ttl: PAUSE_MS2 });
  async function fold(recall) {
    const folds = tranches.folds(recall);
    if (folds.length > 0) {
      await foldEscrows(relaxed(db), folds);
      folds.forEach(tranches.folded);
    }
  }
  async function giveBack(recall) {
    recalled.set(recall.keyId ?? recall.accountId, true);
    tranches.retire(recall);
    await fold(recall).catch((error) => log.warn({ err: error }, "an escrow is folded later"));
  }
  const recalls = createRecalls(db, { processId, now, onRecall: giveBack, onGap: () => tranches.retire() });
  async function draw(asked) {
    const sentAt = now();
    try {
      const outcomes = await drawOnEscrows(db, asked, { inUseOf: tranches.inUse, leaseSeconds });
      const drawn2 = asked.filter((_, index7) => outcomes[index7] === "ended");
      tranches.renewed(
        drawn2.map((one) => one.draw.escrowId),
        sentAt
      );
      return outcomes;
    } catch (error) {
      if (isTransient(error)) {
        tranches.retire();
      }
      throw error;
    }
  }
  const draws = batch(draw);
  const mayAsk = ({ accountId, keyId }) => recalls.areHeard() && !recalled.has(accountId) && !recalled.has(keyId);
  const grants = createGrants({ processId, tranches, now, busyCalls, mayAsk });
  const { rows, renewed, lost, retire } = tranches;
  return {
    ...grants,
    ...{ rows, renewed, lost, retire, now, fold },
    /** Tries out, once a second, whether others are heard who call something back. */
    check: () => recalls.check(rows().length > 0),
    /** What is asked of the database, by now: not for an escrow, where somebody has called the account's back since. */
    ask: (request) => request.escrow && !mayAsk(request) ? { ...request, escrow: void 0 } : request,
    draw: draws.add,
    idle: draws.idle,
    /** Returns an escrow that came too late to be used. */
    returnUnused: (unused) => foldEscrows(relaxed(db), [{ ...unused, keep: null }]),
    /** Has all processes, this one first, give back what they have set aside and is not in use. */
    recall: async (recall) => {
      await giveBack(recall);
      await recalls.ask(recall);
      await giveBack(recall);
    },
    unwatch: recalls.stop
  };
}

// server/billing/freeze.ts
function remedyFor(shortage, tried) {
  if (shortage === "unopened" && !tried.has("openMonths")) {
    return "openMonths";
  }
  const whose = shortage === "key" ? "key" : "account";
  return tried.has("account") || tried.has(whose) ? null : whose;
}
var MAX_PASSES = 8;
async function freeze(freezer, request) {
  const tried = /* @__PURE__ */ new Set();
  let refusal2 = "account";
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const isReclaimed = tried.has("account") || tried.has("key");
    const minimum = isReclaimed ? request.minimum : request.amount;
    const { granted, isEscrow, shortage } = await freezer.insert({ ...request, minimum });
    if (granted !== null) {
      return { amount: granted, isEscrow };
    }
    if (shortage !== null) {
      const remedy = remedyFor(shortage, tried);
      if (remedy === null) {
        return shortage;
      }
      tried.add(remedy);
      await (remedy === "openMonths" ? freezer.openMonths(request) : freezer.reclaim(request, remedy));
      refusal2 = shortage;
    }
  }
  return refusal2;
}

// server/billing/leases.ts
var TAKING_MS = 1e3;
function createLeases(deps) {
  const { log, observe, escrow } = deps;
  const leases = /* @__PURE__ */ new Map();
  async function regain({ request, loss }) {
    const { requestId } = request;
    try {
      const answer = await deps.freeze(request);
      if (typeof answer === "object") {
        observe("hold_regained");
        log.warn({ requestId }, "a call's money was returned while it lived, and is frozen again");
        return;
      }
      observe("hold_refused");
      log.error({ requestId, shortage: answer }, "a call's money was returned while it lived, and is spent");
      loss.abort(quotaExhausted(answer));
    } catch (error) {
      log.warn(
        { err: error, requestId },
        "a call's money was returned while it lived, and is not frozen again yet"
      );
    }
  }
  return {
    begin: (request) => {
      const loss = new AbortController();
      leases.set(request.requestId, { request, loss, regaining: null, isEnding: false, wasLost: false });
      return loss.signal;
    },
    ending: (requestId) => {
      const lease = leases.get(requestId);
      if (!lease) {
        return null;
      }
      lease.isEnding = true;
      return lease.regaining && withinMs(lease.regaining, TAKING_MS);
    },
    wasLost: (requestId) => leases.get(requestId)?.wasLost ?? false,
    has: (requestId) => leases.has(requestId),
    end: (requestId) => void leases.delete(requestId),
    count: () => leases.size,
    renew: async () => {
      const rows = new Map(
        [...leases.keys()].map((requestId) => [requestId, escrow.drawnBy(requestId)?.escrowId ?? requestId])
      );
      const own = [...leases.values()].flatMap(
        ({ request }) => rows.get(request.requestId) === request.requestId ? [request] : []
      );
      const holds8 = [...own, ...escrow.rows()];
      if (holds8.length === 0) {
        return;
      }
      const sentAt = escrow.now();
      const renewal = await deps.renew(holds8);
      const lost = new Set(renewal.lost);
      escrow.renewed(renewal.renewed, sentAt);
      lost.forEach(escrow.lost);
      for (const [requestId, row] of rows) {
        const lease = lost.has(row) ? leases.get(requestId) : void 0;
        if (lease && !lease.isEnding && !lease.loss.signal.aborted) {
          lease.wasLost = true;
          lease.regaining ??= regain(lease).finally(() => {
            lease.regaining = null;
          });
        }
      }
      if (renewal.failure) {
        throw renewal.failure.error;
      }
    }
  };
}

// server/base/patience.ts
import { setTimeout as sleep2 } from "node:timers/promises";
async function persist(act, patienceMs, onFailure = () => {
}) {
  const deadline = performance.now() + patienceMs;
  for (let wait = 50; ; wait = Math.min(wait * 2, 1e3)) {
    try {
      return await act();
    } catch (error) {
      onFailure(error);
      if (!isTransient(error) || performance.now() + wait > deadline) {
        throw error;
      }
      await sleep2(wait);
    }
  }
}

// server/billing/settler.ts
var KEEP_AFTER_MS = 1e3;
function createSettler(deps) {
  const { end: end2, arrears, patienceMs, log, observe } = deps;
  let hasLoaded = false;
  let hasFailedToLoad = false;
  let isCollecting = false;
  const refused = /* @__PURE__ */ new Set();
  async function tryEnd(settlement) {
    const isCharge = settlement.charge !== null;
    const first = await end2({ ...settlement, ...isCharge && { late: "released" } });
    const isUnclear = first === "gone" || isCharge && first === "release";
    const unseen = { ...settlement, draw: void 0, ...isCharge && { late: "missing" } };
    const outcome = isUnclear ? await end2(unseen) : first;
    if (outcome === "late") {
      observe("late");
      log.warn({ requestId: settlement.requestId }, "a call was charged after its money had been returned");
    }
    return outcome === "ended" || outcome === "late" || outcome === (isCharge ? "capture" : "release");
  }
  const settle = (settlement, onDelay = () => {
  }) => persist(
    () => tryEnd(settlement),
    patienceMs,
    (error) => {
      onDelay();
      log.warn({ err: error, requestId: settlement.requestId }, "a try to settle failed");
    }
  );
  function close2(settlement, isCharged) {
    if (!isCharged) {
      observe("lost");
      log.error({ requestId: settlement.requestId }, "a delivered call is not charged: it had been released");
    }
    arrears.drop(settlement.requestId);
  }
  async function collectOne(settlement) {
    try {
      close2(settlement, await tryEnd(settlement));
    } catch (error) {
      const { requestId } = settlement;
      if (!isTransient(error) && !refused.has(requestId)) {
        refused.add(requestId);
        log.error({ err: error, requestId }, "a delivered call's charge is refused by the database");
      }
    }
  }
  async function load() {
    try {
      hasLoaded = await arrears.load();
    } catch (error) {
      if (!hasFailedToLoad) {
        log.error({ err: error }, "kept charges cannot be read");
      }
      hasFailedToLoad = true;
    }
  }
  return {
    settle: (settlement) => settle(settlement),
    settleDelivered: async (settlement) => {
      const keep = () => arrears.keep(settlement);
      const isLong = setTimeout(keep, KEEP_AFTER_MS);
      try {
        const isCharged = await settle(settlement, keep);
        close2(settlement, isCharged);
        return isCharged;
      } finally {
        clearTimeout(isLong);
      }
    },
    collect: async () => {
      if (isCollecting) {
        return;
      }
      isCollecting = true;
      try {
        if (!hasLoaded) {
          await load();
        }
        await Promise.all(arrears.waiting().map(collectOne));
      } finally {
        isCollecting = false;
      }
    }
  };
}

// server/billing/books.ts
var CAPTURE_PATIENCE = 0.75;
function openBooks(deps) {
  const { db, log, leaseSeconds, observe = () => {
  }, onArrears = () => {
  } } = deps;
  const batching = { maxItems: 500, mayDivide: (error) => !isTransient(error) };
  const batcherOf = isDistributed(db) ? createBatcherPerAccount : createBatcher;
  const batch = (run) => batcherOf(run, batching);
  const escrow = openEscrow(deps, batch);
  const holds8 = batch(
    (requests) => insertHolds(relaxed(db), requests.map(escrow.ask), leaseSeconds)
  );
  const ends = batch((settlements) => endHolds(db, settlements));
  const swept = createCache((accountId) => sweepHolds(db, leaseSeconds, accountId), {
    maxAgeMs: 1e3,
    maxServedMs: 1e3,
    maxEntries: 1e4
  });
  const freezer = {
    insert: holds8.add,
    openMonths: (payer) => openPurse(db, payer),
    reclaim: ({ accountId, keyId }, whose) => Promise.all([
      swept.get(accountId),
      escrow.recall(whose === "key" ? { accountId, keyId } : { accountId })
    ])
  };
  const take = (request) => freeze(freezer, request);
  const leases = createLeases({
    renew: (rows) => renewHolds(relaxed(db), rows, leaseSeconds),
    escrow,
    freeze: take,
    log,
    observe
  });
  const arrears = createArrears({
    directory: deps.arrearsDirectory ?? null,
    log,
    observe,
    onCount: onArrears
  });
  const settler = createSettler({
    end: ({ draw, ...settlement }) => draw ? escrow.draw({ ...settlement, draw }) : ends.add(settlement),
    arrears,
    patienceMs: leaseSeconds * 1e3 * CAPTURE_PATIENCE,
    log,
    observe
  });
  return {
    ...freezer,
    ...settler,
    freeze: take,
    leases,
    escrow,
    arrears,
    log,
    sweep: () => sweepHolds(db, leaseSeconds),
    /** Waits for the statements under way, and for what is being written to disk. */
    idle: () => Promise.all([holds8.idle(), ends.idle(), escrow.idle(), arrears.written()])
  };
}

// server/billing/period.ts
function createCalendar(timeZone2) {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: timeZone2, year: "numeric", month: "2-digit" });
  let minute = Number.NaN;
  let period = "";
  return (moment4) => {
    const now = Math.floor(moment4.getTime() / 6e4);
    if (now !== minute) {
      const parts = Object.fromEntries(format.formatToParts(moment4).map((part) => [part.type, part.value]));
      minute = now;
      period = `${parts.year}-${parts.month}`;
    }
    return period;
  };
}
var FARTHEST_MINUTES = 24 * 60;

// server/billing/billing.ts
var LEASE_SECONDS = 20;
var CLOSE_PATIENCE_MS = 5e3;
var LAST_TRY_MS = 2e3;
var HOLD_TIMEOUT_MS = 1e4;
async function returnLate(books, request, late) {
  if (typeof late !== "object") {
    return;
  }
  const { requestId, accountId, period, escrow } = request;
  await (late.isEscrow && escrow ? books.escrow.returnUnused({ id: escrow.id, accountId, period }) : books.settle({ requestId, accountId, period, charge: null, note: "late hold" }));
}
async function freezeInTime(books, request) {
  const frozen = books.freeze(request).catch((error) => {
    throw isTransient(error) ? new GatewayError("unavailable", "", { cause: error }) : error;
  });
  const answer = await withinMs(frozen, HOLD_TIMEOUT_MS);
  if (answer === null) {
    frozen.then((late) => returnLate(books, request, late)).catch(
      (error) => books.log.warn({ err: error, requestId: request.requestId }, "a late hold is left to the sweeper")
    );
    throw new GatewayError("unavailable", "", { cause: new Error("the database is silent") });
  }
  return answer;
}
async function freezeDurably(books, request) {
  const { escrow } = books;
  const wish = escrow.wish(request);
  const sentAt = escrow.now();
  let answer = "account";
  try {
    answer = await freezeInTime(books, wish ? { ...request, escrow: wish } : request);
  } finally {
    if (wish && !(typeof answer === "object" && answer.isEscrow)) {
      escrow.decline(request);
    }
  }
  if (typeof answer === "string") {
    throw quotaExhausted(answer);
  }
  return wish && answer.isEscrow ? { amount: request.amount, drawn: escrow.open(request, { id: wish.id, amount: answer.amount, sentAt }) } : { amount: answer.amount, drawn: null };
}
async function hold(books, request) {
  const { requestId, accountId, period } = request;
  const taken = books.escrow.take(request);
  const { amount, drawn: drawn2 } = taken ? { amount: request.amount, drawn: taken } : await freezeDurably(books, request);
  const lost = books.leases.begin({ ...request, amount, minimum: amount });
  return { requestId, accountId, period, amount, drawn: drawn2, lost };
}
async function end({ leases, escrow, settle, settleDelivered }, held, ending) {
  const { requestId, accountId, period } = held;
  const { charge: charge2, note, wasLost = false } = ending;
  const drawn2 = leases.has(requestId) ? escrow.drawnBy(requestId) : held.drawn;
  const settlement = { requestId, accountId, period, note, wasLost, draw: drawn2 ?? void 0 };
  escrow.ending(requestId);
  try {
    const isDelivered = charge2 !== null && ending.isDelivered;
    const isEnded = await (isDelivered ? settleDelivered({ ...settlement, charge: charge2 }) : settle({ ...settlement, charge: charge2 }));
    escrow.ended(requestId, charge2?.amount ?? nanos2(0n));
    return isEnded;
  } catch (error) {
    escrow.failed(requestId);
    throw error;
  }
}
async function capture(books, held, ending) {
  const { leases, escrow } = books;
  const { requestId, accountId, period } = held;
  try {
    const taking = leases.ending(requestId);
    if (taking !== null) {
      await taking;
    }
    if (!await end(books, held, ending)) {
      throw new Error("the hold was ended by someone else");
    }
    escrow.charged({ accountId, period, keyId: ending.charge.keyId }, ending.charge.amount);
  } catch (error) {
    throw new GatewayError("billingFailed", "", { cause: error });
  } finally {
    leases.end(requestId);
  }
}
function release(books, held, reason) {
  const { leases, log } = books;
  const { requestId } = held;
  const wasLost = leases.wasLost(requestId);
  const returned = { charge: null, note: reason, isDelivered: false, wasLost };
  const taking = leases.ending(requestId);
  const released = taking === null ? end(books, held, returned) : taking.then(() => end(books, { ...held, drawn: null }, returned));
  leases.end(requestId);
  released.catch((error) => log.error({ err: error, requestId }, "release is left to the sweeper"));
}
var FOLD_MS = 1e3;
function startTicking({ leases, collect, escrow, log }, leaseSeconds) {
  const renewal = setInterval(
    () => {
      leases.renew().catch((error) => log.warn({ err: error }, "leases not renewed"));
      collect().catch((error) => log.warn({ err: error }, "kept charges are tried again"));
    },
    leaseSeconds * 1e3 / 4
  );
  const folding = setInterval(() => {
    escrow.check().catch((error) => log.warn({ err: error }, "nobody may be called back now"));
    escrow.fold().catch((error) => log.warn({ err: error }, "escrows are folded later"));
  }, FOLD_MS);
  renewal.unref();
  folding.unref();
  return () => {
    clearInterval(renewal);
    clearInterval(folding);
  };
}
async function close(books, stop, patienceMs) {
  const { leases, escrow, arrears, collect, idle, log } = books;
  const deadline = performance.now() + patienceMs;
  while (leases.count() > 0 && performance.now() < deadline) {
    await sleep3(20);
  }
  stop();
  escrow.retire();
  await withinMs(collect(), LAST_TRY_MS);
  await withinMs(idle(), LAST_TRY_MS);
  await withinMs(
    Promise.all([escrow.fold(), escrow.unwatch()]).catch(
      (error) => log.warn({ err: error }, "what is set aside is left to the sweeper")
    ),
    LAST_TRY_MS
  );
  for (const settlement of arrears.waiting()) {
    log.error(
      { charge: describeArrear(settlement) },
      "a delivered call is left for the next start to charge"
    );
  }
}
function createBilling({ leaseSeconds = LEASE_SECONDS, ...deps }) {
  const books = openBooks({ ...deps, leaseSeconds });
  const periodOf = createCalendar(deps.timeZone);
  const period = () => periodOf(deps.clock());
  const stop = startTicking(books, leaseSeconds);
  return {
    hold: async ({ amount, minimum = amount, ...payer }) => {
      if (minimum > MAX_AMOUNT) {
        throw quotaExhausted("account");
      }
      const most = amount > MAX_AMOUNT ? MAX_AMOUNT : amount;
      return await hold(books, { ...payer, period: period(), amount: most, minimum });
    },
    capture: (held, charge2, { isDelivered } = { isDelivered: false }) => capture(books, held, { charge: charge2, note: charge2.note, isDelivered }),
    release: (held, reason) => release(books, held, reason),
    openMonthsAndReclaim: async (payer) => {
      await books.openMonths(payer);
      await books.reclaim(payer, "account");
    },
    period,
    sweep: books.sweep,
    close: ({ patienceMs } = { patienceMs: CLOSE_PATIENCE_MS }) => close(books, stop, patienceMs)
  };
}

// server/billing/closing/archive.ts
import { eq as eq19, sql as sql21 } from "drizzle-orm";
import { z as z7 } from "zod";
var { ledgerCheckpoints: ledgerCheckpoints3, ledgerClosings: ledgerClosings3 } = schema_exports;
var Head = z7.object({
  format: z7.literal("tollgate-ledger-1"),
  period: z7.string(),
  number: z7.number(),
  entries: z7.number(),
  sums: z7.string(),
  digest: z7.string()
});
var Entry = z7.object({
  account_id: z7.string().brand(),
  period: z7.string(),
  kind: z7.enum(entryKinds),
  key_id: z7.string().nullable(),
  model_id: z7.string().nullable(),
  amount: z7.string().regex(/^-?\d+$/),
  held: z7.string().regex(/^\d+$/).nullable()
});

// server/billing/closing/close.ts
import { desc as desc4, eq as eq22, sql as sql24 } from "drizzle-orm";

// server/billing/verify/extent.ts
import { eq as eq20, gt as gt5, inArray as inArray6, sql as sql22 } from "drizzle-orm";
var { accountMonths: accountMonths4, holds: holds4, keyMonths: keyMonths3, ledgerCheckpoints: ledgerCheckpoints4, ledgerEntries: ledgerEntries4, spendHours: spendHours3 } = schema_exports;
var SLICE_CALLS = 25e4;
var SLICE_ACCOUNTS = 1e3;
async function listPartitionedMonths(db, accountIds) {
  const months = await listPartitions(db, "ledger_entries");
  if (accountIds === void 0) {
    return months;
  }
  const rows = await ormOf(db).execute(sql22`
    select month as period from unnest(${sql22.param(months)}::text[]) as month
    where exists (
      select 1 from ${ledgerEntries4}
      where ${ledgerEntries4.period} = month and ${inArray6(ledgerEntries4.accountId, accountIds)}
    )`);
  return rows.map(({ period }) => period);
}
var owned = [accountMonths4, holds4, keyMonths3, ledgerCheckpoints4, ledgerEntries4, spendHours3];
var union = (parts) => sql22.join(parts, sql22` union `);
async function listMonthsOfMachines(db, accountIds) {
  const rows = await ormOf(db).execute(
    union(
      owned.map(
        (table) => sql22`select distinct period from ${table} where ${accountIds ? inArray6(table.accountId, accountIds) : sql22`true`}`
      )
    )
  );
  return rows.map(({ period }) => period).sort().reverse();
}
async function listMonths(db, accountIds) {
  if (isDistributed(db)) {
    return await listMonthsOfMachines(db, accountIds);
  }
  const isAsked = (account) => accountIds ? inArray6(account, accountIds) : sql22`true`;
  const isTheirs = isAsked(sql22`account_id`);
  const rows = await ormOf(db).execute(sql22`
    with recursive hours (period) as (
      select min(period) from ${spendHours3} where ${isTheirs}
      union all
      select (
        select min(hour.period) from ${spendHours3} as hour
        where hour.period > hours.period and ${isAsked(sql22`hour.account_id`)}
      )
      from hours where hours.period is not null
    )
    select distinct period from ledger_entries_rest where ${isTheirs}
    union select period from ${accountMonths4} where ${isTheirs}
    union select period from ${holds4} where ${isTheirs}
    union select period from ${keyMonths3} where ${isTheirs}
    union select period from hours where period is not null
    union select period from ${ledgerCheckpoints4} where ${isTheirs}`);
  const months = new Set(rows.map(({ period }) => period));
  for (const month of await listPartitionedMonths(db, accountIds)) {
    months.add(month);
  }
  return [...months].sort().reverse();
}
async function nextAccountsOfMachines(db, { period, after }) {
  const parts = owned.map(
    (table) => sql22`(
      select distinct account_id from ${table}
      where ${gt5(table.accountId, sql22`${after}`)} and ${eq20(table.period, period)} order by 1 limit ${SLICE_ACCOUNTS}
    )`
  );
  const rows = await ormOf(db).execute(sql22`
    select account_id as "accountId" from (${union(parts)}) as candidates order by 1 limit ${SLICE_ACCOUNTS}`);
  return { accountIds: rows.map(({ accountId }) => accountId), isEnd: rows.length < SLICE_ACCOUNTS };
}
async function nextAccounts(db, { period, after }) {
  if (isDistributed(db)) {
    return await nextAccountsOfMachines(db, { period, after });
  }
  const first = (table) => sql22`(
    select account_id from ${table}
    where ${gt5(table.accountId, sql22`known.account_id`)} and ${eq20(table.period, period)}
    order by account_id limit 1
  )`;
  const rows = await ormOf(db).execute(sql22`
    with recursive known (account_id, calls, position) as (
      select ${after}::text, 0::numeric, 0
      union all
      select next.account_id, known.calls + coalesce(spent.calls, 0), position + 1
      from known cross join lateral (
        select min(account_id) as account_id from (
          ${first(accountMonths4)} union all ${first(ledgerEntries4)} union all ${first(ledgerCheckpoints4)}
          union all ${first(holds4)} union all ${first(keyMonths3)} union all ${first(spendHours3)}
        ) as candidates
      ) as next cross join lateral (
        select sum(hour.calls) as calls from ${spendHours3} as hour
        where hour.account_id = next.account_id and hour.period = ${period}
      ) as spent
      where known.account_id is not null and known.calls < ${SLICE_CALLS} and position < ${SLICE_ACCOUNTS}
    )
    select account_id as "accountId" from known where position > 0 order by position`);
  const accountIds = rows.flatMap(({ accountId }) => accountId ?? []);
  return { accountIds, isEnd: accountIds.length < rows.length };
}

// server/billing/verify/figures.ts
import { and as and17, eq as eq21, inArray as inArray7, sql as sql23 } from "drizzle-orm";
var { accountMonths: accountMonths5, holds: holds5, keyMonths: keyMonths4, ledgerCheckpoints: ledgerCheckpoints5, ledgerClosings: ledgerClosings4, ledgerEntries: ledgerEntries5, spendHours: spendHours4 } = schema_exports;
var toDrift = ({ recorded, recomputed, ...row }, period) => ({
  ...row,
  period,
  recorded: recorded === null ? null : nanos2(recorded),
  recomputed: nanos2(recomputed)
});
var MAX_DRIFTS = 1e3;
var isOf = (table, { period, accountIds }) => and17(inArray7(table.accountId, accountIds), eq21(table.period, period));
function sumsOf(part) {
  const isArchived = sql23`exists (
    select 1 from ${ledgerClosings4} where ${ledgerClosings4.period} = ${part.period} and archived_at is not null
  )`;
  const isQuick = part.by === "checkpoints";
  return sql23`
    select account_id, kind, key_id, model_id, sum(entries) as entries, sum(amount) as amount, sum(over_hold) as over_hold
    from (
      select account_id, kind, coalesce(key_id, '') as key_id, coalesce(model_id, '') as model_id,
        count(*) as entries, sum(amount) as amount, sum(greatest(amount - held, 0)) as over_hold
      from ${ledgerEntries5} where ${isOf(ledgerEntries5, part)} and (${!isQuick} or ${isArchived}) group by 1, 2, 3, 4
      union all
      select account_id, kind, key_id, model_id, entries, amount, over_hold
      from ${ledgerCheckpoints5} where ${isOf(ledgerCheckpoints5, part)} and (${isQuick} or ${isArchived})
    ) as parts
    group by 1, 2, 3, 4`;
}
async function findDrift(db, part) {
  const rows = await ormOf(db).execute(sql23`
    with sums as materialized (${sumsOf(part)}), entries as (
      select account_id,
        coalesce(sum(amount) filter (where kind in ('grant', 'adjust')), 0) as quota,
        coalesce(sum(amount) filter (where kind = 'topup'), 0) as topups,
        coalesce(sum(amount) filter (where kind = 'capture'), 0) as used,
        coalesce(sum(over_hold) filter (where kind = 'capture'), 0) as over_hold
      from sums group by 1
    ), open as (
      select account_id, key_id, sum(amount) as frozen, sum(captured) as captured,
        sum(greatest(captured - amount, 0)) as beyond
      from ${holds5} where ${isOf(holds5, part)} group by 1, 2
    ), held as (
      select account_id, sum(frozen) as frozen, sum(captured) as captured, sum(beyond) as beyond from open group by 1
    ), recorded as (
      select account_id, quota, topups, used, frozen, counts_keys
      from ${accountMonths5} where ${isOf(accountMonths5, part)}
    ), months as (
      select
        account_id, recorded.quota, recorded.topups, recorded.used, recorded.frozen,
        coalesce(entries.quota, 0) as e_quota, coalesce(entries.topups, 0) as e_topups,
        coalesce(entries.used, 0) - coalesce(held.captured, 0) as e_used,
        coalesce(held.frozen, 0) as e_frozen, coalesce(entries.over_hold, 0) as over_hold,
        greatest(recorded.used + recorded.frozen + coalesce(held.beyond, 0) - recorded.quota - recorded.topups, 0)
          as overspent
      from recorded full join entries using (account_id) full join held using (account_id)
    ), charged as (
      select account_id, key_id, model_id, entries as calls, amount from sums where kind = 'capture'
    ), hours as (
      select account_id, key_id, model_id, sum(calls) as calls, sum(amount) as amount
      from ${spendHours4} where ${isOf(spendHours4, part)} group by 1, 2, 3
    ), key_parts as (
      select account_id, key_id, amount as used, 0 as frozen from charged
      union all
      select account_id, key_id, -captured, frozen from open
      union all
      select account_id, key_id, 0, 0 from hours
    ), key_sums as (
      select account_id, key_id, sum(part.used) as used, sum(part.frozen) as frozen
      from key_parts as part join recorded using (account_id)
      where counts_keys and key_id <> '' group by 1, 2
    ), key_recorded as (
      select account_id, key_id, used, frozen from ${keyMonths4} where ${isOf(keyMonths4, part)}
    ), figures as (
      select account_id, null as key_id, figure, recorded, recomputed
      from months, lateral (values
        ('quota', quota::numeric, e_quota), ('topups', topups::numeric, e_topups),
        ('used', used::numeric, e_used), ('frozen', frozen::numeric, e_frozen),
        ('overspent', overspent::numeric, least(overspent, over_hold))
      ) as figures (figure, recorded, recomputed)
      where recorded is distinct from recomputed
      union all
      select account_id, nullif(key_id, ''), 'spend', hours.amount, coalesce(charged.amount, 0)
      from hours full join charged using (account_id, key_id, model_id)
      where (hours.amount, hours.calls) is distinct from (charged.amount, charged.calls)
      union all
      select account_id, key_id, figure, recorded, recomputed
      from key_sums full join key_recorded using (account_id, key_id), lateral (values
        ('key_used', key_recorded.used::numeric, coalesce(key_sums.used, 0)),
        ('key_frozen', key_recorded.frozen::numeric, coalesce(key_sums.frozen, 0))
      ) as figures (figure, recorded, recomputed)
      where recorded is distinct from recomputed and (recorded is not null or recomputed <> 0)
    )
    select total.entries, account_id as "accountId", figure, key_id as "keyId", recorded::text, recomputed::text
    from (select coalesce(sum(entries), 0)::text as entries from sums) as total
    left join (select * from figures order by 1, 3, 2 limit ${MAX_DRIFTS}) as figures on true
    order by 2, figure like 'key\\_%', 3, 4`);
  const drift = rows.flatMap(
    ({ entries: _, ...row }) => row.accountId === null ? [] : [toDrift(row, part.period)]
  );
  return { entries: Number(rows[0]?.entries ?? 0), drift };
}

// server/billing/verify/slices.ts
async function findDriftOf(db, part) {
  let [entries, drift] = [0, []];
  for (const together of inStatements(
    db,
    part.accountIds.map((accountId) => ({ accountId }))
  )) {
    const found = await findDrift(db, { ...part, accountIds: together.map(({ accountId }) => accountId) });
    entries += found.entries;
    drift = [...drift, ...found.drift].slice(0, MAX_DRIFTS);
  }
  return { entries, drift };
}
async function verifyPart(db, part) {
  const { period, accountIds } = part;
  const found = await findDriftOf(db, part);
  const isDoubtful = part.by === "checkpoints" && found.drift.length > 0;
  const sure = isDoubtful ? await findDriftOf(db, { ...part, by: "entries" }) : found;
  return { period, accounts: accountIds.length, ...sure, isReopened: isDoubtful && sure.drift.length === 0 };
}
async function verifyNext(db, { by, ...place2 }) {
  const { accountIds, isEnd } = await nextAccounts(db, place2);
  const found = await verifyPart(db, { period: place2.period, accountIds, by });
  return { ...found, last: isEnd ? null : accountIds.at(-1) ?? null };
}
async function* verifySlices(db, { accountIds, periods, from, closedMonths }) {
  const months = (periods ?? await listMonths(db, accountIds)).filter(
    (period) => from === void 0 || period <= from.period
  );
  for (const [index7, period] of months.entries()) {
    const older = months[index7 + 1];
    const by = closedMonths?.includes(period) ? "checkpoints" : "entries";
    const nextMonth = older === void 0 ? null : { period: older, after: "" };
    if (accountIds !== void 0) {
      yield { ...await verifyPart(db, { period, accountIds, by }), next: nextMonth };
      continue;
    }
    let after = from?.period === period ? from.after : "";
    while (after !== null) {
      const { last: last2, ...found } = await verifyNext(db, { period, after, by });
      after = last2;
      yield { ...found, next: after === null ? nextMonth : { period, after } };
    }
  }
}
async function verifyLedger(db, scope = {}) {
  const drift = [];
  for await (const slice of verifySlices(patient(db), scope)) {
    drift.push(...slice.drift);
    if (drift.length >= MAX_DRIFTS) {
      break;
    }
  }
  return drift;
}

// server/billing/closing/close.ts
var { holds: holds6, ledgerCheckpoints: ledgerCheckpoints6, ledgerClosings: ledgerClosings5, ledgerEntries: ledgerEntries6 } = schema_exports;

// server/billing/durable-holds.ts
var NO_LEASE_SECONDS = 100 * 365 * 86400;

// server/billing/entries.ts
import { and as and18, desc as desc5, eq as eq23, inArray as inArray8, sql as sql25 } from "drizzle-orm";
var { ledgerEntries: ledgerEntries7 } = schema_exports;
var columns3 = {
  id: ledgerEntries7.id,
  isLost: ledgerEntries7.isLost,
  createdAt: ledgerEntries7.createdAt,
  period: ledgerEntries7.period,
  kind: ledgerEntries7.kind,
  amount: ledgerEntries7.amount,
  held: ledgerEntries7.held,
  modelId: ledgerEntries7.modelId,
  keyId: ledgerEntries7.keyId,
  channelId: ledgerEntries7.channelId,
  inputTokens: ledgerEntries7.inputTokens,
  cacheReadTokens: ledgerEntries7.cacheReadTokens,
  cacheWriteTokens: ledgerEntries7.cacheWriteTokens,
  cacheWrite1hTokens: ledgerEntries7.cacheWrite1hTokens,
  outputTokens: ledgerEntries7.outputTokens,
  reasoningTokens: ledgerEntries7.reasoningTokens,
  usageSource: ledgerEntries7.usageSource,
  prices: ledgerEntries7.prices,
  note: ledgerEntries7.note
};
var LOST = "_lost";
var entryName = ({ id: id2, isLost: isLost2 }) => isLost2 ? id2 + LOST : id2;
var parseEntryName = (name) => name.endsWith(LOST) ? { id: name.slice(0, -LOST.length), isLost: true } : { id: name, isLost: false };

// server/billing/incidents.ts
import { and as and19, eq as eq24, gte, inArray as inArray9, isNotNull as isNotNull7, like, not, notExists, sql as sql26 } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
var { ledgerEntries: ledgerEntries8 } = schema_exports;

// server/billing/spend.ts
import { and as and20, asc as asc8, desc as desc6, eq as eq25, gt as gt6, inArray as inArray10, sql as sql27 } from "drizzle-orm";
var { accountMonths: accountMonths6, spendHours: spendHours5 } = schema_exports;

// server/billing/statement.ts
import { and as and21, asc as asc9, desc as desc7, eq as eq26, sql as sql28 } from "drizzle-orm";
var { accountMonths: accountMonths7, ledgerEntries: ledgerEntries9 } = schema_exports;
var { createdAt, id, isLost } = ledgerEntries9;
var place = sql28`(${createdAt}, ${id}, ${isLost})`;
var placeOf = (entry) => sql28`(${entry.createdAt.toISOString()}::timestamptz, ${entry.id}, ${entry.isLost})`;
var newestFirst2 = {
  orderBy: [desc7(createdAt), desc7(id), desc7(isLost)],
  cursorOf: (entry) => `${entry.createdAt.getTime()}.${entryName(entry)}`,
  behind: (cursor) => {
    const [, time, name] = /^(\d{1,14})\.(\w{1,100})$/.exec(cursor) ?? [];
    return time === void 0 || name === void 0 ? void 0 : sql28`${place} < ${placeOf({ createdAt: new Date(Number(time)), ...parseEntryName(name) })}`;
  }
};

// server/billing/verify/repair.ts
import { and as and22, eq as eq27, sql as sql29 } from "drizzle-orm";
var { accountMonths: accountMonths8, holds: holds7, keyMonths: keyMonths5, ledgerCheckpoints: ledgerCheckpoints7, ledgerEntries: ledgerEntries10, spendHours: spendHours6 } = schema_exports;

// server/billing/verify/rounds.ts
import { and as and23, eq as eq28, lte as lte4, sql as sql30 } from "drizzle-orm";
var { ledgerChecks: ledgerChecks2 } = schema_exports;
var OPEN_MONTHS = "open months";
var isRow = eq28(ledgerChecks2.name, OPEN_MONTHS);

// server/calls/call-months.ts
import { sql as sql31 } from "drizzle-orm";
var TABLE = "calls";
var MONTHS_AHEAD = 2;
var monthAt = (moment4, after) => new Date(Date.UTC(moment4.getUTCFullYear(), moment4.getUTCMonth() + after, 1));
async function makeCallMonths(db, now) {
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const [first, next2] = [monthAt(now, ahead), monthAt(now, ahead + 1)];
    const [from, to] = [lowestId("req", first), lowestId("req", next2)];
    await makePartition(db, {
      table: TABLE,
      month: first.toISOString().slice(0, 7),
      bound: `for values from ('${from}') to ('${to}')`,
      isOf: `request_id >= '${from}' and request_id < '${to}'`
    });
  }
}
async function dropCallMonths(db, before) {
  const oldest = before.toISOString().slice(0, 7);
  for (const month of await listPartitions(db, TABLE)) {
    if (month < oldest) {
      await dropPartition(db, { table: TABLE, month });
    }
  }
  await ormOf(db).execute(sql31`delete from calls_rest where request_id < ${lowestId("req", before)}`);
}

// server/calls/rows.ts
import { getTableColumns as getTableColumns2, sql as sql32 } from "drizzle-orm";
var { calls: calls2 } = schema_exports;
var MAX_MODEL_CHARACTERS = 200;
var plain = (text9) => text9.slice(0, MAX_MODEL_CHARACTERS).replace(/[\p{Cc}\p{Cs}]/gu, "");
var definitions = sql32.join(
  Object.entries(getTableColumns2(calls2)).map(
    ([name, column]) => sql32`${sql32.identifier(name)} ${sql32.raw(column.getSQLType())}`
  ),
  sql32`, `
);
async function insertCalls(db, records) {
  const rows = records.map((call) => ({
    ...call,
    modelId: call.modelId === null ? null : plain(call.modelId)
  }));
  await ormOf(db).insert(calls2).select(sql32`select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as (${definitions})`).onConflictDoNothing();
}

// server/calls/calls.ts
var MAX_WAITING2 = 2e4;
var MAX_BATCH = 1e3;
var WRITE_EVERY_MS = 250;
var RETRY_MS = 1e3;
var CLOSE_PATIENCE_MS2 = 5e3;
var DAY_MS = 864e5;
async function write(deps, batch) {
  try {
    await insertCalls(relaxed(deps.db), batch);
  } catch (error) {
    if (isTransient(error)) {
      throw error;
    }
    if (batch.length === 1) {
      deps.metrics.callsUnrecorded.inc();
      deps.log.warn({ err: error, requestId: batch[0]?.requestId }, "a call cannot be recorded");
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await write(deps, batch.slice(0, middle));
    await write(deps, batch.slice(middle));
  }
}
async function keepMonths({ db, keepDays, clock = systemClock }) {
  await makeCallMonths(db, clock());
  await dropCallMonths(db, new Date(clock().getTime() - keepDays * DAY_MS));
}
function createCalls(deps) {
  const { log, metrics } = deps;
  const waiting = [];
  let overflow = 0;
  let timer = null;
  let writing = Promise.resolve(true);
  let isClosed = false;
  async function pass() {
    if (overflow > 0) {
      log.warn({ dropped: overflow }, "the request log had no room for calls");
      overflow = 0;
    }
    try {
      for (let left = waiting.length; left > 0; left -= MAX_BATCH) {
        const batch = waiting.slice(0, Math.min(left, MAX_BATCH));
        await write(deps, batch);
        waiting.splice(0, batch.length);
      }
      return true;
    } catch (error) {
      log.warn({ err: error, waiting: waiting.length }, "calls are not recorded yet");
      return false;
    }
  }
  function nextPass() {
    writing = writing.then(pass);
    return writing;
  }
  function schedule(delayMs) {
    timer = setTimeout(async () => {
      const isDone = await nextPass();
      timer = null;
      if (waiting.length > 0 && !isClosed) {
        schedule(isDone ? WRITE_EVERY_MS : RETRY_MS);
      }
    }, delayMs);
    timer.unref();
  }
  return {
    record: (call) => {
      if (waiting.length >= MAX_WAITING2 || isClosed) {
        overflow++;
        metrics.callsUnrecorded.inc();
        return;
      }
      waiting.push(call);
      if (timer === null) {
        schedule(WRITE_EVERY_MS);
      }
    },
    flush: async () => {
      await nextPass();
    },
    keepMonths: () => keepMonths(deps),
    close: async () => {
      isClosed = true;
      if (timer !== null) {
        clearTimeout(timer);
      }
      await withinMs(nextPass(), CLOSE_PATIENCE_MS2);
    }
  };
}

// server/calls/list.ts
import { and as and24, desc as desc8, eq as eq29, gte as gte2, isNotNull as isNotNull8, isNull as isNull8, lt as lt5, sql as sql33 } from "drizzle-orm";
var { calls: calls3 } = schema_exports;

// server/calls/summary.ts
import { count as count3, desc as desc9, gte as gte3 } from "drizzle-orm";
var { calls: calls4 } = schema_exports;

// server/catalog/entries.ts
import { asc as asc10, eq as eq30 } from "drizzle-orm";
var { models: models2, videoPrices: videoPrices2 } = schema_exports;
var columns4 = {
  id: models2.id,
  kind: models2.kind,
  ownedBy: models2.ownedBy,
  isEnabled: models2.isEnabled,
  isFree: models2.isFree,
  maxOutputTokens: models2.maxOutputTokens,
  inputPrice: models2.inputPrice,
  outputPrice: models2.outputPrice,
  cacheReadPrice: models2.cacheReadPrice,
  cacheWritePrice: models2.cacheWritePrice,
  cacheWrite1hPrice: models2.cacheWrite1hPrice,
  createdAt: models2.createdAt
};
var priceColumns = {
  durationSeconds: videoPrices2.durationSeconds,
  resolution: videoPrices2.resolution,
  price: videoPrices2.price
};
async function selectEntries(db, where = {}) {
  const rows = await ormOf(db).select(columns4).from(models2).where(where.model).orderBy(asc10(models2.id));
  const prices = await ormOf(db).select({ modelId: videoPrices2.modelId, ...priceColumns }).from(videoPrices2).where(where.price).orderBy(asc10(videoPrices2.durationSeconds), asc10(videoPrices2.resolution));
  return rows.map((row) => ({
    ...row,
    videoPrices: prices.filter(({ modelId }) => modelId === row.id).map(({ modelId: _, ...price2 }) => price2)
  }));
}
var listCatalog = (db) => selectEntries(db);
async function findModel(db, id2) {
  const [entry] = await selectEntries(db, { model: eq30(models2.id, id2), price: eq30(videoPrices2.modelId, id2) });
  return entry ?? null;
}
async function getModel(db, id2) {
  const entry = await findModel(db, id2);
  if (!entry) {
    throw new Refusal(`there is no model "${id2}"`, "modelUnknown");
  }
  return entry;
}
var isUnpriced = ({
  kind,
  isFree,
  inputPrice,
  outputPrice
}) => kind !== "video" && !isFree && inputPrice === 0n && (kind === "embedding" || outputPrice === 0n);

// server/catalog/models.ts
function toModel(entry) {
  const { inputPrice, outputPrice, cacheReadPrice, cacheWritePrice, cacheWrite1hPrice, ...model } = entry;
  const cacheWrite = cacheWritePrice ?? inputPrice;
  return {
    ...model,
    isPriced: !isUnpriced(entry),
    prices: {
      input: inputPrice,
      cacheRead: cacheReadPrice ?? inputPrice,
      cacheWrite,
      cacheWrite1h: cacheWrite1hPrice ?? cacheWrite,
      output: outputPrice
    }
  };
}
async function listModels(db) {
  return (await listCatalog(db)).map(toModel);
}

// server/catalog/catalog.ts
function createCatalog(deps) {
  const cache = createCache(
    async () => new Map(
      (await listModels(deps.db)).filter((model) => model.isEnabled && model.isPriced).map((model) => [model.id, model])
    ),
    { maxAgeMs: 3e4, maxEntries: 1, heardAt: deps.heardAt }
  );
  return {
    list: async () => [...(await cache.get("models")).values()],
    get: async (id2, kind) => {
      const model = (await cache.get("models")).get(id2);
      if (!model || model.kind !== kind) {
        throw new GatewayError("unknownModel", id2.slice(0, 200));
      }
      return model;
    },
    forget: cache.forget
  };
}

// server/catalog/save.ts
import { eq as eq31 } from "drizzle-orm";

// server/catalog/schema.ts
import { z as z8 } from "zod";
var Price = z8.bigint().nonnegative().lt(10n ** 15n).brand();
var InheritedPrice = Price.nullable().optional();
var VideoPrice = z8.strictObject({
  durationSeconds: z8.number().int().min(1).max(9999),
  resolution: z8.string().regex(/^\w{1,16}$/),
  price: Price
});
var isOncePerCombination = (grid) => new Set(grid.map(({ durationSeconds, resolution }) => `${durationSeconds} ${resolution}`)).size === grid.length;
var ModelChange = z8.strictObject({
  id: z8.string().min(1).max(256).regex(new RegExp("^\\P{Cc}*$", "u"), "an identifier has no control characters"),
  kind: z8.enum(modelKinds),
  ownedBy: z8.string().trim().min(1).max(100).optional(),
  isEnabled: z8.boolean().optional(),
  isFree: z8.boolean().optional().describe("It costs nothing: takes its prices away, as a price above 0 ends it"),
  maxOutputTokens: z8.number().int().min(0).max(1e8).optional().describe("The most output tokens that one answer may have"),
  inputPrice: Price.optional(),
  outputPrice: Price.optional(),
  cacheReadPrice: InheritedPrice,
  cacheWritePrice: InheritedPrice,
  cacheWrite1hPrice: InheritedPrice,
  /** The whole grid: a combination that is not in it is not sold. */
  videoPrices: z8.array(VideoPrice).max(1e3).refine(isOncePerCombination, "a combination has one price").optional()
});

// server/catalog/save.ts
var { models: models3, videoPrices: videoPrices3 } = schema_exports;
async function insertModel(db, fresh) {
  await rowOrRefuse(
    ormOf(db).insert(models3).values(fresh).onConflictDoNothing().returning({ id: models3.id }),
    () => new Refusal(`there is a model "${fresh.id}" already`, "modelExists", { name: fresh.id })
  );
}
async function writeOver(db, fresh, values) {
  await rowOrRefuse(
    ormOf(db).insert(models3).values(fresh).onConflictDoUpdate({ target: models3.id, set: values, setWhere: eq31(models3.kind, fresh.kind) }).returning({ id: models3.id }),
    () => new Refusal(`"${fresh.id}" is a model of another kind, which stays`, "modelKindFixed")
  );
}
var tokenPrices = [
  "inputPrice",
  "outputPrice",
  "cacheReadPrice",
  "cacheWritePrice",
  "cacheWrite1hPrice"
];
var noPrices = {
  inputPrice: nanos2(0n),
  outputPrice: nanos2(0n),
  cacheReadPrice: null,
  cacheWritePrice: null,
  cacheWrite1hPrice: null
};
function settleFree(values) {
  const isPriced = tokenPrices.some((name) => (values[name] ?? 0n) > 0n);
  if (isPriced && values.isFree) {
    throw new Refusal("a model is free or has a price, not both", "freeWithPrice");
  }
  return { ...values, ...values.isFree && noPrices, ...isPriced && { isFree: false } };
}
var saveModel = (db, change) => writeModel(db, change, { isNew: false });
async function writeModel(db, change, { isNew }) {
  const { id: id2, videoPrices: grid, ...said } = parseOrRefuse(ModelChange, change);
  const values = settleFree(said);
  const fresh = {
    ...values,
    id: id2,
    ownedBy: values.ownedBy ?? "tollgate",
    maxOutputTokens: values.maxOutputTokens ?? 8192,
    inputPrice: values.inputPrice ?? nanos2(0n),
    outputPrice: values.outputPrice ?? nanos2(0n)
  };
  return await transaction(db, async (tx) => {
    if (isNew) {
      await insertModel(tx, fresh);
    } else {
      await writeOver(tx, fresh, values);
    }
    if (grid) {
      await ormOf(tx).delete(videoPrices3).where(eq31(videoPrices3.modelId, id2));
    }
    if (grid && grid.length > 0) {
      await ormOf(tx).insert(videoPrices3).values(grid.map((price2) => ({ ...price2, modelId: id2 })));
    }
    await reportChange(tx, "catalog");
    return toModel(await getModel(tx, id2));
  });
}
export {
  createAccount,
  createBilling,
  createCalls,
  createCatalog,
  createGatekeeper,
  createLog,
  createMetrics,
  issueKey,
  localPool,
  openDatabase,
  saveModel,
  verifyLedger
};
