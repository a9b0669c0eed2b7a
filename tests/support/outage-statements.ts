/** The statements of processes on their way to the database in a history of outages. */
import type { Fate } from "./escrow-steps";
import type { OutageProcess } from "./outage-process";

/** `run`: in the database; `hear`: its answer; `over`: no answer will come any more. */
type Statement = {
  owner: OutageProcess;
  fate: Fate;
  run: () => void;
  hear: () => void;
  over?: () => void;
};

export class OutageStatements {
  readonly #sent: Statement[] = [];

  /** Sends a statement, which a cut process cannot. */
  send(statement: Statement): void {
    if (!statement.owner.isCut && !statement.owner.isDead) {
      this.#sent.push(statement);
    }
  }

  /** One of those under way meets its fate. */
  arrive(pick: number): void {
    const [statement] = this.#sent.splice(pick % Math.max(this.#sent.length, 1), 1);
    if (!statement) {
      return;
    }
    const { owner, fate } = statement;
    statement.over?.();
    if (fate === "late") {
      this.#sent.push({ ...statement, fate: "unheard", over: () => {} });
    } else if (fate !== "unsent") {
      statement.run();
      if (fate === "answered" && !owner.isDead) {
        statement.hear();
      }
    }
  }

  arriveAll(): void {
    while (this.#sent.length > 0) {
      this.arrive(0);
    }
  }
}
