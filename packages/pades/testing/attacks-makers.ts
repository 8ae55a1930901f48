import { latinBytes } from "../src/pdf/incremental-update.ts";
import { latinText } from "../src/pdf/latin-text.ts";
import { type Attack, swap } from "./attack-pieces.ts";
import { type AttackStage, sealed } from "./attack-stage.ts";
import { forgedUpdate, tableRow } from "./forge-update.ts";
import { signFreely } from "./sign-freely.ts";
import { smallPdf } from "./small-pdf.ts";

const byAlice =
  ({ alice, pki }: AttackStage) =>
  (covered: Uint8Array): Promise<Uint8Array> =>
    sealed({ signer: alice, tsa: pki.tsa }, covered);

/** A file that says this of itself, signed; then it says that. */
const informed =
  (before: string, after: string): Attack =>
  async (stage) => {
    const file = latinText(smallPdf({ objects: { 30: `<<${before}>>` } }));
    const signed = await signFreely(latinBytes(swap(file, "/Root 1 0 R>>", "/Root 1 0 R/Info 30 0 R>>")), { cms: byAlice(stage) });
    return forgedUpdate(signed, {
      parts: { i: `30 0 obj\n<<${after}>>\nendobj\n` },
      rows: ({ i = 0 }) => tableRow(30, i),
      trailer: (text) => `${text}/Info 30 0 R`,
    });
  };

const INFORMATION: Readonly<Record<string, Attack>> = {
  "information: another title in another encoding": informed("/Title<FEFF004200610069006C>", "/Title(Bai1)"),
  "information: half a character for another": informed("/Title<FEFFD800>", "/Title<FEFFDC00>"),
  "information: half a letter less": informed("/Title<FEFF00420061>", "/Title<FEFF004200>"),
  "information: broken UTF-8 for another": informed("/Title<EFBBBFC3>", "/Title<EFBBBFE2>"),
  "information: a code of no letter for another": informed("/Title<42819F>", "/Title<4281AD>"),
  "information: a code of no letter left out": informed("/Title<420061>", "/Title(Ba)"),
  "information: a second mark of UTF-16": informed("/Title<FEFF0042>", "/Title<FEFFFEFF0042>"),
  "information: a name for a title": informed("/Title(Bail)", "/Title/Bail"),
  "information: a title that came": informed("/Author(x)", "/Author(x)/Title<FEFF>"),
};
const HONEST_INFORMATION: Readonly<Record<string, Attack>> = {
  "a title in UTF-16, written anew in bytes": informed("/Title<FEFF004200610069006C002020AC>", "/Title(Bail \\240)/ModDate(D:20261121)"),
  "a title in bytes, written anew in UTF-16": informed("/Title(R\\351sum\\351 \\204)", "/Title<FEFF005200E900730075006D00E900202014>"),
  "a title in UTF-8, written anew in UTF-16": informed("/Title<EFBBBFE282AC>", "/Title<FEFF20AC>/Producer(x)"),
};

/** What other makers of signatures do that changes nothing, and what would pass for it. */
export const MAKER_ATTACKS: Readonly<Record<string, Attack>> = { ...INFORMATION };
export const HONEST_MAKERS: Readonly<Record<string, Attack>> = { ...HONEST_INFORMATION };
