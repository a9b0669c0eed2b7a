import type { Notice } from "./sign-in/notice";

/** A path with its query; undefined parameters are left out. */
function at(path: string, query: Record<string, string | boolean | undefined> = {}): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
}

const below = (path: string, id: string): string => `${path}/${encodeURIComponent(id)}`;

/** The parameters of both lists of requests and both lists of videos. */
type ListSearchParameters = {
  request?: string;
  key?: string;
  model?: string;
  account?: string;
  channel?: string;
  status?: "failed";
  from?: string;
  until?: string;
  /** The list follows new requests. */
  live?: true;
  sort?: string;
};
type UsageSearchParameters = {
  by?: string;
  range?: string;
  from?: string;
  to?: string;
  account?: string;
  measure?: string;
  view?: string;
};
type Tasks = { task?: string; account?: string; state?: "processing" };

/**
 * Every address of the console, built here and nowhere else (addresses.test.ts). Parameters are in the query, which
 * the page reads.
 */
export const addresses = {
  overview: () => at("/"),
  signIn: (query: { notice?: Notice; to?: string } = {}) => at("/sign-in", query),
  forgotPassword: () => at("/forgot-password"),
  changePassword: () => at("/change-password"),
  /** `refusal`: the reason why linking the provider failed. */
  security: (query: { refusal?: string } = {}) => at("/security", query),
  managementKeys: (query: { create?: true } = {}) => at("/management-keys", query),
  notifications: (query: { create?: true } = {}) => at("/notifications", query),
  people: () => at("/people"),
  /** Every endpoint of the admin API, as OpenAPI. */
  adminReference: () => at("/admin/v1/openapi.json"),

  docs: () => at("/docs"),
  doc: (id: string, hash = "") => `${below("/docs", id)}${hash}`,
  docSearch: () => at("/docs/search"),
  /** The best results only, for the console's search. */
  docFindings: (query: { q: string }) => at("/api/docs", query),
  /** The same page as Markdown, for programs. */
  docFile: (language: string, id: string) => below(below("/docs/files", language), `${id}.md`),
  openApi: () => at("/openapi.json"),
  keys: (query: { create?: true } = {}) => at("/keys", query),
  key: (keyId: string) => below("/keys", keyId),
  usage: (query: UsageSearchParameters = {}) => at("/usage", query),
  requests: (query: ListSearchParameters = {}) => at("/requests", query),
  videos: (query: Tasks = {}) => at("/videos", query),
  billing: (query: { pay?: true } = {}) => at("/billing", query),
  ownPayments: () => at("/billing/payments"),
  payment: (paymentId: string) => below("/billing/payments", paymentId),
  /** The statement to print. */
  statement: (query: { month?: string } = {}) => at("/billing/statement", query),
  models: () => at("/models"),
  playground: (query: { tab?: string; model?: string } = {}) => at("/playground", query),

  /** `group`: a price group's identifier. */
  accounts: (query: { status?: "active"; group?: string; create?: true } = {}) => at("/accounts", query),
  account: (accountId: string) => below("/accounts", accountId),
  accountStatement: (accountId: string, query: { month?: string } = {}) =>
    at(`${below("/accounts", accountId)}/statement`, query),
  users: () => at("/users"),
  payments: (query: { account?: string } = {}) => at("/payments", query),
  codes: (query: { create?: true } = {}) => at("/codes", query),
  codeBatch: (batchId: string) => below("/codes", batchId),
  channels: () => at("/channels"),
  /** `byHand`: every setting in one form, in place of the three steps. */
  newChannel: (query: { byHand?: true } = {}) => at("/channels/new", query),
  channel: (channelId: string) => below("/channels", channelId),
  channelModels: (channelId: string) => `${below("/channels", channelId)}#models`,
  channelTest: (channelId: string) => `${below("/channels", channelId)}#test`,
  routes: (query: { model?: string } = {}) => at("/channels/routes", query),
  prices: () => at("/prices"),
  priceGrid: () => at("/prices/grid"),
  priceFile: () => at("/prices/file"),
  priceGroups: (query: { create?: true } = {}) => at("/prices/groups", query),
  importPrices: () => at("/prices/import"),
  newPrice: (query: { id?: string } = {}) => at("/prices/new", query),
  /** A model's identifier may contain slashes, so it is not in the path. */
  price: (id: string) => at("/prices/model", { id }),
  allUsage: (query: UsageSearchParameters = {}) => at("/all-usage", query),
  margin: (query: Omit<UsageSearchParameters, "account" | "measure" | "view"> = {}) => at("/margin", query),
  allRequests: (query: ListSearchParameters = {}) => at("/all-requests", query),
  allVideos: (query: Tasks = {}) => at("/all-videos", query),
  audit: (query: { account?: string } = {}) => at("/audit", query),

  /** A list as a file. */
  exported: (
    what: "requests" | "all-requests" | "usage" | "all-usage" | "statement" | "months" | "audit" | "prices",
    query: Record<string, string> = {},
  ) => at(below("/api/export", what), query),
};
