import type { ICruiseOptions, IForbiddenRuleType, IResolveOptions } from "dependency-cruiser";

/** What each feature may call, through the other's `public.ts`. The order has no way back, so features form no cycle. */
const featureOrder: Readonly<Record<string, readonly string[]>> = {
  trust: [],
  notices: [],
  documents: [],
  journal: ["trust", "notices"],
  accounts: ["notices"],
  envelopes: ["accounts", "documents", "journal", "notices"],
  signing: ["envelopes", "accounts", "documents", "journal", "trust", "notices"],
  proof: ["signing", "envelopes", "accounts", "documents", "journal", "trust", "notices"],
  privacy: ["proof", "signing", "envelopes", "accounts", "documents", "journal", "notices"],
  live: ["envelopes", "accounts"],
};

const feature = "^apps/server/src/features/([^/]+)/";
const test = "\\.test\\.tsx?$";
/** The HTTP edge: `routes.ts`, or several `<what>-routes.ts` where one file would be too long, and the guards they share. */
const routes = "[/-](routes|guard)\\.ts$";
const stores = "[/-]store\\.ts$";

const orderRules = Object.entries(featureOrder).map(
  ([name, allowed]): IForbiddenRuleType => ({
    name: `feature-order-${name}`,
    comment: `${name} may call ${allowed.join(", ") || "no other feature"}; any feature's routes may ask accounts for the session guard.`,
    severity: "error",
    from: { path: `^apps/server/src/features/${name}/`, pathNot: test },
    to: {
      path: "^apps/server/src/features/",
      pathNot: [
        `^apps/server/src/features/(${[name, ...allowed].join("|")})/`,
        "^apps/server/src/features/accounts/public\\.ts$",
      ],
    },
  }),
);

