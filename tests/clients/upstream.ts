import { speakChat } from "@/tests/support/chat-upstream";
import { speakGemini } from "@/tests/support/gemini-upstream";
import { speakMessages } from "@/tests/support/messages-upstream";
import { speakResponses } from "@/tests/support/responses-upstream";
import type { ScriptedTurn } from "@/tests/support/scripted-turn";
import type { UpstreamHandler } from "@/tests/support/upstream";
import { ANSWER, PRODUCT, type Program } from "./program";
import type { PromptCache } from "./prompt-cache";

/** The command for the program's own tool. */
const commandFor = (factor: number) => `expr ${factor} '*' 1000003`;
/** The same command with about 4 kB more output, as agents read it. */
const wordyCommandFor = (factor: number) => `${commandFor(factor)}; seq 1 1000`;
const productOf = (factor: number) => String(factor * 1_000_003);
/** Two calls at once, then one more. Thinking, signatures and identifiers must survive both rounds. */
const ROUNDS = [[41, 42], [43]];
export const PRODUCTS = ROUNDS.flat().map(productOf);
const THOUGHT = "The user wants a product, so something has to multiply.";

type ParameterSchema = {
  type?: string | string[];
  properties?: Record<string, ParameterSchema>;
  required?: string[];
};
type Tool = { name: string; schema: ParameterSchema };
type Listed = {
  name?: string;
  parameters?: ParameterSchema;
  parametersJsonSchema?: ParameterSchema;
  input_schema?: ParameterSchema;
  function?: { name: string; parameters?: ParameterSchema };
  functionDeclarations?: Listed[];
};

/** The shell of an agent, or the function `look` that a library's script registers. */
const KNOWN = /(exec_command|shell|shell_command|run_commands?|execute_command|bash|look)$/i;
const COMMANDS = /^(cmd|command|commands)$/;

/** In their order. Gemini's lists of lists become one list. */
const readTools = (listed: unknown): Tool[] =>
  ((listed ?? []) as Listed[])
    .flatMap((tool) => tool.functionDeclarations ?? [tool])
    .map((tool) => ({
      name: tool.function?.name ?? tool.name ?? "",
      schema:
        tool.function?.parameters ?? tool.parametersJsonSchema ?? tool.parameters ?? tool.input_schema ?? {},
    }));

function valueFor(name: string, { type }: ParameterSchema, command: string): unknown {
  const kind = String(Array.isArray(type) ? type[0] : type).toLowerCase();
  if (COMMANDS.test(name)) {
    const words = name === "commands" ? [command] : ["bash", "-lc", command];
    return kind === "array" ? words : command;
  }
  const others: Record<string, unknown> = { number: 5_000, integer: 5_000, boolean: false, array: [] };
  return others[kind] ?? "a product";
}

const inputOf = ({ properties = {}, required = [] }: ParameterSchema, command: string) =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || COMMANDS.test(name))
      .map(([name, schema]) => [name, valueFor(name, schema, command)]),
  );

/** A program may ask for an answer with a schema as the input of its only tool. */
const sayText = (text: string, tools: Tool[]): ScriptedTurn =>
  tools.length === 1 && text.startsWith("{")
    ? { calls: [{ tool: 0, arguments: JSON.parse(text) }] }
    : { text };

const sayLast = (closing: Program["closing"] = ANSWER, tools: Tool[]): ScriptedTurn =>
  typeof closing === "string"
    ? sayText(closing, tools)
    : {
        calls: [
          { tool: tools.findIndex(({ name }) => closing.tool.test(name)), arguments: closing.arguments },
        ],
      };

