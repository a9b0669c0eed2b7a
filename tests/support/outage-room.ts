import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { nanos } from "@/server/base/money";
import type { Billing } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { billingRoom } from "./billing-room";
import { openFresh } from "./database";
import { linkTo } from "./database-link";
import { temporaryDirectory } from "./temporary-directory";
import { until } from "./until";

/** A billing room whose processes can be cut off from their database, for the tests of a file. */
export function outageRoom() {
  const home = temporaryDirectory();
  /** No payer is busy, so that no call is paid by an escrow. */
  const { room } = billingRoom({ leaseSeconds: 3, busyCalls: 1_000_000 });

  const newDirectory = () => mkdtemp(join(home, "charges-"));

  /** A process that serves while its database is cut off. */
  async function serving({ allowance = 100n, directory = "", role = "" } = {}) {
    const link = await linkTo(room.databaseUrl);
    const url = role ? link.url.replace(/\/\/[^@]*@/, `//${role}:${role}@`) : link.url;
    const db = openFresh(url, { connections: 2 });
    room.onClose(async () => {
      link.mend();
      await db.close();
      await link.close();
    });
    const arrearsDirectory = directory || (await newDirectory());
    const process = room.replica({ db, arrearsDirectory, storesCharges: true, outage: { allowance } });
    return { link, directory: arrearsDirectory, ...process };
  }

  const hold = async (billing: Billing, accountId: AccountId, amount: bigint) =>
    await billing.hold({ ...room.payer(accountId), amount: nanos(amount) });

  const partsOf = async (accountId: AccountId) =>
    (
      await sqlOf(room.ledger.db)<{ amount: string }[]>`
        select amount::text from outage_parts where account_id = ${accountId} order by amount`
    ).map(({ amount }) => BigInt(amount));

  /** Makes a call, and waits until this process, which has no other part, knows of a part of the account's allowance. */
  async function waitForPart(billing: Billing, accountId: AccountId, part: bigint): Promise<void> {
    billing.release(await hold(billing, accountId, 1n), "test");
    await until(async () => (await partsOf(accountId)).includes(part) && billing.sellsAlone());
  }

  const entriesOf = async (requestId: string) =>
    (await room.ledger.entriesOf(requestId)).map(({ kind, amount, held, note }) => [
      kind,
      amount,
      held,
      note,
    ]);

  /** The newest request for the account's part. */
  const turnOf = async (accountId: AccountId) => {
    const [row] = await sqlOf(room.ledger.db)<{ turn: string }[]>`
      select max(turn)::text as turn from outage_parts where account_id = ${accountId}`;
    return Number(row?.turn);
  };

  return { room, newDirectory, serving, hold, partsOf, waitForPart, entriesOf, turnOf };
}
