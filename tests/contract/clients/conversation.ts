import type { ScriptedTurn, ToolUse } from "@/tests/support/scripted-turn";
import { type Client, runTool, tools } from "./client";
import type { VendorRoute } from "./stage";

const inputs = [{ city: "Zürich" }, { city: "Zürich", clock: { hours: 24, zones: ["CET", "“🕰”"] } }];
const thinking = "Two questions about Zürich, so two calls at once.";
const answer = "Sunny in Zürich, and it is noon.";

/** First thinking, a text and two tool calls at once; then the answer. */
export const toolTurns: ScriptedTurn[] = [
  { thinking, text: "Let me look.", calls: inputs.map((input, tool) => ({ tool, arguments: input })) },
  { text: answer },
];

/** The usage of each turn, including cached tokens. */
export const turnUsage = [
  { input: 120, cached: 30, output: 41 },
  { input: 160, cached: 30, output: 40 },
];

/** The expected output of a client, whatever is between it and the vendor. */
export const heardBy = (client: Client) => ({
  thinking: client.hearsThinking ? thinking : "",
  text: answer,
  stopReasons: client.stopReasons,
  usage: turnUsage,
});

/**
 * The calls and results that the vendor should find in the second request: the vendor's own, with its own identifiers.
 */
export const usesOn = (way: VendorRoute, { toolNames }: Client): ToolUse[] =>
  (toolNames ?? tools.map(({ name }) => name)).map((name, at) => ({
    id: way.callIds[at] ?? "",
    name: way.nameOf(name),
    input: inputs[at],
    output: runTool(name, inputs[at]),
  }));
