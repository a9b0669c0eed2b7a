import { both, type Texts } from "@/server/base/language";
import { capWindows } from "@/server/domain/cap-windows";
import { type NamedSchema, reads } from "./endpoint";
import { constant, integer, moment, number, object, oneOf, orNull, text, truth } from "./schema";

const get = <const Id extends string>(
  id: Id,
  path: string,
  declared: { summary: Texts; answer: NamedSchema; isCommonWord?: true },
) => {
  const { answer, ...more } = declared;
  return reads({
    ...more,
    ...{ id, path, name: "balance", label: "GET /v1/usage", method: "get", tag: "balance" },
    answers: [{ status: 200, schema: answer }],
    refusals: [],
  });
};

const Usage = object({
  object: constant("usage"),
  ...{ isValid: truth, planName: text, unit: text },
  ...{ total: number, used: number, remaining: number },
  ...{ window: oneOf(...capWindows), resets_at: moment, scope: oneOf("key", "account") },
  key_usage: object({ day: number, week: number, month: number }),
  expires_at: orNull(moment),
});

const KeyBalance = object({
  data: object({
    ...{ label: text, limit: orNull(number), limit_remaining: orNull(number), usage: number },
    limit_reset: oneOf("daily", "weekly", "monthly", null),
    ...{ usage_daily: number, usage_weekly: number, usage_monthly: number, is_free_tier: truth },
    expires_at: orNull(moment),
  }),
});

const currentKey = {
  summary: both(
    "当前 API Key 的用量和上限（OpenRouter 格式）",
    "Usage and cap of the API key (OpenRouter format)",
  ),
  answer: { name: "KeyBalance", schema: KeyBalance },
  isCommonWord: true,
} as const;

/** A key's balance, in several forms. */
export const balances = [
  get("getUsage", "/v1/usage", {
    summary: both("当前 API Key 可用的额度", "Balance available to the API key"),
    answer: { name: "Usage", schema: Usage },
    isCommonWord: true,
  }),
  get("getCredits", "/v1/credits", {
    summary: both("当前 API Key 的额度（OpenRouter 格式）", "Credits of the API key (OpenRouter format)"),
    answer: {
      name: "Credits",
      schema: object({ data: object({ total_credits: number, total_usage: number }) }),
    },
  }),
  get("getCurrentKey", "/v1/key", currentKey),
  get("getCurrentKeyByOldPath", "/v1/auth/key", currentKey),
  get("getBillingSubscription", "/v1/dashboard/billing/subscription", {
    summary: both(
      "额度（OpenAI 旧账单格式）",
      "Spending limit of the API key (OpenAI's legacy billing format)",
    ),
    answer: {
      name: "BillingSubscription",
      schema: object({
        object: constant("billing_subscription"),
        ...{ hard_limit_usd: number, soft_limit_usd: number, access_until: integer },
      }),
    },
  }),
  get("getBillingUsage", "/v1/dashboard/billing/usage", {
    summary: both(
      "已用金额，单位为百分之一（OpenAI 旧账单格式）",
      "Usage of the API key in hundredths (OpenAI's legacy billing format)",
    ),
    answer: {
      name: "BillingUsage",
      schema: object({ object: constant("list"), total_usage: number }),
    },
  }),
] as const;
