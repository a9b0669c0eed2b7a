/**
 * What an editor of allow-lists shows while somebody types, by the rules that the server enforces. Pure: it runs in
 * the browser.
 */
import { type CidrFault, formatNetwork, type Network, narrow, readAddress, readCidr } from "./cidr";

/** More than any list that somebody keeps by hand; each call of the key is checked against all of them. */
export const MAX_RULES = 1_000;

type RuleFault = CidrFault | "empty" | "octal" | "span" | "too_many";

/** One rule as written. Indexes are of the rows that are reviewed. */
export type ReviewedRule = {
  input: string;
  /** What is stored of it. null: `error` says why it cannot be. */
  canonical: string | null;
  error: RuleFault | null;
  /** The first row that is the same rule. */
  duplicateOf: number | null;
  /** A row whose range has this one in it: the widest. */
  containedIn: number | null;
  /** `10.0.0.5/8`: more is allowed than the one address that stands there. */
  hadHostBits: boolean;
};

/** A pasted text's rules: what stands between spaces, line ends, commas and semicolons of either width. */
export const splitRules = (text: string): string[] => text.split(/[\s,;，、；]+/).filter(Boolean);

/** What people mean by what is no rule: `010.0.0.1` is 8.0.0.1 to some and 10.0.0.1 to others, so it is nobody's. */
function faultOf(input: string, fault: CidrFault): RuleFault {
  const host = input.trim().split("/")[0] ?? "";
  if (host === "") {
    return input.trim() === "" ? "empty" : fault;
  }
  if (/^\d{1,4}(\.\d{1,4}){3}$/.test(host) && host.split(".").some((part) => /^0\d/.test(part))) {
    return "octal";
  }
  return /^[\d.]+[*-]|\*$/.test(host) ? "span" : fault;
}

type Row = { input: string; network: Network | null; error: RuleFault | null; hadHostBits: boolean };

function readRow(input: string, index: number): Row {
  if (index >= MAX_RULES) {
    return { input, network: null, error: "too_many", hadHostBits: false };
  }
  const read = readCidr(input);
  if (typeof read === "string") {
    return { input, network: null, error: faultOf(input, read), hadHostBits: false };
  }
  const network = narrow(read, read.prefix);
  return { input, network, error: null, hadHostBits: network.bits !== read.bits };
}

const nameOf = ({ width, bits, prefix }: Network) => `${width} ${bits} ${prefix}`;

/** Reviews rows, or the rules of a pasted text. Rows beyond the bound are errors. */
export function reviewRules(rules: string | readonly string[]): ReviewedRule[] {
  const rows = (typeof rules === "string" ? splitRules(rules) : rules).map(readRow);
  const first = new Map<string, number>();
  for (const [index, { network }] of rows.entries()) {
    if (network && !first.has(nameOf(network))) {
      first.set(nameOf(network), index);
    }
  }
  // Each rule is looked for at the lengths that there are, not compared with each other rule.
  const lengths = [...new Set(rows.flatMap(({ network }) => network?.prefix ?? []))].sort((a, b) => a - b);
  const widestAround = (network: Network) =>
    lengths
      .filter((length) => length < network.prefix)
      .map((length) => first.get(nameOf(narrow(network, length))))
      .find((row) => row !== undefined) ?? null;
  return rows.map(({ network, ...row }, index) => {
    const same = network === null ? index : (first.get(nameOf(network)) ?? index);
    return {
      ...row,
      canonical: network && formatNetwork(network),
      duplicateOf: same === index ? null : same,
      containedIn: network && widestAround(network),
    };
  });
}

/** Whether a key with these rules may be used from an address. No rules allow any; what is no rule allows none. */
export function allowsAddress(rules: readonly string[], address: string | null): boolean {
  if (rules.length === 0) {
    return true;
  }
  const from = address === null ? null : readAddress(address);
  return rules.some((rule) => {
    const network = readCidr(rule);
    return (
      from !== null &&
      typeof network !== "string" &&
      network.width === from.width &&
      narrow(network, network.prefix).bits === narrow(from, network.prefix).bits
    );
  });
}
