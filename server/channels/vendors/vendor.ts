import type { VendorApi } from "@/server/base/facts";
import type { Capabilities } from "@/server/protocol/capabilities";

/** What the models with these upstream names have of their own. */
export type ModelRow = { match: RegExp; capabilities: Partial<Capabilities> };

/** A preset: what an operator would otherwise have to look up about a vendor's endpoint. */
export type Vendor = {
  /** What an operator types. */
  id: string;
  name: string;
  dialect: VendorApi;
  /** null: every customer has an own one. */
  baseUrl: string | null;
  /** Ends of the host names by which a channel without a vendor is recognised, beside the base URL's own host. */
  hosts?: string[];
  capabilities: Partial<Capabilities>;
  /** The first that matches counts. */
  models?: ModelRow[];
};
