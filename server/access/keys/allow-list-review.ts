/**
 * Checks of an editor for allow-lists while a user types, with the rules that the server enforces. Pure: it runs in the
 * browser.
 */
import {
  type CidrFault,
  contains,
  formatNetwork,
  type Network,
  readAddress,
  readCidr,
  withoutHostBits,
} from "./cidr";

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

type RuleRow = Pick<ReviewedRule, "input" | "canonical" | "error" | "hadHostBits"> & {
  network: Network | null;
};

function readRow(input: string, index: number): RuleRow {
  const read = index < MAX_RULES ? readCidr(input) : "too_many";
  if (typeof read === "string") {
    const error = read === "too_many" ? read : faultOf(input, read);
    return { input, canonical: null, error, hadHostBits: false, network: null };
  }
  const network = withoutHostBits(read);
  const hadHostBits = network.address.toString() !== read.address.toString();
  return { input, canonical: formatNetwork(network), error: null, hadHostBits, network };
}

/** Reviews rows, or the rules of a pasted text. Rows beyond the limit are errors. */
export function reviewRules(rules: string | readonly string[]): ReviewedRule[] {
  const rows = (typeof rules === "string" ? splitRules(rules) : rules).map(readRow);
  const first = new Map<string | null, number>();
  for (const [index, { canonical }] of rows.entries()) {
    if (!first.has(canonical)) {
      first.set(canonical, index);
    }
  }
  const widestFirst = [...first.values()]
    .flatMap((row) => (rows[row]?.network ? { row, network: rows[row].network } : []))
    .sort((a, b) => a.network.prefix - b.network.prefix);
  const widestAround = (inner: Network) =>
    widestFirst.find(({ network }) => network.prefix < inner.prefix && contains(network, inner.address));
  return rows.map(({ network, ...row }, index) => {
    const same = network ? first.get(row.canonical) : index;
    return {
      ...row,
      duplicateOf: same === index ? null : (same ?? null),
      containedIn: (network && widestAround(network)?.row) ?? null,
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
    return from !== null && typeof network !== "string" && contains(network, from);
  });
}
