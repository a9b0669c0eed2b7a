import { readFileSync } from "node:fs";
import { ANSWER, type Program, scriptEnv } from "../program";

type Script = Omit<Program, "files" | "command"> & {
  /** The name of a file in this folder, without its extension. */
  script: string;
};

/** A library that a Python script uses. */
export const python = ({ script, ...program }: Script): Program => ({
  ...program,
  files: () => ({ [`work/${script}.py`]: readFileSync(`tests/clients/programs/${script}.py`, "utf8") }),
  command: () => ["python", `${script}.py`],
  env: (task) => ({
    ...scriptEnv(task),
    DIALECT: program.dialect,
    PYTHONWARNINGS: "ignore",
    ...program.env?.(task),
  }),
});

const LOOK = JSON.stringify({ command: "expr 41 '*' 1000003" });
const sections = (fields: Record<string, string>) =>
  [...Object.entries(fields), ["completed", ""]]
    .map(([name, text]) => `[[ ## ${name} ## ]]\n${text}`)
    .join("\n\n");

const pydantic = {
  script: "pydantic_agent",
  version: "2.68.0",
  pypi: ["pydantic-ai-slim[openai]==2.68.0"],
};

/** instructor's own loop: it returns an answer that does not match its schema to the model, with the reason. */
const instructor = {
  script: "instructor_model",
  version: "1.17.0",
  dialect: "chat",
  pypi: ["instructor==1.17.0"],
} as const satisfies Partial<Script>;

export const pythons: Program[] = [
  python({ ...pydantic, id: "pydantic-ai-chat", title: "Pydantic AI, chat model", dialect: "chat" }),
  python({
    ...pydantic,
    id: "pydantic-ai-responses",
    title: "Pydantic AI, responses model",
    dialect: "responses",
  }),
  python({
    id: "agents-py",
    title: "OpenAI Agents SDK (Python)",
    version: "0.24.0",
    dialect: "responses",
    pypi: ["openai-agents==0.24.0"],
    script: "openai_agents",
  }),
  python({
    id: "llama-index",
    title: "LlamaIndex (Python)",
    version: "0.14.25",
    dialect: "chat",
    pypi: ["llama-index-core==0.14.25", "llama-index-llms-openai-like==0.8.1"],
    script: "llama_index_agent",
  }),
  python({
    id: "autogen",
    title: "AutoGen",
    version: "0.7.5",
    dialect: "chat",
    pypi: ["autogen-agentchat==0.7.5", "autogen-ext[openai]==0.7.5"],
    words: /The tool|Error/,
    script: "autogen_agent",
  }),
  python({
    id: "smolagents",
    title: "smolagents",
    version: "1.26.0",
    dialect: "chat",
    pypi: ["smolagents[openai]==1.26.0"],
    // smolagents wants a call in every step, and its answer is a call.
    closing: { tool: /^final_answer$/, arguments: { answer: ANSWER } },
    words: /The tool said|Error/,
    script: "smolagents_agent",
  }),
  python({
    id: "crewai",
    title: "CrewAI",
    version: "1.15.30",
    dialect: "chat",
    pypi: ["crewai==1.15.30"],
    script: "crewai_agent",
    env: () => ({
      CREWAI_DISABLE_TELEMETRY: "true",
      CREWAI_TRACING_ENABLED: "false",
      OTEL_SDK_DISABLED: "true",
    }),
  }),
  python({
    ...instructor,
    id: "instructor-tools",
    title: "instructor, TOOLS",
    isOneByOne: true,
    closing: { tool: /^look$/, arguments: { command: ANSWER } },
    env: () => ({ MODE: "TOOLS" }),
  }),
  python({
    ...instructor,
    id: "instructor-schema",
    title: "instructor, JSON_SCHEMA",
    opening: LOOK,
    closing: JSON.stringify({ command: ANSWER }),
    env: () => ({ MODE: "JSON_SCHEMA" }),
  }),
  python({
    id: "dspy",
    title: "DSPy",
    version: "3.4.1",
    dialect: "chat",
    pypi: ["dspy==3.4.1"],
    // DSPy's calls and answers are sections of text.
    opening: sections({ next_thought: "Let me multiply.", next_tool_name: "look", next_tool_args: LOOK }),
    closing: sections({
      ...{ next_thought: "It has been said.", next_tool_name: "finish", next_tool_args: "{}" },
      ...{ reasoning: "The tool multiplied.", answer: ANSWER },
    }),
    script: "dspy_agent",
  }),
];
