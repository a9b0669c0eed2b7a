/**
 * Checks of an editor for allow-lists while a user types, with the rules that the server enforces. Pure: it runs in the
 * browser.
 */
import { type CidrFault, formatNetwork, type Network, narrow, readAddress, readCidr } from "./cidr";

/** More than any hand-written list. Each call of the key is checked against all of them. */
export const MAX_RULES = 1_000;

type RuleFault = CidrFault | "empty" | "octal" | "span" | "too_many";

/** One rule as written. Indexes refer to the reviewed rows. */
export type ReviewedRule = {
  input: string;
  /** The stored form. null: `error` says why there is none. */
  canonical: string | null;
  error: RuleFault | null;
  /** The first row with the same rule. */
  duplicateOf: number | null;
  /** The row with the widest range that contains this one. */
  containedIn: number | null;
  /** The address has host bits (`10.0.0.5/8`): the rule allows more than that one address. */
  hadHostBits: boolean;
};

/** Splits a pasted text into rules at spaces, line ends, commas and semicolons, ASCII or full-width. */
export const splitRules = (text: string): string[] => text.split(/[\s,;，、；]+/).filter(Boolean);

/**
 * Names the likely mistake in an invalid rule. `010.0.0.1` is 8.0.0.1 to some programs and 10.0.0.1 to others, so it is
 * refused.
 */
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

type RuleRow = { input: string; network: Network | null; error: RuleFault | null; hadHostBits: boolean };

function readRow(input: string, index: number): RuleRow {
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

/** Reviews rows, or the rules of a pasted text. Rows beyond the limit are errors. */
export function reviewRules(rules: string | readonly string[]): ReviewedRule[] {
  const rows = (typeof rules === "string" ? splitRules(rules) : rules).map(readRow);
  const first = new Map<string, number>();
  for (const [index, { network }] of rows.entries()) {
    if (network && !first.has(nameOf(network))) {
      first.set(nameOf(network), index);
    }
  }
  // Looks for each rule at the existing prefix lengths instead of comparing it with every other rule.
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

/**
 * Whether a key with these rules may be used from an address. No rules allow any address; an invalid rule allows none.
 */
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
