import { BlockList, isIP } from "node:net";

export type AllowList = { allows: (address: string | null) => boolean };

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An address as we compare it: an IPv4 one inside IPv6 unwrapped, a zone cut off. null: not an address. */
export function plainAddress(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/%.*$/, "");
  const address = bare.match(MAPPED)?.[1] ?? bare;
  return isIP(address) === 0 ? null : address;
}

/** An address or CIDR in canonical form, host bits cleared (`10.0.0.5/8` -> `10.0.0.0/8`). null: neither. */
export function canonicalCidr(text: string): string | null {
  const [host = "", prefix, ...rest] = text.trim().split("/");
  const address = plainAddress(host);
  if (address === null || rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) {
    return null;
  }
  const width = isIP(address) === 4 ? 32 : 128;
  // A prefix that was written for the IPv6 form of an IPv4 address counts from there.
  const unwrapped = width === 32 && host.includes(":") ? 96 : 0;
  const bits = prefix === undefined ? width : Number(prefix) - unwrapped;
  if (bits < 0 || bits > width) {
    return null;
  }
  const network = toText((toBits(address) >> BigInt(width - bits)) << BigInt(width - bits), width);
  return bits === width ? network : `${network}/${bits}`;
}

function toBits(address: string): bigint {
  if (isIP(address) === 4) {
    return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  }
  // The URL parser knows every spelling of IPv6, dotted tails included.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const left = head.split(":").filter(Boolean);
  const right = (tail ?? "").split(":").filter(Boolean);
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

function toText(bits: bigint, width: number): string {
  if (width === 32) {
    return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join(".");
  }
  const groups = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) =>
    ((bits >> shift) & 0xffffn).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

/** Compiles rules once. No rules allow any address; an unknown address passes no rule. */
export function compileAllowList(cidrs: readonly string[]): AllowList {
  if (cidrs.length === 0) {
    return { allows: () => true };
  }
  // One list a family: a BlockList that knows both lets an IPv4 rule match a mapped IPv6 address.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  const familyOf = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6");
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
