import { type OfflineReport, PAGES_UNCHECKED, type ProofCheck, type Trust } from "@paraphe/proof";
import { expect, test } from "vitest";
import { sampleProof } from "../prints/testing/sample-proof.ts";
import { placeOf } from "./result-view.tsx";
import { describeResult, rootsToCompare } from "./result-words.ts";

const check = (
  name: ProofCheck["name"],
  state: ProofCheck["state"],
  sentence: string = name,
): ProofCheck => ({
  name,
  state,
  subject: null,
  sentence,
});
const FILE = { document: "a", name: "contrat.pdf", size_bytes: 1, sha256: "0".repeat(64) };
const proof = { ...sampleProof(), files: [FILE] } as unknown as NonNullable<OfflineReport["proof"]>;

const report = (given: Partial<OfflineReport>): OfflineReport => ({
  verdict: "indeterminate",
  summary: "Rien ne se contredit.",
  checks: [],
  roots: [],
  limits: [],
  proof: null,
  stated: [],
  ...given,
});
const HOST = "paraphe.exemple.fr";
const words = (
  given: Partial<OfflineReport>,
  { isPaper = false, trust = "nobody" }: { isPaper?: boolean; trust?: Trust } = {},
) => {
  const { word, reason, blocks } = describeResult(report(given), { isPaper, trust, host: HOST });
  const lines = blocks.flatMap((block) => block.lines);
  return [word ?? "", reason, ...lines.map(({ text }) => (typeof text === "string" ? text : ""))]
    .join("\n")
    .replaceAll(/[\u00a0\u202f]/g, " ");
};
const signed = { file: "contrat.pdf", name: "Zoé", at: null };
const FORM = check("form", "not_checked");
const CONTEXT = { isPaper: false, trust: "reader", host: HOST } as const;

test("never calls a PDF valid without a trusted authority, and names what is missing", () => {
  const alone = { checks: [FORM, check("signatures", "not_checked")], stated: [signed] };
  expect(words(alone)).toContain(
    "Ce PDF porte 1 signature, mais il manque de quoi la contrôler ici.",
  );
  expect(words(alone)).toContain("ou une photo du QR code imprimé");
  expect(words({ ...alone, stated: [] })).toContain(
    "Ce PDF ne porte aucune signature électronique lisible",
  );
  expect(words(alone)).toContain("Un fichier de confiance, que le service publie");
  expect(describeResult(report(alone), CONTEXT).verdict).toBe("indeterminate");
});

const ROOTED = {
  checks: [FORM, check("root", "ok"), check("signatures", "ok")],
  stated: [signed, signed],
};

test("says that a PDF under a trusted authority may lack somebody's signature", () => {
  const said = words(ROOTED, { trust: "reader" });
  expect(said).toMatch(/^Signatures du PDF valides\nCe PDF n’a pas été modifié depuis/);
  expect(said).toContain("Le PDF seul ne dit pas si quelqu’un devait encore signer");
  expect(said).not.toContain("La confiance vient de ce service");
  expect(describeResult(report(ROOTED), CONTEXT).verdict).toBe("valid");
});

test("lists under « il manque » only what the reader can bring", () => {
  const MISSING = "Pour conclure, il manque";
  const missing = (
    given: Partial<OfflineReport>,
    { isPaper = false, trust }: { isPaper?: boolean; trust: Trust },
  ) =>
    describeResult(report(given), { isPaper, trust, host: HOST })
      .blocks.filter(({ heading }) => heading === MISSING)
      .flatMap(({ lines }) => lines)
      .map(({ text }) => (typeof text === "string" ? text.split(/[\u00a0 ,]/u)[0] : text));
  const unchecked = (name: ProofCheck["name"]) => check(name, "not_checked");
  const foreign = { checks: [FORM, unchecked("signatures")], stated: [signed] };
  expect(missing(foreign, { trust: "unknown" })).toEqual(["Un", "preuve.json", "ou"]);
  const code = { checks: [FORM, unchecked("statement"), unchecked("paper")] };
  expect(missing(code, { isPaper: true, trust: "service" })).toEqual(["preuve.json"]);
  const alone = { proof, checks: [check("root", "ok"), unchecked("file"), unchecked("stamp")] };
  expect(missing(alone, { trust: "service" })).toEqual(["Le"]);
  const whole = { proof, checks: [check("root", "ok"), check("file", "ok"), unchecked("stamp")] };
  expect(missing(whole, { trust: "service" })).toEqual([]);
  expect(words(whole, { trust: "service" })).toContain("stamp");
});

test("says that the pages of an evidence PDF are not checked", () => {
  const [said, limits] = ["Les pages du dossier de preuve : seul preuve.json", [PAGES_UNCHECKED]];
  expect(words({ verdict: "valid", proof, limits })).toContain(said);
  expect(words({ proof, limits })).toContain(said);
  expect(words({ verdict: "valid", proof })).not.toContain(said);
});

