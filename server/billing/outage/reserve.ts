/**
 * The part of outage allowances that a data directory sets aside for a start without the database. Running processes
 * never sell from it, so what they have sold cannot be sold again.
 */
import { rm } from "node:fs/promises";
import { type Nanos, nanos } from "@/server/base/money";
import type { Database } from "@/server/db";
import { isDistributed, sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import type { DeliveredCharge } from "../holds/settlement";
import { grantParts, RESERVED, returnParts } from "./grants";
import { chargesOfReserve, findEndedClaims } from "./reserve-claims";
import { type Taking, takeFormer } from "./reserve-files";

export type ReservedAmount = { accountId: AccountId; amount: Nanos };

/** An active account that may have a reserve. `allowance`: its own. null: that of the installation. */
export type Reservable = { accountId: AccountId; allowance: Nanos | null };

export type ReservedPart = ReservedAmount & Reservable;

/** `holder`: whom the database records it for. */
export type Reserve = { holder: string; parts: ReservedPart[] };

export type ReserveTerms = {
  accountIds: AccountId[];
  /** Of an account without its own. */
  allowance: Nanos;
  period: string;
  /** How long after now a start may sell from it. */
  usableMs: number;
  /** As `turn` in `PartTerms`. */
  nextTurn: () => number;
};

/**
 * The database keeps a reserve for so long after the last moment at which anyone may sell from it: a machine may come back
 * late with its charges, and its clock may be wrong by hours.
 */
const KEPT_SECONDS = 86_400;
const ASKED_AT_ONCE = 500;
/** Accounts in a reserve. */
const MAX_ACCOUNTS = 10_000;

const least = (left: bigint, right: bigint): Nanos => nanos(left < right ? left : right);

const inParts = <T>(items: T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / ASKED_AT_ONCE) }, (_, index) =>
    items.slice(index * ASKED_AT_ONCE, (index + 1) * ASKED_AT_ONCE),
  );

/**
 * Lowers a reserve to what the present allowances leave for one. Accounts that are missing get nothing. `allowance`: of
 * those without their own.
 */
export function limitReserve(
  amounts: ReservedAmount[],
  accounts: Reservable[],
  allowance: Nanos,
): ReservedPart[] {
  const owns = new Map(accounts.map((account) => [account.accountId, account.allowance]));
  return amounts.flatMap(({ accountId, amount }) => {
    const own = owns.get(accountId);
    const most = own === undefined ? 0n : (own ?? allowance) / RESERVED;
    return most > 0n && amount > 0n
      ? [{ accountId, amount: least(amount, most), allowance: own ?? null }]
      : [];
  });
}

/** Returns the rest of a reserve after the charges that runs have made on it. */
export function subtractCharges(parts: ReservedAmount[], charges: DeliveredCharge[]): ReservedAmount[] {
  const charged = new Map<AccountId, bigint>();
  for (const { accountId, charge } of charges) {
    charged.set(accountId, (charged.get(accountId) ?? 0n) + charge.amount);
  }
  return parts.flatMap((part) => {
    const left = part.amount - (charged.get(part.accountId) ?? 0n);
    return left > 0n ? [{ ...part, amount: nanos(left) }] : [];
  });
}

/** The active accounts that call, because processes have parts of them, and those of this reserve. */
export async function findReservable(db: Database, holder: string): Promise<Reservable[]> {
  if (isDistributed(db)) {
    return [];
  }
  const rows = await sqlOf(db)<{ accountId: AccountId; allowance: string | null }[]>`
    select account_id as "accountId", outage_allowance::text as allowance
    from outage_parts join accounts on accounts.id = account_id
    where status = 'active'
      and (not starts_with(process_id, 'reserve_') or process_id = ${holder})
    group by 1, 2 order by bool_or(not starts_with(process_id, 'reserve_')) desc, 1 limit ${MAX_ACCOUNTS}`;
  return rows.map(({ accountId, allowance }) => ({
    accountId,
    allowance: allowance === null ? null : nanos(allowance),
  }));
}

/** Takes the files of other servers, and returns their reserves. If it fails, the next call does the rest. */
export async function returnFormer(db: Database, directory: string, which: Taking): Promise<void> {
  for (const { holder, path } of await takeFormer(directory, which)) {
    await returnParts(db, holder);
    await rm(path, { force: true });
  }
}

/**
 * Returns the reserves of this directory that nobody can sell from any more: of claims whose runs have ended and whose
 * charges are in the ledger, and, if `isSteady`, of servers that have ended or were told to keep none. `isSteady`: the
 * database has been here for longer than a living server needs to renew its file. `names`: of the directory's files.
 */
export async function sweepReserves(
  db: Database,
  { directory, names, isSteady }: { directory: string; names: string[]; isSteady: boolean },
): Promise<void> {
  await returnFormer(db, directory, isSteady ? "stale" : "none");
  for (const { holder, run, path } of await findEndedClaims(directory, names)) {
    // Looked for after its end: a run leaves no charge later.
    if ((await chargesOfReserve(directory, holder, run))?.length === 0) {
      await returnParts(db, holder);
      await rm(path, { force: true });
    }
  }
}

/**
 * Asks the database for a reserve. The file of the former amounts must have been taken back. What is above today's share
 * is given up in the result at once, and in the database with the next request: so the database never records less than
 * a start may sell.
 */
export async function renewReserve(
  db: Database,
  former: { holder: string; amounts: ReservedAmount[] },
  { accountIds, allowance, period, usableMs, nextTurn }: ReserveTerms,
): Promise<ReservedAmount[]> {
  const keptSeconds = Math.ceil(usableMs / 1000) + KEPT_SECONDS;
  const had = new Map(former.amounts.map(({ accountId, amount }) => [accountId, amount]));
  const renewed: ReservedAmount[] = [];
  for (const batch of inParts(accountIds)) {
    const requests = batch.map((accountId) => ({ accountId, most: had.get(accountId) ?? nanos(0n) }));
    const grants = await grantParts(db, requests, {
      ...{ processId: former.holder, turn: nextTurn(), period, allowance, keptSeconds },
      isReserve: true,
    });
    renewed.push(
      ...grants.map(({ accountId, amount, share }) => ({ accountId, amount: least(amount, share) })),
    );
  }
  return renewed;
}
