import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type ICruiseOptions,
  type ICruiseResult,
  type IRegularForbiddenRuleType,
  type IResolveOptions,
  cruise,
} from "dependency-cruiser";

type Rule = Omit<IRegularForbiddenRuleType, "severity">;

/** Permitted calls between features, through `public.ts`; acyclic. */
const featureOrder: Readonly<Record<string, readonly string[]>> = {
  organisations: [],
  trust: ["organisations"],
  notices: ["organisations"],
  documents: [],
  journal: ["trust", "notices"],
  accounts: ["organisations", "notices"],
  envelopes: ["organisations", "accounts", "documents", "journal", "notices"],
  signing: ["envelopes", "accounts", "documents", "journal", "trust", "notices"],
  proof: [
    "signing",
    "envelopes",
    "accounts",
    "documents",
    "journal",
    "trust",
    "notices",
    "organisations",
  ],
  privacy: ["proof", "signing", "envelopes", "accounts", "documents", "notices", "organisations"],
};

const feature = "^apps/server/src/features/([^/]+)/";
const test = "\\.test\\.tsx?$";
/** `routes.ts` or `<what>-routes.ts`, and their guards. */
const routes = "[/-](routes|guard)\\.ts$";
const stores = "[/-]store\\.ts$";

const orderRules = Object.entries(featureOrder).map(
  ([name, allowed]): Rule => ({
    name: `feature-order-${name}`,
    comment: `${name} may call ${allowed.join(", ") || "no other feature"}.`,
    from: { path: `^apps/server/src/features/${name}/`, pathNot: test },
    to: {
      path: "^apps/server/src/features/",
      pathNot: `^apps/server/src/features/(${[name, ...allowed].join("|")})/`,
    },
  }),
);

const rules: readonly Rule[] = [
  ...orderRules,
  {
    name: "feature-unknown",
    comment: "A new feature takes its place in the order above before it is imported or imports.",
    from: {
      path: "^apps/server/src/features/",
      pathNot: `^apps/server/src/features/(${Object.keys(featureOrder).join("|")})/`,
    },
    to: {},
  },
  {
    name: "feature-through-public",
    comment: "A feature calls another through its public.ts only.",
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
    from: { path: "^apps/server/src/features/([^/]+)/.*domain/", pathNot: test },
    to: {
      pathNot: ["^apps/server/src/features/$1/.*domain/", "(^|/)packages/(contracts|kernel)/"],
    },
  },
  {
    name: "fastify-in-routes-only",
    comment: "Only routes and platform/http know Fastify; compose.ts joins them.",
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
    from: { path: "^apps/server/src/features/", pathNot: [routes, test] },
    to: { path: "^apps/server/src/platform/http/", pathNot: "/request-facts\\.ts$" },
  },
  {
    name: "routes-are-the-edge",
    comment: "Nothing but compose.ts and a feature's other routes imports its routes.",
    from: { path: "^apps/server/src/", pathNot: ["^apps/server/src/compose\\.ts$", routes, test] },
    to: { path: "^apps/server/src/features/.+[/-]routes\\.ts$" },
  },
  {
    name: "sql-in-stores-only",
    comment:
      "Only stores, migrations and the platform's own tables import Kysely or pg (queries themselves: scripts/fences/text-rules.ts).",
    from: { path: "^apps/server/src/", pathNot: [stores, test, "^apps/server/src/platform/"] },
    to: { path: "node_modules/(kysely|pg|pg-boss)/" },
  },
  {
    name: "platform-knows-no-feature",
    comment: "platform/ is technique without business.",
    from: { path: "^apps/server/src/platform/", pathNot: test },
    to: { path: "^apps/server/src/(features/|compose|main)" },
  },
  {
    name: "compose-is-the-top",
    comment: "Only main.ts and the tests' set-up import compose.ts.",
    from: { path: "^apps/server/src/", pathNot: ["^apps/server/src/main\\.ts$", test] },
    to: { path: "^apps/server/src/compose\\.ts$" },
  },
  {
    name: "web-knows-no-server",
    comment: "The client shares packages with the server, nothing else.",
    from: { path: "^apps/web/" },
    to: { path: "(^|/)(apps/server|packages/pades|scripts|tests)/" },
  },
  {
    name: "server-knows-no-web",
    comment:
      "The server serves the built client and is worked on by commands; it imports none of either.",
    from: { path: "^(apps/server/(src|migrations)|packages)/", pathNot: test },
    to: { path: "(^|/)apps/(web|cli)/" },
  },
  {
    name: "cli-through-public",
    comment: "A command calls a feature as another feature does: through its public.ts.",
    from: { path: "^apps/cli/src/", pathNot: test },
    to: {
      path: "^apps/server/src/features/",
      pathNot: "^apps/server/src/features/[^/]+/public\\.ts$",
    },
  },
  {
    name: "ui-knows-no-feature",
    comment: "ui/, pdf/ and lib/ hold no business word.",
    from: { path: "^apps/web/src/(ui|pdf|lib)/", pathNot: test },
    to: { path: "^apps/web/src/(features|shell|entries)/" },
  },
  {
    name: "pades-stands-alone",
    comment: "The signing core imports no workspace.",
    from: { path: "^packages/pades/" },
    to: { path: "(^|/)(apps/|packages/(?!pades/))" },
  },
  {
    name: "pades-without-node",
    comment: "The signing core also runs in a browser: no Node module.",
    from: { path: "^packages/pades/src/", pathNot: test },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "proof-on-pades-alone",
    comment:
      "What checks a proof stands on the signing core, the contracts and the kernel: a browser and a command line carry it.",
    from: { path: "^packages/proof/" },
    to: { path: "(^|/)(apps/|packages/(?!(proof|pades|contracts|kernel)/))" },
  },
  {
    name: "proof-without-node",
    comment: "Proofs are checked in a browser too: no Node module.",
    from: { path: "^packages/proof/src/", pathNot: test },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "contracts-in-any-browser",
    comment: "Contracts import Zod and the kernel, nothing else.",
    from: { path: "^packages/contracts/src/", pathNot: test },
    to: {
      pathNot: ["^packages/contracts/src/", "^packages/kernel/src/", "node_modules/zod/"],
    },
  },
  {
    name: "kernel-imports-nothing",
    comment: "The kernel stands below everything and runs in any browser.",
    from: { path: "^packages/kernel/src/", pathNot: test },
    to: { pathNot: "^packages/kernel/src/" },
  },
  {
    name: "product-knows-no-tooling",
    comment: "What ships imports no test, test set-up, script or benchmark.",
    from: { path: "^(apps/[^/]+|packages/[^/]+)/(src|migrations)/", pathNot: [test, "/testing/"] },
    to: { path: ["^(scripts|bench|tests)/", "/testing/", test] },
  },
  {
    name: "no-cycles",
    comment: "Two modules that need each other are one module.",
    from: {},
    to: { circular: true },
  },
  {
    name: "no-unresolvable",
    comment: "An import that leads nowhere. pkcs11js is absent where it could not be compiled.",
    from: {},
    to: { couldNotResolve: true, pathNot: ["\\?(worker|url|inline)$", "^pkcs11js$"] },
  },
];

