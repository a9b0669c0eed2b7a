import type { Config } from "@/server/base/config";
import { formatMoney, type Nanos, nanos, parseMoney } from "@/server/base/money";
import { Refusal } from "@/server/domain/refusal";
import type { Provider } from "./provider";
import { createStripe } from "./stripe";

/** The provider, and the amounts that customers may pay. */
export type PaymentTerms = { provider: Provider; currency: string; min: Nanos; max: Nanos; step: Nanos };

type Variables = Pick<
  Config,
  | "STRIPE_SECRET_KEY"
  | "STRIPE_WEBHOOK_SECRET"
  | "STRIPE_API_BASE"
  | "PAYMENT_MIN"
  | "PAYMENT_MAX"
  | "CURRENCY"
>;

/** null: this installation takes no payments. */
export function termsOf(config: Variables): PaymentTerms | null {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, CURRENCY: currency } = config;
  if (secretKey === undefined || webhookSecret === undefined) {
    return null;
  }
  const provider = createStripe({ secretKey, webhookSecret, apiBase: config.STRIPE_API_BASE });
  const [min, max] = [config.PAYMENT_MIN, config.PAYMENT_MAX].map((text) => parseMoney(text) ?? nanos(0n));
  return { provider, currency, min: min ?? nanos(0n), max: max ?? nanos(0n), step: provider.step(currency) };
}

/** Throws Refusal for an amount outside the terms. */
export function refuseAmount({ min, max, step }: PaymentTerms, amount: Nanos): void {
  const bounds = { min: formatMoney(min), max: formatMoney(max) };
  if (amount < min || amount > max) {
    throw new Refusal(`a payment must be from ${bounds.min} to ${bounds.max}`, "paymentAmountBounds", bounds);
  }
  if (amount % step !== 0n) {
    throw new Refusal(`amounts must be a multiple of ${formatMoney(step)}`, "paymentAmountUneven", {
      step: formatMoney(step),
    });
  }
}
