/** The interface of an adapter to a real client: one table of tests runs all clients. */

/** Where a client calls, and with which key. `url` has no path. */
export type CallTarget = { url: string; secret: string; model: string };

/** The texts and counts that a client showed its user, in its own terms. Token counts include cached tokens. */
export type ClientOutput = {
  /** The thinking of the first turn. null: this client has no place for it. */
  thinking: string | null;
  /** The text of the last turn. */
  text: string;
  stopReasons: string[];
  usage: { input: number; cached: number; output: number }[];
};

export type Client = {
  name: string;
  dialect: "chat" | "messages";
  /** The client names a reasoning effort, or a budget. */
  asksToThink: boolean;
  /** The client shows the model's thinking to its user. */
  hearsThinking: boolean;
  /** The client's names of the two tools. Default: the names in `tools`. */
  toolNames?: [string, string];
  /** The client's names for the end of a turn with calls, and of a turn without. */
  stopReasons: [string, string];
  /** Sends the prompt, runs the requested tools with `runTool`, and repeats until it has an answer. */
  toolLoop: (target: CallTarget, mode: { isStream: boolean }) => Promise<ClientOutput>;
};

export const prompt = "How is the weather in Zürich, and what time is it there?";

type ToolSchema = {
  type: "object";
  properties: Record<string, { type: "string" | "object" }>;
  required: string[];
};

/** The tools of every client, in this order. */
export const tools: { name: string; description: string; schema: ToolSchema }[] = [
  {
    name: "look_up_weather",
    description: "The weather of a city.",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  {
    name: "look_up_time",
    description: "The time of a city.",
    schema: {
      type: "object",
      properties: { city: { type: "string" }, clock: { type: "object" } },
      required: ["city"],
    },
  },
];

/** Enough for the thinking budget that clients of the messages dialect ask for. */
export const maxTokens = 2_048;
export const thinkingBudget = 1_024;

/** The code of a client's tools. Returns its input, so that a test sees a fragment lost on the way. */
export const runTool = (name: string, input: unknown): string => `${name} says: ${JSON.stringify(input)}`;
