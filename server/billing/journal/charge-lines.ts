/** A charge as a line of a journal: the checksum of a JSON text, a space, and the text. */
import { crc32 } from "node:zlib";
import { z } from "zod";
import { nanos } from "@/server/base/money";
import { usageSources } from "@/server/domain/enums";
import { eachCount } from "@/server/pricing";
import type { DeliveredCharge } from "../holds/settlement";

const Amount = z.string().regex(/^\d+$/).transform(nanos);
const Stored = z.object({
  requestId: z.string(),
  accountId: z.string().brand<"AccountId">(),
  period: z.string(),
  note: z.string().optional(),
  draw: z.object({ escrowId: z.string(), held: Amount }).optional(),
  part: z.string().optional(),
  charge: z.object({
    amount: Amount,
    usage: z
      .object({
        ...eachCount(() => z.number()),
        reasoningTokens: z.number(),
        units: z.record(z.string(), z.number()).optional(),
      })
      .nullable(),
    source: z.enum(usageSources).nullable(),
    prices: z.record(z.string(), Amount),
    keyId: z.string().brand<"KeyId">(),
    modelId: z.string(),
    channelId: z.string().brand<"ChannelId">().nullable(),
    cost: Amount.optional(),
  }),
});

/** The stored form of a charge: only what the ledger would store too, and no secret. */
export const describeCharge = ({
  requestId,
  accountId,
  period,
  note,
  draw,
  part,
  charge,
}: DeliveredCharge): string =>
  JSON.stringify({ requestId, accountId, period, note, draw, part, charge }, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );

/** Reads the stored form. Throws if the text is none. */
export const parseCharge = (text: string): DeliveredCharge => Stored.parse(JSON.parse(text));

const checksum = (text: string) => crc32(text).toString(16).padStart(8, "0");

export function printLine(charge: DeliveredCharge): string {
  const text = describeCharge(charge);
  return `${checksum(text)} ${text}\n`;
}

const LINE = /^([0-9a-f]{8}) (.*)$/s;

function readLine(line: string): DeliveredCharge | null {
  const [, sum, text = ""] = LINE.exec(line) ?? [];
  if (sum === undefined || sum !== checksum(text)) {
    return null;
  }
  try {
    return parseCharge(text);
  } catch {
    return null;
  }
}

/** Lines are read for some milliseconds at a time, because calls wait meanwhile. */
const LINES_AT_ONCE = 100;

/**
 * Reads the lines of a journal. `damaged`: the number of lines that are no charges, which a person must look at. The end
 * of a file without a line's end is not among them: a process was killed while it wrote it, and its call was not
 * charged.
 */
export async function readLines(text: string): Promise<{ charges: DeliveredCharge[]; damaged: number }> {
  const lines = text.split("\n").slice(0, -1);
  const charges: DeliveredCharge[] = [];
  for (let begin = 0; begin < lines.length; begin += LINES_AT_ONCE) {
    charges.push(...lines.slice(begin, begin + LINES_AT_ONCE).flatMap((line) => readLine(line) ?? []));
    await new Promise(setImmediate);
  }
  return { charges, damaged: lines.length - charges.length };
}
