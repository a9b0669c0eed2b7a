// `dist/gateway.js`
import "./server-folder.mjs";

await import("../../server/process/gateway.ts");
