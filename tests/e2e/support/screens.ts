import { placesOf } from "@/app/(console)/_components/shell/navigation";
import type { People, Role } from "./people";

/** A page as a role sees it. `name` is also the picture's name in docs/screenshots. */
export type Screen = { name: string; role: Role; path: (people: People) => string };

/** Owners and operators both have these pages. */
const shared = ["overview", "management-keys", "notifications", "security"];

const menu = (role: "owner" | "operator"): Screen[] =>
  placesOf(role, true).map(({ href }) => {
    const name = href.slice(1) || "overview";
    return {
      name: role === "operator" && shared.includes(name) ? `operator-${name}` : name,
      role,
      path: () => href,
    };
  });

const page = (name: string, role: Role, path: Screen["path"]): Screen => ({ name, role, path });

/** All screens: the pages of the menus, the pages that those lead to, and their dialogs. */
export const screens: Screen[] = [
  page("sign-in", "nobody", () => "/sign-in"),
  page("set-password", "nobody", () => "/set-password#token"),
  page("forgot-password", "nobody", () => "/forgot-password"),
  page("unsubscribe", "nobody", () => "/unsubscribe?token=usr_1.token"),
  ...menu("owner"),
  page("key", "owner", ({ keyId }) => `/keys/${keyId}`),
  page("key-create", "owner", () => "/keys?create=true"),
  page("webhook-create", "owner", () => "/notifications?create=true"),
  page("management-key-create", "owner", () => "/management-keys?create=true"),
  page("request", "owner", ({ requestId }) => `/requests?request=${requestId}`),
  page("video", "owner", ({ taskId }) => `/videos?task=${taskId}`),
  page("statement", "owner", () => "/billing/statement"),
  page("billing-pay", "owner", () => "/billing?pay=true"),
  page("own-payments", "owner", () => "/billing/payments"),
  page("payment", "owner", ({ paymentId }) => `/billing/payments/${paymentId}`),
  page("videos-gallery", "owner", () => "/videos?view=gallery"),
  page("playground-messages", "owner", () => "/playground?tab=messages"),
  page("playground-embeddings", "owner", () => "/playground?tab=embeddings"),
  page("playground-video", "owner", () => "/playground?tab=video"),
  ...menu("operator"),
  page("users-viewer", "viewer", () => "/users"),
  page("channel-viewer", "viewer", ({ channelId }) => `/channels/${channelId}`),
  page("account", "operator", ({ accountId }) => `/accounts/${accountId}`),
  page("account-statement", "operator", ({ accountId }) => `/accounts/${accountId}/statement`),
  page("account-create", "operator", () => "/accounts?create=true"),
  page("account-top-up", "operator", ({ accountId }) => `/accounts/${accountId}?change=top-up`),
  page("account-adjust", "operator", ({ accountId }) => `/accounts/${accountId}?change=adjust`),
  page("channel", "operator", ({ channelId }) => `/channels/${channelId}`),
  page("channel-new", "operator", () => "/channels/new"),
  page("channel-by-hand", "operator", () => "/channels/new?byHand=true"),
  page("channel-routes", "operator", ({ chatModel }) => `/channels/routes?model=${chatModel}`),
  page("price", "operator", ({ videoModel }) => `/prices/model?id=${videoModel}`),
  page("price-new", "operator", () => "/prices/new"),
  page("codes-create", "operator", () => "/codes?create=true"),
  page("price-grid", "operator", () => "/prices/grid"),
  page("price-file", "operator", () => "/prices/file"),
  page("price-groups", "operator", () => "/prices/groups"),
  page("price-groups-viewer", "viewer", () => "/prices/groups"),
  page("price-groups-create", "operator", () => "/prices/groups?create=true"),
  page("accounts-of-group", "operator", ({ priceGroupId }) => `/accounts?group=${priceGroupId}`),
  page("price-import", "operator", () => "/prices/import"),
];

/** One documentation page of each sort: code in tabs, wide tables, very many headings, long lines, one language. */
export const documentation: Screen[] = [
  "quick-start",
  "endpoints",
  "errors",
  "clients",
  "configuration",
  "changelog",
  "admin-api-reference",
].map((id) => page(`docs-${id}`, "nobody", () => `/docs/${id}`));
