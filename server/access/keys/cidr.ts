/**
 * Addresses and ranges as text and as numbers. Pure, and free of Node's modules, because the browser reads rules with
 * it, too.
 */

/** An address, or a range by its first address and its prefix length in bits. */
export type Network = { width: 32 | 128; bits: bigint; prefix: number };

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

/** The URL parser accepts every spelling of IPv6, dotted tails included, and nothing else in brackets. */
const isIpv6 = (text: string) => /^[\da-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]`);

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

function toBits(address: string): bigint {
  if (!address.includes(":")) {
    return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  }
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const left = head.split(":").filter(Boolean);
  const right = (tail ?? "").split(":").filter(Boolean);
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

/** The network of this prefix length that contains an address. */
export function narrow({ width, bits }: Network, prefix: number): Network {
  const free = BigInt(width - prefix);
  return { width, bits: (bits >> free) << free, prefix };
}

/** Parses a single address. null: not an address. */
export function readAddress(text: string): Network | null {
  const address = plainAddress(text);
  if (address === null) {
    return null;
  }
  const width = address.includes(":") ? 128 : 32;
  return { width, bits: toBits(address), prefix: width };
}

export type CidrFault = "not_an_address" | "bad_prefix";

/** Parses an address or CIDR as written, with host bits. */
export function readCidr(text: string): Network | CidrFault {
  const [host = "", prefix, ...rest] = text.trim().split("/");
  const address = readAddress(host);
  if (address === null) {
    return "not_an_address";
  }
  if (prefix === undefined) {
    return address;
  }
  // The prefix of an IPv4 address in IPv6 form counts from the IPv6 form.
  const unwrapped = address.width === 32 && host.includes(":") ? 96 : 0;
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) - unwrapped : -1;
  return rest.length === 0 && length >= 0 && length <= address.width
    ? { ...address, prefix: length }
    : "bad_prefix";
}

/** A network as text; a single address has no prefix length. */
export function formatNetwork({ width, bits, prefix }: Network): string {
  const places = (size: bigint, count: number) =>
    Array.from(
      { length: count },
      (_, place) => (bits >> (size * BigInt(count - 1 - place))) & ((1n << size) - 1n),
    );
  const address =
    width === 32
      ? places(8n, 4).join(".")
      : new URL(
          `http://[${places(16n, 8)
            .map((group) => group.toString(16))
            .join(":")}]`,
        ).hostname.slice(1, -1);
  return prefix === width ? address : `${address}/${prefix}`;
}

/** Returns an address or CIDR in canonical form, host bits cleared (`10.0.0.5/8` -> `10.0.0.0/8`). null: neither. */
export function canonicalCidr(text: string): string | null {
  const read = readCidr(text);
  return typeof read === "string" ? null : formatNetwork(narrow(read, read.prefix));
}
