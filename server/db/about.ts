import type { Database } from "./client";
import { sqlOf } from "./handles";

/** Which PostgreSQL it is (`number`: as `server_version_num`), and its clock in milliseconds. */
export async function describeServer(
  db: Database,
): Promise<{ version: string; number: number; now: number }> {
  const [row] = await sqlOf(db)<{ version: string; number: number; now: number }[]>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      extract(epoch from clock_timestamp())::float8 * 1000 as now`;
  return row ?? { version: "", number: 0, now: 0 };
}
