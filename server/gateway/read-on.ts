import type { AnswerStream } from "@/server/protocol/upstream-plan";
import type { EventGroups } from "./event-groups";
import { digest } from "./stream-frames";

/** An answer that ends within so long of its client's hang-up was nearly finished. */
const NEARLY_MS = 500;

/**
 * How long after the hang-up the counts of a finished answer are waited for: less than the end of a drain leaves for
 * it.
 */
const FINISHED_MS = 3_000;

const MAX_CHARACTERS = 1024 * 1024;

/** Answers that are read on at one time; more of them are a flood, and are cut off at once. */
const MAX_READERS = 200;
let readers = 0;

/**
 * Reads an answer on whose client has gone, for the upstream's counts: or a hang-up at the last word would be paid by
 * estimate, which cannot see reasoning that is not shown. Only what has finished, or does so in a moment, is waited
 * for. Answers whether the upstream has ended well. `hear`: is given what the client would have been.
 */
export async function readOn(
  stream: AnswerStream,
  groups: EventGroups,
  hear: (text: string) => void = () => {},
): Promise<boolean> {
  if (readers >= MAX_READERS) {
    return false;
  }
  readers++;
  try {
    return await followToCounts(stream, groups, hear);
  } catch {
    // It broke off, as it may: nobody waits for the answer any more, and what it said until now is charged.
    return false;
  } finally {
    readers--;
  }
}

async function followToCounts(
  stream: AnswerStream,
  groups: EventGroups,
  hear: (text: string) => void,
): Promise<boolean> {
  const goneAt = groups.now();
  let characters = 0;
  while (stream.settled(false).source !== "upstream" && characters < MAX_CHARACTERS) {
    const patienceMs = stream.isFinished ? FINISHED_MS : NEARLY_MS;
    const next = await groups.next(goneAt + patienceMs - groups.now());
    if (next === null || next.done) {
      return next !== null && stream.isFinished;
    }
    const { events } = next.value;
    characters += events.reduce((sum, { length }) => sum + length, 0);
    const { text, end } = await digest(stream, events);
    hear(text);
    if (end !== "none") {
      return end === "done";
    }
  }
  return false;
}
