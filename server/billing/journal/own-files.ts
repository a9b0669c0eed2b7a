/** The files of charges that this process writes: one takes the next lines, and full ones wait until they are settled. */
import { join } from "node:path";
import { createSegment, type Segment } from "./segment";

type Line = { requestId: string; text: string };

/** `writer`: the beginning of their names. */
export function createOwnFiles(directory: string, writer: string) {
  let active: Segment | null = null;
  const full = new Set<Segment>();
  let count = 0;

  const segments = () => (active === null ? [...full] : [...full, active]);
  const forget = (requestId: string) => segments().find(({ lines }) => lines.delete(requestId));

  async function discardIfSettled(segment: Segment): Promise<void> {
    if (segment.lines.size > 0 || segment === active) {
      await segment.mark();
    } else if (full.delete(segment)) {
      await segment.remove();
    }
  }

  async function openSegment(): Promise<Segment> {
    if (active?.isFull()) {
      const previous = active;
      active = null;
      full.add(previous);
      await discardIfSettled(previous);
    }
    active ??= await createSegment(join(directory, `${writer}.${count++}.log`));
    return active;
  }

  const append = async (lines: Line[]) => (await openSegment()).append(lines);

  /** A program that deletes files of a living process takes no charge with them: their lines are written again. */
  async function writeDeletedAgain(): Promise<void> {
    for (const gone of segments().filter((segment) => segment.isGone())) {
      full.add(gone);
      active = active === gone ? null : active;
      const lines = [...gone.lines].map(([requestId, { text }]) => ({ requestId, text }));
      if (lines.length > 0) {
        await append(lines);
      }
      const settledMeanwhile = lines.filter(({ requestId }) => !gone.lines.has(requestId));
      for (const { requestId } of settledMeanwhile) {
        forget(requestId);
      }
      full.delete(gone);
      await gone.remove();
    }
  }

  return {
    /** Appends lines, which are on disk when it resolves. Throws the disk's error; then none of them counts as written. */
    write: async (lines: Line[]): Promise<void> => {
      try {
        await append(lines);
        await writeDeletedAgain();
      } catch (error) {
        for (const { requestId } of lines) {
          forget(requestId);
        }
        throw error;
      }
    },
    /** The line's charge is in the ledger, or never will be. Returns whether the line is in one of these files. */
    settled: async (requestId: string): Promise<boolean> => {
      const segment = forget(requestId);
      if (segment) {
        await discardIfSettled(segment);
      }
      return segment !== undefined;
    },
    /** Closes the files, and leaves those with open lines to others. Throws the disk's error. */
    leave: async (): Promise<void> => {
      await writeDeletedAgain();
      const open = segments();
      active = null;
      full.clear();
      for (const segment of open) {
        await (segment.lines.size === 0 ? segment.remove() : segment.leave());
      }
    },
  };
}
