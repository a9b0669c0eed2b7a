// `dist/main.js`
import "./server-folder.mjs";

await import("../../server/process/main.ts");
