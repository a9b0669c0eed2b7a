/** Made-up words that stand for what the subject of the moment is called. */
export type Subject = Record<string, string> & { name: string };

export type Step = {
  /** The console's procedure. */
  console: string;
  /** The admin API's route; null: programs may not. */
  admin: string | null;
  /** As one types it. */
  command: string;
  /** What is said beside the things that the route's path names. */
  with: Record<string, unknown>;
  /** What the next steps call the thing that was made. */
  makes: string | null;
};

export const step = (
  console: string,
  admin: string | null,
  { command, with: said = {}, makes = null }: Pick<Step, "command"> & Partial<Step>,
): Step => ({ console, admin, command, with: said, makes });

/** Changes of one kind of thing: a procedure, the command's words but for what names the thing, and what is said. */
export const changing =
  (room: string, admin: string, [noun, named]: [noun: string, named: string]) =>
  (procedure: string, words: string, said: Step["with"] = {}) => {
    const [verb, ...flags] = words.split(" ");
    return step(`${room}.${procedure}`, admin, {
      command: [noun, verb, named, ...flags].join(" "),
      with: said,
    });
  };

export const ofAccount = changing("accounts", "PATCH /accounts/{account_id}", [
  "account",
  "--account {name}",
]);
