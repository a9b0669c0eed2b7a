import { PROMPT, type Program } from "../program";

const FUNCTIONS = `
import re


def look(command: str) -> str:
    "Multiplies"
    one, other = re.findall(r"\\d+", command)
    return str(int(one) * int(other))
`;

export const llm: Program = {
  id: "llm",
  title: "llm",
  version: "0.36",
  dialect: "chat",
  pypi: ["llm==0.36"],
  files: ({ url, model }) => ({
    "llm/extra-openai-models.yaml": `
- model_id: tollgate
  model_name: ${model}
  api_base: ${url}/v1
  api_key_name: tollgate
  supports_tools: true
`,
    "work/functions.py": FUNCTIONS,
  }),
  command: ({ key }) => [
    "venv/bin/llm",
    ...["prompt", "--model", "tollgate", "--key", key, "--functions", "functions.py", PROMPT],
  ],
  env: ({ home }) => ({ LLM_USER_PATH: `${home}/llm` }),
};
