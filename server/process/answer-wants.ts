import type { CommonPools } from "./common-pools";
import type { ToChild, ToParent } from "./messages";

type Wants = Extract<ToParent, { kind: "shares" }>["wants"];
type Answers = Extract<ToChild, { kind: "answers" }>["answers"];

/**
 * Answers a process's requests for shares. A refused request is decided once more after this turn of the event loop: a
 * client that has its answer calls again at once and may reach another process, whose request can be read before the
 * return that an earlier message of the first process holds. All messages of a turn are read by then. `send`: false if
 * the process is gone; what it was granted is free again.
 */
export function answerWants(
  pools: Pick<CommonPools, "take" | "give">,
  { name, send }: { name: string; send: (message: ToChild) => boolean },
  wants: Wants,
): void {
  const decide = ([id, pool, want]: Wants[number]): Answers[number] => [id, pools.take(name, { pool, want })];
  const reply = (answers: Answers) => {
    if (answers.length === 0 || send({ kind: "answers", answers })) {
      return;
    }
    const granted = new Set(answers.flatMap(([id, refused]) => (refused === null ? [id] : [])));
    for (const [, pool, want] of wants.filter(([id]) => granted.has(id))) {
      pools.give(name, { pool, want });
    }
  };
  const answers = wants.map(decide);
  reply(answers.filter(([, refused]) => refused === null));
  const refused = wants.filter((_want, place) => answers[place]?.[1] !== null);
  if (refused.length > 0) {
    setImmediate(() => reply(refused.map(decide)));
  }
}
