import { type CapabilityOverrides, findVendor, overridesSchema, vendors } from "@/server/channels";
import { type Dialect, dialects } from "@/server/upstream";
import { many, need, text, UsageError, type Values } from "./command";

/** Where a new channel leads: a preset's endpoint, or what the operator names. */
export type Endpoint = { dialect: Dialect; vendor: string | undefined; baseUrl: string };

function dialectOf(value: string): Dialect {
  const dialect = dialects.find((known) => known === value);
  if (!dialect) {
    throw new UsageError(`--dialect must be one of ${dialects.join(", ")}`);
  }
  return dialect;
}

/** `--vendor`, or `--dialect` and `--base-url`; a base URL may also be given to a vendor, for a proxy or a region. */
export function endpoint(values: Values): Endpoint {
  const id = text(values, "vendor");
  if (id === undefined) {
    return {
      dialect: dialectOf(need(values, "dialect")),
      vendor: undefined,
      baseUrl: need(values, "base-url"),
    };
  }
  const vendor = findVendor(id);
  if (!vendor) {
    throw new UsageError(`--vendor must be one of ${vendors.map((known) => known.id).join(", ")}`);
  }
  const dialect = text(values, "dialect");
  if (dialect !== undefined && dialect !== vendor.dialect) {
    throw new UsageError(`--dialect: ${vendor.id} speaks ${vendor.dialect}`);
  }
  const baseUrl = text(values, "base-url") ?? vendor.baseUrl ?? need(values, "base-url");
  return { dialect: vendor.dialect, vendor: vendor.id, baseUrl };
}

/** `PUBLIC` or `PUBLIC=UPSTREAM`. */
export function modelMap(entries: string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const [publicName = "", ...upstream] = entry.split("=");
      if (publicName === "") {
        throw new UsageError(`--model ${entry}: the public name is missing`);
      }
      return [publicName, upstream.join("=") || publicName];
    }),
  );
}

const literals = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** A capability as the operator wrote it; effort levels are a list with commas. */
function parseWritten(field: string, written: string): unknown {
  if (field === "effortLevels") {
    return written.split(",").filter((level) => level !== "");
  }
  const literal = literals.get(written);
  if (literal !== undefined) {
    return literal;
  }
  return /^\d+$/.test(written) ? Number(written) : written;
}

/** `MODEL:FIELD=VALUE`, each field checked, by public name. A name may have colons, a field has none. */
export function capabilityOverrides(
  values: Values,
  channel: { dialect: Dialect; models: Record<string, string> },
): Record<string, CapabilityOverrides> {
  const schema = overridesSchema(channel.dialect);
  // A model may be called `__proto__`.
  const overrides = new Map<string, CapabilityOverrides>();
  for (const entry of many(values, "capability")) {
    const [, model, field, written] = /^(.+):(\w+)=(.*)$/.exec(entry) ?? [];
    if (model === undefined || field === undefined || written === undefined) {
      throw new UsageError(`--capability ${entry}: write MODEL:FIELD=VALUE, such as m1:thinking=effort`);
    }
    if (!Object.hasOwn(channel.models, model)) {
      throw new UsageError(`--capability ${entry}: there is no --model ${model}`);
    }
    const parsed = schema.safeParse({ [field]: parseWritten(field, written) });
    if (!parsed.success) {
      throw new UsageError(`--capability ${entry}: ${field}: ${parsed.error.issues[0]?.message}`);
    }
    overrides.set(model, { ...overrides.get(model), ...parsed.data });
  }
  return Object.fromEntries(overrides);
}
