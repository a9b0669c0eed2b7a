import { mintToolId } from "../tools/tool-ids";

/** Calls of one turn by one name. `next`: the first that may still wait for its result. */
type CallBatch = { turn: number; ids: string[]; next: number };

/**
 * The calls of a history. Clients and vendors of this dialect send them without identifiers: a missing one is derived
 * from the call's position and name, so that the next request gets the same (CLIProxyAPI#4939).
 */
export class CallHistory {
  private turn = 0;
  private count = 0;
  /** Calls without a result so far. */
  private readonly open = new Set<string>();
  private readonly byName = new Map<string, CallBatch[]>();

  beginTurn(): void {
    this.turn++;
  }

  /** Adds a call and returns its identifier. `sentId`: the client's; "": none. */
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
   * Returns the call that a result belongs to: the one with its identifier; or the first waiting call of that name in
   * the latest turn (maybe only one of the two has an identifier: gemini-cli makes one up for the result of a call
   * without one); or the only waiting call.
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
