// `npm run -s tollgate -- <noun> <verb>`: the operator commands.
import { buildServer } from "./build.mjs";

await buildServer();
await import("../dist/tollgate.js");
