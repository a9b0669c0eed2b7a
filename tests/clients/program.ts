/** What a program is given: the gateway's origin, a key, a model, and the directories that it may use. */
export type Task = { url: string; key: string; model: string; home: string; installed: string };

/** A program from a registry, as a user would install and ask it. */
export type Program = {
  /** How the runner runs it. */
  id: string;
  title: string;
  version: string;
  dialect: "chat" | "messages" | "responses" | "gemini";
  /** Packages with exact versions: npm's, or PyPI's (`name==version`). */
  npm?: string[];
  pypi?: string[];
  /** Files to write before it is run, by their paths in its home. */
  files?: (task: Task) => Record<string, string>;
  /** Its arguments; the first is the program: a path in what was installed, `node`, or `python` with its packages. */
  command: (task: Task) => string[];
  env?: (task: Task) => Record<string, string>;
  /** What the model says first to a program that offers it no tool. */
  opening?: string;
  /** How the model ends, where its program does not take plain words for an answer: its own form, or a call. */
  closing?: string | { tool: RegExp; arguments: Record<string, unknown> };
  /** Takes one call an answer. */
  isOneByOne?: boolean;
  /** Shows the tool's result to its user and sends it to no model. */
  isOneWay?: boolean;
  /** Which of its lines say how it ended, where these are not the last. */
  words?: RegExp;
  /** What its models' names begin with: some send no tools to names that they do not know. */
  modelPrefix?: string;
};

/** What only a tool that ran can know. */
export const PRODUCT = String(41 * 1_000_003);
/** What the model says of it in the end. */
export const SAID = `The tool said ${PRODUCT}.`;

export const PROMPT = "Run the command that multiplies, then tell me the product.";

/** The usual environment of a script in `programs`. */
export const scriptEnv = ({ url, key, model }: Task) => ({
  BASE_URL: `${url}/v1`,
  KEY: key,
  MODEL: model,
  PROMPT,
});
