/**
 * The rules for migrations that run while a release serves (docs/migrations.md). PostgreSQL's own parser reads the
 * migrations; a statement that is not known to be harmless is a finding.
 */
import { type AlterTableCmd, type ColumnDef, type Constraint, type Node, parse } from "libpg-query";
import { parseConcurrent } from "@/server/db/concurrent-index";
import { marksOf } from "@/server/db/migrations";

/** `rule`: the name by which a file may allow it, with a reason. */
export type Finding = { rule: string; why: string };

const ALLOWED = /^-- tollgate: allowed, ([a-z-]+): .+$/gm;

const finding = (rule: string, why: string): Finding[] => [{ rule, why }];

/** The facts of a file that the rules need. */
type File = {
  isContract: boolean;
  /** Tables that the file itself creates: no call waits for them. */
  made: Set<string>;
};

const nameOf = (node: { relation?: { relname?: string } }) => node.relation?.relname ?? "";

/**
 * Whether a default is the same for every row, so that no row has to be written: a constant, or the time of the
 * statement.
 */
function isConstant(node: Node | undefined): boolean {
  if (node === undefined || "A_Const" in node) {
    return true;
  }
  if ("TypeCast" in node) {
    return isConstant(node.TypeCast.arg);
  }
  return "FuncCall" in node && /"sval":"now"/.test(JSON.stringify(node.FuncCall.funcname));
}

function judgeConstraint({ contype, skip_validation, indexname }: Constraint): Finding[] {
  switch (contype) {
    case "CONSTR_CHECK":
    case "CONSTR_FOREIGN":
      return skip_validation
        ? []
        : finding("validates", "add it NOT VALID, and validate it in the next file");
    case "CONSTR_PRIMARY":
    case "CONSTR_UNIQUE":
      return indexname === undefined
        ? finding("builds-index", "build a unique index concurrently, then add the constraint USING INDEX")
        : [];
    default:
      return finding("unknown-constraint", `${contype} is not known to be harmless`);
  }
}

function judgeColumn({ colname, constraints = [] }: ColumnDef): Finding[] {
  const own = constraints.flatMap((node) => ("Constraint" in node ? [node.Constraint] : []));
  const fallback = own.find(({ contype }) => contype === "CONSTR_DEFAULT");
  return own.flatMap((constraint) => {
    switch (constraint.contype) {
      case "CONSTR_NULL":
        return [];
      case "CONSTR_NOTNULL":
        return fallback === undefined
          ? finding("not-null", `rows of the release before have no ${colname}: give it a constant default`)
          : [];
      case "CONSTR_DEFAULT":
        return isConstant(constraint.raw_expr)
          ? []
          : finding(
              "rewrites",
              `the default of ${colname} differs by row: add it without, then fill it in batches`,
            );
      default:
        return finding(
          "column-constraint",
          `${colname} has ${constraint.contype}: add it by itself, NOT VALID`,
        );
    }
  });
}

/** Changes that are brief and take nothing from the previous release. */
const HARMLESS = ["AT_DropNotNull", "AT_SetStatistics", "AT_SetRelOptions", "AT_ResetRelOptions"];
/** Changes that are brief too, but the previous release may depend on what they remove. */
const TAKES_AWAY = ["AT_DropColumn", "AT_DropConstraint", "AT_DropIdentity", "AT_DropExpression"];

function judgeChange({ subtype = "AT_AddColumn", def, name }: AlterTableCmd, file: File): Finding[] {
  if (subtype === "AT_AddColumn" && def !== undefined && "ColumnDef" in def) {
    return judgeColumn(def.ColumnDef);
  }
  if (subtype === "AT_AddConstraint" && def !== undefined && "Constraint" in def) {
    return judgeConstraint(def.Constraint);
  }
  if (subtype === "AT_ColumnDefault" && def !== undefined) {
    return [];
  }
  if (TAKES_AWAY.includes(subtype) || subtype === "AT_ColumnDefault") {
    return file.isContract
      ? []
      : finding("takes-away", `${name} may be used by the release before: contract, one release later`);
  }
  switch (subtype) {
    case "AT_ValidateConstraint":
      return finding("validates-here", "validate in a file that does nothing else, with this rule allowed");
    case "AT_AlterColumnType":
      return finding("rewrites", `${name}: a new column, written beside the old one, filled in batches`);
    case "AT_SetNotNull":
      return finding(
        "reads-all",
        `${name}: a CHECK that is NOT VALID, validated in the next file, then this, allowed`,
      );
    default:
      return HARMLESS.includes(subtype)
        ? []
        : finding("unknown-change", `${subtype} is not known to be harmless`);
  }
}

