import { isFronted } from "@/server/process/runtime";

/** The browser's address: the one hop that the server in front of Next vouches for. null where nobody does. */
export function addressOf(headers: { get: (name: string) => string | null }): string | null {
  const hops = isFronted() ? headers.get("x-forwarded-for") : null;
  const address = hops?.slice(-128).split(",").at(-1)?.trim();
  return address && address !== "unknown" ? address : null;
}

/**
 * Where the browser reaches us: what a trusted proxy says of it, which is all that the server in front of Next lets
 * through, or the request itself, by which Next fills both headers in then. Where nobody is in front, the request.
 */
export function originOf(headers: Headers): string {
  const said = (name: string) => (isFronted() ? headers.get(name) : null);
  return `${said("x-forwarded-proto") ?? "http"}://${said("x-forwarded-host") ?? headers.get("host") ?? ""}`;
}

/**
 * Whether it carries JSON, which no form can: a page of another site would have to ask first, and nobody answers that.
 */
export function isJson(headers: Headers): boolean {
  const [mediaType] = (headers.get("content-type") ?? "").split(";");
  return mediaType?.trim().toLowerCase() === "application/json";
}

/** Whether the browser says that a page of ours asks. The few that do not say are let through. */
export const isOwnSite = (headers: Headers): boolean =>
  ["same-origin", null].includes(headers.get("sec-fetch-site"));
