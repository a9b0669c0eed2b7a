/** What an adapter makes of a real client, so that one table of tests runs them all. */

/** Where a client calls and as whom. `url` has no path. */
export type Target = { url: string; secret: string; model: string };

/** What a client told its user, in the client's own words; tokens in total, cached ones included. */
export type Heard = {
  /** The first turn's. null: this client has no place for it. */
  thinking: string | null;
  /** The last turn's. */
  text: string;
  stopReasons: string[];
  usage: { input: number; cached: number; output: number }[];
};

export type Client = {
  name: string;
  dialect: "chat" | "messages";
  /** It names a reasoning effort, or a budget. */
  asksToThink: boolean;
  /** It shows its user what the model thought. */
  hearsThinking: boolean;
  /** What it calls the two tools; by `tools` when left out. */
  toolNames?: [string, string];
  /** What it calls the end of a turn with calls, and of one without. */
  stopReasons: [string, string];
  /** Asks, runs the tools that it is told to with `runTool`, and asks again until there is an answer. */
  toolLoop: (target: Target, mode: { isStream: boolean }) => Promise<Heard>;
};

export const prompt = "How is the weather in Zürich, and what time is it there?";

type Schema = {
  type: "object";
  properties: Record<string, { type: "string" | "object" }>;
  required: string[];
};

/** The tools of every client, in this order. */
export const tools: { name: string; description: string; schema: Schema }[] = [
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

/** What a client's tools do. Says back what it was given, so that a fragment lost on the way is seen. */
export const runTool = (name: string, input: unknown): string => `${name} says: ${JSON.stringify(input)}`;
