import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { CommandFault } from "../outcome.ts";
import { runParaphe } from "../run-paraphe.ts";

const KEYED = { PARAPHE_URL: "https://paraphe.example", PARAPHE_KEY: "pk_live_a" };
const TO = ["--to", "Paul Morel <paul.morel@exemple.fr>"];

it("says what it does not understand before the usage, and calls nothing", async () => {
  const wrong: [readonly string[], RegExp][] = [
    [["send"], /^Il manque le PDF/],
    [["send", "Bail.pdf"], /^Il manque --to/],
    [["send", "Bail.pdf", "--to", "x"], /^--to x\u00a0: la forme est "Nom <adresse>"/],
    [["send", "Bail.pdf", "--to"], /^--to\u00a0: option inconnue, ou valeur absente/],
    [["send", ...TO], /^Il manque le PDF/],
    [["send", "Bail.pdf", ...TO, "--days", "0"], /^--days 0\u00a0: un nombre/],
    [["send", "Bail.pdf", ...TO, "--color"], /^--color\u00a0: option inconnue/],
    [["send", "Bail.pdf", ...TO, "--wait=oui"], /^--wait\u00a0: option inconnue/],
    [["status"], /^Il manque l’identifiant/],
    [["status", "a", "b"], /^b est de trop/],
    [["download", "a", "b"], /^b est de trop/],
    [["download", "a", "--evidence", "--current"], /ne vont pas ensemble/],
    [["listen"], /^Une adresse est attendue/],
    [["listen", "localhost:8080"], /^Une adresse est attendue/],
    [["listen", "http://localhost/", "--types", "envelope.read"], /^--types envelope.read\u00a0: /],
  ];
  for (const [words, fault] of wrong) {
    const { outcome } = await runParaphe(words, KEYED);
    expect([words, outcome.code, ...outcome.lines.slice(0, 3)]).toEqual([
      words,
      64,
      expect.stringMatching(fault),
      "",
      expect.stringMatching(new RegExp(`^Usage\u00a0: paraphe ${words[0]} `)),
    ]);
  }
});

it("names what is missing in one line", async () => {
  const wrong: [readonly string[], NodeJS.ProcessEnv, RegExp][] = [
    [["status", "a"], {}, /^PARAPHE_URL manque/],
    [["status", "a"], { ...KEYED, PARAPHE_URL: "paraphe" }, /^PARAPHE_URL manque/],
    [["download", "a"], { ...KEYED, PARAPHE_KEY: "secret" }, /^PARAPHE_KEY manque/],
    [["send", "absent.pdf", ...TO], KEYED, /absent\.pdf ne peut pas être lu \(ENOENT\)\.$/],
    [
      ["listen", "http://localhost/"],
      { ...KEYED, PARAPHE_WEBHOOK_SECRET: "abc" },
      /^PARAPHE_WEBHOOK_SECRET commence par whsec_/,
    ],
  ];
  for (const [words, environment, sentence] of wrong) {
    const fault = await runParaphe(words, environment).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(CommandFault);
    expect((fault as CommandFault).message).toMatch(sentence);
  }
});

it("names the team of what it sends, and prints the id alone", async () => {
  const asked: string[] = [];
  const id = "01990000-0000-7000-8000-0000000000e1";
  const made = {
    id,
    title: "Bail",
    status: "sent",
    progress: { signed: 0, total: 1, percent: 0 },
    recipients: [],
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push(body);
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(made));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const path = join(tmpdir(), "Bail.final.pdf");
  await writeFile(path, "%PDF-1.7");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { outcome } = await runParaphe(["send", path, ...TO, "--team", id], {
      ...KEYED,
      PARAPHE_URL: url,
    });
    expect(outcome).toEqual({ code: 0, lines: [id] });
    // A file's name may look like a site, a title may not.
    expect(asked.map((body) => JSON.parse(body))).toEqual([
      expect.objectContaining({ team: id, title: "Bail final" }),
    ]);
  } finally {
    server.close();
  }
});
