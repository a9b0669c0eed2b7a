import { createHash } from "node:crypto";

/** Tool names there and back, for an upstream whose names are narrower than the client's. */
export type ToolNames = {
  toUpstream: (name: string) => string;
  toClient: (name: string) => string;
  /** Whether an upstream's name is that of one of the tools, and not the beginning of one. */
  isTool: (name: string) => boolean;
  /** The client's name for the one tool that a call without a name can mean. null: it could be any of several. */
  soleName: string | null;
};

const HASH_CHARACTERS = 8;

/** The longest name that either dialect takes. */
const MAX_CHARACTERS = 128;

/** Nobody's name is longer: what comes after tells no two apart. */
const MAX_TOLD_CHARACTERS = 10_000;

/** The same name for the same name, always: a changing one would defeat the upstream's prompt cache. */
function legalName(sent: string, maxLength: number): string {
  const name = sent.slice(0, MAX_TOLD_CHARACTERS);
  if (name.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(name)) {
    return name;
  }
  // As UTF-16: in UTF-8 all lone surrogates are one character, and two names one.
  const hash = createHash("sha256")
    .update(Buffer.from(name, "utf16le"))
    .digest("hex")
    .slice(0, HASH_CHARACTERS);
  const start = name.slice(0, maxLength - HASH_CHARACTERS - 1).replace(/[^a-zA-Z0-9_-]/g, "_");
  return `${start}_${hash}`;
}

/**
 * `names`: those of the request's tools; what an upstream calls is one of them, and an invention of its own reaches
 * the client in legal characters. `forced`: the one that the request demands, if it does.
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
    // By its own name where the call was forwarded as it was.
    toClient: (name) => originals.get(name) ?? (own.has(name) ? name : legalName(name, MAX_CHARACTERS)),
    isTool: (name) => originals.has(name) || own.has(name),
    soleName: forced ?? only,
  };
}