/** The import law of ARCHITECTURE.md. Each rule has a fixture that must fail under `fixtures/imports/`. */
export const importLaw: readonly IForbiddenRuleType[] = [
  ...orderRules,
  {
    name: "accounts-guard-in-routes-only",
    comment:
      "A feature that does not stand on accounts may ask it for the session guard, in its routes only.",
    severity: "error",
    from: {
      path: `^apps/server/src/features/(${Object.keys(featureOrder)
        .filter((name) => name !== "accounts" && !featureOrder[name]?.includes("accounts"))
        .join("|")})/`,
      pathNot: [routes, test],
    },
    to: { path: "^apps/server/src/features/accounts/" },
  },
  {
    name: "feature-unknown",
    comment: "A new feature takes its place in the order above before it is imported or imports.",
    severity: "error",
    from: {
      path: "^apps/server/src/features/",
      pathNot: `^apps/server/src/features/(${Object.keys(featureOrder).join("|")})/`,
    },
    to: {},
  },
  {
    name: "feature-through-public",
    comment: "A feature calls another through its public.ts only.",
    severity: "error",
    from: { path: feature, pathNot: test },
    to: {
      path: "^apps/server/src/features/",
      pathNot: ["^apps/server/src/features/$1/", "^apps/server/src/features/[^/]+/public\\.ts$"],
    },
  },
  {
    name: "domain-is-pure",
    comment:
      "domain/ imports only the kernel, contracts and the domain/ folders of its own feature.",
    severity: "error",
    from: { path: "^apps/server/src/features/([^/]+)/.*domain/", pathNot: test },
    to: {
      pathNot: ["^apps/server/src/features/$1/.*domain/", "(^|/)packages/(contracts|kernel)/"],
    },
  },
  {
    name: "fastify-in-routes-only",
    comment: "Only routes and platform/http know Fastify; compose.ts joins them.",
    severity: "error",
    from: {
      path: "^apps/server/src/",
      pathNot: [
        routes,
        test,
        "^apps/server/src/platform/http/",
        "^apps/server/src/(compose|main)\\.ts$",
      ],
    },
    to: { path: "node_modules/(fastify|fastify-[^/]+|@fastify/[^/]+)/" },
  },
  {
    name: "http-edge-in-routes-only",
    comment:
      "A use case knows no request and no reply; who called (address, browser) comes to it as plain data.",
    severity: "error",
    from: { path: "^apps/server/src/features/", pathNot: [routes, test] },
    to: { path: "^apps/server/src/platform/http/", pathNot: "/request-facts\\.ts$" },
  },
  {
    name: "routes-are-the-edge",
    comment: "Nothing but compose.ts and a feature's other routes imports its routes.",
    severity: "error",
    from: { path: "^apps/server/src/", pathNot: ["^apps/server/src/compose\\.ts$", routes, test] },
    to: { path: "^apps/server/src/features/.+[/-]routes\\.ts$" },
  },
  {
    name: "sql-in-stores-only",
    comment:
      "Only stores, migrations and the platform's own tables import Kysely or pg (queries themselves: scripts/fences/text-rules.ts).",
    severity: "error",
    from: { path: "^apps/server/src/", pathNot: [stores, test, "^apps/server/src/platform/"] },
    to: { path: "node_modules/(kysely|pg|pg-boss)/" },
  },
  {
    name: "platform-knows-no-feature",
    comment: "platform/ is technique without business.",
    severity: "error",
    from: { path: "^apps/server/src/platform/", pathNot: test },
    to: { path: "^apps/server/src/(features/|compose|main)" },
  },
  {
    name: "compose-is-the-top",
    comment: "Only main.ts and the tests' set-up import compose.ts.",
    severity: "error",
    from: { path: "^apps/server/src/", pathNot: ["^apps/server/src/main\\.ts$", test] },
    to: { path: "^apps/server/src/compose\\.ts$" },
  },
  {
    name: "web-knows-no-server",
    comment: "The client shares packages with the server, nothing else.",
    severity: "error",
    from: { path: "^apps/web/" },
    to: { path: "(^|/)(apps/server|packages/pades|scripts|tests)/" },
  },
  {
    name: "server-knows-no-web",
    comment:
      "The server serves the built client and is worked on by commands; it imports none of either.",
    severity: "error",
    from: { path: "^(apps/server/(src|migrations)|packages)/", pathNot: test },
    to: { path: "(^|/)apps/(web|cli)/" },
  },
  {
    name: "cli-through-public",
    comment: "A command calls a feature as another feature does: through its public.ts.",
    severity: "error",
    from: { path: "^apps/cli/src/", pathNot: test },
    to: {
      path: "^apps/server/src/features/",
      pathNot: "^apps/server/src/features/[^/]+/public\\.ts$",
    },
  },
  {
    name: "ui-knows-no-feature",
    comment: "ui/, pdf/ and lib/ hold no business word.",
    severity: "error",
    from: { path: "^apps/web/src/(ui|pdf|lib)/", pathNot: test },
    to: { path: "^apps/web/src/(features|shell|entries)/" },
  },
  {
    name: "pades-stands-alone",
    comment: "The signing core imports no workspace.",
    severity: "error",
    from: { path: "^packages/pades/" },
    to: { path: "(^|/)(apps/|packages/(?!pades/))" },
  },
  {
    name: "pades-without-node",
    comment: "The signing core also runs in a browser: no Node module.",
    severity: "error",
    from: { path: "^packages/pades/src/", pathNot: test },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "proof-on-pades-alone",
    comment:
      "What checks a proof stands on the signing core, the contracts and the kernel: a browser and a command line carry it.",
    severity: "error",
    from: { path: "^packages/proof/" },
    to: { path: "(^|/)(apps/|packages/(?!(proof|pades|contracts|kernel)/))" },
  },
  {
    name: "proof-without-node",
    comment: "Proofs are checked in a browser too: no Node module.",
    severity: "error",
    from: { path: "^packages/proof/src/", pathNot: test },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "contracts-in-any-browser",
    comment: "Contracts import Zod and the kernel, nothing else.",
    severity: "error",
    from: { path: "^packages/contracts/src/", pathNot: test },
    to: {
      pathNot: ["^packages/contracts/src/", "^packages/kernel/src/", "node_modules/zod/"],
    },
  },
  {
    name: "kernel-imports-nothing",
    comment: "The kernel stands below everything and runs in any browser.",
    severity: "error",
    from: { path: "^packages/kernel/src/", pathNot: test },
    to: { pathNot: "^packages/kernel/src/" },
  },
  {
    name: "product-knows-no-tooling",
    comment: "What ships imports no test, test set-up, script or benchmark.",
    severity: "error",
    from: { path: "^(apps/[^/]+|packages/[^/]+)/(src|migrations)/", pathNot: [test, "/testing/"] },
    to: { path: ["^(scripts|bench|tests)/", "/testing/", test] },
  },
  {
    name: "no-cycles",
    comment: "Two modules that need each other are one module.",
    severity: "error",
    from: {},
    to: { circular: true },
  },
  {
    name: "no-unresolvable",
    comment: "An import that leads nowhere. pkcs11js is absent where it could not be compiled.",
    severity: "error",
    from: {},
    to: { couldNotResolve: true, pathNot: ["\\?(worker|url|inline)$", "^pkcs11js$"] },
  },
];

export const cruiseOptions: ICruiseOptions = {
  // Without @swc/core the tool sees no TypeScript at all, says nothing and exits 0: check-imports.ts counts the modules.
  doNotFollow: { path: "node_modules" },
  exclude: { path: ["scripts/fences/fixtures/", "^(apps|packages)/[^/]+/dist/"] },
  tsPreCompilationDeps: true,
  parser: "swc",
  combinedDependencies: true,
};

export const resolveOptions: Partial<IResolveOptions> = {
  exportsFields: ["exports"],
  conditionNames: ["import", "node", "types", "default"],
  mainFields: ["module", "main", "types"],
  extensions: [".ts", ".tsx", ".mts", ".js", ".mjs", ".json", ".css", ".d.ts"],
};
