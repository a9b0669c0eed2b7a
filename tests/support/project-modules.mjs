// Loaded first by processes of tests that run the project's own modules without a build (`node --import`).
import { registerHooks } from "node:module";

const ENDINGS = ["", ".ts", "/index.ts"];
const root = new URL("../../", import.meta.url);

/** Resolves the project's own modules by their names in the source. */
registerHooks({
  resolve: (name, context, next) => {
    const path = name.startsWith("@/") ? new URL(name.slice(2), root).href : name;
    for (const ending of ENDINGS.slice(0, -1)) {
      try {
        return next(path + ending, context);
      } catch {
        // Tries the next extension.
      }
    }
    return next(path + ENDINGS.at(-1), context);
  },
});
