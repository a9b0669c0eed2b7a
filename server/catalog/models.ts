import { asc, eq } from "drizzle-orm";
import { type Queryable, reportChange, tables } from "@/server/db";

const { models, videoPrices } = tables;

export type ModelKind = "chat" | "embedding" | "video";

/** Nano-units per million tokens of each class. */
export type Prices = {
  input: bigint;
  cacheRead: bigint;
  cacheWrite: bigint;
  cacheWrite1h: bigint;
  output: bigint;
};

export type Model = {
  id: string;
  kind: ModelKind;
  ownedBy: string;
  isEnabled: boolean;
  maxOutputTokens: number;
  prices: Prices;
  videoPrices: VideoPrice[];
  createdAt: Date;
};

/** Nano-units for one video. */
type VideoPrice = { durationSeconds: number; resolution: string; price: bigint };

type Row = typeof models.$inferSelect;

function fromRow(row: Row, grid: VideoPrice[]): Model {
  const cacheWrite = row.cacheWritePrice ?? row.inputPrice;
  return {
    id: row.id,
    kind: row.kind,
    ownedBy: row.ownedBy,
    isEnabled: row.enabled,
    maxOutputTokens: row.maxOutputTokens,
    prices: {
      input: row.inputPrice,
      cacheRead: row.cacheReadPrice ?? row.inputPrice,
      cacheWrite,
      cacheWrite1h: row.cacheWrite1hPrice ?? cacheWrite,
      output: row.outputPrice,
    },
    videoPrices: grid,
    createdAt: row.createdAt,
  };
}

const withoutModel = ({ modelId: _, ...price }: typeof videoPrices.$inferSelect): VideoPrice => price;

/** Every model, the disabled ones too. */
export async function listModels(db: Queryable): Promise<Model[]> {
  const rows = await db.select().from(models).orderBy(asc(models.id));
  const prices = await db
    .select()
    .from(videoPrices)
    .orderBy(asc(videoPrices.durationSeconds), asc(videoPrices.resolution));
  return rows.map((row) =>
    fromRow(row, prices.filter((price) => price.modelId === row.id).map(withoutModel)),
  );
}

export type ModelChange = {
  id: string;
  kind: ModelKind;
  ownedBy?: string | undefined;
  enabled: boolean;
  maxOutputTokens?: number | undefined;
  inputPrice?: bigint | undefined;
  outputPrice?: bigint | undefined;
  cacheReadPrice?: bigint | undefined;
  cacheWritePrice?: bigint | undefined;
  cacheWrite1hPrice?: bigint | undefined;
  videoPrices?: VideoPrice[] | undefined;
};

/** Adds the model or changes what is named of it; video prices, when given, replace the old grid. */
export async function saveModel(db: Queryable, change: ModelChange): Promise<Model> {
  const { id, videoPrices: grid, ...values } = change;
  const fresh = {
    ...values,
    id,
    ownedBy: change.ownedBy ?? "tollgate",
    maxOutputTokens: change.maxOutputTokens ?? 8_192,
    inputPrice: change.inputPrice ?? 0n,
    outputPrice: change.outputPrice ?? 0n,
  };
  return await db.transaction(async (transaction) => {
    await transaction.insert(models).values(fresh).onConflictDoUpdate({ target: models.id, set: values });
    if (grid) {
      await transaction.delete(videoPrices).where(eq(videoPrices.modelId, id));
      await transaction.insert(videoPrices).values(grid.map((price) => ({ ...price, modelId: id })));
    }
    await reportChange(transaction, "catalog");
    const saved = (await listModels(transaction)).find((model) => model.id === id);
    if (!saved) {
      throw new Error("the model is gone again");
    }
    return saved;
  });
}
