import { type Nanos, nanos } from "@/server/base/money";
import { adjust, refundCharge, topUp } from "@/server/billing";
import { type AccountId, type ChannelId, type KeyId, newId } from "@/server/domain/ids";
import type { TestGateway } from "./gateway";
import { randomFrom } from "./random";

type Sum = { calls: number; amount: bigint; cost: bigint; costedAmount: bigint };

/** The real amounts, added up outside the product, in nano-units. */
export type Truth = {
  accounts: {
    id: AccountId;
    keys: KeyId[];
    used: bigint;
    toppedUp: bigint;
    refunded: bigint;
    adjusted: bigint;
  }[];
  total: Sum;
  /** By the identifier of an account, a model, a key or a channel. */
  by: Record<"account" | "model" | "key" | "channel", Map<string, Sum>>;
};

export const QUOTA = "1000000";
/** The number of charges under way at a time. */
const TOGETHER = 500;

function add(
  sums: Map<string, Sum>,
  id: string,
  { amount, cost }: { amount: bigint; cost: bigint | null },
): void {
  const sum = sums.get(id) ?? { calls: 0, amount: 0n, cost: 0n, costedAmount: 0n };
  sums.set(id, {
    ...{ calls: sum.calls + 1, amount: sum.amount + amount, cost: sum.cost + (cost ?? 0n) },
    costedAmount: sum.costedAmount + (cost === null ? 0n : amount),
  });
}

/**
 * Makes `calls` charges by the gateway's own billing, of odd amounts, half of them on channels with known costs; then
 * top-ups, refunds and adjustments.
 */
export async function generateBusiness(gateway: TestGateway, calls: number): Promise<Truth> {
  const { db, billing } = gateway.runtime;
  const random = randomFrom(11);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(items.length * random() ** 2)] as T;
  const models = await Promise.all(Array.from({ length: 5 }, () => gateway.model()));
  const channels: ChannelId[] = [];
  for (const model of models) {
    channels.push(await gateway.channel({ model, baseUrl: "http://127.0.0.1:1" }));
  }
  const accounts: Truth["accounts"] = [];
  for (let count = 0; count < 10; count++) {
    const { accountId, keyId } = await gateway.customer({ quota: QUOTA });
    const sums = { used: 0n, toppedUp: 0n, refunded: 0n, adjusted: 0n };
    accounts.push({ id: accountId, keys: [keyId], ...sums });
  }
  const truth: Truth = {
    accounts,
    total: { calls: 0, amount: 0n, cost: 0n, costedAmount: 0n },
    by: { account: new Map(), model: new Map(), key: new Map(), channel: new Map() },
  };
  /** Charges that are partly given back later. */
  const refunded: { account: Truth["accounts"][number]; chargeId: string; amount: bigint }[] = [];
  const totals = new Map<string, Sum>();

  const charge = async () => {
    const account = pick(accounts);
    const place = Math.floor(models.length * random());
    const [modelId = "", channelId] = [models[place], channels[place]];
    const amount = BigInt(1 + Math.floor(random() * 9_999_999));
    const cost = place % 2 === 0 ? BigInt(Math.floor(random() * 9_999_999)) : null;
    const keyId = account.keys[0] as KeyId;
    const requestId = newId("req");
    const hold = await billing.hold({
      ...{ requestId, accountId: account.id, keyId },
      ...{ keyCap: null, amount: nanos(amount * 2n) },
    });
    const usage = {
      ...{ inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
      ...{ outputTokens: 5, reasoningTokens: 0 },
    };
    await billing.capture(hold, {
      ...{ amount: nanos(amount), usage, source: "upstream", prices: {}, keyId, modelId },
      channelId: channelId ?? null,
      ...(cost !== null && { cost: nanos(cost) }),
    });
    account.used += amount;
    const sale = { amount, cost };
    add(truth.by.account, account.id, sale);
    add(truth.by.model, modelId, sale);
    add(truth.by.key, keyId, sale);
    add(truth.by.channel, channelId ?? "", sale);
    add(totals, "", sale);
    if (refunded.length < 100 && random() < 0.05) {
      refunded.push({ account, chargeId: requestId, amount });
    }
  };
  for (let left = calls; left > 0; left -= TOGETHER) {
    await Promise.all(Array.from({ length: Math.min(TOGETHER, left) }, charge));
  }
  truth.total = totals.get("") ?? truth.total;

  const period = billing.period();
  for (const account of accounts) {
    const accountMonth = { accountId: account.id, period };
    const [toppedUp, adjusted] = [
      BigInt(Math.floor(random() * 10 ** 12)) + 1n,
      -BigInt(Math.floor(random() * 10 ** 9)) - 1n,
    ];
    await topUp(db, { ...accountMonth, amount: nanos(toppedUp), reason: "invoice" });
    await adjust(db, { ...accountMonth, amount: nanos(adjusted), reason: "correction" });
    Object.assign(account, { toppedUp, adjusted });
  }
  for (const { account, chargeId, amount } of refunded) {
    const back = (amount + 1n) / 2n;
    await refundCharge(db, {
      ...{ accountId: account.id, period, chargeId },
      ...{ amount: nanos(back), reason: "outage" },
    });
    account.refunded += back;
  }
  return truth;
}

export const leftOf = (
  { toppedUp, refunded, adjusted, used }: Truth["accounts"][number],
  quota: Nanos,
): bigint => quota + toppedUp + refunded + adjusted - used;
