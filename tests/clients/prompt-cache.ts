import { createHash } from "node:crypto";

type PromptBlock = Record<string, unknown>;
type PromptRequest = { tools?: unknown; system?: unknown; messages?: unknown; cache_control?: unknown };

/** The counts of a prompt as Anthropic reports them: their sum is the prompt. */
export type PromptCounts = {
  input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
};

/**
 * The shortest prefix that is cached, in tokens, and how many blocks before a mark are searched for a cached prefix.
 */
const LEAST_TOKENS = 1_024;
const MOST_BLOCKS_BACK = 20;
const CHARACTERS_PER_TOKEN = 4;

const listOf = (value: unknown): PromptBlock[] =>
  typeof value === "string" ? [{ type: "text", text: value }] : ((value ?? []) as PromptBlock[]);

const blocksOf = ({ tools, system, messages }: PromptRequest): PromptBlock[] => [
  ...listOf(tools),
  ...listOf(system),
  ...listOf(messages).flatMap(({ role, content }) => listOf(content).map((block) => ({ role, ...block }))),
];

/**
 * Caches prompts as Anthropic does. A prompt is its tools, system text and messages, in this order. Each prefix up to a
 * mark is cached under all of its text. A prompt reads the longest cached prefix that ends at most 20 blocks before one
 * of its marks. The request's own mark counts as a mark on the last block. Tokens are characters divided by four.
 */
export class PromptCache {
  private readonly kept = new Set<string>();
  private readonly prompts: PromptCounts[] = [];

  read(request: PromptRequest): PromptCounts {
    const hash = createHash("sha256");
    let characters = 0;
    const blocks = blocksOf(request);
    const prefixes = blocks.map(({ cache_control, ...block }, at) => {
      const text = JSON.stringify(block);
      characters += text.length;
      return {
        isMarked: Boolean(cache_control ?? (at === blocks.length - 1 && request.cache_control)),
        digest: hash.update(text).copy().digest("base64"),
        tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
      };
    });
    const marked = prefixes.flatMap(({ isMarked, tokens }, at) =>
      isMarked && tokens >= LEAST_TOKENS ? [at] : [],
    );
    const cached = prefixes.filter(
      ({ digest }, at) =>
        this.kept.has(digest) && marked.some((mark) => at <= mark && mark - at < MOST_BLOCKS_BACK),
    );
    const total = prefixes.at(-1)?.tokens ?? 0;
    const read = cached.at(-1)?.tokens ?? 0;
    const written = Math.max(0, (prefixes[marked.at(-1) ?? -1]?.tokens ?? 0) - read);
    for (const at of marked) {
      this.kept.add(prefixes[at]?.digest ?? "");
    }
    const counts = {
      input_tokens: total - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    };
    this.prompts.push(counts);
    return counts;
  }

  /** The number of all prompts so far, and the sums of their counts. */
  sum() {
    const sumOf = (name: keyof PromptCounts) => this.prompts.reduce((sum, counts) => sum + counts[name], 0);
    return {
      prompts: this.prompts.length,
      plain: sumOf("input_tokens"),
      read: sumOf("cache_read_input_tokens"),
      written: sumOf("cache_creation_input_tokens"),
    };
  }
}
