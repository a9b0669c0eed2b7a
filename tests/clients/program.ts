/** The input of a program: the gateway's origin, a key, a model, and the directories that it may use. */
export type ProgramInput = { url: string; key: string; model: string; home: string; installed: string };

/** A program from a registry, as a user would install and run it. */
export type Program = {
  /** The packages that the runner needs for the program. */
  id: string;
  title: string;
  version: string;
  dialect: "chat" | "messages" | "responses" | "gemini";
  /** Packages with exact versions: npm's, or PyPI's (`name==version`). */
  npm?: string[];
  pypi?: string[];
  /** Files to write before the run, by their paths in the program's home. */
  files?: (task: ProgramInput) => Record<string, string>;
  /**
   * Arguments. The first one is the program: a path in the installed directory, `node`, or `python` with its packages.
   */
  command: (task: ProgramInput) => string[];
  env?: (task: ProgramInput) => Record<string, string>;
  /** The model's first text to a program that offers no tool. */
  opening?: string;
  /** The model's last answer if the program does not accept plain text: its own form, or a call. */
  closing?: string | { tool: RegExp; arguments: Record<string, unknown> };
  /** Handles only one tool call per answer. */
  isOneByOne?: boolean;
  /** Shows the tool's result to its user and does not send it to a model. */
  isOneWay?: boolean;
  /** Matches the output lines that say how the program ended, if these are not the last lines. */
  words?: RegExp;
  /** The prefix of its models' names: some programs send no tools to models whose names they do not know. */
  modelPrefix?: string;
};

/** A number that is known only after the tool has run. */
export const PRODUCT = String(41 * 1_000_003);
/** The model's final text about it. */
export const ANSWER = `The tool said ${PRODUCT}.`;

export const PROMPT = "Run the command that multiplies, then tell me the product.";

/** The usual environment of a script in `programs`. */
export const scriptEnv = ({ url, key, model }: ProgramInput) => ({
  BASE_URL: `${url}/v1`,
  KEY: key,
  MODEL: model,
  PROMPT,
});
