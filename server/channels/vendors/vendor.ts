import type { VendorApi } from "@/server/base/enums";
import type { Capabilities } from "@/server/protocol/capabilities";

/** Capabilities of the models whose upstream names match. */
export type ModelRow = { match: RegExp; capabilities: Partial<Capabilities> };

/** A preset: facts about a vendor's endpoint that an operator would otherwise have to look up. */
export type Vendor = {
  /** The name that an operator types. */
  id: string;
  name: string;
  dialect: VendorApi;
  /** null: every customer has their own. */
  baseUrl: string | null;
  /** Host name suffixes that identify the vendor of a channel without one, in addition to the base URL's own host. */
  hosts?: string[];
  capabilities: Partial<Capabilities>;
  /** The first match applies. */
  models?: ModelRow[];
};
