import { expect, it } from "vitest";
import { COMMANDS, runParaphe } from "./run-paraphe.ts";

it("lists every command with its usage without opening the service", async () => {
  const { outcome } = await runParaphe(["help"], {});
  expect(outcome.code).toBe(0);
  for (const [name, { summary }] of COMMANDS) {
    expect(outcome.lines).toContainEqual(
      expect.stringMatching(new RegExp(`^ {2}${name} +${summary}$`)),
    );
    for (const words of [
      ["help", name],
      [name, "--help"],
      [name, "x", "-h"],
    ]) {
      const { outcome: usage } = await runParaphe(words, {});
      expect(usage).toEqual({
        code: 0,
        lines: expect.arrayContaining([expect.stringMatching(`^Usage\u00a0: paraphe ${name}\\b`)]),
      });
    }
  }
});

it("answers an unknown command with the known ones and code 64", async () => {
  for (const words of [[], ["sauvegarde"], ["help", "sauvegarde"], ["help", "keys", "x"]])
    expect((await runParaphe(words, {})).outcome, words.join(" ")).toMatchObject({
      code: 64,
      lines: expect.arrayContaining([expect.stringMatching(/^ {2}keys /)]),
    });
});
