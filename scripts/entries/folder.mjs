// The common part of all entries of `dist/`; it runs before anything else is loaded.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { engines } from "../../package.json";
import { requireNode } from "../node-version.mjs";

requireNode(engines.node);
globalThis[Symbol.for("tollgate.folder")] = import.meta.dirname;
// V8's code of the modules, which the first start leaves here: without it a start takes a quarter more processor time. In
// a folder that cannot be written, each start compiles.
enableCompileCache(join(import.meta.dirname, ".compiled"));
// dist/ has only the production parts of React and Next.
process.env.NODE_ENV = "production";