/** Judges changes of rows: a statement may not change an unbounded number of rows of an existing table. */
function judgeRows(node: Node, { made }: File): Finding[] {
  const unbounded = finding("unbounded", "rows are changed in batches, by a file that is marked so");
  if ("UpdateStmt" in node) {
    return made.has(nameOf(node.UpdateStmt)) ? [] : unbounded;
  }
  if ("DeleteStmt" in node) {
    return made.has(nameOf(node.DeleteStmt)) ? [] : unbounded;
  }
  return "InsertStmt" in node && !/"valuesLists":/.test(JSON.stringify(node.InsertStmt.selectStmt ?? {}))
    ? unbounded
    : [];
}

const NEW = [
  "CreateStmt",
  "CreateSchemaStmt",
  "CreateEnumStmt",
  "CreateFunctionStmt",
  "CommentStmt",
  "GrantStmt",
];

/** Judges a statement of a file that runs as one transaction. */
function judgeStatement(node: Node, file: File): Finding[] {
  if ("IndexStmt" in node) {
    const isOfNew = file.made.has(nameOf(node.IndexStmt)) && !node.IndexStmt.concurrent;
    return isOfNew
      ? []
      : finding("index", "an index of a table that is there is built by a file marked concurrently");
  }
  if ("AlterTableStmt" in node) {
    const { cmds = [] } = node.AlterTableStmt;
    return file.made.has(nameOf(node.AlterTableStmt))
      ? []
      : cmds.flatMap((cmd) => ("AlterTableCmd" in cmd ? judgeChange(cmd.AlterTableCmd, file) : []));
  }
  if ("DropStmt" in node) {
    if (node.DropStmt.removeType === "OBJECT_INDEX") {
      return finding("index", "an index is dropped by a file marked concurrently");
    }
    return file.isContract
      ? []
      : finding("takes-away", "the release before may use it: contract, one release later");
  }
  if ("RenameStmt" in node) {
    return finding(
      "renames",
      "both releases use it, by two names: add the new one, fill it, then drop the old one",
    );
  }
  if ("UpdateStmt" in node || "DeleteStmt" in node || "InsertStmt" in node) {
    return judgeRows(node, file);
  }
  const [kind = ""] = Object.keys(node);
  return NEW.includes(kind) ? [] : finding("unknown-statement", `${kind} is not known to be harmless`);
}

function judgeBatch(node: Node): Finding[] {
  const isChange = "UpdateStmt" in node || "DeleteStmt" in node || "InsertStmt" in node;
  return isChange && /"limitCount":/.test(JSON.stringify(node))
    ? []
    : finding("batch", "a batch is an UPDATE, DELETE or INSERT that is bounded by a LIMIT");
}

/** The findings for a migration, without the rules that its file allows itself to break. */
export async function judgeMigration(tag: string, text: string): Promise<Finding[]> {
  const { how, serves } = marksOf(tag, text);
  const allowed = [...text.matchAll(ALLOWED)].map(([, rule]) => rule);
  const parts = text.split("--> statement-breakpoint");
  const parsed = await Promise.all(parts.map((part) => parse(part)));
  const nodes = parsed.flatMap(({ stmts = [] }) => stmts.flatMap(({ stmt }) => stmt ?? []));
  const made = new Set(nodes.flatMap((node) => ("CreateStmt" in node ? nameOf(node.CreateStmt) : [])));
  const file = { isContract: serves !== null, made };
  const late =
    serves !== null && serves >= Number(tag.slice(0, 4))
      ? finding("contract", "releases that know this very version are not the ones before it")
      : [];
  const judged = {
    transaction: () => nodes.flatMap((node) => judgeStatement(node, file)),
    batches: () => nodes.flatMap((node) => judgeBatch(node)),
    concurrently: () =>
      parts.flatMap((part) =>
        parseConcurrent(part) === null
          ? finding(
              "concurrently",
              "such a file has CREATE and DROP INDEX CONCURRENTLY with quoted names, no more",
            )
          : [],
      ),
  }[how]();
  return [...late, ...judged].filter(({ rule }) => !allowed.includes(rule));
}
