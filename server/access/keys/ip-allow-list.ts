import { BlockList } from "node:net";
import { plainAddress } from "./cidr";

export type AllowList = { allows: (address: string | null) => boolean };

/** One for all keys without rules, of which a process may keep 200,000. */
const ANY: AllowList = { allows: () => true };

/** Compiles rules once. No rules allow any address; an unknown address matches no rule. */
export function compileAllowList(cidrs: readonly string[]): AllowList {
  if (cidrs.length === 0) {
    return ANY;
  }
  // One list per family: a BlockList with both lets an IPv4 rule match a mapped IPv6 address.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  const familyOf = (address: string) => (address.includes(":") ? "ipv6" : "ipv4");
  for (const cidr of cidrs) {
    const [network = "", prefix] = cidr.split("/");
    const family = familyOf(network);
    const width = family === "ipv4" ? 32 : 128;
    lists[family].addSubnet(network, prefix === undefined ? width : Number(prefix), family);
  }
  return {
    allows: (address) => {
      const plain = address === null ? null : plainAddress(address);
      return plain !== null && lists[familyOf(plain)].check(plain, familyOf(plain));
    },
  };
}

/** A hop without the port that some proxies append (Azure's gateway does): `1.2.3.4:56`, `[::1]:56`. */
function hopAddress(hop: string): string | null {
  const [, v4, v6] =
    /^(?:([\d.]{7,15})|\[([\da-fA-F:.]{2,45})\]):\d{1,5}$/.exec(hop.slice(0, 128).trim()) ?? [];
  return plainAddress(v4 ?? v6 ?? hop);
}

const MAX_HOPS = 32;

/**
 * The client address of a request: the socket's or, if the socket is a trusted proxy, the right-most untrusted hop of
 * `x-forwarded-for`. null, which no rule allows, if a trusted proxy reports no address or an invalid one: the proxy's
 * own address must not count as the client's.
 */
export function clientAddress(
  peer: string | null,
  forwardedFor: string | null,
  trusted: AllowList | null,
): string | null {
  let address = peer === null ? null : plainAddress(peer);
  if (address === null || !trusted?.allows(address)) {
    return address;
  }
  const hops = (forwardedFor ?? "").split(",").slice(-MAX_HOPS).reverse();
  for (const hop of hops) {
    address = hopAddress(hop);
    if (address === null || !trusted.allows(address)) {
      return address;
    }
  }
  // All hops are trusted: the first one is the client, unless the list was cut off.
  return hops.length < MAX_HOPS ? address : null;
}
