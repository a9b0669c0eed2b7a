import { z } from "zod";
import { systemClock } from "@/server/base/clock";
import { listCatalog, listToCome, type PricedLine, priceFile } from "@/server/catalog";
import { priceFileOperations } from "@/server/operations";
import type { PriceSheet } from "@/server/pricing";
import { type QueryContext, query } from "./query";

const linesOf = (prices: PriceSheet, line: Pick<PricedLine, "modelId" | "beginsAt">): PricedLine[] =>
  [...prices].map(([name, price]) => ({ ...line, name, price }));

/** Every price, current and scheduled. */
export async function linesToExport({ db }: Pick<QueryContext, "db">): Promise<PricedLine[]> {
  const now = systemClock();
  const current = (await listCatalog(db, now)).flatMap((entry) =>
    linesOf(entry.prices, { modelId: entry.id, beginsAt: null }),
  );
  const toCome = (await listToCome(db))
    .filter(({ beginsAt }) => beginsAt > now)
    .flatMap(({ modelId, beginsAt, prices }) => linesOf(prices, { modelId, beginsAt }));
  return [...current, ...toCome];
}

/** The same prices as a file that can be imported again. */
export const get = query({
  needs: "staff.read",
  input: z.strictObject({}),
  read: async (reading) => ({ csv: priceFile(await linesToExport(reading), reading.config.CURRENCY) }),
});

/** The changes that a file would make, and every line that prevents its import. */
export const preview = query({
  needs: "staff.read",
  input: priceFileOperations.File,
  read: async ({ db, config }, { csv }) =>
    priceFileOperations.toldPlan(await priceFileOperations.plan(db, { csv, currency: config.CURRENCY })),
});
