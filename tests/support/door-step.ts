/** Placeholders with their values for the present subject. */
export type StepSubject = Record<string, string> & { name: string };

export type DoorStep = {
  /** The console's procedure. */
  console: string;
  /** The admin API's route; null if programs may not make the change. */
  admin: string | null;
  /** The command line as a person types it. */
  command: string;
  /** The input, apart from the things that the route's path names. */
  with: Record<string, unknown>;
  /** The name of the new thing's identifier in later steps. */
  makes: string | null;
};

export const step = (
  console: string,
  admin: string | null,
  { command, with: input = {}, makes = null }: Pick<DoorStep, "command"> & Partial<DoorStep>,
): DoorStep => ({ console, admin, command, with: input, makes });

/** Changes of one kind of thing: a procedure, the command's words without the thing's identifier, and the input. */
export const changing =
  (room: string, admin: string, [noun, named]: [noun: string, named: string]) =>
  (procedure: string, words: string, input: DoorStep["with"] = {}) => {
    const [verb, ...flags] = words.split(" ");
    return step(`${room}.${procedure}`, admin, {
      command: [noun, verb, named, ...flags].join(" "),
      with: input,
    });
  };

export const ofAccount = changing("accounts", "PATCH /accounts/{account_id}", [
  "account",
  "--account {name}",
]);
