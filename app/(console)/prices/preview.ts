/** The costs of example calls at prices that are not saved yet, in nano-units. Pure. */

import { charge } from "@/server/base/charge";
import type { ModelKind } from "@/server/base/enums";
import { type Nanos, nanos, parseMoney } from "@/server/base/money";
import { hasProblems } from "../_forms/problems";
import { priceProblem, problemsOf } from "./draft-problems";
import type { ModelDraft } from "./model-draft";

type Class = "input" | "cacheRead" | "cacheWrite" | "cacheWrite1h" | "output";
type ClassPrices = Record<Class, Nanos>;

/** The prices that calls are charged: an empty cache price is inherited. null: the draft is incomplete. */
export function classPricesOf(draft: ModelDraft): ClassPrices | null {
  const input = parseMoney(draft.inputPrice);
  if (input === null || hasProblems(problemsOf(draft).prices)) {
    return null;
  }
  const cacheWrite = parseMoney(draft.cacheWritePrice) ?? input;
  return {
    input,
    cacheRead: parseMoney(draft.cacheReadPrice) ?? input,
    cacheWrite,
    cacheWrite1h: parseMoney(draft.cacheWrite1hPrice) ?? cacheWrite,
    output: parseMoney(draft.outputPrice) ?? nanos(0n),
  };
}

/** Tokens of a call by class. */
type Tokens = Partial<Record<Class, number>>;

/** The cost of a call. Like billing, it rounds up each class of tokens separately. */
export function costOf(tokens: Tokens, prices: ClassPrices): Nanos {
  const classes = Object.entries(tokens) as [Class, number][];
  return nanos(classes.reduce((sum, [name, count]) => sum + charge(count, prices[name]), 0n));
}

const samples = {
  millionInput: { input: 1_000_000 },
  millionOutput: { output: 1_000_000 },
  shortCall: { input: 500, output: 300 },
  longCall: { input: 2_000, cacheRead: 18_000, output: 1_000 },
  page: { input: 600 },
} as const satisfies Record<string, Tokens>;

type SampleName = keyof typeof samples;

const samplesOf: Record<ModelKind, SampleName[]> = {
  chat: ["millionInput", "millionOutput", "shortCall", "longCall"],
  embedding: ["millionInput", "page"],
  video: [],
  image: [],
  speech: [],
  transcription: [],
  rerank: [],
  moderation: [],
};

/** null: no price on that side. */
export type PreviewRow = { before: Nanos | null; after: Nanos | null };

export function previewCalls(
  draft: ModelDraft,
  before: ModelDraft | null,
): (PreviewRow & { name: SampleName })[] {
  const [was, is] = [before && classPricesOf(before), classPricesOf(draft)];
  return samplesOf[draft.kind].map((name) => ({
    name,
    before: was && costOf(samples[name], was),
    after: is && costOf(samples[name], is),
  }));
}

const cellPrice = (text: string | undefined) =>
  text && priceProblem(text) === null ? parseMoney(text) : null;

/** The combinations whose price changes. */
export function previewVideos(
  draft: ModelDraft,
  before: ModelDraft | null,
): (PreviewRow & { cell: string })[] {
  const cells = new Set([...Object.keys(before?.videoPrices ?? {}), ...Object.keys(draft.videoPrices)]);
  return [...cells]
    .map((cell) => ({
      cell,
      before: cellPrice(before?.videoPrices[cell]),
      after: cellPrice(draft.videoPrices[cell]),
    }))
    .filter((row) => row.before !== row.after);
}

const JUMP = 10n;

/** Whether the new price is so far from the old one that a slipped decimal point is likelier than a decision. */
export const isJump = ({ before, after }: PreviewRow): boolean =>
  before !== null &&
  after !== null &&
  before !== after &&
  (before === 0n || after === 0n || after >= before * JUMP || before >= after * JUMP);
