import type { EscrowProcess } from "./escrow-process";
import type { Fate } from "./escrow-steps";

/**
 * A statement under way. `run` commits it; then `hear` gives its process the result, or `miss` reports it as unknown.
 */
type PendingStatement = {
  owner: EscrowProcess;
  fate: Fate;
  run: () => void;
  hear: () => void;
  miss: () => void;
};

/** The statements under way: each arrives when the history says so, and maybe not at all. */
export class EscrowStatements {
  readonly #sent: PendingStatement[] = [];

  get count(): number {
    return this.#sent.length;
  }

  send(statement: PendingStatement): void {
    this.#sent.push(statement);
  }

  arrive(index: number): void {
    const [statement] = this.#sent.splice(index, 1);
    if (!statement) {
      return;
    }
    if (statement.fate === "answered" || statement.fate === "unheard") {
      statement.run();
    }
    if (statement.fate === "late") {
      this.send({ ...statement, fate: "unheard", miss: () => {} });
    }
    if (!statement.owner.isDead) {
      statement.fate === "answered" ? statement.hear() : statement.miss();
    }
  }
}
