import { PROMPT, type Program } from "../program";

/** aider has no tools: it writes files as the model says, runs the user's tests and sends their output to the model. */
const TEST = "test -e told || { touch told; expr 41 '*' 1000003; exit 1; }";

export const aider: Program = {
  id: "aider",
  title: "aider",
  version: "0.86.2",
  dialect: "chat",
  pypi: ["aider-chat==0.86.2"],
  opening: "product.txt\n```\n41 times 1000003\n```\n",
  command: ({ url, key, model }) => [
    "venv/bin/aider",
    ...["--model", `openai/${model}`, "--openai-api-base", `${url}/v1`, "--openai-api-key", key],
    ...["--edit-format", "whole", "--auto-test", "--test-cmd", TEST, "--message", PROMPT],
    ..."--yes-always --no-git --no-check-update --analytics-disable --no-show-model-warnings --no-pretty".split(
      " ",
    ),
    ..."--no-show-release-notes --no-detect-urls".split(" "),
    "product.txt",
  ],
};
