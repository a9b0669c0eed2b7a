// Lets a thread import the project's TypeScript files directly: `@/` is the project's folder, and `.ts` and
// `/index.ts` may be left out.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";

const root = new URL("../../..", import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    const isOurs = specifier.startsWith("@/");
    if (!isOurs && !specifier.startsWith(".")) {
      return next(specifier, context);
    }
    const url = isOurs ? new URL(specifier.slice(2), root) : new URL(specifier, context.parentURL);
    const sources = [".ts", "/index.ts"].map((end) => new URL(`${url.href}${end}`));
    // Next bundles the same file; the bundle's paths are not the project's.
    return next(sources.find((source) => existsSync(source))?.href ?? specifier, context);
  },
});