test("says when the trust comes from the page's own service", () => {
  const said = "La confiance vient de ce service (« paraphe.exemple.fr »)";
  expect(words(ROOTED, { trust: "service" })).toContain(said);
  expect(words({ verdict: "valid", proof }, { trust: "service" })).toContain(said);
  expect(words({ verdict: "valid", proof }, { trust: "reader" })).not.toContain(said);
});

test("leaves undecided, not false, what the page's service does not recognise", () => {
  const foreign = { checks: [FORM, check("signatures", "not_checked")], stated: [signed] };
  expect(words(foreign, { trust: "unknown" })).toContain(
    "Les autorités de ce service (« paraphe.exemple.fr ») ne suffisent pas à conclure",
  );
  const result = describeResult(report(foreign), { ...CONTEXT, trust: "unknown" });
  expect(result.verdict).toBe("indeterminate");
});

test("calls a photographed code authentic only by a trusted proof", () => {
  const code = [
    check("statement", "not_checked", "Le QR code parle de la page 2."),
    check("paper", "not_checked"),
  ];
  expect(words({ checks: [FORM, ...code] }, { isPaper: true })).toContain(
    "QR code lu\nLe QR code parle de la page 2.\npreuve.json",
  );
  expect(
    words(
      { checks: [FORM, check("statement", "not_checked", "Cette adresse est incomplète.")] },
      { isPaper: true },
    ),
  ).toMatch(/^\nCette adresse/);
  const checks = [
    check("root", "ok"),
    check("file", "not_checked"),
    check("statement", "ok"),
    check("paper", "not_checked"),
  ];
  expect(describeResult(report({ proof, checks }), { ...CONTEXT, isPaper: true })).toMatchObject({
    verdict: "valid",
    word: "Le QR code est authentique",
  });
  const unrooted = checks.map((one) => ({ ...one, state: "not_checked" as const }));
  expect(
    describeResult(report({ proof, checks: unrooted }), { ...CONTEXT, isPaper: true }).verdict,
  ).toBe("indeterminate");
});

test("says what to do without a root, with file names and fingerprints further down", () => {
  const given = {
    proof,
    checks: [check("root", "not_checked")],
    roots: [{ name: "Racine", fingerprint: "AB:CD" }],
  };
  expect(words(given)).toContain("rien ne dit encore que cette preuve vient bien du service");
  expect(words(given)).toContain(
    "Un fichier de confiance, que le service publie : « Aller plus loin », plus bas, dit où le prendre",
  );
  expect(words(given)).toContain("ou une photo du QR code imprimé");
  expect(words(given)).not.toMatch(/AB:CD|ca\.pem|jwks|SHA/);
  expect(rootsToCompare(report(given))).toEqual(given.roots);
  const rooted = {
    ...given,
    checks: [
      check("root", "ok"),
      check("stamp", "not_checked", "«\u00a0TSA\u00a0» (empreinte SHA-256 AB:CD)\u00a0: inconnue."),
    ],
  };
  expect(words(rooted)).toContain("« TSA » : inconnue.");
  expect([
    ...rootsToCompare(report(rooted)),
    ...rootsToCompare(report({ ...given, verdict: "invalid" })),
  ]).toEqual([]);
  const altered = `Le fichier a été modifié. Empreinte du fichier (SHA-256)\u00a0: ${"ab".repeat(32)}.`;
  expect(words({ verdict: "invalid", checks: [check("signatures", "failed", altered)] })).toContain(
    "Le fichier a été modifié.\n",
  );
});

test("explains an invalid result in plain words and warns against the document", () => {
  const said = words({
    verdict: "invalid",
    checks: [
      check("form", "ok"),
      check("file", "failed", "Fichier inconnu (empreinte SHA-256 ab)."),
    ],
  });
  expect(said).toContain("Fichier inconnu.");
  expect(said).toContain("Ne vous y fiez pas");
  expect(
    words({
      verdict: "invalid",
      checks: [check("statement", "failed", "L’adresse mène ailleurs : ne l’ouvrez pas.")],
    }),
  ).toContain("ne l’ouvrez pas");
});

test("dates a valid result by its last signature, and says what is unknown offline", () => {
  const said = words({ verdict: "valid", proof });
  expect(said).toMatch(
    /^\nLe document n’a pas été modifié depuis le \d+ \w+ \d{4} à \d\d h \d\d\./,
  );
  expect(said).toContain("Hors ligne, cette page ne sait pas ce qui s’est passé depuis");
});

test("links an address to a web page, or nowhere", () => {
  expect(placeOf("https://paraphe.exemple.fr/verify/1#a")?.host).toBe("paraphe.exemple.fr");
  for (const address of [
    "javascript:alert(1)",
    "paraphe.exemple.fr/verify/1",
    "data:text/html,a",
    "",
  ])
    expect(placeOf(address)).toBeNull();
});
