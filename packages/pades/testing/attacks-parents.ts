import type { Attack } from "./attack-pieces.ts";
import { type AttackStage, sealed } from "./attack-stage.ts";
import { forgedRevision } from "./forge.ts";
import { type FreeSignature, signFreely } from "./sign-freely.ts";
import { smallPdf } from "./small-pdf.ts";

const KID = "<</T(montant)/FT/Tx/Type/Annot/Subtype/Widget/Rect[50 50 300 90]/F 4>>";
const HEAD = "/T(contrat)/Kids[7 0 R]";

/** A file signed by Alice, with a field below two others that it does not name. */
const signed = (
  { alice, pki }: AttackStage,
  options: Partial<FreeSignature> = {},
): Promise<Uint8Array> =>
  signFreely(
    smallPdf({
      catalogExtra: "/AcroForm<</Fields[6 0 R]>>",
      pageExtra: "/Annots[12 0 R]",
      objects: { 6: `<<${HEAD}>>`, 7: "<</T(prix)/Kids[12 0 R]>>", 12: KID },
    }),
    { cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered), ...options },
  );
const then =
  (objects: Readonly<Record<number, string>>): Attack =>
  async (stage) =>
    forgedRevision(await signed(stage), { objects });
const apart =
  (indirect: "ByteRange" | "Contents"): Attack =>
  (stage) =>
    signed(stage, { indirect });

export const PARENT_ATTACKS: Readonly<Record<string, Attack>> = {
  "parent: a value given from above": then({ 6: `<<${HEAD}/V(9999 EUR)>>` }),
  "parent: another above it, that gives a value": then({
    6: `<<${HEAD}/Parent 900 0 R>>`,
    900: "<</V(9999 EUR)/FT/Tx/DA(/Helv 0 Tf 0 g)>>",
  }),
  "parent: an action given from above": then({ 6: `<<${HEAD}/AA<</F<</S/JavaScript/JS(1)>>>>>>` }),
  "parent: a look given from two levels above": then({
    7: "<</T(prix)/Kids[12 0 R]/DA(/Helv 24 Tf 1 g)/Q 2>>",
  }),
  "parent: a field put under it": then({
    7: "<</T(prix)/Kids[12 0 R 901 0 R]>>",
    901: "<</T(x)/FT/Sig>>",
  }),
  "parent: no dictionary any more": then({ 7: "[12 0 R]" }),
  "ByteRange in an object of its own": apart("ByteRange"),
  "Contents in an object of its own": apart("Contents"),
};
export const HONEST_PARENTS: Readonly<Record<string, Attack>> = {
  "a file whose fields stand below others": (stage) => signed(stage),
  "a file whose fields stand below others, signed again": async (stage) =>
    signFreely(await signed(stage), {
      fieldName: "second",
      cms: (covered) => sealed({ signer: stage.bob, tsa: stage.pki.tsa }, covered),
    }),
};
