import { describe, expect, test } from "vitest";
import { organisationIdentity, registrationChoice } from "./organisation.ts";
import { domainFault, formatSiret, siretFault } from "./organisation-rules.ts";

const WRONG_KEY = "Ce numéro n’est pas un SIRET\u00a0: le dernier chiffre ne correspond pas.";

describe("a SIRET", () => {
  test.each([
    ["732 829 320 00074", null],
    ["73282932000074", null],
    ["732\u00a0829\u202f320.00074", null],
    ["73282932000075", WRONG_KEY],
    // Two digits are exchanged.
    ["73282932000704", WRONG_KEY],
    // La Poste: its seat has a Luhn key, its offices a sum divisible by five.
    ["35600000000048", null],
    ["35600000049837", null],
    ["35600000049838", WRONG_KEY],
    ["7328293200007", "Un SIRET a 14 chiffres."],
    ["732829320000740", "Un SIRET a 14 chiffres."],
    ["00000000000000", "Un SIRET a 14 chiffres."],
    ["7328293200007A", "Un SIRET a 14 chiffres."],
    ["", "Un SIRET a 14 chiffres."],
  ])("%s is checked by its key", (text, fault) => {
    expect(siretFault(text)).toBe(fault);
  });

  test("is stored without spaces and shown in groups", () => {
    expect(formatSiret("73282932000074")).toBe("732\u00a0829\u00a0320\u00a000074");
  });
});

const IDENTITY = {
  name: "Cabinet Aubry & Associés",
  legal_form: "SELARL",
  address: "14 rue aux Juifs, 76000 Rouen",
  siret: "732 829 320 00074",
  representative: null,
  contact_email: "contact@cabinet-aubry.fr",
  dpo_email: null,
};
const faultsOf = (change: object) =>
  organisationIdentity
    .safeParse({ ...IDENTITY, ...change })
    .error?.issues.map(({ path, message }) => [path.join("."), message]) ?? [];

describe("an identity", () => {
  test("is accepted without what is optional, its SIRET bare", () => {
    expect(organisationIdentity.parse(IDENTITY).siret).toBe("73282932000074");
  });

  test.each([
    [{ name: " " }, [["name", "Nom requis"]]],
    [{ name: "x".repeat(65) }, [["name", "64 caractères au maximum"]]],
    [{ name: "x".repeat(10_000) }, [["name", "64 caractères au maximum"]]],
    [{ name: "Voir www.exemple.fr" }, [["name", "Un nom ne peut pas contenir de lien."]]],
    [{ address: "x".repeat(10_000) }, [["address", "200 caractères au maximum"]]],
    [
      { address: "https://exemple.fr" },
      [["address", "Une adresse postale ne contient ni lien ni adresse de site."]],
    ],
    [{ legal_form: "GIE imaginaire" }, [["legal_form", "Forme juridique requise"]]],
    [{ siret: "732 829 320 00075" }, [["siret", WRONG_KEY]]],
    [{ siret: "7".repeat(10_000) }, [["siret", "Un SIRET a 14 chiffres."]]],
    [{ contact_email: "contact" }, [["contact_email", "Email invalide"]]],
    [{ dpo_email: "x".repeat(10_000) }, [["dpo_email", "Email invalide"]]],
  ])("with %j is refused in French, under its field", (change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });
});

describe("who may register", () => {
  test("domains are trimmed, in lower case, without their @", () => {
    expect(
      registrationChoice.parse({ kind: "domains", domains: [" @Cabinet-Aubry.FR", "mairie.fr"] }),
    ).toEqual({ kind: "domains", domains: ["cabinet-aubry.fr", "mairie.fr"] });
  });

  test.each([
    ["gmail.com", /messagerie publique/],
    ["laposte.net", /messagerie publique/],
    ["cabinet", /n’est pas un domaine/],
    ["-a.fr", /n’est pas un domaine/],
    ["a..fr", /n’est pas un domaine/],
    [`${"a".repeat(64)}.fr`, /n’est pas un domaine/],
    ["zoe@mairie.fr", /n’est pas un domaine/],
  ])("%s is no domain of an organisation", (domain, fault) => {
    expect(domainFault(domain)).toMatch(fault);
    expect(registrationChoice.safeParse({ kind: "domains", domains: [domain] }).success).toBe(
      false,
    );
  });

  test("by domains, at least one and fifty at most are given", () => {
    const choose = (domains: readonly string[]) =>
      registrationChoice.safeParse({ kind: "domains", domains }).error?.issues[0]?.message;
    expect(choose([])).toBe("Indiquez au moins un domaine.");
    expect(choose(Array.from({ length: 51 }, (_, at) => `d${at}.fr`))).toBe(
      "50 domaines au maximum",
    );
    expect(choose(["x".repeat(10_000)])).toBe("Domaine trop long");
  });
});
