import type { AnswerStream } from "@/server/protocol/upstream-plan";
import type { EventGroups } from "./event-groups";
import { digest } from "./stream-frames";

/** An answer that ends this soon after its client's hang-up was nearly finished. */
const NEARLY_MS = 500;

/**
 * How long after the hang-up the gateway waits for the counts of a finished answer: less than the end of a drain leaves
 * for it.
 */
const FINISHED_MS = 3_000;

const MAX_CHARACTERS = 1024 * 1024;

/** The most answers that are read on at a time. More of them are a flood: the gateway cuts them off at once. */
const MAX_READERS = 200;
let readers = 0;

/**
 * Reads an answer on after its client's hang-up, for the upstream's counts. Otherwise a hang-up at the last event would
 * be charged by estimate, which cannot see hidden reasoning. Waits only for an answer that has finished, or will in a
 * moment. Returns whether the upstream ended well. `hear`: gets the text that the client would have got.
 */
export async function drainForUsage(
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
    // The answer may break off: no client waits for it any more, and its text so far is charged.
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
  // The client may have left while the last words were on their way.
  return stream.isFinished;
}
