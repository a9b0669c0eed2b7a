/** Shapes shared by the answers of the admin API. */
import { z } from "zod";
import { eachPrice } from "@/server/pricing";

/** ISO 8601 in UTC. */
export const Time = z
  .date()
  .transform((moment) => moment.toISOString())
  .pipe(z.iso.datetime());

/** An exact decimal of the installation's currency. */
export const Money = z.string();

export const Named = z.object({ id: z.string(), name: z.string() });
export const KeyName = z.object({ name: z.string(), lastFour: z.string(), isDeleted: z.boolean() });

export const ConditionalPrices = z
  .array(z.object({ name: z.string(), price: Money }))
  .describe("Prices with conditions, such as `input@200k`, `output@priority` or `input@16:30-00:30`");

/** A member for the price of each class of tokens. */
export const tokenPrices = eachPrice(
  () => Money.describe("Per million tokens"),
  ({ follows }) => Money.nullable().describe(`Per million tokens; null: same as ${follows}`),
);
