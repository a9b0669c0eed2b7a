import { toMessagesToolId } from "../tools/tool-ids";

/**
 * Calls of one owner under one identifier. `next`: the first that still waits; removal from the front would cost a
 * copy.
 */
type CallBatch<Owner> = { owner: Owner; ids: string[]; next: number };

/** Tool calls of a conversation that wait for their result. `Owner`: the turn of the assistant that holds a call. */
export class PendingCalls<Owner> {
  /** By the client's identifier, "" for none. The latest owner's batch is last; each batch is in order. */
  private readonly waiting = new Map<string, CallBatch<Owner>[]>();
  private waitingCount = 0;
  private readonly copies = new Map<string, number>();
  private readonly ids = new Set<string>();

  /** Adds a call and returns its identifier for the upstream. */
  add(sentId: string, owner: Owner): string {
    const id = this.uniqueId(sentId);
    const stack = this.waiting.get(sentId) ?? [];
    this.waiting.set(sentId, stack);
    this.waitingCount++;
    const top = stack.at(-1);
    if (top?.owner === owner) {
      top.ids.push(id);
    } else {
      stack.push({ owner, ids: [id], next: 0 });
    }
    return id;
  }

  /**
   * The upstream refuses a repeated identifier (litellm#23510), and some vendors start each turn at `call_0`. A missing
   * one is derived from the call's position, so that the next request gets the same.
   */
  private uniqueId(sentId: string): string {
    const base = sentId === "" ? `call_${this.ids.size + 1}` : toMessagesToolId(sentId);
    const copy = (this.copies.get(base) ?? 0) + 1;
    this.copies.set(base, copy);
    let id = copy === 1 ? base : `${base}_${copy}`;
    while (this.ids.has(id)) {
      id += "_";
    }
    this.ids.add(id);
    return id;
  }

  /**
   * Takes the waiting call of a result: the one with its identifier, otherwise one without an identifier. A result
   * without an identifier also fits the only waiting call.
   */
  take(sentId: string): { owner: Owner; id: string } | null {
    const match = this.takeFrom(sentId) ?? this.takeFrom("");
    const [sole] = sentId === "" && this.waitingCount === 1 ? this.waiting.keys() : [];
    return match ?? (sole === undefined ? null : this.takeFrom(sole));
  }

  private takeFrom(sentId: string): { owner: Owner; id: string } | null {
    const stack = this.waiting.get(sentId);
    const top = stack?.at(-1);
    const id = top?.ids[top.next];
    if (!stack || !top || id === undefined) {
      return null;
    }
    top.next++;
    this.waitingCount--;
    if (top.next === top.ids.length) {
      stack.pop();
    }
    if (stack.length === 0) {
      this.waiting.delete(sentId);
    }
    return { owner: top.owner, id };
  }
}