/** Calls the program's own tool, and ends after the last result has come back. */
function nextTurn(
  { body, raw }: Parameters<UpstreamHandler>[0],
  { opening, closing }: Program,
  { rounds, commandOf = commandFor }: { rounds: number[][]; commandOf?: (factor: number) => string },
): ScriptedTurn {
  const next = rounds.find((factors) => !factors.every((factor) => raw.includes(productOf(factor))));
  const tools = readTools(body.tools);
  const tool = tools.findIndex(({ name }) => KNOWN.test(name));
  // A program without tools sends the product by itself, or wants a title.
  if (next === undefined || (tool === -1 && raw.includes(PRODUCT))) {
    return { thinking: THOUGHT, ...sayLast(closing, tools) };
  }
  if (tool === -1) {
    return { thinking: THOUGHT, ...sayText(opening ?? "A product", tools) };
  }
  const calls = next.map((factor) => ({
    tool,
    arguments: inputOf(tools[tool]?.schema ?? {}, commandOf(factor)),
  }));
  return { thinking: THOUGHT, text: "Let me multiply.", calls };
}

/** None of these conversations has more turns. */
const MOST_TURNS = 30;

type Speaker = (vendor: { turns: ScriptedTurn[] }, program: Program) => UpstreamHandler;

/** Vendors that refuse the same requests as the real ones, each with the preset that an operator would choose. */
export const vendors = {
  chat: {
    dialect: "openai",
    vendor: "deepseek",
    model: "deepseek-chat",
    // A client of the vendor's own dialect decides itself what it sends back.
    speak: ((vendor, { dialect }) =>
      speakChat({ ...vendor, wantsThinkingBack: dialect !== "chat" })) satisfies Speaker,
  },
  messages: {
    dialect: "anthropic",
    vendor: "anthropic",
    model: "claude-sonnet-5",
    speak: speakMessages satisfies Speaker,
  },
  responses: {
    dialect: "openai-responses",
    vendor: "openai-responses",
    model: "gpt-5.4",
    speak: speakResponses satisfies Speaker,
  },
  gemini: {
    dialect: "gemini",
    vendor: "gemini-native",
    model: "gemini-3.5-flash",
    speak: speakGemini satisfies Speaker,
  },
} as const;
export type VendorName = keyof typeof vendors;
export const vendorNames = Object.keys(vendors) as VendorName[];

type PromptMessage = { role: string; content: string | { type: string }[] };

/**
 * Whether Claude's answers with tool calls came back with their signed thinking before the calls. "": no request asked
 * for thinking.
 */
export function thinkingBack(bodies: Record<string, unknown>[]): string {
  const answers = bodies
    .filter(({ thinking }) => thinking !== undefined)
    .flatMap(({ messages }) => (messages ?? []) as PromptMessage[])
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => (typeof content === "string" ? [] : content.map(({ type }) => type)))
    .filter((types) => types.includes("tool_use"));
  const isBack = (types: string[]) =>
    types.includes("thinking") && types.indexOf("thinking") < types.indexOf("tool_use");
  if (answers.length === 0) {
    return "";
  }
  return answers.every(isBack) ? ", thinking back" : ", thinking **lost**";
}

/** Ten calls one after the other, each with a long result. `cache` counts the prompts. */
export const callLong = (program: Program, cache: PromptCache): UpstreamHandler => {
  const rounds = Array.from({ length: 10 }, (_none, index) => [41 + index]);
  const countPrompt = (body: object) => cache.read(body);
  return (call, response, request) => {
    const turn = nextTurn(call, program, { rounds, commandOf: wordyCommandFor });
    const turns = Array.from({ length: MOST_TURNS }, () => turn);
    return speakMessages({ turns, countPrompt })(call, response, request);
  };
};

/** `rounds`: the whole loop, or only one call. */
export const callTool =
  (name: VendorName, program: Program, rounds: "all" | "one" = "all"): UpstreamHandler =>
  (call, response, request) => {
    const all = program.isOneByOne ? ROUNDS.flat().map((factor) => [factor]) : ROUNDS;
    const turn = nextTurn(call, program, { rounds: rounds === "all" ? all : [[41]] });
    const turns = Array.from({ length: MOST_TURNS }, () => turn);
    return vendors[name].speak({ turns }, program)(call, response, request);
  };
