// `dist/boot.js`
import "./server-folder.mjs";

await import("../../server/process/boot.ts");
