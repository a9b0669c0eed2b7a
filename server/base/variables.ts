import { platform } from "node:os";
import { z } from "zod";
import { parseMoney } from "./money";
import { sellerVariables } from "./seller-variables";
import {
  amount,
  databaseUrl,
  integer,
  isOrigin,
  isPrivateWay,
  limit,
  secret,
  timeZone,
} from "./variable-kinds";

/** Systems on which several processes may listen on one port and share its connections. */
export const SHARES_PORTS = ["linux", "freebsd", "sunos", "aix"].includes(platform());

/** Every variable by itself. `config.ts` has the rules between them. */
export const Variables = z.object({
  /** `development`: the console's pages are compiled on request (`npm run dev`). */
  NODE_ENV: z.string().default("production"),
  PORT: integer(3000, 0, 65_535),
  /** Number of processes that answer calls; default: see `gatewaysOf` (`config.ts`). */
  WEB_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(SHARES_PORTS ? 64 : 1)
    .optional(),
  HOST: z.string().default("127.0.0.1"),
  /** The public address of this gateway, for URLs of videos that it serves itself. Default: the client's own. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),

  DATABASE_URL: databaseUrl(["primary"]),
  /** A standby of that database. Lists and reports are read from it while it is up to date. */
  DATABASE_READ_URL: databaseUrl(["primary", "standby", "any"]),
  /** Maximum connections of each process, in addition to the listening one. */
  DATABASE_CONNECTIONS: integer(12, 8, 100),
  /** `verify`: the start changes no schema, and fails on an incompatible one. */
  MIGRATE: z.enum(["start", "verify"]).default("start"),
  /** `require`: no call is sold while commits do not wait for a standby; `ignore`: standbys are not looked at. */
  SYNC_STANDBY: z.enum(["require", "warn", "ignore"]).default("warn"),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  TOLLGATE_DATA_DIR: z.string().default("./.tollgate"),
  /** Where the charge of a busy payer's call is durable before its answer ends; default: see `chargesOf`. */
  CHARGES: z.enum(["database", "file"]).optional(),
  /** The most that an account may be sold beyond its money while the database is away; only with `CHARGES=file`. */
  OUTAGE_ALLOWANCE: z
    .string()
    .default("0")
    .refine((text) => (parseMoney(text) ?? -1n) >= 0n, "is not an amount, such as 0 or 5"),
  /** How long a process serves from what it knows while the database is away. */
  OUTAGE_MINUTES: integer(60, 1, 1_440),
  /** The greatest age of the state on disk from which a start without the database serves; 0: none is kept. */
  SNAPSHOT_MINUTES: integer(0, 0, 1_440),

  AUTH_SECRET: secret,
  ENCRYPTION_KEY: secret,
  KEY_PEPPER: secret,
  /** The previous values of the three above: still accepted, not used for anything new. */
  AUTH_SECRET_PREVIOUS: secret,
  ENCRYPTION_KEY_PREVIOUS: secret,
  KEY_PEPPER_PREVIOUS: secret,

  /** Whether a start adds the sandbox's models; default: only to the embedded database. */
  SANDBOX: z.stringbool().optional(),
  TOLLGATE_ADMIN_EMAIL: z.email().default("admin@tollgate.local"),
  TOLLGATE_ADMIN_PASSWORD: z.string().min(10).optional(),

  /** The OpenID Connect provider for sign-in, with the issuer as it spells it; see `oidcOf`. */
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine(isPrivateWay, "must be https:, or on this machine")
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  /** The provider's name on the sign-in page. */
  OIDC_NAME: z.string().trim().min(1).max(40).default("SSO"),
  /** Comma-separated e-mail domains that may sign in; empty: any. */
  OIDC_EMAIL_DOMAINS: z
    .string()
    .default("")
    .transform((list) => list.split(",").flatMap((item) => item.trim().toLowerCase() || [])),

  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.url({ protocol: /^https?$/ }).default("https://api.openai.com/v1"),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: z.url({ protocol: /^https?$/ }).default("https://api.anthropic.com"),
  DASHSCOPE_API_KEY: z.string().optional(),
  DASHSCOPE_BASE_URL: z.url({ protocol: /^https?$/ }).default("https://dashscope.aliyuncs.com"),

  /** Comma-separated CIDRs of proxies whose `x-forwarded-for`, `-host` and `-proto` are trusted. */
  TRUSTED_PROXIES: z
    .string()
    .default("")
    .transform((list) => list.split(",").flatMap((item) => item.trim() || [])),
  /** Origins whose pages may call `/v1`; `*`: all. */
  CORS_ORIGINS: z
    .string()
    .default("")
    .transform((list) => list.split(",").flatMap((item) => item.trim().replace(/\/$/, "") || []))
    .refine(
      (list) => list.every(isOrigin),
      "origins as browsers send them, such as https://app.example.com, or *",
    ),
  BILLING_TIMEZONE: timeZone.default("Asia/Shanghai"),
  CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default("CNY"),

  /**
   * Whether error bodies carry the SDKs' own members in addition to the envelope's three. Default: only where SDKs read
   * them.
   */
  COMPAT_ERRORS: z.stringbool().optional(),

  /** Longest wait for an upstream's first event (stream) or whole answer (JSON). */
  UPSTREAM_TIMEOUT_SECONDS: integer(120, 1, 3_600),
  /** Longest silence inside a stream. */
  UPSTREAM_IDLE_TIMEOUT_SECONDS: integer(60, 1, 3_600),
  /**
   * Limit of request bodies in memory at any time, in megabytes: of all calls, and of one key's. One body may have 32
   * MB.
   */
  BODY_MEGABYTES: integer(256, 64, 65_536),
  BODY_MEGABYTES_PER_KEY: integer(64, 32, 65_536),
  KEEP_ALIVE_SECONDS: integer(10, 1, 300),
  /** How long a client may leave a waiting answer unread. */
  CLIENT_STALL_SECONDS: integer(60, 1, 3_600),
  /** Maximum of concurrent calls. An account without its own limit gets a share of them. */
  MAX_CONCURRENT_CALLS: limit(8, 1_000_000),
  /** Maximum of concurrent calls to one upstream's address, shared like those. */
  MAX_UPSTREAM_CALLS: limit(8, 1_000_000),
  /** Maximum of calls that wait for their turn at one upstream's address. */
  MAX_WAITING_CALLS: limit(1, 1_000_000),
  /** How long a call may wait for its turn: at an upstream's address, and in this process before its money is frozen. */
  MAX_WAIT_SECONDS: integer(10, 1, 600),
  /** Maximum of readers of video files, which have no time limit. */
  MAX_FILE_READERS: limit(1, 100_000),
  /** Keys that each process keeps in memory. */
  MAX_CACHED_KEYS: limit(100, 10_000_000),
  /**
   * How long a server continues to serve after the signal to stop, so that balancers notice; default: see `lameDuckMs`.
   */
  LAME_DUCK_SECONDS: z.coerce.number().int().min(0).max(600).optional(),
  DRAIN_SECONDS: integer(30, 1, 3_600),
  /** How long a video may take before it fails with `timeout`. Stored with each task. */
  VIDEO_TIMEOUT_SECONDS: integer(600, 1, 86_400),
  /** Minimum time between two polls of an upstream task, over all processes and clients (spec section 3). */
  VIDEO_POLL_SECONDS: integer(15, 1, 3_600),
  VIDEO_RATE_LIMIT_PER_MINUTE: integer(30, 1, 100_000),
  /** How long the request log keeps a call. The ledger keeps its charge for ever. */
  REQUEST_LOG_DAYS: integer(90, 1, 3_650),
  /** How long an account's responses can be continued. 0: none is kept. */
  RESPONSES_RETENTION_DAYS: integer(30, 0, 3_650),
  /** The most that an account may keep of them, as JSON. Beyond that the gateway drops the oldest. */
  RESPONSES_MEGABYTES_PER_ACCOUNT: integer(1_024, 1, 1_048_576),
  /**
   * How long the gateway keeps thinking for the next turn of a tool loop, for clients that do not send it back. 0: not
   * at all.
   */
  THINKING_RETENTION_HOURS: integer(72, 0, 8_760),
  /** The most thinking that one account keeps, as JSON. Beyond that the gateway drops the oldest. */
  THINKING_MEGABYTES_PER_ACCOUNT: integer(64, 1, 1_048_576),
  /** Maximum of background responses in progress. */
  BACKGROUND_RESPONSES: integer(32, 1, 10_000),
  /** Permits webhooks to any address, and with http: for installations whose receivers are in their own network. */
  WEBHOOKS_ALLOW_PRIVATE: z.stringbool().default(false),
  /** The mail server, `smtps://user:password@host:465`, and the sender. Default: no e-mail is sent. */
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: z
    .string()
    .max(320)
    .regex(
      /^[^\r\n]*[^\s<>@]+@[^\s<>@]+>?$/,
      "an address, as alerts@example.com or Tollgate <alerts@example.com>",
    )
    .optional(),
  /** Top-ups by Stripe Checkout: both are set, or neither. */
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_API_BASE: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).pathname === "/", "has a path: Stripe's library brings its own")
    .default("https://api.stripe.com"),
  /** Bounds of one payment. */
  PAYMENT_MIN: amount("5"),
  PAYMENT_MAX: amount("5000"),
  ...sellerVariables,
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  METRICS_TOKEN: z.string().optional(),
  /** Standard OpenTelemetry variables that its libraries do not read themselves (`tracing.ts`). */
  OTEL_SDK_DISABLED: z.stringbool().default(false),
  OTEL_TRACES_EXPORTER: z.enum(["otlp", "none"]).default("otlp"),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_TRACES_SAMPLER: z
    .enum([
      ...(["always_on", "always_off", "traceidratio"] as const),
      ...(["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"] as const),
    ])
    .default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
});
