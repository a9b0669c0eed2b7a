/** The catalog as a process keeps it in memory. A change costs the reading of what has changed. */
import { sql } from "drizzle-orm";
import { type Db, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { ChannelId } from "@/server/domain/ids";
import type { PriceSheet } from "@/server/pricing";
import { type CostEntry, listCostVersions, readCostVersions } from "./cost-prices";
import { listModelVersions, type Model, readModelVersions } from "./entries";
import { type DatedPrice, listVersionsToCome, readVersionsToCome } from "./model-prices";
import { listPriceGroups, type PriceGroup } from "./price-groups";
import { eachInTurns, type Kept, keepUp } from "./versions";

/** The rows, by their versions. */
type Rows = { models: Kept<Model>; toCome: Kept<DatedPrice>; costs: Kept<CostEntry> };

export type Stock = {
  /** When the database's server started. */
  serverStart: string;
  rows: Rows;
  /** The enabled models with the prices in their rows, in the order of their identifiers. */
  written: ReadonlyMap<string, Model>;
  /** Prices that are not in their models' rows, by model, the earliest first. */
  toCome: ReadonlyMap<string, readonly DatedPrice[]>;
  costs: ReadonlyMap<string, ReadonlyMap<ChannelId, PriceSheet>>;
  groups: ReadonlyMap<string, PriceGroup>;
};

export const noStock: Stock = {
  serverStart: "",
  rows: { models: new Map(), toCome: new Map(), costs: new Map() },
  written: new Map(),
  toCome: new Map(),
  costs: new Map(),
  groups: new Map(),
};

/**
 * Reads the rows that have changed, all in one snapshot, so that places of rows stay theirs. After a start of the
 * database's server it reads all of them: a standby that takes over, or a restored backup, may use the numbers of lost
 * transactions again.
 */
const readRows = (
  db: Db,
  { serverStart: formerStart, rows: formerRows }: Stock,
): Promise<Rows & Pick<Stock, "serverStart"> & { groups: PriceGroup[] }> =>
  transaction(db, async (tx) => {
    await ormOf(tx).execute(sql`set transaction isolation level repeatable read, read only`);
    const [row] = await ormOf(tx).execute<Pick<Stock, "serverStart">>(
      sql`select pg_postmaster_start_time()::text as "serverStart"`,
    );
    const serverStart = row?.serverStart ?? "";
    const former = serverStart === formerStart ? formerRows : noStock.rows;
    return {
      serverStart,
      models: await keepUp(former.models, await listModelVersions(tx), {
        read: (page) => readModelVersions(tx, page),
        // The previous release changes prices of videos without the model's row.
        isSure: ({ kind }) => kind !== "video",
      }),
      toCome: await keepUp(former.toCome, await listVersionsToCome(tx), {
        read: (page) => readVersionsToCome(tx, page),
      }),
      costs: await keepUp(former.costs, await listCostVersions(tx), {
        read: (page) => readCostVersions(tx, page),
      }),
      groups: await listPriceGroups(tx),
    };
  });

/** A catalog for a file: without the rows' versions. */
export type KeptStock = Omit<Stock, "rows" | "serverStart">;

export async function readKeptStock(db: Db): Promise<KeptStock> {
  const { rows: _, serverStart: __, ...stock } = await readStock(db, noStock);
  return stock;
}

export const stockOf = (kept: KeptStock): Stock => ({ ...noStock, ...kept });

/** Puts each row into a map, in steps. */
async function mapOf<Row, Value>(
  rows: Kept<Row>,
  put: (map: Map<string, Value>, row: Row) => void,
): Promise<ReadonlyMap<string, Value>> {
  const map = new Map<string, Value>();
  await eachInTurns([...rows.values()], (row) => put(map, row));
  return map;
}

/** A removed group is kept, for calls that began before its removal. */
export async function readStock(db: Db, former: Stock): Promise<Stock> {
  const { groups, serverStart, ...rows } = await readRows(db, former);
  return {
    serverStart,
    rows,
    written: await mapOf(rows.models, (map: Map<string, Model>, model) => void map.set(model.id, model)),
    toCome: await mapOf(rows.toCome, (map: Map<string, DatedPrice[]>, price) => {
      map.set(price.modelId, [...(map.get(price.modelId) ?? []), price]);
    }),
    costs: await mapOf(rows.costs, (map: Map<string, Map<ChannelId, PriceSheet>>, cost) => {
      map.set(cost.modelId, (map.get(cost.modelId) ?? new Map()).set(cost.channelId, cost.prices));
    }),
    groups: new Map([...former.groups, ...groups.map((group) => [group.id, group] as const)]),
  };
}
