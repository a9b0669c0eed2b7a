import { headers } from "next/headers";
import { endpointLabels, examplesByKind, operationsByKind } from "@/server/endpoints";
import { describePayments } from "@/server/payments";
import { getRuntime } from "@/server/runtime/shared-runtime";
import { buildId } from "./build";
import { originOf } from "./request";

/** Facts of this installation for pages. */
export type Installation = {
  /** ISO 4217; every amount is in it. */
  currency: string;
  /** Billing months and days begin at midnight of this zone. */
  billingTimeZone: string;
  /** The address of the API for clients, without `/v1`. */
  baseUrl: string;
  /** For how many days calls are listed. */
  requestLogDays: number;
  /** The identifier of this build. */
  build: string;
  /** Terms of online payments by customers, decimals of the currency; null: not available. */
  payments: ReturnType<typeof describePayments>;
  /** The names of endpoints as people see them. */
  endpointLabels: Record<string, string>;
  /** By the kind of a model: the operations of upstreams of which its channels need one. */
  operationsByKind: typeof operationsByKind;
  /** By the kind of a model: a call to show. */
  examplesByKind: typeof examplesByKind;
};

export async function describeInstallation(): Promise<Installation> {
  const { config } = await getRuntime();
  return {
    currency: config.CURRENCY,
    billingTimeZone: config.BILLING_TIMEZONE,
    baseUrl: config.PUBLIC_URL ?? originOf(await headers()),
    requestLogDays: config.REQUEST_LOG_DAYS,
    build: buildId(),
    payments: describePayments(config),
    ...{ endpointLabels, operationsByKind, examplesByKind },
  };
}
