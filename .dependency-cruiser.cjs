// The house's allowed edges (ARCHITECTURE.md). All errors; scripts/check-boundaries.mjs proves that they are seen.
const room = (name) => `^server/${name}/`;
const base = room("base");
const domain = room("domain");
const pricing = room("pricing");
const dialects = "chat|messages|responses|gemini";
const rooms = [
  "access",
  "catalog",
  "billing",
  "channels",
  "videos",
  "calls",
  "responses",
  "idempotency",
  "audit",
  "notifications",
  "payments",
  "labels",
];

const guarded = `^server/(${[...rooms, "upstream", "db", "gateway", "console", "worker", "operations", "queries", "files", "admin", "reference", "pricing", "endpoints"].join("|")})/`;
const interfaces = [
  "/index\\.ts$",
  "/schema\\.ts$",
  "^server/access/keys/allow-list-review\\.ts$",
  "^server/db/embedded\\.ts$",
  "^server/db/(handles|lease|batch-rows)\\.ts$",
];

/** `from` may import only what is listed (and packages). */
const only = (name, from, to) => ({
  name,
  severity: "error",
  from: { path: from, pathNot: "\\.test\\.ts$" },
  to: { path: "^(server|app|tests|scripts)/", pathNot: [from, base, domain, pricing, ...to] },
});

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-orphans",
      severity: "error",
      from: { orphan: true, path: "^server/", pathNot: "\\.test\\.ts$" },
      to: {},
    },
    {
      name: "rooms-through-their-index",
      comment:
        "A room's interface is its index.ts; schema.ts and allow-list-review.ts are shared with forms.",
      severity: "error",
      from: { path: "^server/([^/]+)/", pathNot: "\\.test\\.ts$" },
      to: { path: guarded, pathNot: ["^server/$1/", ...interfaces] },
    },
    {
      name: "rooms-through-their-index-from-outside",
      severity: "error",
      from: { path: "^app/" },
      to: { path: guarded, pathNot: interfaces },
    },
    {
      name: "embedded-only-from-programs",
      comment: "The server, and the commands that work while none runs.",
      severity: "error",
      from: { pathNot: ["^server/process/main\\.ts$", "^server/cli/run\\.ts$", "^tests/", "^server/db/"] },
      to: { path: "^server/db/embedded\\.ts$" },
    },
    {
      name: "only-rooms-open-the-database",
      comment: "Doors pass a `Db` on, and contain no statements; secret-checks owns a table.",
      severity: "error",
      from: {
        path: "^(server|app)/",
        pathNot: [
          `^server/(${[...rooms, "db"].join("|")})/`,
          "^server/operations/secret-checks\\.ts$",
          "\\.test\\.ts$",
        ],
      },
      to: { path: ["^server/db/(handles|lease|batch-rows)\\.ts$", "node_modules/(drizzle-orm|postgres)/"] },
    },
    only("route-modules", "^app/v1/", ["^server/process/endpoints\\.ts$"]),
    only("gateway-door", room("gateway"), [
      ...[
        "access",
        "catalog",
        "billing",
        "channels",
        "videos",
        "calls",
        "responses",
        "idempotency",
        "audit",
        "protocol",
        "endpoints",
      ].map(room),
    ]),
    only("console-door", room("console"), [
      ...rooms.map(room),
      room("operations"),
      room("queries"),
      room("runtime"),
      room("endpoints"),
    ]),
    only("admin-door", room("admin"), [
      ...rooms.map(room),
      room("db"),
      room("operations"),
      room("queries"),
      room("protocol"),
      room("runtime"),
    ]),
    only("cli-door", room("cli"), [
      ...rooms.map(room),
      ...["db", "upstream", "operations", "queries", "runtime", "process", "files"].map(room),
    ]),
    only("configuration-files", room("files"), [
      ...["access", "catalog", "channels", "labels", "db", "operations"].map(room),
    ]),
    only("pages", "^app/", [
      ...["console", "reference", "process", "runtime"].map(room),
      ...["access", "audit", "catalog", "channels"].map(room),
      ...["^server/admin/index\\.ts$", "^server/protocol/scalar-members\\.ts$"],
    ]),
    only("process", room("process"), [
      ...rooms.map(room),
      ...["db", "upstream", "operations", "queries", "gateway", "worker", "admin", "runtime"].map(room),
    ]),
    only("runtime", room("runtime"), [
      ...rooms.map(room),
      ...["db", "upstream", "operations", "queries", "gateway"].map(room),
    ]),
    only("operations", room("operations"), [...rooms.map(room), room("db")]),
    only("queries", room("queries"), [...rooms.map(room), ...["db", "operations", "endpoints"].map(room)]),
    only("worker-door", room("worker"), [
      ...[
        "access",
        "billing",
        "catalog",
        "videos",
        "calls",
        "responses",
        "idempotency",
        "audit",
        "notifications",
      ].map(room),
      room("db"),
    ]),
    only("access-room", room("access"), [room("db")]),
    only("catalog-room", room("catalog"), [room("db")]),
    only("billing-room", room("billing"), [room("db"), room("catalog"), room("protocol")]),
    only("channels-room", room("channels"), ["db", "upstream", "protocol", "endpoints"].map(room)),
    only(
      "videos-room",
      room("videos"),
      ["db", "billing", "catalog", "channels", "upstream", "notifications"].map(room),
    ),
    only("calls-room", room("calls"), [room("db")]),
    only("responses-room", room("responses"), [room("db"), room("protocol"), room("billing")]),
    only("idempotency-room", room("idempotency"), [room("db")]),
    only("notifications-room", room("notifications"), [
      room("db"),
      room("access"),
      room("audit"),
      room("billing"),
      room("calls"),
      room("channels"),
    ]),
    only("payments-room", room("payments"), [room("db"), room("billing")]),
    only("audit-room", room("audit"), [room("db")]),
    only("labels-room", room("labels"), [room("db")]),
    only("upstream-layer", room("upstream"), [room("protocol"), room("endpoints")]),
    only("reference-room", room("reference"), [room("endpoints"), "^server/protocol/scalar-members\\.ts$"]),
    only("endpoints-list", room("endpoints"), [room("protocol")]),
    only("protocol-layer", room("protocol"), []),
    {
      name: "dialects-meet-in-the-pivot",
      severity: "error",
      from: { path: `^server/protocol/(${dialects})/`, pathNot: "\\.test\\.ts$" },
      to: { path: `^server/protocol/(${dialects})/`, pathNot: "^server/protocol/$1/" },
    },
    {
      name: "the-pivot-knows-no-dialect",
      severity: "error",
      from: { path: "^server/protocol/pivot/", pathNot: "\\.test\\.ts$" },
      to: { path: `^server/protocol/(${dialects})/` },
    },
    {
      name: "pricing-floor",
      comment: "Pages use the same rules.",
      severity: "error",
      from: { path: pricing, pathNot: "\\.test\\.ts$" },
      to: { path: "^(server|app|tests|scripts)/", pathNot: [base, domain, pricing] },
    },
    {
      name: "domain-floor",
      comment: "Roles, units, windows, identifiers: what rooms and pages share and what knows the business.",
      severity: "error",
      from: { path: domain, pathNot: "\\.test\\.ts$" },
      to: { path: "^(server|app|tests|scripts)/", pathNot: [base, domain] },
    },
    {
      name: "base-floor",
      severity: "error",
      from: { path: base, pathNot: "\\.test\\.ts$" },
      to: { path: "^(server|app|tests|scripts)/", pathNot: base },
    },
    {
      name: "nothing-flat-in-server",
      comment: "A file belongs to a room, a door, `base` or `process`.",
      severity: "error",
      from: { path: "^server/[^/]+$" },
      to: {},
    },
    {
      name: "process-only-from-programs-and-pages",
      severity: "error",
      from: { pathNot: [room("process"), room("cli"), "^app/", "^tests/"] },
      to: { path: room("process") },
    },
    only("db-floor", room("db"), []),
    {
      name: "no-framework-below-the-doors",
      severity: "error",
      from: {
        path: `^server/(gateway|worker|cli|files|admin|operations|queries|reference|protocol|upstream|db|${rooms.join("|")})/`,
      },
      to: { path: "node_modules/(next|react|@trpc|next-auth)/" },
    },
    {
      name: "tests-from-tests-only",
      severity: "error",
      from: { pathNot: ["^tests/", "\\.test\\.ts$"] },
      to: { path: ["^tests/", "\\.test\\.ts$"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
