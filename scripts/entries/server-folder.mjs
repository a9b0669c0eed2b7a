// The processes of the server run in the folder of the program, wherever it was started: what lies in the project's
// folder, where tests and `npm run dev` run, lies in `dist/` under the same paths. Commands do not: they are given paths.
import { resolve } from "node:path";
import "./folder.mjs";

process.env.TOLLGATE_DATA_DIR = resolve(process.env.TOLLGATE_DATA_DIR || ".tollgate");
process.chdir(import.meta.dirname);
