import { isFronted } from "@/server/runtime/shared-runtime";

/** The browser's address: the one hop that the server in front of Next vouches for. null if there is no such server. */
export function addressOf(headers: { get: (name: string) => string | null }): string | null {
  const hops = isFronted() ? headers.get("x-forwarded-for") : null;
  const address = hops?.slice(-128).split(",").at(-1)?.trim();
  return address && address !== "unknown" ? address : null;
}

/**
 * The address at which the browser reaches the console. With our server in front of Next: from the forwarded headers,
 * which the server passes on only from a trusted proxy, and which Next otherwise fills in from the request. Without it:
 * from the request.
 */
export function originOf(headers: Headers): string {
  const proxyHeader = (name: string) => (isFronted() ? headers.get(name) : null);
  return `${proxyHeader("x-forwarded-proto") ?? "http"}://${proxyHeader("x-forwarded-host") ?? headers.get("host") ?? ""}`;
}

/**
 * Whether the request carries JSON, which no form can: a page of another site would need a preflight, which is never
 * answered.
 */
export function isJson(headers: Headers): boolean {
  const [mediaType] = (headers.get("content-type") ?? "").split(";");
  return mediaType?.trim().toLowerCase() === "application/json";
}

/** Whether the browser says that a page of ours asks. The few browsers that say nothing are let through. */
export const isOwnSite = (headers: Headers): boolean =>
  ["same-origin", null].includes(headers.get("sec-fetch-site"));
