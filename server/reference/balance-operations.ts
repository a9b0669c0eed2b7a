import type { Texts } from "@/server/base/language";
import type { AnswerName } from "./answers";
import { type DocumentedOperation, reads } from "./operation";
import { both } from "./texts";

const balanceOperation = (
  id: string,
  path: string,
  [summary, schema]: [Texts, AnswerName],
): DocumentedOperation =>
  reads({
    ...{ id, path, summary, method: "get", tag: "balance" },
    answers: [{ status: 200, schema }],
    refusals: [],
  });

const currentKey: [Texts, AnswerName] = [
  both("当前 API Key 的用量和上限（OpenRouter 格式）", "Usage and cap of the API key (OpenRouter format)"),
  "KeyBalance",
];

/** A key's balance, in several forms. */
export const balances: DocumentedOperation[] = [
  balanceOperation("getUsage", "/v1/usage", [
    both("当前 API Key 可用的额度", "Balance available to the API key"),
    "Usage",
  ]),
  balanceOperation("getCredits", "/v1/credits", [
    both("当前 API Key 的额度（OpenRouter 格式）", "Credits of the API key (OpenRouter format)"),
    "Credits",
  ]),
  balanceOperation("getCurrentKey", "/v1/key", currentKey),
  balanceOperation("getCurrentKeyByOldPath", "/v1/auth/key", currentKey),
  balanceOperation("getBillingSubscription", "/v1/dashboard/billing/subscription", [
    both("额度（OpenAI 旧账单格式）", "Spending limit of the API key (OpenAI's legacy billing format)"),
    "BillingSubscription",
  ]),
  balanceOperation("getBillingUsage", "/v1/dashboard/billing/usage", [
    both(
      "已用金额，单位为百分之一（OpenAI 旧账单格式）",
      "Usage of the API key in hundredths (OpenAI's legacy billing format)",
    ),
    "BillingUsage",
  ]),
];
