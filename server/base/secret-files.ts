import { readFileSync } from "node:fs";

/** Secret variables. Each may also come from a file, whose path is in the same name with `_FILE`. */
export const secretVariables = [
  "DATABASE_URL",
  "DATABASE_READ_URL",
  "REDIS_URL",
  "AUTH_SECRET",
  "ENCRYPTION_KEY",
  "KEY_PEPPER",
  "AUTH_SECRET_PREVIOUS",
  "ENCRYPTION_KEY_PREVIOUS",
  "KEY_PEPPER_PREVIOUS",
  "TOLLGATE_ADMIN_PASSWORD",
  "OIDC_CLIENT_SECRET",
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "DASHSCOPE_API_KEY",
  "METRICS_TOKEN",
  "SMTP_URL",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
] as const;

type Environment = Record<string, string | undefined>;

/**
 * Returns the environment with the contents of its secret files, without the line end that editors add. `faults`: files
 * that cannot be read or are empty, and variables that are set in addition to their file.
 */
export function withSecretFiles(environment: Environment): { environment: Environment; faults: string[] } {
  const faults: string[] = [];
  const read: Environment = {};
  for (const name of secretVariables) {
    const path = environment[`${name}_FILE`];
    if (path === undefined) {
      continue;
    }
    if (environment[name] !== undefined) {
      faults.push(`${name}_FILE: ${name} is set, too: which of them is meant?`);
      continue;
    }
    try {
      read[name] = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    } catch (error) {
      faults.push(`${name}_FILE: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (read[name] === "") {
      faults.push(`${name}_FILE: ${path} is empty`);
    }
  }
  return { environment: { ...environment, ...read }, faults };
}
