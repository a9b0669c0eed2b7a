import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Runs one of the operator's commands beside the deployment, whose DATABASE_URL and secrets it needs if it is not
 * ours.
 */
export async function runCommand(...words: string[]): Promise<void> {
  const ours = process.env.E2E_DATA_DIR;
  const env = { ...process.env, ...(ours && { TOLLGATE_DATA_DIR: ours }) };
  await promisify(execFile)(process.execPath, ["dist/tollgate.js", ...words], { env });
}
