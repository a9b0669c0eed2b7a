/**
 * The presets: well-known vendors' endpoints, and how each wants to be asked. Data; docs/channels.md says how to add.
 */
import type { VendorApi } from "@/server/base/facts";
import { anthropic, claudeModels } from "./anthropic";
import { dashscopeVendors } from "./dashscope";
import { deepseekVendors } from "./deepseek";
import { hosts } from "./hosts";
import { localServers } from "./local";
import { makers } from "./makers";
import { moonshotVendors } from "./moonshot";
import { openaiVendors } from "./openai";
import type { Vendor } from "./vendor";
import { zhipuVendors } from "./zhipu";

export type { Vendor } from "./vendor";

export const vendors: Vendor[] = [
  ...openaiVendors,
  anthropic,
  ...makers,
  ...deepseekVendors,
  ...moonshotVendors,
  ...zhipuVendors,
  ...dashscopeVendors,
  ...hosts,
  ...localServers,
];

export const findVendor = (id: string): Vendor | null => vendors.find((vendor) => vendor.id === id) ?? null;

/** Whose endpoint this must be. A local server tells nothing by its address. */
export function guessVendor(baseUrl: string, dialect: VendorApi): Vendor | null {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  return (
    vendors.find(
      (vendor) =>
        vendor.dialect === dialect &&
        !localServers.includes(vendor) &&
        ((vendor.baseUrl !== null && new URL(vendor.baseUrl).hostname === host) ||
          vendor.hosts?.some((end) => host.endsWith(end))),
    ) ?? null
  );
}

/** Somebody else's server in Anthropic's dialect: the names of Claude models tell what they are. */
export const anyAnthropic: Pick<Vendor, "capabilities" | "models"> = {
  capabilities: {},
  models: claudeModels,
};
