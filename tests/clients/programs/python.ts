import { readFileSync } from "node:fs";
import { type Program, scriptEnv } from "../program";

type Script = Pick<Program, "id" | "title" | "version" | "dialect" | "pypi"> & {
  /** The name of a file beside this one, without its ending. */
  script: string;
};

/** A library that a script in Python uses. */
export const python = ({ script, ...program }: Script): Program => ({
  ...program,
  files: () => ({ [`work/${script}.py`]: readFileSync(`tests/clients/programs/${script}.py`, "utf8") }),
  command: () => ["python", `${script}.py`],
  env: (task) => ({ ...scriptEnv(task), DIALECT: program.dialect, PYTHONWARNINGS: "ignore" }),
});

const pydantic = {
  script: "pydantic_agent",
  version: "2.68.0",
  pypi: ["pydantic-ai-slim[openai]==2.68.0"],
};

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
];
