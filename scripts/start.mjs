// `npm start`: builds what is stale, then becomes the server.
import { buildConsole, buildServer } from "./build.mjs";

await buildServer();
buildConsole();
process.env.NODE_ENV ??= "production";
await import("../dist/main.js");
