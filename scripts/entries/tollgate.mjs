// `dist/tollgate.js`: the operator commands.
import "./folder.mjs";

await import("../../server/cli/main.ts");
