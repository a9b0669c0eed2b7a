// What all entries of `dist/` have in common; it is carried out before anything else is loaded.
import { engines } from "../../package.json";
import { requireNode } from "../node-version.mjs";

requireNode(engines.node);
globalThis[Symbol.for("tollgate.folder")] = import.meta.dirname;
// Of React and Next there is only what runs in production.
process.env.NODE_ENV = "production";
