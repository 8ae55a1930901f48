import type { Platform } from "../../../server/src/platform/platform.ts";

export type StorePlatform = Pick<Platform, "db" | "files" | "clock">;
export type Invariant = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Invariant of ARCHITECTURE.md. `subject`: an id or hash, never a name; `what`: French. */
export type StoreFault = {
  readonly invariant: Invariant;
  readonly subject: string;
  readonly what: string;
};

/** `checked`: rows or files; `faultCount`: all faults; `faults`: the first. */
export type StoreOutcome = {
  readonly invariant: Invariant;
  readonly name: string;
  readonly checked: number;
  readonly faultCount: number;
  readonly faults: readonly StoreFault[];
  readonly seconds: number;
};

const INVARIANTS: Readonly<Record<Invariant, string>> = {
  1: "Signatures reconnues\u00a0: base, historique et fichiers",
  2: "Fichiers conservés\u00a0: empreinte et taille",
  3: "Journaux denses et enchaînés",
  4: "Enveloppes terminées\u00a0: fichiers couverts en entier",
  5: "Signatures des fichiers\u00a0: celles des signataires",
  6: "Messages\u00a0: un par événement et par personne",
  7: "Enveloppes annulées\u00a0: aucune signature ensuite",
  8: "Fichiers que rien ne désigne",
};

/** Applies per invariant: a lost store has one fault a row. */
const MAX_FAULTS = 50;

export type StoreNotes = {
  checked(invariant: Invariant, count: number): void;
  fault(
    invariant: Invariant,
    fault: { readonly subject: string; readonly what: string; readonly more?: number },
  ): void;
  timed<T>(invariant: Invariant, run: () => Promise<T>): Promise<T>;
  outcomes(): readonly StoreOutcome[];
};

type Line = { checked: number; faultCount: number; faults: StoreFault[]; ms: number };

export function createStoreNotes(): StoreNotes {
  const lines = new Map<Invariant, Line>();
  for (const number of Object.keys(INVARIANTS))
    lines.set(Number(number) as Invariant, { checked: 0, faultCount: 0, faults: [], ms: 0 });
  const lineOf = (invariant: Invariant): Line => lines.get(invariant) as Line;
  let innerMs = 0;
  return {
    checked(invariant, count) {
      lineOf(invariant).checked += count;
    },
    fault(invariant, { subject, what, more = 0 }) {
      const line = lineOf(invariant);
      line.faultCount += 1 + more;
      if (line.faults.length < MAX_FAULTS) line.faults.push({ invariant, subject, what });
    },
    async timed(invariant, run) {
      const [started, outside] = [performance.now(), innerMs];
      innerMs = 0;
      try {
        return await run();
      } finally {
        const spent = performance.now() - started;
        lineOf(invariant).ms += spent - innerMs;
        innerMs = outside + spent;
      }
    },
    outcomes: () =>
      [...lines].map(([invariant, { checked, faultCount, faults, ms }]) => ({
        invariant,
        name: INVARIANTS[invariant],
        checked,
        faultCount,
        faults,
        seconds: ms / 1_000,
      })),
  };
}