/** The import law of ARCHITECTURE.md; each rule has a failing fixture in `fixtures/imports/`. */
export const importLaw = rules.map(
  (rule): IRegularForbiddenRuleType => ({ ...rule, severity: "error" }),
);

const cruiseOptions: ICruiseOptions = {
  // Needs @swc/core, without which no module is seen: run-fence.ts counts them.
  doNotFollow: { path: "node_modules" },
  exclude: { path: ["scripts/fences/fixtures/", "^(apps|packages)/[^/]+/dist/"] },
  tsPreCompilationDeps: true,
  parser: "swc",
  combinedDependencies: true,
};

const resolveOptions: Partial<IResolveOptions> = {
  exportsFields: ["exports"],
  conditionNames: ["import", "node", "types", "default"],
  mainFields: ["module", "main", "types"],
  extensions: [".ts", ".tsx", ".mts", ".js", ".mjs", ".json", ".css", ".d.ts"],
};

type ImportViolation = { readonly rule: string; readonly from: string; readonly to: string };

const TREES = ["apps", "packages", "scripts", "bench", "tests"];

/**
 * Gives violations and the number of modules: without its TypeScript parser the tool finds none and
 * succeeds.
 */
export async function findImportViolations(
  baseDir: string,
): Promise<{ violations: ImportViolation[]; moduleCount: number; result: ICruiseResult }> {
  const trees = TREES.filter((tree) => existsSync(join(baseDir, tree)));
  const options = {
    ...cruiseOptions,
    baseDir,
    ruleSet: { forbidden: [...importLaw] },
    validate: true,
  };
  const report = await cruise(trees, options, resolveOptions);
  if (typeof report.output === "string")
    throw new Error("dependency-cruiser gave text where a result was expected");
  const { modules, summary } = report.output;
  return {
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
    moduleCount: modules.filter(({ source }) => trees.some((tree) => source.startsWith(`${tree}/`)))
      .length,
    result: report.output,
  };
}
