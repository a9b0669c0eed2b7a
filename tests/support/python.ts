import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * A Python with the SDKs of the documentation's examples: `REFERENCE_VENV` names a folder with `openai` and `anthropic`
 * (tests/reference/requirements.txt). null, with a printed notice: then no Python example runs.
 */
export function findPython(): string | null {
  const python = process.env.REFERENCE_VENV && join(process.env.REFERENCE_VENV, "bin", "python");
  if (python && existsSync(python)) {
    return python;
  }
  console.warn(
    "not run: examples in Python, for REFERENCE_VENV names no folder that has their SDKs (docs/testing.md)",
  );
  return null;
}
