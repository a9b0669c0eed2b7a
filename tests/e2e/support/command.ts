import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Runs an operator's command against the deployment. For a deployment that is not ours it needs DATABASE_URL and
 * secrets.
 */
export async function runCommand(...words: string[]): Promise<void> {
  const ours = process.env.E2E_DATA_DIR;
  const env = { ...process.env, ...(ours && { TOLLGATE_DATA_DIR: ours }) };
  await promisify(execFile)(process.execPath, ["dist/tollgate.js", ...words], { env });
}
