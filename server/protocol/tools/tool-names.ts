import { createHash } from "node:crypto";

/** Maps tool names in both directions, for an upstream that allows fewer names than the client's dialect. */
export type ToolNames = {
  toUpstream: (name: string) => string;
  toClient: (name: string) => string;
  /** Whether an upstream's name is the full name of one of the tools. */
  isTool: (name: string) => boolean;
  /** The client's name of the only tool that a call without a name can mean. null: there are several. */
  soleName: string | null;
};

const HASH_CHARACTERS = 8;

/** The longest name that either dialect takes. */
const MAX_CHARACTERS = 128;

/** No real name is longer: characters beyond this do not make names distinct. */
const MAX_TOLD_CHARACTERS = 10_000;

/** Always gives the same name for the same name: a changing one would defeat the upstream's prompt cache. */
function legalName(original: string, maxLength: number): string {
  const name = original.slice(0, MAX_TOLD_CHARACTERS);
  if (name.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(name)) {
    return name;
  }
  // Hashes UTF-16: in UTF-8 all lone surrogates become one character, and two names could become equal.
  const hash = createHash("sha256")
    .update(Buffer.from(name, "utf16le"))
    .digest("hex")
    .slice(0, HASH_CHARACTERS);
  const start = name.slice(0, maxLength - HASH_CHARACTERS - 1).replace(/[^a-zA-Z0-9_-]/g, "_");
  return `${start}_${hash}`;
}

/**
 * `names`: the names of the request's tools. An upstream's call names one of them; a name that it invented reaches the
 * client in legal characters. `forced`: the tool that the request demands, if any.
 */
export function mapToolNames(
  names: Iterable<string>,
  maxLength: number,
  forced: string | null = null,
): ToolNames {
  const own = new Set(names);
  const originals = new Map([...own].map((name) => [legalName(name, maxLength), name]));
  const [only = null] = originals.size === 1 ? originals.values() : [];
  return {
    toUpstream: (name) => legalName(name, maxLength),
    // A forwarded call uses the tool's own name.
    toClient: (name) => originals.get(name) ?? (own.has(name) ? name : legalName(name, MAX_CHARACTERS)),
    isTool: (name) => originals.has(name) || own.has(name),
    soleName: forced ?? only,
  };
}

/** The upstream's name of the only tool. */
export const upstreamSoleName = ({ soleName, toUpstream }: ToolNames): string | null =>
  soleName === null ? null : toUpstream(soleName);

/** The only name among these. null: there are several, or none. */
export function soleOf(names: Iterable<string>): string | null {
  const [first, second] = new Set(names);
  return second === undefined ? (first ?? null) : null;
}
