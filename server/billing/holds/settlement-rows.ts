/** How a call ended, as a row of a statement. */

import type { BatchRow } from "@/server/db/batch-rows";
import { type TokenCounts, tokenClasses } from "@/server/pricing";
import { isLoss } from "./recorded-ends";
import type { Charge, Settlement } from "./settlement";

/** The columns of a settlement's row (`toRow`). */
export const SETTLEMENT_COLUMNS = {
  request_id: "text",
  account_id: "text",
  period: "text",
  note: "text",
  charge: "bigint",
  key_id: "text",
  model_id: "text",
  channel_id: "text",
  prices: "jsonb",
  input_tokens: "bigint",
  cache_read_tokens: "bigint",
  cache_write_tokens: "bigint",
  cache_write_1h_tokens: "bigint",
  output_tokens: "bigint",
  reasoning_tokens: "bigint",
  units: "jsonb",
  usage_source: "text",
  is_lost: "boolean",
  cost: "bigint",
} as const;

const text = (prices: Charge["prices"]) =>
  Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, price.toString()]));

const tokenColumns = (counts: TokenCounts) =>
  Object.fromEntries(tokenClasses.map(({ name, count }) => [`${name}_tokens`, counts[count]]));

/** The settlement as a row. */
export function toRow(settlement: Settlement): BatchRow<typeof SETTLEMENT_COLUMNS> {
  const { charge, note } = settlement;
  return {
    request_id: settlement.requestId,
    account_id: settlement.accountId,
    period: settlement.period,
    note: note || null,
    is_lost: isLoss(settlement),
    ...(charge && {
      charge: charge.amount.toString(),
      key_id: charge.keyId,
      model_id: charge.modelId,
      channel_id: charge.channelId,
      prices: JSON.stringify(text(charge.prices)),
      cost: charge.cost?.toString() ?? null,
      usage_source: charge.source,
      ...(charge.usage && {
        ...tokenColumns(charge.usage),
        reasoning_tokens: charge.usage.reasoningTokens,
        units: charge.usage.units && JSON.stringify(charge.usage.units),
      }),
    }),
  };
}
