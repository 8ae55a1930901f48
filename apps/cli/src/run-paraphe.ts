import { COMMANDS } from "./commands.ts";
import { misused, type Outcome } from "./outcome.ts";

export type Answer = { readonly outcome: Outcome; readonly isReport: boolean };

/** Runs `paraphe <command> …`. Asked for help, nothing is opened. */
export async function runParaphe([name = "", ...words]: readonly string[]): Promise<Answer> {
  if (name === "help" || name === "--help" || name === "-h") return answer(await help(words));
  const command = COMMANDS.get(name);
  if (command === undefined) return answer(misused(name === "" ? overview() : [`Commande inconnue\u00a0: ${name}`, "", ...overview()]));
  if (words.includes("--help") || words.includes("-h")) return answer({ code: 0, lines: await command.usage() });
  return { outcome: await command.run(words), isReport: command.isReport };
}

const answer = (outcome: Outcome): Answer => ({ outcome, isReport: true });

async function help([name, ...more]: readonly string[]): Promise<Outcome> {
  if (name === undefined) return { code: 0, lines: overview() };
  const command = COMMANDS.get(name);
  if (command === undefined || more.length > 0)
    return misused([`Commande inconnue\u00a0: ${[name, ...more].join(" ")}`, "", ...overview()]);
  return { code: 0, lines: await command.usage() };
}

function overview(): readonly string[] {
  const width = Math.max(...[...COMMANDS.keys()].map((name) => name.length));
  return [
    "Usage\u00a0: paraphe <commande>",
    "",
    ...[...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(width)}   ${summary}`),
    "",
    "paraphe <commande> --help en dit plus. Les réglages sont ceux du service (DATA_DIR, DATABASE_URL…).",
    "Code de sortie\u00a0: 0 fait, 1 refusé ou défaut trouvé, 2 tout n’a pas pu être vérifié, 64 mauvais usage, 75 à refaire plus tard, 78 réglage refusé.",
  ];
}
