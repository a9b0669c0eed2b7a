import { availableParallelism } from "node:os";
import type { z } from "zod";
import { parseMoney } from "./money";
import { withSecretFiles } from "./secret-files";
import { findSellerFaults } from "./seller-variables";
import { SHARES_PORTS, Variables } from "./variables";

const ofProvider = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;

const Environment = Variables.superRefine((variables, { addIssue }) => {
  for (const name of ofProvider) {
    if (variables[name] === undefined && ofProvider.some((other) => variables[other] !== undefined)) {
      addIssue({ code: "custom", path: [name], message: `${ofProvider.join(", ")} are set together` });
    }
  }
});

export const environmentNames = Object.keys(Variables.shape);

const faultsBetween = ({ SMTP_URL, MAIL_FROM }: Partial<Record<"SMTP_URL" | "MAIL_FROM", unknown>>) =>
  (SMTP_URL === undefined) === (MAIL_FROM === undefined)
    ? []
    : ["SMTP_URL and MAIL_FROM belong together: set both or none"];

export type Config = z.infer<typeof Environment>;

/** The provider with which users may sign in, in addition to passwords; null: none. */
export function oidcOf(config: Config) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  return issuer && clientId && clientSecret
    ? { issuer, clientId, clientSecret, name: config.OIDC_NAME, domains: config.OIDC_EMAIL_DOMAINS }
    : null;
}

export type Oidc = NonNullable<ReturnType<typeof oidcOf>>;

/** The embedded database is on the same disk, so a file loses no charge that it would keep. */
export const chargesOf = ({ CHARGES, DATABASE_URL }: Pick<Config, "CHARGES" | "DATABASE_URL">) =>
  CHARGES ?? (DATABASE_URL === undefined ? "file" : "database");

/** The number of processes that answer calls: one per core, but at most four, to leave cores to PostgreSQL. */
export const gatewaysOf = ({ WEB_CONCURRENCY }: Pick<Config, "WEB_CONCURRENCY">): number =>
  WEB_CONCURRENCY ?? (SHARES_PORTS ? Math.min(availableParallelism(), 4) : 1);

/** A server that only this machine can reach has no balancer to wait for. */
export const lameDuckMs = ({ LAME_DUCK_SECONDS, HOST }: Config): number =>
  (LAME_DUCK_SECONDS ?? (["127.0.0.1", "::1", "localhost"].includes(HOST) ? 0 : 10)) * 1000;

/** A configuration that cannot work; `message` lists every fault at once. */
export class ConfigError extends Error {}

/** Faults of variables that contradict each other. */
function findContradictions(config: Config): string[] {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret, PAYMENT_MIN, PAYMENT_MAX } = config;
  return [
    ...((key === undefined) === (secret === undefined)
      ? []
      : ["STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET: each is of no use without the other"]),
    ...((parseMoney(PAYMENT_MIN) ?? 0n) <= (parseMoney(PAYMENT_MAX) ?? 0n)
      ? []
      : ["PAYMENT_MIN: it is above PAYMENT_MAX"]),
    ...findSellerFaults(config),
  ];
}

/**
 * Parses an environment, and reads the secret files that it names. An empty variable counts as absent. Throws
 * ConfigError.
 */
export function loadConfig(environment: Record<string, string | undefined> = process.env): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const { environment: whole, faults } = withSecretFiles(present);
  faults.push(...faultsBetween(whole));
  const parsed = Environment.safeParse(whole);
  if (parsed.success) {
    faults.push(...findContradictions(parsed.data));
  }
  if (parsed.success && faults.length === 0) {
    return parsed.data;
  }
  const issues = parsed.error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`) ?? [];
  throw new ConfigError(`The environment is not usable:\n  ${[...faults, ...issues].join("\n  ")}`);
}
