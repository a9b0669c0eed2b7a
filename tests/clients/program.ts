/** What a program is given: the gateway's origin, a key, a model, and the directories that it may use. */
export type Task = { url: string; key: string; model: string; home: string; installed: string };

/** A program from a registry, as a user would install and ask it. */
export type Program = {
  /** How the runner is told to run it. */
  id: string;
  title: string;
  version: string;
  dialect: "chat" | "messages" | "responses";
  /** npm packages with exact versions. */
  packages: string[];
  /** Files to write before it is run, by their paths in its home. */
  files?: (task: Task) => Record<string, string>;
  /** Its arguments; the first is the program, a path in what was installed or `node`. */
  command: (task: Task) => string[];
  env?: (task: Task) => Record<string, string>;
};

export const PROMPT = "Run the command that multiplies, then tell me the product.";
