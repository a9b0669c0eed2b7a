import { mintToolId } from "../tool-ids";

/** Calls of one turn by one name. `next`: the first that may still wait. */
type Batch = { turn: number; ids: string[]; next: number };

/**
 * The calls of a history, which clients and vendors of this dialect leave without identifiers: one that is missing
 * follows from the call's place and name, so that the next request has the same (CLIProxyAPI#4939).
 */
export class Calls {
  private turn = 0;
  private count = 0;
  /** Without their results. */
  private readonly open = new Set<string>();
  private readonly byName = new Map<string, Batch[]>();

  beginTurn(): void {
    this.turn++;
  }

  /** The identifier of a call. `sentId`: the client's, "" for none. */
  add(name: string, sentId: string): string {
    const id = sentId || mintToolId(name, this.count);
    this.count++;
    this.open.add(id);
    const batches = this.byName.get(name) ?? [];
    this.byName.set(name, batches);
    const last = batches.at(-1);
    if (last?.turn === this.turn) {
      last.ids.push(id);
    } else {
      batches.push({ turn: this.turn, ids: [id], next: 0 });
    }
    return id;
  }

  /**
   * The call that a result is for: by identifier, or the first of the latest turn by its name, whose identifier only
   * one of both may have (gemini-cli makes one up for the result of a call without), or the only one that waits.
   */
  answer(name: string, sentId: string): string {
    const isSent = sentId !== "" && this.open.has(sentId);
    const [sole] = this.open.size === 1 ? this.open : [];
    const id = isSent ? sentId : (this.firstOpen(name) ?? (sentId === "" ? sole : undefined) ?? sentId);
    this.open.delete(id);
    return id;
  }

  private firstOpen(name: string): string | null {
    const batches = this.byName.get(name) ?? [];
    for (let batch = batches.at(-1); batch !== undefined; batch = batches.at(-1)) {
      while (batch.next < batch.ids.length) {
        const id = batch.ids[batch.next++];
        if (id !== undefined && this.open.has(id)) {
          return id;
        }
      }
      batches.pop();
    }
    return null;
  }
}
