import { describe, expect, it } from "vitest";
import { parseAddresses, parsePeople } from "./parse-people.ts";

const read = (text: string) =>
  parsePeople(text).people.map(({ fullName, email }) => `${fullName} ${email}`);

describe("a pasted list of people", () => {
  it.each([
    ["Camille Roux <camille@exemple.fr>", ["Camille Roux camille@exemple.fr"]],
    ['"Roux, Camille" <camille@exemple.fr>', ["Camille Roux camille@exemple.fr"]],
    ["Camille Roux (camille@exemple.fr)", ["Camille Roux camille@exemple.fr"]],
    [
      "  Roux, Camille (SCI Aubry) < camille@exemple.fr > ,;",
      ["Camille (SCI Aubry) Roux camille@exemple.fr"],
    ],
    ["Camille Roux <mailto:camille@exemple.fr>;", ["Camille Roux camille@exemple.fr"]],
    ["Camille Roux ; camille@exemple.fr", ["Camille Roux camille@exemple.fr"]],
    ["camille@exemple.fr, Camille Roux", ["Camille Roux camille@exemple.fr"]],
    [
      "Camille Roux\tcamille@exemple.fr\r\nThéo Lenoir\ttheo@exemple.fr",
      ["Camille Roux camille@exemple.fr", "Théo Lenoir theo@exemple.fr"],
    ],
    ["Camille <c@exemple.fr>; Théo <t@exemple.fr>, Zoé <z@exemple.fr>", ["Camille c@exemple.fr"]],
    ["Camille <c@exemple.fr>; Théo <t@exemple.fr>", ["Camille c@exemple.fr", "Théo t@exemple.fr"]],
    ["c@exemple.fr, t@exemple.fr", ["C c@exemple.fr", "T t@exemple.fr"]],
    [
      "marie-claude.le_goff+bail@exemple.fr",
      ["Marie-Claude Le Goff marie-claude.le_goff+bail@exemple.fr"],
    ],
    ["camille@exemple.fr (Camille Roux)", ["Camille Roux camille@exemple.fr"]],
    [
      "camille@exemple.fr (Roux, Camille), t@exemple.fr (Théo)",
      ["Camille Roux camille@exemple.fr", "Théo t@exemple.fr"],
    ],
    [
      "Jean Dupont <jean.dupont@exemple.fr>, Martin Paul <paul@exemple.fr>; sophie@exemple.fr",
      [
        "Jean Dupont jean.dupont@exemple.fr",
        "Martin Paul paul@exemple.fr",
        "Sophie sophie@exemple.fr",
      ],
    ],
    [
      "sophie@exemple.fr, Roux, Camille <c@exemple.fr>, Lenoir, Théo <t@exemple.fr>",
      ["Sophie sophie@exemple.fr", "Camille Roux c@exemple.fr", "Théo Lenoir t@exemple.fr"],
    ],
    ["\n\n  Camille Roux <camille@exemple.fr>\n\n", ["Camille Roux camille@exemple.fr"]],
  ])("%j", (text, expected) => {
    expect(read(text).slice(0, expected.length)).toEqual(expected);
  });

  it("reads a spreadsheet's columns, with or without headings, phones and roles", () => {
    const headed =
      'Nom;Prénom;Courriel;Téléphone;Rôle\n"Roux; née Aubry";Camille;camille@exemple.fr;06 12 34 56 78;Approbateur';
    expect(parsePeople(headed)).toEqual({
      people: [
        {
          line: 2,
          fullName: "Camille Roux; née Aubry",
          email: "camille@exemple.fr",
          phoneNumber: "+33612345678",
          role: "approver",
          isNameGuessed: false,
          isAddressShared: false,
        },
      ],
      faults: [],
      unread: 0,
    });
    const bare = "1\tCamille\tRoux\tcamille@exemple.fr\t0612345678\tCopie";
    expect(parsePeople(bare).people).toEqual([
      expect.objectContaining({
        fullName: "Camille Roux",
        phoneNumber: "+33612345678",
        role: "viewer",
      }),
    ]);
  });

  it("reports each line it does not understand and reads the rest", () => {
    const text =
      "Camille Roux <camille@exemple.fr>\nPaul Morel\nThéo <theo@>\ncamille roux ; CAMILLE@exemple.fr\nZoé <zoe@exemple.fr>\nAnne <anne@exemple.fr>";
    const { people, faults } = parsePeople(text, [{ fullName: "ANNE", email: "Anne@exemple.fr" }]);
    expect(people.map((person) => person.email)).toEqual(["camille@exemple.fr", "zoe@exemple.fr"]);
    expect(faults).toEqual([
      { line: 2, text: "Paul Morel", reason: "Aucune adresse email" },
      { line: 3, text: "Théo <theo@>", reason: "Email invalide" },
      {
        line: 4,
        text: "camille roux ; CAMILLE@exemple.fr",
        reason: "Figure déjà plus haut dans la liste",
      },
      { line: 6, text: "Anne <anne@exemple.fr>", reason: "Figure déjà parmi les destinataires" },
    ]);
  });

  it.each([
    "a@b.fr, pas une adresse, c@d.fr",
    "a@b.fr, c@d.fr, Zoé",
    "Camille Roux\ta@b.fr\tc@d.fr",
  ])("puts aside %j, which says of no address whose it is", (text) => {
    const { people, faults } = parsePeople(text);
    expect(people).toEqual([]);
    expect(faults).toEqual([{ line: 1, text, reason: "Plusieurs adresses email" }]);
  });

  it("takes no text for a spreadsheet's heading because it begins with « mail »", () => {
    expect(parsePeople("maillard.paul\nZoé <zoe@exemple.fr>").faults).toEqual([
      { line: 1, text: "maillard.paul", reason: "Aucune adresse email" },
    ]);
    expect(parsePeople("E-mails\nzoe@exemple.fr").faults).toEqual([]);
  });

  it("lets two people share an address and marks names derived from addresses", () => {
    const { people, faults } = parsePeople(
      "Anne <famille@exemple.fr>\nLuc <famille@exemple.fr>\nanne.roux@exemple.fr\n42@exemple.fr",
    );
    expect(people.map(({ fullName, isNameGuessed }) => [fullName, isNameGuessed])).toEqual([
      ["Anne", false],
      ["Luc", false],
      ["Anne Roux", true],
    ]);
    expect(faults).toEqual([{ line: 4, text: "42@exemple.fr", reason: "Nom requis" }]);
  });

  it("stops a pasted list at a hundred people", () => {
    const many = Array.from({ length: 102 }, (_, index) => `p${index}x@exemple.fr`).join("\n");
    const { people, faults } = parsePeople(many, [{ fullName: "Z", email: "z@exemple.fr" }]);
    expect(people).toHaveLength(99);
    expect(faults[0]).toEqual({
      line: 100,
      text: "p99x@exemple.fr",
      reason: "100 destinataires au maximum",
    });
  });

  it("reads an address alone as its known person, and marks shared addresses", () => {
    const known = [{ fullName: "Zoé Petit", email: "zoe@exemple.fr" }];
    const { people, faults } = parsePeople(
      "ZOE@exemple.fr\nLuc Petit <zoe@exemple.fr>\nAnne <anne@exemple.fr>\nanne@exemple.fr\nPaul <anne@exemple.fr>",
      known,
    );
    expect(people.map(({ fullName, isAddressShared }) => [fullName, isAddressShared])).toEqual([
      ["Luc Petit", true],
      ["Anne", false],
      ["Paul", true],
    ]);
    expect(faults).toEqual([
      { line: 1, text: "ZOE@exemple.fr", reason: "Figure déjà parmi les destinataires" },
      { line: 4, text: "anne@exemple.fr", reason: "Figure déjà plus haut dans la liste" },
    ]);
  });

  it("does not count blank rows", () => {
    const blank = Array.from({ length: 5 }, () => ({ fullName: " ", email: "" }));
    const many = Array.from({ length: 100 }, (_, index) => `p${index}x@exemple.fr`).join("\n");
    expect(parsePeople(many, blank).people).toHaveLength(100);
  });

  it("reads a mail program's single line of many people", () => {
    const line = Array.from(
      { length: 110 },
      (_, index) => `Personne ${index} <p${index}@exemple.fr>`,
    ).join("; ");
    const { people, faults } = parsePeople(line);
    expect([people.length, faults.length]).toEqual([100, 10]);
    expect(people[99]).toMatchObject({ fullName: "Personne 99", email: "p99@exemple.fr" });
    expect(faults[0]?.reason).toBe("100 destinataires au maximum");
    expect(parsePeople(Array.from({ length: 400 }, () => "x <@>").join(", ")).faults).toHaveLength(
      200,
    );
  });

  it("refuses a line too long for one person and stops after two hundred faults", () => {
    expect(parsePeople(`${"a".repeat(501)}@exemple.fr\nZoé <zoe@exemple.fr>`)).toMatchObject({
      people: [{ fullName: "Zoé" }],
      faults: [{ line: 1, reason: "500 caractères par personne au maximum" }],
    });
    const { people, faults, unread } = parsePeople(
      `${"personne\n".repeat(250)}\nZoé <zoe@exemple.fr>`,
    );
    expect([people.length, faults.length, unread]).toEqual([0, 200, 51]);
  });

  it("reads hostile lists in bounded time", () => {
    const started = performance.now();
    parsePeople(`${"<".repeat(20_000)}@${" ".repeat(20_000)}x`);
    parsePeople(`"${"a,".repeat(20_000)}@`);
    parsePeople("a@b>,".repeat(20_000));
    parsePeople(`${"(".repeat(40_000)}@@${"),".repeat(20_000)}`);
    parsePeople(`x${" ".repeat(20_000)}<${" ".repeat(20_000)}a@b.fr`);
    parsePeople(`x${" ".repeat(240)}<${" ".repeat(240)}@\n`.repeat(2_000));
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe("a pasted list of addresses", () => {
  it.each<[text: string, emails: readonly string[], faults: readonly string[]]>([
    ["a@b.fr, c@d.fr\nInès <e@f.fr>; A@b.fr", ["a@b.fr", "c@d.fr", "e@f.fr"], []],
    ["a@b.fr, nadia, c@d.fr", ["a@b.fr", "c@d.fr"], ["nadia"]],
    ["a@b.fr; nadia", ["a@b.fr"], ["nadia"]],
    ["a@b.fr nadia\nc@d.fr", ["c@d.fr"], ["a@b.fr nadia"]],
    ["a@b.fr, nadia, Paul <c@d.fr>", ["a@b.fr", "c@d.fr"], ["nadia"]],
    ["nadia.exemple.fr, Paul <c@d.fr>", [], ["nadia.exemple.fr, Paul <c@d.fr>"]],
    ["Paul <c@d.fr>, nadia@, 42@b.fr", ["c@d.fr", "42@b.fr"], ["nadia@"]],
    ['Roux, Camille <c@d.fr>; "Lenoir, Théo" <t@d.fr>', ["c@d.fr", "t@d.fr"], []],
    ["c@d.fr (Roux, Camille), t@d.fr", ["c@d.fr", "t@d.fr"], []],
    ["Nom;Courriel\nRoux;c@d.fr\nLenoir;", ["c@d.fr"], ["Lenoir;"]],
    ["Camille\tRoux\tc@d.fr\nThéo\tt@d.fr\tu@d.fr", ["c@d.fr"], ["Théo\tt@d.fr\tu@d.fr"]],
    [`${"a".repeat(501)}@b.fr`, [], [`${"a".repeat(501)}@b.fr`]],
  ])("%j", (text, emails, faults) => {
    expect(parseAddresses(text)).toMatchObject({ emails, faults });
  });

  it("counts each address that came again once", () => {
    expect(parseAddresses("a@b.fr, A@b.fr\nInès <a@b.fr>, c@d.fr; c@d.fr, e@f.fr").doubles).toBe(2);
  });
});
