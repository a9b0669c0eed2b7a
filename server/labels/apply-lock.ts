import { sql } from "drizzle-orm";
import { type Database, errorCode, patient, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { TemporaryRefusal } from "@/server/domain/refusal";

const LOCK = sql`hashtext('configuration files')`;

/** How long an apply waits for another one, which may have thousands of objects. */
const PATIENCE_MS = 60_000;
/** The server ends a transaction that is idle for 15 seconds. */
const TOUCH_EVERY_MS = 4_000;
/** lock_not_available */
const NOT_AVAILABLE = "55P03";

/**
 * Runs `act` while no other apply runs. The lock belongs to a transaction, so that it also works through a pooler, and
 * ends with its connection, whatever happens to this process. `isHeld` is false after the connection was lost.
 * `onWait` is called if another apply is running. Throws TemporaryRefusal if that one takes too long.
 */
export async function withApplyLock<T>(
  database: Database,
  act: (isHeld: () => boolean) => Promise<T>,
  { onWait, patienceMs = PATIENCE_MS }: { onWait: () => void; patienceMs?: number },
): Promise<T> {
  return await transaction(patient(database), async (tx) => {
    const [row] = await ormOf(tx).execute<{ isTaken: boolean }>(
      sql`select pg_try_advisory_xact_lock(${LOCK}) as "isTaken"`,
    );
    if (row?.isTaken !== true) {
      onWait();
      await ormOf(tx).execute(sql`select set_config('lock_timeout', ${String(patienceMs)}, true)`);
      try {
        await ormOf(tx).execute(sql`select pg_advisory_xact_lock(${LOCK})`);
      } catch (error) {
        throw errorCode(error) === NOT_AVAILABLE
          ? new TemporaryRefusal("another apply is still running: try again when it has ended")
          : error;
      }
    }
    let isHeld = true;
    const lost = () => {
      isHeld = false;
    };
    const touching = setInterval(() => void ormOf(tx).execute(sql`select 1`).catch(lost), TOUCH_EVERY_MS);
    try {
      return await act(() => isHeld);
    } finally {
      clearInterval(touching);
    }
  });
}
