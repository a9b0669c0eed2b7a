/**
 * Addresses and ranges as text and as values of ipaddr.js. Pure, and free of Node's modules, because the browser reads rules with
 * it, too.
 */
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses: one of them, and the prefix length in bits. */
export type Network = { address: Address; prefix: number };

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The URL parser accepts every spelling of IPv6, dotted tails included, and nothing else in brackets. ipaddr.js 2.5.0
 * also accepts octal numbers in such a tail, and takes `::1.2.3.4` for `::ffff:1.2.3.4`.
 */
const isIpv6 = (text: string) => /^[\da-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]`);

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

/** The longest spelling of an address, with brackets, a zone and some space. */
const MAX_CHARACTERS = 128;

const isBracketed = (text: string) => text.startsWith("[") && text.endsWith("]");

/** Normalises an address for comparison: unwraps IPv4 inside IPv6 and removes a zone. null: not an address. */
export function plainAddress(text: string): string | null {
  if (text.length > MAX_CHARACTERS) {
    return null;
  }
  const trimmed = text.trim();
  const [bare = ""] = (isBracketed(trimmed) ? trimmed.slice(1, -1) : trimmed).split("%", 1);
  const address = bare.match(MAPPED)?.[1] ?? bare;
  return IPV4.test(address) || isIpv6(address) ? address : null;
}

/** Parses a single address. null: not an address. */
export function readAddress(text: string): Address | null {
  const address = plainAddress(text);
  if (address === null) {
    return null;
  }
  if (!address.includes(":")) {
    return ipaddr.IPv4.parse(address);
  }
  return ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1));
}

const widthOf = (address: Address) => (address.kind() === "ipv4" ? 32 : 128);

/** The same range by its first address. */
export function withoutHostBits({ address, prefix }: Network): Network {
  const family = address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return { address: family.networkAddressFromCIDR(`${address}/${prefix}`), prefix };
}

export const contains = ({ address, prefix }: Network, other: Address): boolean =>
  address.kind() === other.kind() && address.match(other, prefix);

export type CidrFault = "not_an_address" | "bad_prefix";

/** Parses an address or CIDR as written, with host bits. */
export function readCidr(text: string): Network | CidrFault {
  const [host = "", prefix, ...rest] = text.trim().split("/");
  const address = readAddress(host);
  if (address === null) {
    return "not_an_address";
  }
  if (prefix === undefined) {
    return { address, prefix: widthOf(address) };
  }
  // The prefix of an IPv4 address in IPv6 form counts from the IPv6 form.
  const unwrapped = address.kind() === "ipv4" && host.includes(":") ? 96 : 0;
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) - unwrapped : -1;
  return rest.length === 0 && length >= 0 && length <= widthOf(address)
    ? { address, prefix: length }
    : "bad_prefix";
}

/** A network as text; a single address has no prefix length. */
export const formatNetwork = ({ address, prefix }: Network): string =>
  prefix === widthOf(address) ? address.toString() : `${address}/${prefix}`;

/** Returns an address or CIDR in canonical form, host bits cleared (`10.0.0.5/8` -> `10.0.0.0/8`). null: neither. */
export function canonicalCidr(text: string): string | null {
  const read = readCidr(text);
  return typeof read === "string" ? null : formatNetwork(withoutHostBits(read));
}
