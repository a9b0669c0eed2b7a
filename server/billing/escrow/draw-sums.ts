/** The sums of a batch of draws, which its statement adds to the escrows and to the hours. */
import type { Nanos } from "@/server/base/money";
import { batchRows } from "@/server/db/batch-rows";
import { promptOf } from "@/server/pricing";
import type { Drawn, KeyCharge, Settlement } from "../holds/settlement";

/** The end of a call that is paid out of an escrow. */
export type Draw = Settlement & { draw: Drawn };

type Charged = Draw & { charge: KeyCharge };

const isCharged = (draw: Draw): draw is Charged => draw.charge !== null;

const PAYER = { account_id: "text", period: "text", escrow_id: "text" } as const;
const SUMS = { ...PAYER, model_id: "text", calls: "bigint", amount: "bigint" } as const;

export const escrowRows = batchRows("asked", { ...PAYER, charge: "bigint", in_use: "bigint" });

export const hourRows = batchRows("charged", {
  ...{ ...SUMS, key_id: "text" },
  ...{ all_input: "bigint", output_tokens: "bigint", cached_tokens: "bigint" },
});

export const costRows = batchRows("charged", { ...SUMS, channel_id: "text", cost: "bigint" });

/** Groups the draws by escrow and by `name`, and returns a row of sums for each group. */
function sumsBy<Of extends Draw, Row>(
  draws: Of[],
  nameOf: (draw: Of) => string,
  sumOf: (first: Of, total: (figure: (draw: Of) => bigint | number) => string) => Row,
): (Row & { account_id: string; period: string; escrow_id: string })[] {
  const groups = new Map<string, Of[]>();
  for (const draw of draws) {
    const name = `${draw.draw.escrowId} ${nameOf(draw)}`;
    const group = groups.get(name);
    group ? group.push(draw) : groups.set(name, [draw]);
  }
  return [...groups.values()].map((group) => {
    const first = group[0] as Of;
    const total = (figure: (draw: Of) => bigint | number) =>
      group.reduce((sum, draw) => sum + BigInt(figure(draw)), 0n).toString();
    const payer = { account_id: first.accountId, period: first.period, escrow_id: first.draw.escrowId };
    return { ...payer, ...sumOf(first, total) };
  });
}

/** The charges of each escrow's calls. `inUseOf`: the amount that its calls under way hold; null: unknown. */
export const escrowsOf = (draws: Draw[], inUseOf: (escrowId: string) => Nanos | null) =>
  sumsBy(
    draws,
    () => "",
    ({ draw }, total) => ({
      charge: total(({ charge }) => charge?.amount ?? 0n),
      in_use: inUseOf(draw.escrowId)?.toString(),
    }),
  );

/** The spend by key and model. */
export const hoursOf = (draws: Draw[]) =>
  sumsBy(
    draws.filter(isCharged),
    ({ charge }) => `${charge.keyId} ${charge.modelId}`,
    ({ charge }, total) => ({
      ...{ key_id: charge.keyId, model_id: charge.modelId },
      calls: total(() => 1),
      amount: total((draw) => draw.charge.amount),
      all_input: total((draw) => (draw.charge.usage ? promptOf(draw.charge.usage) : 0)),
      output_tokens: total((draw) => draw.charge.usage?.outputTokens ?? 0),
      cached_tokens: total((draw) => draw.charge.usage?.cacheReadTokens ?? 0),
    }),
  );

/** The known costs by channel and model. */
export const costsOf = (draws: Draw[]) =>
  sumsBy(
    draws.filter(isCharged).filter(({ charge }) => charge.cost !== undefined),
    ({ charge }) => `${charge.channelId} ${charge.modelId}`,
    ({ charge }, total) => ({
      ...{ channel_id: charge.channelId ?? "", model_id: charge.modelId },
      calls: total(() => 1),
      amount: total((draw) => draw.charge.amount),
      cost: total((draw) => draw.charge.cost ?? 0n),
    }),
  );
