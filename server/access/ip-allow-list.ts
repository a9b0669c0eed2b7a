import { BlockList } from "node:net";
import { plainAddress } from "./cidr";

export type AllowList = { allows: (address: string | null) => boolean };

/** Compiles rules once. No rules allow any address; an unknown address passes no rule. */
export function compileAllowList(cidrs: readonly string[]): AllowList {
  if (cidrs.length === 0) {
    return { allows: () => true };
  }
  // One list a family: a BlockList that knows both lets an IPv4 rule match a mapped IPv6 address.
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

/**
 * The address that a request comes from: the socket's, or, when the socket is a trusted proxy, the right-most hop of
 * `x-forwarded-for` that is not one. A hop that is no address ends the walk: what is left of it proves nothing.
 */
export function clientAddress(
  peer: string | null,
  forwardedFor: string | null,
  trusted: AllowList | null,
): string | null {
  let address = peer === null ? null : plainAddress(peer);
  const hops = forwardedFor?.split(",").reverse() ?? [];
  for (const hop of hops.slice(0, 32)) {
    if (address === null || !trusted?.allows(address)) {
      break;
    }
    const next = plainAddress(hop);
    if (next === null) {
      break;
    }
    address = next;
  }
  return address;
}
