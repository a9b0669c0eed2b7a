/** The costs of example calls at prices that are not saved yet, in nano-units. Pure. */

import { type Nanos, nanos, parseMoney } from "@/server/base/money";
import type { ModelKind } from "@/server/domain/enums";
import {
  cost,
  type EachClass,
  eachCount,
  eachPrice,
  emptySheet,
  type PriceSheet,
  type TokenCounts,
  withFields,
} from "@/server/pricing";
import { hasProblems } from "../_forms/problems";
import { priceProblem, problemsOf } from "./draft-problems";
import type { ModelDraft } from "./model-draft";

/** The prices that calls are charged. null: the draft is incomplete. */
export function sheetOf(draft: ModelDraft): PriceSheet | null {
  if (parseMoney(draft.inputPrice) === null || hasProblems(problemsOf(draft).prices)) {
    return null;
  }
  const priceIn = ({ field }: EachClass) => parseMoney(draft[`${field}Price`]);
  return withFields(
    emptySheet,
    eachPrice((each) => priceIn(each) ?? nanos(0n), priceIn),
  );
}

const samples = {
  millionInput: { inputTokens: 1_000_000 },
  millionOutput: { outputTokens: 1_000_000 },
  shortCall: { inputTokens: 500, outputTokens: 300 },
  longCall: { inputTokens: 2_000, cacheReadTokens: 18_000, outputTokens: 1_000 },
  page: { inputTokens: 600 },
} as const satisfies Record<string, Partial<TokenCounts>>;

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

const costOf = (name: SampleName, sheet: PriceSheet): Nanos =>
  cost({ ...eachCount(() => 0), ...samples[name] }, sheet);

/** null: no price on that side. */
export type PreviewRow = { before: Nanos | null; after: Nanos | null };

export function previewCalls(
  draft: ModelDraft,
  before: ModelDraft | null,
): (PreviewRow & { name: SampleName })[] {
  const [was, is] = [before && sheetOf(before), sheetOf(draft)];
  return samplesOf[draft.kind].map((name) => ({
    name,
    before: was && costOf(name, was),
    after: is && costOf(name, is),
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
