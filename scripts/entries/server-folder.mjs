// The server's processes run in the program's folder, wherever it was started. Files of the project's folder, where
// tests and `npm run dev` run, have the same paths in `dist/`. Commands stay in the folder where they are started,
// because their arguments may be paths.
import { resolve } from "node:path";
import "./folder.mjs";

process.env.TOLLGATE_DATA_DIR = resolve(process.env.TOLLGATE_DATA_DIR || ".tollgate");
process.chdir(import.meta.dirname);
