import { findVendor, vendors } from "@/server/channels";
import { type VendorApi, vendorApis } from "@/server/domain/enums";
import { type FlagValues, need, text, UsageError, wholeNumber } from "./command";

/** The upstream of a new channel: a preset's endpoint, or one that the operator names. */
export type Endpoint = { dialect: VendorApi; vendor: string | undefined; baseUrl: string };

function dialectOf(value: string): VendorApi {
  const dialect = vendorApis.find((api) => api === value);
  if (!dialect) {
    throw new UsageError(`--dialect must be one of ${vendorApis.join(", ")}`);
  }
  return dialect;
}

function vendorOf(id: string) {
  const vendor = findVendor(id);
  if (!vendor) {
    throw new UsageError(`--vendor must be one of ${vendors.map((preset) => preset.id).join(", ")}`);
  }
  return vendor;
}

/** `--vendor`, or `--dialect` and `--base-url`; a base URL may also be given to a vendor, for a proxy or a region. */
export function endpoint(values: FlagValues): Endpoint {
  const id = text(values, "vendor");
  if (id === undefined) {
    return {
      dialect: dialectOf(need(values, "dialect")),
      vendor: undefined,
      baseUrl: need(values, "base-url"),
    };
  }
  const vendor = vendorOf(id);
  const dialect = text(values, "dialect");
  if (dialect !== undefined && dialect !== vendor.dialect) {
    throw new UsageError(`--dialect: vendor ${vendor.id} uses ${vendor.dialect}`);
  }
  const baseUrl = text(values, "base-url") ?? vendor.baseUrl ?? need(values, "base-url");
  return { dialect: vendor.dialect, vendor: vendor.id, baseUrl };
}

/** Removes a setting. A setting whose flag is absent stays. */
const NONE = "none";

/** Another preset for an existing channel. null: none, so that the host of the base URL decides. */
export function newVendor(values: FlagValues): string | null | undefined {
  const id = text(values, "vendor");
  if (id === undefined) {
    return undefined;
  }
  return id === NONE ? null : vendorOf(id).id;
}

export const trafficFlags = {
  priority: { type: "string" },
  weight: { type: "string" },
  "max-tasks": { type: "string" },
  timeout: { type: "string" },
  "idle-timeout": { type: "string" },
} as const;

const liftable = (values: FlagValues, name: keyof typeof trafficFlags, max: number) =>
  text(values, name) === NONE ? null : wholeNumber(values, name, { min: 1, max });

/** The settings in the flags; undefined: not given, null: back to the default. */
export const traffic = (values: FlagValues) => ({
  priority: wholeNumber(values, "priority", { min: 0, max: 1_000 }),
  weight: wholeNumber(values, "weight", { min: 0, max: 1_000 }),
  maxTasks: liftable(values, "max-tasks", 100_000),
  timeoutSeconds: liftable(values, "timeout", 3_600),
  idleTimeoutSeconds: liftable(values, "idle-timeout", 3_600),
});
