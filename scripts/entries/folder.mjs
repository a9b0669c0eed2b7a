// The common part of all entries of `dist/`; it runs before anything else is loaded.
import { engines } from "../../package.json";
import { requireNode } from "../node-version.mjs";

requireNode(engines.node);
globalThis[Symbol.for("tollgate.folder")] = import.meta.dirname;
// dist/ has only the production parts of React and Next.
process.env.NODE_ENV = "production";
