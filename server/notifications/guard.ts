/** Keeps webhooks away from addresses that only this machine or its network should reach. */
import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Agent } from "undici";
import { Refusal } from "@/server/domain/refusal";

/** Ranges that are not public addresses: RFC 6890, and those that embed an IPv4 address in IPv6. */
const reserved4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];
const reserved6 = [
  "::/96",
  "::ffff:0:0/96",
  // Translated addresses (RFC 2765).
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

const listOf = (ranges: string[], family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
};

// Two lists: a single list takes an IPv4 address for one that is mapped into IPv6.
const [blocked4, blocked6] = [listOf(reserved4, "ipv4"), listOf(reserved6, "ipv6")];

/** Whether an address is public on the internet. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) {
    return !blocked4.check(address, "ipv4");
  }
  return family === 6 && !blocked6.check(address, "ipv6");
}

const PRIVATE = "the address is private";

/**
 * Throws Refusal for a URL that a webhook may not have: it must be https, without credentials, and not a private
 * address, unless `allowPrivate`. The addresses of a host name are checked when the connection is made.
 */
export function refuseUrl(text: string, allowPrivate: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const protocols = allowPrivate ? ["https:", "http:"] : ["https:"];
  if (!url || url.username || url.password || url.hash || !protocols.includes(url.protocol)) {
    throw new Refusal(
      `a webhook needs an https URL without credentials or fragment: ${text}`,
      "webhookUrlInvalid",
    );
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!allowPrivate && isIP(host) !== 0 && !isPublic(host)) {
    throw new Refusal(PRIVATE, "webhookUrlPrivate");
  }
}

/**
 * The system's look-up, but with an error if any address is private. The connection uses exactly the addresses that it
 * returns.
 */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? [];
    if (error || !first) {
      callback(error ?? new Error("the name has no address"), "", 4);
    } else if (!addresses.every(({ address }) => isPublic(address))) {
      callback(new Error(PRIVATE), "", 4);
    } else if (options.all) {
      callback(null, addresses);
    } else {
      callback(null, first.address, first.family);
    }
  });
};

/** Connections to webhooks, separate from those to upstreams. */
export const createWebhookAgent = (allowPrivate: boolean): Agent =>
  new Agent({
    connect: { timeout: 5_000, ...(!allowPrivate && { lookup: publicLookup }) },
    connections: 8,
    keepAliveTimeout: 4_000,
    headersTimeout: 15_000,
    bodyTimeout: 15_000,
    maxHeaderSize: 16 * 1024,
  });
