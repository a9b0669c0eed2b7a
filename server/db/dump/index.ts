export { dumpDatabase } from "./dump";
export { restoreDatabase } from "./restore";
