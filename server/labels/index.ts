/**
 * Labels: which objects configuration files name, under which label, and that one apply runs at a time. Promises that
 * an object has one label, and that an object which people made is never counted as created by files.
 */
export { withApplyLock } from "./apply-lock";
export {
  forgetLabelled,
  forgetLabelledOf,
  keepLabelled,
  type Labelled,
  listLabelled,
} from "./labelled-objects";
