import { headers } from "next/headers";
import { getRuntime } from "@/server/process/runtime";
import { buildId } from "./build";
import { originOf } from "./request";

/** What pages say of this installation. */
export type Installation = {
  /** ISO 4217; every amount is in it. */
  currency: string;
  /** Billing months and days begin at midnight of this zone. */
  billingTimeZone: string;
  /** Where clients reach the API, without `/v1`. */
  baseUrl: string;
  /** How long calls are listed. */
  requestLogDays: number;
  /** What the pages were built as. */
  build: string;
};

export async function describeInstallation(): Promise<Installation> {
  const { config } = await getRuntime();
  return {
    currency: config.CURRENCY,
    billingTimeZone: config.BILLING_TIMEZONE,
    baseUrl: config.PUBLIC_URL ?? originOf(await headers()),
    requestLogDays: config.REQUEST_LOG_DAYS,
    build: buildId(),
  };
}
